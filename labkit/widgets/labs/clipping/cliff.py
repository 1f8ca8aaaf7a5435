"""The cliff: gradient descent through a recurrent unit, whose loss has a wall, with and without clipping.

The unit is h = w h + b, TIMES times from 0, and should give TARGET. For w beyond 1 the result explodes, and with it the
gradient: one step lands on the wall, the next is thrown out of the picture (I. Goodfellow, Y. Bengio, A. Courville, "Deep
Learning", 2016, section 10.11.1). The training loop is the one of the PyTorch dialect.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .... import torch
from ...kit.axes import Axis, Plane, pieces
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, changes, circle, line, only, path, rect, text
from ...kit.strokes import growing
from ...kit.words import number, raised

TIMES, TARGET, START, RATE, STEPS = 8, 3.0, (0.1, 0.3), 0.05, 24
LIMITS, START_LIMIT = (0.5, 1.0, 4.0), 1
FRAME = (-1.4, 1.8, -0.3, 1.5)  # lowest and highest w, lowest and highest b
LEVELS = (1.0, 10.0, 100.0, 1e3, 1e4)  # of the contour lines
LEFT, TOP, WIDTH, HEIGHT, LOW = 30.0, 46.0, 392.0, 270.0, 240.0  # px; LOW is the height of the lower panel
PLANE = Plane(Axis(*FRAME[:2], LEFT, LEFT + WIDTH), Axis(*FRAME[2:], TOP + HEIGHT, TOP))
LOSSES = Plane(Axis(0, STEPS, LEFT + 8, LEFT + WIDTH - 8), Axis(-3, 4, LOW + 8, 8, log=True))


def unit(w: Any, b: Any) -> Any:
    """What the recurrent unit gives; for numbers, arrays and tensors.

    >>> unit(0.5, 1.0)
    1.9921875
    """
    h = 0.0 * b
    for _ in range(TIMES):
        h = w * h + b
    return h


def loss(w: Any, b: Any) -> Any:
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

    @property
    def place(self) -> tuple[float, float]:
        """Where it is in the plane."""
        return self.w, self.b


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
    paths, curves = [*_path(free, "inkvector", "inkhead"), *_numbers(free)], [_curve(free, "inkvector")]
    for i, points in enumerate(clipped):
        paths += only({"cliff_limit": [i]}, _path(points, "vector", "head"))
        curves += only({"cliff_limit": [i]}, [_curve(points, "vector")])
    title, width = "The path of training over the contour lines of the loss", LEFT + WIDTH + 12
    plane = Panel("cliff", title, width, TOP + HEIGHT + 22, [*_ground(), *_legend(), *paths])
    marks = [*_losses_ground(), *curves, _now()]
    below = Panel("losses", "The loss after each step, on a log scale", width, LOW + 34, marks)
    return Scene(
        "Over a cliff",
        "Over a cliff: without clipping, one step onto the wall of a recurrent unit's loss throws the training far out.",
        _dials(free), [plane, below], list(_captions(free, clipped)),
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
        Dial("step", "Step", [str(i) for i in range(STEPS + 1)], asks={at: ask}, start=STEPS),
        Dial("cliff_limit", "Limit", [number(v) for v in LIMITS], "choice", START_LIMIT),
    ]


# ---- the plane ----


def _ground() -> Iterator[Mark]:
    yield PLANE.ground()
    yield text(LEFT - 4, TOP + 8, "b", "code", "end")
    yield text(LEFT + WIDTH, TOP + HEIGHT + 14, "w", "code", "end")
    ravine = _level(0.0)
    yield path(pieces(ravine), "ravine")
    for level in LEVELS:
        wall = _level(np.sqrt(level))
        yield path(pieces(wall + _level(-np.sqrt(level))), "contour")
        yield _name_of(wall, number(level) if level < 1000 else _power(np.log10(level)))
    yield _name_of(ravine, "0")
    yield from PLANE.across.below(TOP + HEIGHT + 14, _halves(*FRAME[:2]))
    yield from PLANE.up.beside(LEFT - 4, _halves(*FRAME[2:]))


def _halves(low, high):
    return [k / 2 for k in range(int(np.ceil(2 * low)), int(np.ceil(2 * high)))]


def _level(distance):
    """The line along which the result is TARGET + distance; the sinh keeps the wall from being too steep."""
    ws, bs = np.linspace(*FRAME[:2], 65), np.linspace(*FRAME[2:], 46)
    heights = np.arcsinh(unit(*np.meshgrid(ws, bs)) - TARGET)
    return PLANE.contour(heights, ws, bs, float(np.arcsinh(distance)))


def _name_of(contour, words):
    """The name of a contour line, where it comes highest."""
    x, _ = min((point for piece in contour for point in piece), key=lambda point: round(point[1], 1))
    return text(x, TOP - 4, words, "tick", "middle")


def _power(power):
    return raised(10, round(power))


def _legend() -> Iterator[Mark]:
    yield line(LEFT, 12, LEFT + 34, 12, "inkvector")
    yield text(LEFT + 42, 16, "without clipping")
    yield line(LEFT + 154, 12, LEFT + 188, 12, "vector")
    names = [f"clipped at {number(limit)}" for limit in LIMITS]
    yield text(LEFT + 196, 16, "", "forwardtext").following("cliff_limit", text=names)
    yield text(LEFT + WIDTH, 16, "lines: loss", "note", "end")


def _path(points, role, dot) -> Iterator[Mark]:
    places = [point.place for point in points]
    yield path("", role).following("step", d=growing(PLANE.track(places), STEPS + 1))
    for i, (x, y) in enumerate(PLANE.inner(places)):
        yield circle(x, y, 3.5, dot).seen_from("step", i)


def _numbers(points) -> Iterator[Mark]:
    """The steps of the path without clipping from the wall on, and where it has gone."""
    x, y = PLANE.at(points[0].place)
    yield text(x + 8, y + 5, "start", "note")
    for i in range(thrown(points) - 1, len(points)):
        if not PLANE.holds(points[i].place):
            x, y = PLANE.leaving(points[i - 1].place, points[i].place)
            words = f"{i}: out, to w = {number(points[i].w)}, b = {number(points[i].b)}"
            yield text(x - 12, y + 18, words, "badtext", "end").seen_from("step", i)
            return
        x, y = PLANE.at(points[i].place)
        yield text(x, y - 8, str(i), "badtext", "middle").seen_from("step", i)


# ---- the losses ----


def _losses_ground() -> Iterator[Mark]:
    yield rect(LEFT, 8, WIDTH, LOW, "area", 0)
    powers = [10.0**power for power in range(-3, 4, 2)]
    yield from LOSSES.up.beside(LEFT - 4, powers, lambda value: _power(np.log10(value)), (LEFT, LEFT + WIDTH))
    yield from LOSSES.across.below(LOW + 22, range(0, STEPS + 1, 4), str)


def _curve(points, role) -> Mark:
    places = [LOSSES.at((i, p.loss)) for i, p in enumerate(points) if np.isfinite(p.loss)]
    return path("", role).following("step", d=growing(places, STEPS + 1))


def _now() -> Mark:
    xs = [LOSSES.across(i) for i in range(STEPS + 1)]
    return path("", "axis").following("step", d=[[(x, 8), (x, 8 + LOW)] for x in xs])


def _captions(free, clipped):
    said = [
        f"Step {i}: without clipping {_briefly(free, i)},\nWithout: {_standing(free, i)}." for i in range(STEPS + 1)
    ]
    yield Caption("step", changes(said))
    for k, (limit, points) in enumerate(zip(LIMITS, clipped, strict=True)):
        name = f"Clipped at {number(limit)} (nn.utils.clip_grad_norm_)"
        said = [
            f"clipped at {number(limit)} {_briefly(points, i)}.\n{name}: {_standing(points, i)}."
            for i in range(STEPS + 1)
        ]
        yield Caption("step", changes(said), {"cliff_limit": [k]})


def _briefly(points, i):
    """The same in a few words."""
    if i >= len(points):
        return "the training is gone"
    point = points[i]
    return f"the loss is {number(point.loss)}" + ("" if PLANE.holds(point.place) else ", far out of the picture")


def _standing(points, i):
    """Where a training stands after i steps, in words."""
    if i >= len(points):
        return f"the gradient has overflowed at step {len(points) - 1}"
    point = points[i]
    where = f"w = {number(point.w)}, b = {number(point.b)}, loss {number(point.loss)}, gradient of length {number(point.norm)}"
    return where if PLANE.holds(point.place) else f"thrown out of the picture, {where}"
