"""The most results held at once against the number of checkpoints: a curve with its least, along which the number is dragged."""

from collections.abc import Iterator, Sequence

from ...kit.axes import Axis, Plane
from ...kit.grips import Grip
from ...kit.scene import Link, Mark, Panel, circle, line, path, rect, text
from .run import LAYERS

WIDTH, HEIGHT, LEFT = 400.0, 294.0, 46.0  # px
PLANE = Plane(Axis(0, LAYERS, LEFT, WIDTH - 16), Axis(0, LAYERS + 4.0, 204.0, 10.0))
TIME, LONG, BAR = 246.0, 150.0, 14.0  # px: where both times are drawn, the longer one, how high each


def peak_panel(peaks: Sequence[int], times: Sequence[int], names: Sequence[str]) -> Panel:
    """`peaks` and `times` of a run without checkpoints, then with 1 to as many as there are layers; `names`: those that are
    drawn in full beside it, positions of the dial "segments"."""
    marks = [PLANE.ground(), *PLANE.up.beside(LEFT - 6, (0, 4, 8, 12, 16), str, grid=(LEFT, PLANE.across.end))]
    marks += [*_curve(peaks, names), *_times(times, names)]
    return Panel("all", "The most held: drag the number of checkpoints", WIDTH, HEIGHT, marks)


def peak_grip(names: Sequence[str]) -> Grip:
    """The number of checkpoints, on the axis: where the curve is, is to be predicted."""
    area = (LEFT, PLANE.up.end, PLANE.across.end - LEFT, PLANE.up.start - PLANE.up.end + 12)
    spots = [(PLANE.across(_many(name)), PLANE.up.start) for name in names]
    return Grip("peak", "all", "Number of checkpoints", "segments", spots, "x", area=area, jumps=True)


def links(names: Sequence[str]) -> dict[str, Link]:
    """A click on a number takes it."""
    return {f"row {name}": Link(f"Checkpoints: {name}", go={"segments": i}) for i, name in enumerate(names)}


def _many(name) -> int:
    return 0 if name == "none" else int(name)


def _curve(peaks, names) -> Iterator[Mark]:
    plain, *found = peaks
    level, low = PLANE.up(plain), PLANE.up.start
    points = [PLANE.at((k, peak)) for k, peak in enumerate(found, 1)]
    least = min(range(len(found)), key=lambda i: found[i]) + 1
    worse = [k for k, peak in enumerate(found, 1) if peak > plain]
    for mark in (
        line(LEFT, level, PLANE.across.end, level, "inkvector"),
        text(PLANE.across(LAYERS / 2), level + 16, f"no checkpoint: {plain}", "note", "middle"),
        path(points, "ravine"),
        text(points[least - 1][0] + 12, points[least - 1][1] + 22, f"the least: {peaks[least]}", "savedtext"),
        *(text(points[k - 1][0] + 12, points[k - 1][1] - 14, _told(k, peaks), "badtext") for k in worse[:1]),
    ):
        yield mark.answering("time")
    stops = [PLANE.at((_many(name), peaks[_many(name)])) for name in names]
    xs, ys = zip(*stops, strict=True)
    thread = path([(xs[0], low), (xs[0], ys[0])], "ravine")
    yield thread.following("segments", d=[[(x, low), (x, y)] for x, y in stops]).answering("time")
    for name, (x, y) in zip(names, stops, strict=True):
        yield circle(x, y, 5, "savedbar", link=f"row {name}").answering("time")
        yield text(x, low + 17, name, "tick", "middle", link=f"row {name}")
    yield circle(xs[0], ys[0], 9, "before").following("segments", cx=xs, cy=ys).answering("time")
    said = [str(peaks[_many(name)]) for name in names]
    beside = [min(x + 16, PLANE.across.end - 18) for x in xs]
    value = text(xs[0], ys[0], "", "name", "middle").following("segments", x=beside, y=[y - 10 for y in ys], text=said)
    yield value.answering("time")


def _told(k, peaks) -> str:
    return f"{k} checkpoint holds {peaks[k]}: more than none" if k == 1 else f"{k} checkpoints hold more than none"


def _times(times, names) -> Iterator[Mark]:
    """How long a run takes without checkpoints, and with any number of them."""
    plain, *others = times
    alike = f"any number, {others[0] / plain - 1:.0%} more" if len(set(others)) == 1 else "the longest"
    yield text(6, TIME + 2, "time", "name")
    for k, (time, words, role) in enumerate(((plain, "none", "bar"), (max(others), alike, "bar"))):
        y, size = TIME - 9 + 24 * k, LONG * time / max(times)
        there = [(name != "none") == bool(k) for name in names]
        yield rect(LEFT, y, size, BAR, role, 2).answering("time")
        frame = rect(LEFT - 3, y - 3, LONG * time / max(times) + 6, BAR + 6, "before", 4)
        yield frame.following("segments", state=["" if here else "hidden" for here in there])
        yield text(LEFT + size + 10, y + 11, str(time), "value").answering("time")
        yield text(LEFT + size + 34, y + 11, words, "plain").answering("time")
