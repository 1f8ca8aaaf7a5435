"""The picture of a loss landscape: contour lines with the paths of optimizers, their losses, and what they keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...kit.contours import contour
from ...kit.scene import Mark, Panel, changes, line, path, px, rect, text, width_of
from ...kit.words import number
from .run import SQUARE_AT, Frame, Loss, Waypoint, heights, levels_of

LEFT, TOP, WIDTH, HEIGHT = 46.0, 30.0, 384.0, 330.0  # px
LOW, ROW = 130.0, 17.0  # px: the height of the losses, and of a line of text
EDGE = LEFT + WIDTH + 8.0


@dataclass(frozen=True)
class Look:
    """How one optimizer is drawn: roles of its line, its marks and its words, and the corners of a mark, px."""

    line: str
    mark: str
    words: str
    corners: tuple[tuple[float, float], ...]


LOOKS = (
    Look("inkvector", "inkhead", "name", ((-3.5, 0), (0, -3.5), (3.5, 0), (0, 3.5))),
    Look("edge", "bar", "forwardtext", ((-3, -3), (3, -3), (3, 3), (-3, 3))),
    Look("backedge", "backbar", "slope", ((-4, 3), (4, 3), (0, -4.5))),
    Look("leafline", "leafbar", "leaftext", ((-4, -3), (4, -3), (0, 4.5))),
)

Runs = Mapping[str, Sequence[Sequence[Waypoint]]]  # optimizer -> for each rate its moments


@dataclass(frozen=True)
class Ground:
    """What all panels share: the runs, how many steps, the frame in the loss's own units, and the names of both axes."""

    runs: Runs
    steps: int
    frame: Frame
    axes: tuple[str, str]
    looks: Mapping[str, Look] = field(default_factory=dict)

    def at(self, place: tuple[float, float]) -> tuple[float, float]:
        """A place in px."""
        left, right, low, high = self.frame
        x, y = place
        return LEFT + (x - left) / (right - left) * WIDTH, TOP + (high - y) / (high - low) * HEIGHT

    def inside(self, place: tuple[float, float]) -> bool:
        left, right, low, high = self.frame
        return left <= place[0] <= right and low <= place[1] <= high

    def each(self):
        """`(the `when` of its marks, look, name, moments)` for every optimizer and rate."""
        for k, (name, by_rate) in enumerate(self.runs.items()):
            for i, moments in enumerate(by_rate):
                yield {"rate": [i], "show": [0, k + 1]}, self.looks[name], name, moments


def ground(runs: Runs, steps: int, frame: Frame, axes: tuple[str, str]) -> Ground:
    """A ground with a look for every optimizer."""
    return Ground(runs, steps, frame, axes, dict(zip(runs, LOOKS, strict=False)))


# ---- the plane ----


def plane(shared: Ground, loss: Loss) -> Panel:
    """The paths over the contour lines."""
    marks = [*_legend(shared), rect(LEFT, TOP, WIDTH, HEIGHT, "area", 0), *_contours(shared, loss), *_axes(shared)]
    for when, look, _, moments in shared.each():
        marks += _path(shared, look, moments, when)
    return Panel("plane", "The paths over the contour lines of the loss", EDGE, TOP + HEIGHT + 22, marks)


def _legend(shared) -> list[Mark]:
    marks: list[Mark] = []
    x = LEFT
    for k, name in enumerate(shared.runs):
        look, shown = shared.looks[name], {"show": [0, k + 1]}
        marks += [line(x, 12, x + 32, 12, look.line, when=shown), path(_sign(look, x + 16, 12), look.mark, when=shown)]
        marks.append(text(x + 38, 16, name, look.words, when=shown))
        x += 62 + width_of(name, bold=True)
    return marks


def _contours(shared, loss) -> list[Mark]:
    left, right, low, high = shared.frame
    xs, ys = np.linspace(left, right, SQUARE_AT), np.linspace(low, high, SQUARE_AT)
    found = heights(loss, xs, ys)
    marks: list[Mark] = []
    names: list[Mark] = []
    for level in reversed(levels_of(found)):
        ends = [(*shared.at(p), *shared.at(q)) for p, q in contour(found, xs, ys, level)]
        if ends:
            marks.append(path("".join(f"M{px(a)} {px(b)}L{px(c)} {px(d)}" for a, b, c, d in ends), "grid"))
            names += _named(level, ends, names)
    return marks + names


def _named(level, ends, taken) -> list[Mark]:
    """The number of a contour line where it comes highest; none where another number stands too near."""
    x, y = min(((x, y) for a, b, c, d in ends for x, y in ((a, b), (c, d))), key=lambda spot: spot[1])
    name = text(min(max(x, LEFT + 16), LEFT + WIDTH - 16), max(y - 2, TOP + 11), number(level), "tick", "middle")
    near = [t for t in taken if abs(t.at["x"] - name.at["x"]) < 34 and abs(t.at["y"] - name.at["y"]) < 16]
    return [] if near else [name]


def _axes(shared) -> list[Mark]:
    left, right, low, high = shared.frame
    marks = [text(LEFT + WIDTH, TOP + HEIGHT + 15, shared.axes[0], "code", "end")]
    marks += [text(LEFT - 6, TOP + 9, shared.axes[1], "code", "end")]
    for value in _ticks(left, right, 6):
        x = shared.at((value, low))[0]
        if x < LEFT + WIDTH - 24:
            marks.append(text(x, TOP + HEIGHT + 15, number(value), "tick", "middle"))
    for value in _ticks(low, high, 6):
        y = shared.at((left, value))[1]
        if y > TOP + 20:
            marks.append(text(LEFT - 6, y + 4, number(value), "tick", "end"))
    return marks


def _ticks(low, high, most):
    """Round values in [low, high]."""
    raw = (high - low) / most
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= raw)
    return [k * step for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]


def _path(shared, look, moments, when) -> list[Mark]:
    """The line of a path, which ends where it leaves the frame, and a mark for every step."""
    stays = next((i for i, m in enumerate(moments) if not shared.inside(m.place)), len(moments))
    places = [shared.at(m.place) for m in moments[:stays]]
    ends = (
        [*places, shared.at(_leaving(shared.frame, *moments[stays - 1 : stays + 1]))]
        if stays < len(moments)
        else places
    )
    drawn = ["M" + "L".join(f"{px(x)} {px(y)}" for x, y in ends[: i + 1]) for i in range(shared.steps + 1)]
    marks = [path("M0 0", look.line, vary={"step": {"d": changes(drawn)}}, when=when)]
    for i, (x, y) in enumerate(places):
        seen = {"step": {"state": [(0, "hidden"), (i, "")] if i else [(0, "")]}}
        marks.append(path(_sign(look, x, y), look.mark, vary=seen, when=when))
    return marks


def _leaving(frame, inner, outer):
    """Where the step from a place inside to one outside crosses the frame."""
    left, right, low, high = frame
    shares = [1.0]
    for a, b, least, most in zip(inner.place, outer.place, (left, low), (right, high), strict=True):
        if not least <= b <= most:
            shares.append(((most if b > most else least) - a) / (b - a))
    t = min(shares)
    return tuple(a + t * (b - a) for a, b in zip(inner.place, outer.place, strict=True))


def _sign(look, x, y):
    return "M" + "L".join(f"{px(x + dx)} {px(y + dy)}" for dx, dy in look.corners) + "Z"


# ---- beside the plane: what is kept, and the losses ----


def beside(shared: Ground) -> Panel:
    """What each optimizer sees and keeps, and below it the loss after each step."""
    marks, bottom = _kept_rows(shared)
    scale = _Scale(shared, bottom + 24)
    title = f"The loss after each step, on a {'log' if scale.is_log else 'linear'} scale"
    marks += [text(0, bottom + 12, title, "name"), rect(LEFT, scale.top, WIDTH, LOW, "area", 0), *scale.grid()]
    for when, look, _, moments in shared.each():
        ends = [scale.at(i, m.loss) for i, m in enumerate(moments)]
        drawn = ["M" + "L".join(f"{px(x)} {px(y)}" for x, y in ends[: i + 1]) for i in range(shared.steps + 1)]
        marks.append(path("M0 0", look.line, vary={"step": {"d": changes(drawn)}}, when=when))
        tips = changes(_sign(look, *ends[min(i, len(ends) - 1)]) for i in range(shared.steps + 1))
        marks.append(path("M0 0", look.mark, vary={"step": {"d": tips}}, when=when))
    title = "The gradient where each one stands, and what it keeps"
    return Panel("beside", title, EDGE, scale.top + LOW + 24, marks)


def _kept_rows(shared) -> tuple[list[Mark], float]:
    """The rows, and where they end."""
    marks: list[Mark] = []
    y = 16.0
    for k, name in enumerate(shared.runs):
        both = {"show": [0, k + 1]}
        marks.append(text(0, y, name, shared.looks[name].words, when=both))
        rows = 1 + max(1, *(len(moments[0].kept) for moments in shared.runs[name]))
        for i, moments in enumerate(shared.runs[name]):
            for row in range(rows):
                said = changes(_kept(moments[min(s, len(moments) - 1)], row) for s in range(shared.steps + 1))
                seen = {"step": {"text": said}}
                marks.append(text(LEFT + 60, y + ROW * row, "", "value", vary=seen, when=both | {"rate": [i]}))
        y += ROW * rows + 4
    return marks, y


def _kept(moment, row):
    """What stands in a row: first the gradient, then each thing kept."""
    if row == 0:
        return f"gradient {pair(moment.gradient)}"
    names = list(moment.kept)
    if not names:
        return "keeps nothing" if row == 1 else ""
    return f"{names[row - 1]} {pair(moment.kept[names[row - 1]])}" if row <= len(names) else ""


class _Scale:
    """Where a loss stands in its panel, px; what is beyond the highest or lowest one shown is drawn at the edge."""

    def __init__(self, shared, top):
        self.steps, self.top = shared.steps, top
        first = next(iter(shared.runs.values()))[0][0].loss
        every = [m.loss for *_, moments in shared.each() for m in moments]
        self.is_log = min(every) > 0
        if self.is_log:
            self.low = float(np.floor(np.log10(max(min(every), first * 1e-6))))
            self.high = float(np.ceil(np.log10(min(max(every), first * 1e3)) + 1e-9))
        else:
            spread = first - min(every) or 1.0
            self.low, self.high = min(every) - 0.05 * spread, min(max(every), first + spread) + 0.05 * spread

    def at(self, step, loss):
        level = np.log10(max(loss, 1e-300)) if self.is_log else loss
        share = (np.clip(level, self.low, self.high) - self.low) / (self.high - self.low)
        return LEFT + 8 + step / self.steps * (WIDTH - 16), float(self.top + (1 - share) * LOW)

    def grid(self):
        marks = []
        for value in _ticks(self.low, self.high, 4):
            loss = 10.0**value if self.is_log else value
            y = self.at(0, loss)[1]
            marks += [line(LEFT, y, LEFT + WIDTH, y, "grid"), text(LEFT - 6, y + 4, number(loss), "tick", "end")]
        every = _ticks(0, self.steps, 8)
        return marks + [
            text(self.at(i, 1.0)[0], self.top + LOW + 14, number(i), "tick", "middle") for i in every if i == int(i)
        ]


def pair(values: tuple[float, float]) -> str:
    """Two numbers in brackets.

    >>> pair((1.0, -0.25))
    '(1, −0.25)'
    """
    return f"({', '.join(map(number, values))})"
