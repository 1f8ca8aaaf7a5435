"""The loss while data is sunk: the device has one for each step, the host gets that of the last step of each launch."""

from collections.abc import Iterator, Mapping, Sequence

from ...kit.axes import Axis, Plane
from ...kit.scene import STEP, Mark, Panel, circle, path, rect, text
from ...kit.words import counted, number
from .run import BATCHES, Run
from .view import reached, steps_axis

LEFT, RIGHT, TOP, LOW = 42.0, 426.0, 48.0, 120.0  # px; how high the losses stand


def losses_panel(runs: Mapping[str, Run], losses: Sequence[float], joint: Mapping[str, int]) -> Panel:
    """The loss of each step, as far as it has run, and dots where the host gets one."""
    plane = Plane(Axis(0, len(losses), LEFT, RIGHT), Axis(-0.05 * max(losses), 1.05 * max(losses), TOP + LOW, TOP))
    marks = [plane.ground(), *plane.up.beside(LEFT - 6, plane.up.ticks(3), grid=(LEFT, RIGHT))]
    marks += plane.across.below(TOP + LOW + 14, plane.across.ticks(6))
    marks.append(text(RIGHT, TOP + LOW + 28, "step", "note", "end"))
    said = [_rise(seen, count.steps) for run in runs.values() for seen, count in zip(run.seen, run.counts, strict=True)]
    marks.append(text(LEFT, 38, "", "slope").following(joint, text=said))
    marks.append(path([plane.at((i + 1, loss)) for i, loss in enumerate(losses)], "edge"))
    for k, loss in enumerate(losses):
        marks.append(circle(*plane.at((k + 1, loss)), 5, "row", link=f"step {k}"))
    along = steps_axis({name: run.counts for name, run in runs.items()})
    for i, run in enumerate(runs.values()):
        marks += _of_a_size(i, run, plane, reached(run.counts[0].steps, along))
    steps = [count.steps for run in runs.values() for count in run.counts]
    given = [len(seen) for run in runs.values() for seen in run.seen]
    said = [f"━ {counted(n, 'loss')}, {counted(n, 'gradient')}" for n in steps]
    marks.append(text(LEFT, 18, "", "forwardtext").following(joint, text=said))
    told = [f"● the log: {counted(n, 'loss')}" for n in given]
    marks.append(text(RIGHT, 18, "", "slope", "end").following(joint, text=told))
    return Panel("losses", "The loss of each step, and the log that the host gets", RIGHT + 12, TOP + LOW + 34, marks)


def _rise(seen, steps) -> str:
    """The largest rise of the log, and of which batches its two losses are."""
    if len(seen) < 2:
        return ""
    every = steps // len(seen)
    k = max(range(len(seen) - 1), key=lambda i: seen[i + 1] - seen[i])
    batches = [((k + i + 1) * every - 1) % BATCHES for i in range(2)]
    if seen[k + 1] <= seen[k] or batches[0] == batches[1]:
        return f"The log compares batch {batches[0]} with itself." if batches[0] == batches[1] else ""
    return f"{number(seen[k])} → {number(seen[k + 1])} in the log: batch {batches[0]}, then batch {batches[1]}"


def _of_a_size(i, run, plane, goes) -> Iterator[Mark]:
    """What has not run yet is covered; a dot for each loss that the host has been given."""
    ends, top, low = [plane.across(count.steps) for count in run.counts], plane.up.end, plane.up.start
    cover = rect(LEFT, top, RIGHT - LEFT, low - top, "area", 0, when={"size": [i]})
    cover = cover.following("epochs", x=ends, width=[RIGHT - x for x in ends])
    yield cover.moving("epochs", 0.0, goes, "x", "width")
    log = [
        [plane.at(((k + 1) * (count.steps // len(seen)), loss)) for k, loss in enumerate(seen)]
        for count, seen in zip(run.counts, run.seen, strict=True)
    ]
    way = path(log[0], "backline", when={"size": [i]}).following("epochs", d=log)
    yield way.moving("epochs", goes, STEP - goes, "d")
    before = 0
    for epoch, (count, seen) in enumerate(zip(run.counts, run.seen, strict=True)):
        every = count.steps // len(seen)
        for k in range(before, len(seen)):
            x, y = plane.at(((k + 1) * every, seen[k]))
            dot = circle(x, y, 3.5, "backbar", when={"size": [i]})
            if epoch:
                dot = dot.varying("epochs", state=[(0, "hidden"), (epoch, "")]).moving("epochs", goes, 0.0, "state")
            yield dot
        before = len(seen)
