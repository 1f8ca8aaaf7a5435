"""The loss while data is sunk: the device has one for each step, the host gets that of the last step of each launch."""

from collections.abc import Iterator, Mapping, Sequence

from ...kit.axes import Axis, Plane
from ...kit.scene import Mark, Panel, circle, path, rect, text
from ...kit.words import counted
from .run import Run
from .view import reached, steps_axis

LEFT, RIGHT, TOP, LOW = 30.0, 238.0, 50.0, 135.0  # px; how high the losses stand


def losses_panel(runs: Mapping[str, Run], losses: Sequence[float], joint: Mapping[str, int]) -> Panel:
    """The loss of each step, as far as it has run, and dots where the host gets one."""
    plane = Plane(Axis(0, len(losses), LEFT, RIGHT), Axis(-0.05 * max(losses), 1.05 * max(losses), TOP + LOW, TOP))
    marks = [plane.ground(), *plane.up.beside(LEFT - 6, plane.up.ticks(3), grid=(LEFT, RIGHT))]
    marks += plane.across.below(TOP + LOW + 14, plane.across.ticks(6))
    marks.append(text(RIGHT, TOP + LOW + 28, "step", "note", "end"))
    marks.append(path([plane.at((i + 1, loss)) for i, loss in enumerate(losses)], "edge"))
    along = steps_axis({name: run.counts for name, run in runs.items()})
    for i, run in enumerate(runs.values()):
        marks += _of_a_size(i, run, plane, reached(run.counts[0].steps, along))
    steps = [count.steps for run in runs.values() for count in run.counts]
    given = [len(seen) for run in runs.values() for seen in run.seen]
    said = [f"━ {counted(n, 'loss')}, {counted(n, 'gradient')}" for n in steps]
    marks.append(text(LEFT, 18, "", "forwardtext").following(joint, text=said))
    told = [f"● the host gets {counted(n, 'loss')}" for n in given]
    marks.append(text(LEFT, 36, "", "slope").following(joint, text=told))
    return Panel("losses", "The loss on the device, and what comes back", RIGHT + 26, TOP + LOW + 34, marks)


def _of_a_size(i, run, plane, goes) -> Iterator[Mark]:
    """What has not run yet is covered; a dot for each loss that the host has been given."""
    ends, top, low = [plane.across(count.steps) for count in run.counts], plane.up.end, plane.up.start
    cover = rect(LEFT, top, RIGHT - LEFT, low - top, "area", 0, when={"size": [i]})
    cover = cover.following("epochs", x=ends, width=[RIGHT - x for x in ends])
    yield cover.moving("epochs", 0.0, goes, "x", "width")
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
