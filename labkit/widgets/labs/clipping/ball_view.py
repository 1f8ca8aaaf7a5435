"""How the ball and the box look: the gradient, what both rules make of it and of others of its length, and how it is turned."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.scene import Mark, circle, line, path, rect, text
from ...kit.strokes import NOWHERE
from ...kit.symbolic import Quantity, either, placed, through, words

ACROSS, UP = 4.0, 3.0  # the gradient stands in [-ACROSS, ACROSS] x [-UP, UP]
UNIT, EDGE, TICKS = 48.0, 8.0, 28.0  # px: a 1, the margin, and the one that ticks stand in
MIDDLE = (TICKS + ACROSS * UNIT, EDGE + UP * UNIT)
PLANE = Plane(Axis(-ACROSS, ACROSS, TICKS, MIDDLE[0] + ACROSS * UNIT), Axis(-UP, UP, MIDDLE[1] + UP * UNIT, EDGE))
SIZE = PLANE.across.end + EDGE, PLANE.up.start + TICKS
KNOB, HEAD = 10.0, 11.0  # px: half of the ring around g, the head of an arrow
LENGTHS = Axis(0, 5, 30, 308)  # in the second panel
ROW, TOP, BAR = 42.0, 22.0, 13.0
WEDGE = 58.0  # px: how far the turn is filled
DIRECTIONS, TURNS = Axis(-180, 180, 30, 308), Axis(0, 45, 292, 190)
BESIDE = 330.0, TURNS.start + 28
QUARTER = 60  # steps of a quarter of the way around
Place = tuple[Any, Any]


def at(vector: Place) -> Any:
    """The place of a vector's tip, px."""
    return MIDDLE[0] + vector[0] * UNIT, MIDDLE[1] - vector[1] * UNIT


def edge(found: Any) -> Any:
    """Where the circle is taken hold of."""
    away = found.limit * (UNIT * float(np.sqrt(0.5)))
    return MIDDLE[0] - away, MIDDLE[1] - away


def ground(found: Any) -> Iterator[Mark]:
    """The plane, the ball and the box."""
    (x, y), size = MIDDLE, found.limit * UNIT
    yield PLANE.ground(3.0)
    yield placed(rect(0, 0, 1, 1, "back", 0), x=x - size, y=y - size, width=2 * size, height=2 * size)
    yield placed(circle(x, y, 1, "op"), r=size)
    yield line(PLANE.across.start, y, PLANE.across.end, y, "grid")
    yield line(x, PLANE.up.end, x, PLANE.up.start, "grid")
    yield from PLANE.across.below(PLANE.up.start + 16, [v for v in range(1 - int(ACROSS), int(ACROSS)) if v])
    yield from PLANE.up.beside(PLANE.across.start - 6, [v for v in range(1 - int(UP), int(UP)) if v])


def traces(found: Any, told: str) -> Iterator[Mark]:
    """Where the clipped tips lie of all gradients of this length: by norm on a circle, by value on a square with its corners."""
    quarter = _quarter(found)
    both = [(a, b) for a, b in zip(quarter, reversed(quarter), strict=True)]
    turns = [((1, 0), (0, 1)), ((0, -1), (1, 0)), ((-1, 0), (0, -1)), ((0, 1), (-1, 0))]
    tips = [at(_turned(pair, turn)) for turn in turns for pair in both[:-1]]
    yield placed(path(NOWHERE, "backline"), d=through(tips, closed=True)).seen_from(told, 1)
    yield placed(circle(*MIDDLE, 1, "edge"), r=found.norm_length * UNIT).seen_from(told, 1)


def _turned(pair, turn):
    """A pair (a, b) as the rows of `turn` say, each the one or the other with a sign."""
    return tuple(next(one * sign for one, sign in zip(pair, row, strict=True) if sign) for row in turn)


def _quarter(found) -> list[Quantity]:
    """The first element, cut to the limit, of gradients of this length that turn from the first axis to the second."""
    cosines = np.cos(np.linspace(0, np.pi / 2, QUARTER + 1)).round(12)
    return [found.of.of("minimum", found.length * float(c), found.limit) for c in cosines]


def gradient(found: Any) -> Iterator[Mark]:
    """The way to g."""
    yield placed(path(NOWHERE, "inkvector"), d=through([MIDDLE, at(found.g)]))


def handle(found: Any) -> Iterator[Mark]:
    """The ring that is dragged, with g in it."""
    x, y = at(found.g)
    yield placed(circle(0, 0, KNOB, "area"), cx=x, cy=y)
    yield placed(circle(0, 0, KNOB, "before"), cx=x, cy=y)
    yield placed(text(0, 0, "g", "name", "middle"), x=x, y=y + 4)


def results(found: Any, told: str) -> Iterator[Mark]:
    """What the two rules make of g: where it is pulled to, arrows, and the turn between them."""
    pulled = either(found.by_value, through([at(found.g), at(found.value)]), NOWHERE)
    marks = [
        placed(path(NOWHERE, "turn"), d=either(found.turned - 0.05, _wedge(found), NOWHERE)),
        placed(path(NOWHERE, "backedge"), d=pulled),
        *_arrow(found, found.value, "backvector", "backhead"),
        *_arrow(found, found.norm, "vector", "head"),
        _turn(found),
    ]
    yield from (mark.seen_from(told, 1) for mark in marks)


def _arrow(found, vector, shaft, head) -> Iterator[Mark]:
    x, y = at(vector)
    long = found.of.of("maximum", found.of.of("hypot", *vector), 1e-9)
    size = found.of.of("minimum", long * (UNIT / 2), HEAD)
    ux, uy = vector[0] / long * size, -vector[1] / long * size
    wings = [(x - ux - uy * 0.55, y - uy + ux * 0.55), (x - ux + uy * 0.55, y - uy - ux * 0.55)]
    yield placed(path(NOWHERE, shaft), d=through([MIDDLE, (x - ux, y - uy)]))
    yield placed(path(NOWHERE, head), d=through([(x, y), *wings], closed=True))


def _wedge(found):
    """The part of a disk between the two arrows."""
    of = found.of
    start = of.of("arctan2", found.g[1], found.g[0])
    by = of.of("sign", found.side) * found.turned * (np.pi / 180)
    size = of.of("minimum", of.of("minimum", found.norm_length, found.value_length) * UNIT, WEDGE)
    angles = [start + by * part for part in np.linspace(0, 1, 6).round(3).tolist()]
    rim = [(MIDDLE[0] + size * of.of("cos", a), MIDDLE[1] - size * of.of("sin", a)) for a in angles]
    return through([MIDDLE, *rim], closed=True)


def _turn(found):
    """How far it is turned, beside the tip of the turned arrow on the side that is away from the other one."""
    of, (x, y) = found.of, at(found.value)
    side = of.of("sign", found.side) / of.of("maximum", found.value_length, 1e-9)
    dx, dy = -found.value[1] * side, -found.value[0] * side
    far = 9 + of.of("absolute", dx) * 20.0 + of.of("absolute", dy) * 6.0
    said = either(found.turned - 0.05, words((found.turned, "f1"), "°"), "")
    return placed(text(0, 0, "", "slope", "middle"), said, x=x + dx * far, y=y + dy * far + 4)


def names(found: Any) -> Iterator[Mark]:
    """The name of the limit, on the side of the box where g is not."""
    size = found.limit * UNIT
    y = either(found.g[1], MIDDLE[1] + size + 15, MIDDLE[1] - size - 6)
    yield placed(text(MIDDLE[0], 0, "", "note", "middle"), words("limit ", (found.limit, "3")), y=y)


# ---- what is left ----


def left(found: Any, told: str) -> Iterator[Mark]:
    """The lengths as bars over one another, and the limit."""
    rows = [
        ("inkhead", "name", words("g: length ", (found.length, "f2")), found.length),
        (
            "bar",
            "forwardtext",
            words("by norm: length ", (found.norm_length, "f2"), ", same direction"),
            found.norm_length,
        ),
        ("backbar", "slope", words("by value: length ", (found.value_length, "f2")), found.value_length),
    ]
    for k, (bar, role, said, long) in enumerate(rows):
        marks = [
            placed(text(LENGTHS.start, TOP + ROW * k, "", role), said),
            placed(rect(LENGTHS.start, TOP + ROW * k + 7, 0, BAR, bar, 0), width=long * (LENGTHS(1) - LENGTHS(0))),
        ]
        yield from (mark.seen_from(told, 1) if k else mark for mark in marks)
    x = LENGTHS.start + found.limit * (LENGTHS(1) - LENGTHS(0))
    tops = [TOP + ROW * k + 4 for k in range(3)]
    d = [part for top in tops for part in through([(x, top), (x, top + BAR + 6)]).parts]
    yield placed(path(NOWHERE, "outline"), d=words(*d))
    yield from LENGTHS.below(TOP + 2 * ROW + BAR + 22, range(6))


def turns(found: Any, told: str) -> Iterator[Mark]:
    """By how much every direction of g is turned at this length, and where g is."""
    quarter = _quarter(found)
    half = [_by_value(found, k, quarter) for k in range(QUARTER // 2 + 1)]
    period = [*half, *reversed(half[:-1])][:-1]
    angles = np.linspace(-180, 180, 4 * QUARTER + 1)
    curve = [(float(DIRECTIONS(a)), _up(period[i % QUARTER])) for i, a in enumerate(angles)]
    direction = found.of.of("arctan2", found.g[1], found.g[0]) * (180 / np.pi)
    x = DIRECTIONS(0) + direction * (DIRECTIONS(1) - DIRECTIONS(0))
    yield rect(DIRECTIONS.start, TURNS.end, DIRECTIONS.end - DIRECTIONS.start, TURNS.start - TURNS.end, "area", 0)
    yield from DIRECTIONS.below(TURNS.start + 16, (-180, -90, 0, 90, 180), lambda v: f"{v:.0f}°".replace("-", "−"))
    yield from TURNS.beside(DIRECTIONS.start - 5, (0, 15, 30, 45), "{:.0f}°".format, (DIRECTIONS.start, DIRECTIONS.end))
    yield placed(path(NOWHERE, "axis"), d=through([(x, TURNS.end), (x, TURNS.start)]))
    said = either(
        found.turned - 0.05, words("by value: turned by ", (found.turned, "f1"), "°"), "by value: same direction"
    )
    marks = [
        line(DIRECTIONS.start, TURNS.start, DIRECTIONS.end, TURNS.start, "vector"),
        placed(path(NOWHERE, "backline"), d=through(curve)),
        placed(circle(0, 0, 5.5, "backhead"), cx=x, cy=_up(found.turned)),
        placed(text(DIRECTIONS.start, TURNS.end - 9, "", "slope"), said),
    ]
    yield from (mark.seen_from(told, 1) for mark in marks)
    yield text(
        (DIRECTIONS.start + DIRECTIONS.end) / 2, (TURNS.start + TURNS.end) / 2, "turned how far?", "note", "middle"
    ).asking(told)


def _by_value(found, k, quarter):
    """By how many degrees a gradient is turned that stands at a step of the first quarter."""
    a, (x, y) = k * np.pi / 2 / QUARTER, (quarter[k], quarter[QUARTER - k])
    c, s = float(np.cos(a)), float(np.sin(a))
    return found.of.of("arctan2", found.of.of("absolute", y * c - x * s), x * c + y * s) * (180 / np.pi)


def _up(turn):
    return TURNS(0) - turn * (TURNS(0) - TURNS(1))
