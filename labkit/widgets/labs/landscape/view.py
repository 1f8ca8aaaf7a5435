"""The picture of a loss landscape: contour lines with the paths of optimizers, their losses, and what they keep."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane, pieces
from ...kit.grips import Grip
from ...kit.scene import Mark, Panel, arrow_head, line, only, path, rect, text, width_of
from ...kit.strokes import NOWHERE, Point, polygon
from ...kit.words import number
from .gauge import HIGH, curved, gauge, plain
from .run import SQUARE_AT, Frame, Loss, Waypoint, heights, levels_of

LEFT, TOP, WIDTH, HEIGHT = 46.0, 30.0, 384.0, 330.0  # px
FRESH = 5  # steps that are not pale
LOW, ROW = 130.0, 17.0  # px: the height of the losses, and of a line of text
EDGE = LEFT + WIDTH + 8.0
LOWEST, NEAR, CLEAR = "✕", 10.0, 24.0  # the sign, and px from a number to a path: too few, and enough


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


LOOKS = (
    Look("inkvector", "inkhead", "name", ((-3.5, 0), (0, -3.5), (3.5, 0), (0, 3.5))),
    Look("edge", "bar", "forwardtext", ((-3, -3), (3, -3), (3, 3), (-3, 3))),
    Look("backedge", "backbar", "slope", ((-4, 3), (4, 3), (0, -4.5))),
    Look("leafline", "leafbar", "leaftext", ((-4, -3), (4, -3), (0, 4.5))),
)

Runs = Mapping[str, Sequence[Sequence[Waypoint]]]  # optimizer -> for each rate its moments


@dataclass(frozen=True)
class Ground:
    """What all panels share: the runs, how many steps, the frame in the loss's own units, the names of both axes, and the
    learning rates.

    `losses`: the axis of the losses, None for one that fits. A rate without moments is not drawn. `now`: the only step that is
    seen, None for all.
    """

    runs: Runs
    steps: int
    frame: Frame
    axes: tuple[str, str]
    rates: Sequence[float]
    losses: Axis | None = None
    now: int | None = None

    @property
    def plane(self) -> Plane:
        """Where places stand, px."""
        left, right, low, high = self.frame
        return Plane(Axis(left, right, LEFT, LEFT + WIDTH), Axis(low, high, TOP + HEIGHT, TOP))

    @property
    def ways(self) -> np.ndarray:
        """Where the paths go, at every few px of each step."""
        tracks = [self.plane.track([m.place for m in moments]) for *_, moments in self.each()]
        steps = [np.linspace(a, b, 9) for track in tracks for a, b in pairwise(track)]
        return np.concatenate([np.zeros((0, 2)), *steps])

    def follow(self, mark: Mark, **values: Callable[[int], Any]) -> Mark:
        """A mark with attributes that follow the step."""
        steps = range(self.steps + 1) if self.now is None else [self.now]
        return mark.following("step", **{name: [value(step) for step in steps] for name, value in values.items()})

    @property
    def looks(self) -> dict[str, Look]:
        """A look for every optimizer."""
        return dict(zip(self.runs, LOOKS, strict=False))

    def each(self) -> Iterator[tuple[dict[str, list[int]], Look, str, Sequence[Waypoint]]]:
        """`(the `when` of its marks, look, name, moments)` for every optimizer and rate."""
        for k, (name, by_rate) in enumerate(self.runs.items()):
            for i, moments in enumerate(by_rate):
                if moments:
                    yield {"rate": [i], "show": [0, k + 1]}, self.looks[name], name, moments


# ---- the plane ----


def plane(shared: Ground, lines: Sequence[Mark]) -> Panel:
    """The paths over the contour `lines`."""
    marks = [*_legend(shared), shared.plane.ground(), *(m for m in lines if m.tag == "path"), *_axes(shared)]
    for when, look, _, moments in shared.each():
        marks += only(when, _path(shared, look, [moment.place for moment in moments]))
    for when, _, _, moments in shared.each():
        marks += only(when, _downhill(shared, shared.rates[when["rate"][0]], moments))
    marks += (m for m in lines if m.tag == "text")  # over the paths
    marks.append(text(LEFT + 8, TOP + HEIGHT - 8, "→ rate × gradient, downhill", "savedtext"))
    lowest = f"; {LOWEST} is the lowest point" if any(mark.text == LOWEST for mark in lines) else ""
    return Panel("plane", f"Contour lines of the loss: drag the start{lowest}", EDGE, TOP + HEIGHT + 22, marks)


def _legend(shared) -> Iterator[Mark]:
    x = LEFT
    for k, (name, look) in enumerate(shared.looks.items()):
        marks = (
            line(x, 12, x + 32, 12, look.line),
            path(look.sign(x + 16, 12), look.mark),
            text(x + 38, 16, name, look.words),
        )
        yield from only({"show": [0, k + 1]}, marks)
        x += 62 + width_of(name, bold=True)


def contours(shared: Ground, loss: Loss) -> list[Mark]:
    """The contour lines of the loss, with their heights."""
    left, right, low, high = shared.frame
    xs, ys = np.linspace(left, right, SQUARE_AT), np.linspace(low, high, SQUARE_AT)
    found = heights(loss, xs, ys)
    marks: list[Mark] = []
    names: list[Mark] = []
    lowest = np.unravel_index(int(np.argmin(np.where(np.isnan(found), np.inf, found))), found.shape)
    if all(0 < k < SQUARE_AT - 1 for k in lowest):  # else it may go on beyond the frame
        x, y = shared.plane.at((float(xs[lowest[1]]), float(ys[lowest[0]])))
        names.append(text(x, y + 4, LOWEST, "name", "middle"))
    for level in reversed(levels_of(found)):
        contour = shared.plane.contour(found, xs, ys, level)
        if contour:
            marks.append(path(pieces(contour), "contour"))
            names += _level_name(shared, level, contour, names)
    return marks + names


def _level_name(shared, level, contour, taken) -> list[Mark]:
    """The number of a contour line, where no path comes near it, as high as may be; none where there is no such place."""
    words, ways = number(level), shared.ways
    found = [shared.plane.kept(float(x), float(y) + 4, width_of(words, 11, mono=True)) for (x, y), _ in contour[::3]]
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


def _path(shared, look, places) -> Iterator[Mark]:
    """The line of a path, which ends where it leaves the frame, and a mark for every step; what is long ago is pale."""
    track = shared.plane.track(places)
    yield shared.follow(path("M0 0", look.line).varying("step", state=[(0, "dim")]), d=partial(_beginning, track))
    yield shared.follow(path("M0 0", look.line), d=partial(_lately, track))
    for i, spot in enumerate(shared.plane.inner(places)):
        ages = [*([(0, "hidden")] if i else []), (i, ""), (i + FRESH + 1, "dim")]
        yield path(look.sign(*spot), look.mark).seen_from("step", i).varying("step", state=ages)


def _downhill(shared, rate, moments) -> Iterator[Mark]:
    """An arrow from where an optimizer stands: the learning rate times the gradient, downhill."""
    ways = [_arrow(shared.plane, m.place, np.subtract(m.place, rate * np.array(m.gradient))) for m in moments]
    for k, role in enumerate(("ravine", "savedbar")):
        yield shared.follow(path(NOWHERE, role), d=lambda step, k=k: ways[step][k] if step < len(ways) else NOWHERE)


def _arrow(plane, start, end):
    """A line, which ends at the border, and its head."""
    if not plane.holds(start):
        return NOWHERE, NOWHERE
    (x, y), (u, v) = plane.track([start, end])
    size = min(8.0, float(np.hypot(u - x, v - y)))
    head = arrow_head(u, v, u - x, v - y, "savedbar", size).at["d"] if size and plane.holds(end) else NOWHERE
    return [(x, y), (u, v)], head


# ---- beside the plane: what is kept, and the losses ----


def beside(shared: Ground) -> Panel:
    """What each optimizer sees and keeps, and below it the loss after each step."""
    marks, bottom = _rows_and_gauge(shared)
    top = bottom + 24
    plane = Plane(
        Axis(0, shared.steps, LEFT + 8, LEFT + WIDTH - 8),
        replace(shared.losses or losses_axis(shared), start=top + LOW, end=top),
    )
    title = f"The loss after each step, on a {'log' if plane.up.log else 'linear'} scale"
    marks += [text(0, bottom + 12, title, "name"), rect(LEFT, top, WIDTH, LOW, "area", 0)]
    marks += plane.up.beside(LEFT - 6, plane.up.ticks(4), grid=(LEFT, LEFT + WIDTH))
    marks += plane.across.below(top + LOW + 14, [i for i in plane.across.ticks(8) if i == int(i)])
    for when, look, _, moments in shared.each():
        ends = [plane.at((i, m.loss)) for i, m in enumerate(moments)]
        curve = shared.follow(path("M0 0", look.line), d=partial(_beginning, ends))
        sign = shared.follow(path("M0 0", look.mark), d=partial(_sign, look, ends))
        marks += only(when, [curve, sign])
    return Panel("beside", "The gradient where each one stands, and what it keeps", EDGE, top + LOW + 24, marks)


def grips(shared: Ground, start: Point) -> Iterator[Grip]:
    """The start, anywhere; and the step, along a path and along the losses."""
    yield from _walkers(shared)
    free = {way: axis.sets(name) for way, axis, name in zip("xy", (shared.plane.across, shared.plane.up), shared.axes)}
    yield Grip("start", "plane", "The start", at=shared.plane.at(start), free=free)
    y, across = _rows_and_gauge(shared)[1] + 24 + LOW, Axis(0, shared.steps, LEFT + 8, LEFT + WIDTH - 8)
    spots = [(across(i), y) for i in range(shared.steps + 1)]
    yield Grip(
        "step", "beside", "The step", "step", spots, "x", area=(LEFT, y - LOW, WIDTH, LOW), bare=True, jumps=True
    )


def _walkers(shared) -> Iterator[Grip]:
    """Where an optimizer stands, dragged along its path; of all, the last one. The start has a handle of its own."""
    for when, _, name, moments in shared.each():
        shown = when["show"] if name == list(shared.runs)[-1] else when["show"][1:]
        places = [moments[min(i, len(moments) - 1)].place for i in range(shared.steps + 1)]
        spots = [shared.plane.at(p) if i and shared.plane.holds(p) else None for i, p in enumerate(places)]
        yield Grip("walker", "plane", "The step, along the path", "step", spots, when={**when, "show": shown})


def losses_axis(shared: Ground) -> Axis:
    """Logarithmic where it can be; what is beyond the highest or lowest loss shown is drawn at the edge."""
    losses = [m.loss for *_, moments in shared.each() for m in moments]
    first, least, most = losses[0], min(losses), max(losses)
    if least > 0:
        low = float(np.floor(np.log10(max(least, first * 1e-6))))
        high = float(np.ceil(np.log10(min(most, first * 1e3)) + 1e-9))
        return Axis(low, high, LOW, 0.0, log=True)
    spread = first - least or 1.0
    return Axis(least - 0.05 * spread, min(most, first + spread) + 0.05 * spread, LOW, 0.0)


def _rows_and_gauge(shared) -> tuple[list[Mark], float]:
    """What each one keeps, and why the first that only follows the gradient goes as it does; and where this ends."""
    marks, bottom = _kept_rows(shared)
    runs = [(when, name, moments, shared.rates[when["rate"][0]]) for when, _, name, moments in shared.each()]
    followed = [(when, name, moments, rate) for when, name, moments, rate in runs if plain(moments, rate)]
    for when, name, moments, rate in followed:
        if name == followed[0][1]:
            values = [curved(moments, rate, min(step, len(moments) - 1)) for step in range(shared.steps + 1)]
            marks += only(when, gauge(LEFT, bottom, WIDTH, name, values))
    return marks, bottom + (HIGH + 12 if followed else 0.0)


def _kept_rows(shared) -> tuple[list[Mark], float]:
    """The rows, and where they end."""
    marks: list[Mark] = []
    y = 16.0
    for k, (name, by_rate) in enumerate(shared.runs.items()):
        both = {"show": [0, k + 1]}
        marks.append(text(0, y, name, shared.looks[name].words, when=both))
        rows = 1 + max(1, *(len(moments[0].kept) for moments in by_rate if moments))
        for i, moments in ((i, moments) for i, moments in enumerate(by_rate) if moments):
            for row in range(rows):
                kept = text(LEFT + 60, y + ROW * row, "", "value", when={**both, "rate": [i]})
                marks.append(shared.follow(kept, text=partial(_row_words, moments, row)))
        y += ROW * rows + 4
    return marks, y


def _beginning(points, step):
    return points[: step + 1]


def _lately(points, step):
    """The last steps; after the last point, where it ends."""
    end = min(step, len(points) - 1)
    return points[max(0, end - FRESH) : end + 1]


def _sign(look, spots, step):
    return look.sign(*spots[min(step, len(spots) - 1)])


def _row_words(moments, row, step):
    """What stands in a row: first the gradient, then each thing kept."""
    moment = moments[min(step, len(moments) - 1)]
    if row == 0:
        return f"gradient {pair(moment.gradient)}"
    names = list(moment.kept)
    if not names:
        return "keeps nothing" if row == 1 else ""
    return f"{names[row - 1]} {pair(moment.kept[names[row - 1]])}" if row <= len(names) else ""


def pair(values: tuple[float, float]) -> str:
    """Two numbers in brackets.

    >>> pair((1.0, -0.25))
    '(1, −0.25)'
    """
    return f"({', '.join(map(number, values))})"
