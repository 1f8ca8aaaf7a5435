"""The cliff: gradient descent through a recurrent unit, whose loss has a wall, with and without clipping.

The unit is h = w h + b, TIMES times from 0, and should give TARGET. For w beyond 1 the result explodes, and with it the
gradient: one step lands on the wall, the next is thrown out of the picture (I. Goodfellow, Y. Bengio, A. Courville, "Deep
Learning", 2016, section 10.11.1). The training loop is the one of the PyTorch dialect.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from .... import torch
from ...kit.contours import contour
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, changes, circle, line, path, px, rect, text
from ...kit.words import number

TIMES, TARGET, START, RATE, STEPS = 8, 3.0, (0.1, 0.3), 0.05, 24
LIMITS, START_LIMIT = (0.5, 1.0, 4.0), 1
FRAME = (-1.4, 1.8, -0.3, 1.5)  # lowest and highest w, lowest and highest b
LEVELS = (1.0, 10.0, 100.0, 1e3, 1e4)  # of the contour lines
LOSSES = (1e-3, 1e4)  # of the lower panel
LEFT, TOP, WIDTH, HEIGHT, LOW = 30.0, 46.0, 392.0, 270.0, 110.0  # px; LOW is the height of the lower panel


def unit(w, b):
    """What the recurrent unit gives; for numbers, arrays and tensors.

    >>> unit(0.5, 1.0)
    1.9921875
    """
    h = 0.0 * b
    for _ in range(TIMES):
        h = w * h + b
    return h


def loss(w, b):
    """The squared distance of the unit's result from TARGET.

    >>> loss(0.0, 2.0)
    1.0
    """
    return (unit(w, b) - TARGET) ** 2


@dataclass(frozen=True)
class Point:
    """Where the training stands: `w`, `b`, the loss there, and the length of the gradient there before clipping."""

    w: float
    b: float
    loss: float
    norm: float


def train(limit: float = float("inf")) -> list[Point]:
    """The points of STEPS steps, clipped by `nn.utils.clip_grad_norm_` at `limit`; fewer where the gradient overflows."""
    w, b = (torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in START)
    optimizer = torch.optim.SGD([w, b], lr=RATE)
    points: list[Point] = []
    with np.errstate(all="ignore"):
        while len(points) <= STEPS:
            optimizer.zero_grad()
            value = loss(w, b)
            value.backward()
            norm = torch.nn.utils.clip_grad_norm_([w, b], limit)
            points.append(Point(w.item(), b.item(), value.item(), norm.item()))
            if not np.isfinite(points[-1].norm):
                break
            optimizer.step()
    return points


def thrown(points: Sequence[Point]) -> int:
    """The first step that is more than three times as long as the first one.

    >>> thrown(train())
    4
    """
    return next(i + 1 for i, point in enumerate(points) if point.norm > 3 * points[0].norm)


@cache
def scene() -> Scene:
    """The picture: dial `step` replays the training, dial `cliff_limit` is the limit of the clipped path."""
    free, clipped = train(), [train(limit) for limit in LIMITS]
    paths, curves = _path(free, "inkvector", "inkhead") + _numbers(free), [_curve(free, "inkvector")]
    for i, points in enumerate(clipped):
        paths += _path(points, "vector", "head", {"cliff_limit": [i]})
        curves.append(_curve(points, "vector", {"cliff_limit": [i]}))
    title, width = "The path of training over the contour lines of the loss", LEFT + WIDTH + 12
    plane = Panel("cliff", title, width, TOP + HEIGHT + 22, [*_ground(), *_legend(), *paths])
    marks = [*_losses_ground(), *curves, _now()]
    below = Panel("losses", "The loss after each step, on a log scale", width, LOW + 34, marks)
    return Scene(
        "Over a cliff",
        "Over a cliff: without clipping, one step onto the wall of a recurrent unit's loss throws the training far out.",
        _dials(free), [plane, below], _captions(free, clipped),
    )  # fmt: skip


def _dials(free):
    at = thrown(free)
    before = free[at - 1]
    ask = Ask(
        f"Now the gradient has length {number(before.norm)}; the learning rate is {RATE}. How long is the step without clipping?",
        RATE * before.norm, "The learning rate times the length of the gradient.",
        ((before.norm, "That is the gradient. The step is the learning rate times it."),
         *((RATE * limit, f"That is a step clipped at {number(limit)}.") for limit in LIMITS)),
        otherwise="Not that: the learning rate times the length of the gradient.",
    )  # fmt: skip
    return [
        Dial("step", "Step", [str(i) for i in range(STEPS + 1)], start=STEPS, asks={at: ask}),
        Dial("cliff_limit", "Limit", [number(v) for v in LIMITS], "choice", START_LIMIT),
    ]


# ---- the plane ----


def _at(w, b):
    left, right, low, high = FRAME
    return LEFT + (w - left) / (right - left) * WIDTH, TOP + (high - b) / (high - low) * HEIGHT


def _ground() -> list[Mark]:
    left, right, low, high = FRAME
    marks = [rect(LEFT, TOP, WIDTH, HEIGHT, "area", 0), text(LEFT - 4, TOP + 8, "b", "code", "end")]
    marks += [text(LEFT + WIDTH, TOP + HEIGHT + 14, "w", "code", "end"), path(_level(0.0), "ravine")]
    for level in LEVELS:
        wall = _level(np.sqrt(level))
        marks += [
            path(wall + _level(-np.sqrt(level)), "grid"),
            text(_top(wall), TOP - 4, _level_name(level), "tick", "middle"),
        ]
    marks.append(text(_top(_level(0.0)), TOP - 4, "0", "tick", "middle"))
    marks += [text(_at(w, 0)[0], TOP + HEIGHT + 14, number(w), "tick", "middle") for w in _halves(left, right)]
    return marks + [text(LEFT - 4, _at(0, b)[1] + 4, number(b), "tick", "end") for b in _halves(low, high)]


def _halves(low, high):
    return [k / 2 for k in range(int(np.ceil(2 * low)), int(np.ceil(2 * high)))]


def _level(distance) -> str:
    """The line along which the result is TARGET + distance, in px; the sinh keeps the wall from being too steep."""
    left, right, low, high = FRAME
    ws, bs = np.linspace(left, right, 65), np.linspace(low, high, 46)
    heights = np.arcsinh(unit(*np.meshgrid(ws, bs)) - TARGET)
    ends = [(*_at(*p), *_at(*q)) for p, q in contour(heights, ws, bs, float(np.arcsinh(distance)))]
    return "".join(f"M{px(a)} {px(b)}L{px(c)} {px(d)}" for a, b, c, d in ends)


def _top(d):
    """Where a line comes highest, px."""
    points = [[float(n) for n in point.split()] for point in d.replace("L", "M").split("M")[1:]]
    return min(points, key=lambda point: point[1])[0]


def _level_name(level):
    return number(level) if level < 1000 else f"10{_raised(round(np.log10(level)))}"


def _legend():
    names = changes(f"clipped at {number(limit)}" for limit in LIMITS)
    return [
        line(LEFT, 12, LEFT + 34, 12, "inkvector"),
        text(LEFT + 42, 16, "without clipping", "plain"),
        line(LEFT + 154, 12, LEFT + 188, 12, "vector"),
        text(LEFT + 196, 16, "", "forwardtext", vary={"cliff_limit": {"text": names}}),
        text(LEFT + WIDTH, 16, "lines: loss", "note", "end"),
    ]


def inside(point: Point) -> bool:
    """Whether a point is in the picture."""
    left, right, low, high = FRAME
    return left <= point.w <= right and low <= point.b <= high


def _path(points, role, dot, when=None) -> list[Mark]:
    seen = points[: next((i for i, p in enumerate(points) if not inside(p)), len(points))]
    places = [_at(p.w, p.b) for p in seen]
    ends = [*places, _leaving(points[len(seen) - 1], points[len(seen)])] if len(seen) < len(points) else places
    drawn = ["M" + "L".join(f"{px(x)} {px(y)}" for x, y in ends[: i + 1]) for i in range(STEPS + 1)]
    marks = [path("", role, vary={"step": {"d": changes(drawn)}}, when=when or {})]
    for i, (x, y) in enumerate(places):
        marks.append(
            circle(x, y, 3.5, dot, vary={"step": {"state": [(0, "hidden"), (i, "")] if i else []}}, when=when or {})
        )
    return marks


def _numbers(points):
    """The steps of the path without clipping from the wall on, and where it has gone."""
    x, y = _at(points[0].w, points[0].b)
    marks, first = [text(x + 8, y + 5, "start", "note")], thrown(points)
    for i in range(first - 1, len(points)):
        shown = {"step": {"state": [(0, "hidden"), (i, "")]}}
        x, y = _at(points[i].w, points[i].b)
        if not inside(points[i]):
            x, y = _leaving(points[i - 1], points[i])
            words = f"{i}: out, to w = {number(points[i].w)}, b = {number(points[i].b)}"
            return [*marks, text(x - 12, y + 18, words, "badtext", "end", vary=shown)]
        marks.append(text(x, y - 8, str(i), "badtext", "middle", vary=shown))
    return marks


def _leaving(inner, outer):
    """Where the step from a point inside to one outside crosses the frame."""
    left, right, low, high = FRAME
    shares = [1.0]
    for a, b, least, most in ((inner.w, outer.w, left, right), (inner.b, outer.b, low, high)):
        if not least <= b <= most:
            shares.append(((most if b > most else least) - a) / (b - a))
    t = min(shares)
    return _at(inner.w + t * (outer.w - inner.w), inner.b + t * (outer.b - inner.b))


# ---- the losses ----


def _place(step, value):
    low, high = np.log10(LOSSES)
    level = np.clip(np.log10(max(value, LOSSES[0])), low, high)
    return LEFT + 8 + step / STEPS * (WIDTH - 16), float(8 + (high - level) / (high - low) * LOW)


def _losses_ground():
    marks = [rect(LEFT, 8, WIDTH, LOW, "area", 0)]
    for power in range(*(int(v) for v in np.log10(LOSSES)), 2):
        y = _place(0, 10.0**power)[1]
        marks += [line(LEFT, y, LEFT + WIDTH, y, "grid"), text(LEFT - 4, y + 4, f"10{_raised(power)}", "tick", "end")]
    return marks + [text(_place(i, 1)[0], LOW + 22, str(i), "tick", "middle") for i in range(0, STEPS + 1, 4)]


def _raised(power):
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _curve(points, role, when=None):
    places = [_place(i, p.loss) for i, p in enumerate(points) if np.isfinite(p.loss)]
    drawn = ["M" + "L".join(f"{px(x)} {px(y)}" for x, y in places[: i + 1]) for i in range(STEPS + 1)]
    return path("", role, vary={"step": {"d": changes(drawn)}}, when=when or {})


def _now():
    lines = [f"M{px(_place(i, 1)[0])} 8L{px(_place(i, 1)[0])} {px(8 + LOW)}" for i in range(STEPS + 1)]
    return path("", "axis", vary={"step": {"d": changes(lines)}})


def _captions(free, clipped):
    captions = [Caption("step", changes(f"Step {i}. Without clipping: {_told(free, i)}." for i in range(STEPS + 1)))]
    for k, (limit, points) in enumerate(zip(LIMITS, clipped, strict=True)):
        said = [f"Clipped at {number(limit)} (nn.utils.clip_grad_norm_): {_told(points, i)}." for i in range(STEPS + 1)]
        captions.append(Caption("step", changes(said), {"cliff_limit": [k]}))
    return captions


def _told(points, i):
    if i >= len(points):
        return f"the gradient has overflowed at step {len(points) - 1}"
    point = points[i]
    where = f"w = {number(point.w)}, b = {number(point.b)}, loss {number(point.loss)}, gradient of length {number(point.norm)}"
    return where if inside(point) else f"thrown out of the picture, {where}"
