"""The picture of a loss landscape: contour lines with the paths of optimizers, the learning rate, and their losses."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane, pieces
from ...kit.grips import Grip
from ...kit.scene import Link, Mark, Panel, circle, line, only, path, rect, text, width_of
from ...kit.strokes import NOWHERE, Point, polygon
from ...kit.words import number
from .drawn import Following, How, Spots, Walks
from .gauge import HIGH, gauge
from .run import SQUARE_AT, Frame, Loss, heights, levels_of

LEFT, TOP, WIDTH, HEIGHT = 46.0, 38.0, 384.0, 322.0  # px
FRESH = 5  # steps that are not pale
LOW = 150.0  # px: the height of the losses
EDGE = LEFT + WIDTH + 8.0
LOWEST, NEAR, CLEAR = "✕", 10.0, 24.0  # the sign, and px from a number to a path: too few, and enough
RATE, RATE_AT = "learning rate", 46.0  # the name of the input, and px
LARGER, SMALLER = 1.5, 0.8  # signs, times: where it stands, and where it was
CLOSE, ASIDE = 34.0, 8.0  # px: learning rates whose names go out of each other's way, and how far
ROUND = 0.15  # of a power of ten beyond the given rates


@dataclass(frozen=True)
class Look:
    """How one optimizer is drawn: roles of its line, its marks and its words, and the corners of a mark, px."""

    line: str
    mark: str
    words: str
    corners: tuple[Point, ...]

    def sign(self, x: float, y: float) -> str:
        """The outline of its mark at a place."""
        return polygon(self.corners, x, y)

    def grown(self, times: float) -> list[list[float]]:
        """The corners of a mark that is larger."""
        return [[times * x, times * y] for x, y in self.corners]


LOOKS = (
    Look("inkvector", "inkhead", "name", ((-3.5, 0), (0, -3.5), (3.5, 0), (0, 3.5))),
    Look("edge", "bar", "forwardtext", ((-3, -3), (3, -3), (3, 3), (-3, 3))),
    Look("backedge", "backbar", "slope", ((-4, 3), (4, 3), (0, -4.5))),
    Look("leafline", "leafbar", "leaftext", ((-4, -3), (4, -3), (0, 4.5))),
)


@dataclass(frozen=True)
class Ground:
    """What all panels share: the descents, the names of both axes, the learning rates to choose from, and which optimizers only
    follow the gradient."""

    walks: Walks
    axes: tuple[str, str]
    rates: Sequence[float]
    plain: Sequence[str] = ()

    @property
    def plane(self) -> Plane:
        """Where places stand, px."""
        return self.walks.plane

    @property
    def looks(self) -> dict[str, Look]:
        """A look for every optimizer."""
        return dict(zip(self.walks.moments, LOOKS, strict=False))

    def follow(self, mark: Mark, attribute: str, kind: str, of: str, **given: Any) -> Mark:
        """A mark with an attribute that follows the step."""
        return mark.varying("step", **{attribute: Following(How(kind, of, given), self.walks)})

    def each(self) -> Iterator[tuple[dict[str, list[int]], Look, str]]:
        """`(the `when` of its marks, look, name)` for every optimizer."""
        for k, (name, look) in enumerate(self.looks.items()):
            yield {"show": [0, k + 1]}, look, name

    def alone(self, name: str) -> dict[str, list[int]]:
        """Where no other is shown."""
        names = list(self.walks.moments)
        return {"show": [names.index(name) + 1, *([0] if len(names) == 1 else [])]}


def plane_of(frame: Frame) -> Plane:
    """Where places stand, px."""
    left, right, low, high = frame
    return Plane(Axis(left, right, LEFT, LEFT + WIDTH), Axis(low, high, TOP + HEIGHT, TOP))


# ---- the plane ----


def plane(shared: Ground, lines: Sequence[Mark]) -> Panel:
    """The paths over the contour `lines`."""
    marks = [*_legend(shared), shared.plane.ground(), *(m for m in lines if m.tag == "path"), *_axes(shared)]
    for when, look, name in shared.each():
        marks += only(when, _path(shared, look, name))
    for _, look, name in shared.each():
        marks += only(shared.alone(name), _arrows(shared, look, name))
    marks += (m for m in lines if m.tag == "text")  # over the paths
    lowest = f"; {LOWEST} is the lowest point" if any(mark.text == LOWEST for mark in lines) else ""
    return Panel("plane", f"Drag the start over the contour lines of the loss{lowest}", EDGE, TOP + HEIGHT + 22, marks)


def _legend(shared) -> Iterator[Mark]:
    """The names, and below each its loss."""
    x = LEFT
    for when, look, name in shared.each():
        marks = (
            line(x, 10, x + 32, 10, look.line),
            path(look.sign(x + 16, 10), look.mark),
            text(x + 38, 14, name, look.words),
            shared.follow(text(x + 38, 30, "", "value"), "text", "loss", name),
        )
        yield from only(when, marks)
        x += max(62 + width_of(name, bold=True), WIDTH / max(3, len(shared.looks)))


def contours(plane: Plane, loss: Loss, ways: np.ndarray) -> tuple[list[Mark], tuple[float, float]]:
    """The contour lines of the loss, with their heights where no path of `ways` comes near; and its least and greatest height."""
    xs = np.linspace(plane.across.low, plane.across.high, SQUARE_AT)
    ys = np.linspace(plane.up.low, plane.up.high, SQUARE_AT)
    found = heights(loss, xs, ys)
    marks: list[Mark] = []
    names: list[Mark] = []
    lowest = np.unravel_index(int(np.argmin(np.where(np.isnan(found), np.inf, found))), found.shape)
    if all(0 < k < SQUARE_AT - 1 for k in lowest):  # else it may go on beyond the frame
        x, y = plane.at((float(xs[lowest[1]]), float(ys[lowest[0]])))
        names.append(text(x, y + 4, LOWEST, "name", "middle"))
    for level in reversed(levels_of(found)):
        contour = plane.contour(found, xs, ys, level)
        if contour:
            marks.append(path(pieces(contour), "contour"))
            names += _level_name(plane, ways, level, contour, names)
    finite = found[np.isfinite(found)]
    return marks + names, (float(finite.min()), float(finite.max()))


def _level_name(plane, ways, level, contour, taken) -> list[Mark]:
    """The number of a contour line, where no path comes near it, as high as may be; none where there is no such place."""
    words = number(level)
    found = [plane.kept(float(x), float(y) + 4, width_of(words, 11, mono=True)) for (x, y), _ in contour[::3]]
    spots = [s for s in found if all(abs(t.at["x"] - s[0]) > 34 or abs(t.at["y"] - s[1]) > 16 for t in taken)]
    away = [min(np.hypot(*(ways - (x, y - 4)).T).min(initial=CLEAR), CLEAR) for x, y in spots]
    best = [(x, y) for (x, y), d in zip(spots, away) if d == max(away)]
    return [text(*min(best, key=lambda s: s[1]), words, "level", "middle")] if max(away, default=0) > NEAR else []


def _axes(shared) -> Iterator[Mark]:
    """The names of both axes in their corners, and round values where these leave room."""
    across, up = shared.plane.across, shared.plane.up
    yield text(LEFT + WIDTH, TOP + HEIGHT + 15, shared.axes[0], "code", "end")
    yield text(LEFT - 6, TOP + 9, shared.axes[1], "code", "end")
    yield from across.below(TOP + HEIGHT + 15, [v for v in across.ticks(6) if across(v) < LEFT + WIDTH - 24])
    yield from up.beside(LEFT - 6, [v for v in up.ticks(6) if up(v) > TOP + 20])


def _path(shared, look, name) -> Iterator[Mark]:
    """The line of a path, pale where it is long ago, with signs at the last steps and a large one where it stands."""
    yield shared.follow(path(NOWHERE, look.line).varying("step", state=[(0, "dim")]), "d", "way", name)
    yield shared.follow(path(NOWHERE, look.line), "d", "way", name, last=FRESH)
    yield shared.follow(path(NOWHERE, look.mark), "d", "signs", name, corners=look.grown(SMALLER), ages=[1, FRESH])
    yield shared.follow(path(NOWHERE, look.mark), "d", "signs", name, corners=look.grown(LARGER), ages=[0, 0])


def _arrows(shared, look, name) -> Iterator[Mark]:
    """From where an optimizer stands: the learning rate times the gradient, downhill; and what it adds to that."""
    for adds in (False, True) if name not in shared.plain else (False,):
        for head, role in enumerate(("backvector", "backhead") if adds else ("ravine", "savedbar")):
            mark = shared.follow(path(NOWHERE, role), "d", "arrow", name, adds=adds, head=bool(head))
            yield mark.varying("step", state=[(0, "answer")])
    y = TOP + HEIGHT - 8
    yield text(LEFT + 8, y, "→ rate × gradient, downhill", "savedtext")
    if name not in shared.plain:
        yield text(LEFT + 8, y - 16, f"→ what {name} adds: both lead to its next step", "slope")


# ---- beside the plane: the learning rate, and the losses ----


def rate_axis(rates: Sequence[float]) -> Axis:
    """Where learning rates stand, a little beyond those that are given."""
    low, high = (float(np.log10(v)) for v in (min(rates), max(rates)))
    return Axis(round(low - ROUND, 2), round(high + ROUND, 2), LEFT, LEFT + WIDTH, log=True)


def losses_plane(steps: int, least: float, most: float, top: float) -> Plane:
    """Steps and losses: logarithmic where all heights of the ground are positive; what lies beyond is drawn at the edge."""
    across = Axis(0, steps, LEFT + 8, LEFT + WIDTH - 8)
    if least > 0:
        low, high = float(np.floor(np.log10(max(least, most * 1e-6)))), float(np.ceil(np.log10(most) + 1e-9))
        return Plane(across, Axis(low, high, top + LOW, top, log=True))
    spread = most - least or 1.0
    return Plane(across, Axis(least - 0.05 * spread, most + 0.05 * spread, top + LOW, top))


def losses_top(plain: bool) -> float:
    """Where the losses begin, px."""
    return RATE_AT + 62 + (HIGH + 14 if plain else 0)


def beside(shared: Ground) -> Panel:
    """The learning rate, why the first that only follows the gradient goes as it does, and the loss after each step."""
    marks, losses = list(_rate(shared)), shared.walks.losses
    for name in shared.plain[:1]:  # whichever is shown, so that nothing moves
        marks += gauge(LEFT, RATE_AT + 46, WIDTH, name, shared.follow)
    top = losses.up.end
    title = f"The loss after each step, on a {'log' if losses.up.log else 'linear'} scale"
    marks += [text(LEFT, top - 12, title, "name"), rect(LEFT, top, WIDTH, LOW, "area", 0)]
    marks += losses.up.beside(LEFT - 6, losses.up.ticks(4), grid=(LEFT, LEFT + WIDTH))
    marks += losses.across.below(top + LOW + 14, [i for i in losses.across.ticks(8) if i == int(i)])
    for when, look, name in shared.each():
        curve = shared.follow(path(NOWHERE, look.line), "d", "curve", name)
        sign = shared.follow(path(NOWHERE, look.mark), "d", "lost", name, corners=look.grown(LARGER))
        marks += only(when, [curve, sign])
    return Panel("beside", "Drag the learning rate", EDGE, top + LOW + 24, marks)


def _rate(shared) -> Iterator[Mark]:
    """The learning rate on its axis, with those that are given."""
    axis = rate_axis(shared.rates)
    yield text(LEFT, 14, "Learning rate", "name")
    yield shared.follow(text(LEFT + WIDTH, 14, "", "place", "end"), "text", "named", "")
    yield rect(LEFT, RATE_AT - 14, WIDTH, 6, "area", 3)
    spots = sorted((axis(rate), number(rate)) for rate in shared.rates)
    for i, (x, name) in enumerate(spots):
        yield line(x, RATE_AT - 14, x, RATE_AT - 8, "axis")
        before, after = (i > 0 and x - spots[i - 1][0] < CLOSE), (i + 1 < len(spots) and spots[i + 1][0] - x < CLOSE)
        off, anchor = (
            (ASIDE, "end") if after and not before else (-ASIDE, "start") if before and not after else (0, "middle")
        )
        yield text(x + off, RATE_AT + 14, name, "tick", anchor, link=f"rate {name}")
    yield shared.follow(circle(LEFT, RATE_AT - 11, 7, "bar"), "cx", "rated", "", **asdict(axis))


def links(shared: Ground) -> dict[str, Link]:
    """A learning rate that is given is taken by a click."""
    names = {number(rate): rate for rate in shared.rates}
    return {f"rate {name}": Link(f"learning rate {name}", sets={RATE: rate}) for name, rate in names.items()}


def grips(shared: Ground, start: Point) -> Iterator[Grip]:
    """The start, anywhere; the learning rate; and the step, along a path and along the losses."""
    for when, _, name in shared.each():  # where an optimizer stands; of all, the last one
        shown = when["show"] if name == list(shared.walks.moments)[-1] else when["show"][1:]
        along = Spots(How("spot", name), shared.walks)
        yield Grip("walker", "plane", "The step, along the path", "step", along, when={"show": shown}, bare=True)
    free = {way: axis.sets(name) for way, axis, name in zip("xy", (shared.plane.across, shared.plane.up), shared.axes)}
    yield Grip("start", "plane", "The start", at=shared.plane.at(start), free=free)
    axis = rate_axis(shared.rates)
    at, area = (axis(shared.walks.rate), RATE_AT - 11), (LEFT, RATE_AT - 28, WIDTH, 26)
    yield Grip("rate", "beside", "The learning rate", by="x", at=at, free={"x": axis.sets(RATE)}, area=area, jumps=True)
    losses = shared.walks.losses
    spots, y = [(losses.across(i), losses.up.start) for i in range(shared.walks.steps + 1)], losses.up.end
    yield Grip("step", "beside", "The step", "step", spots, "x", area=(LEFT, y, WIDTH, LOW), bare=True, jumps=True)
