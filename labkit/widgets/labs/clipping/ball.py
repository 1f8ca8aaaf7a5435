"""The ball and the box: a gradient of two elements that the reader drags, clipped by norm and by value."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.grips import Grip
from ...kit.scene import (
    Ask,
    Caption,
    Dial,
    Mark,
    Panel,
    Scene,
    arrow_head,
    changes,
    circle,
    line,
    only,
    path,
    rect,
    text,
)
from ...kit.strokes import NOWHERE
from ...kit.words import number
from .rules import angle, by_value, each_by_norm, length

STEP, ACROSS, UP = 0.5, 4.0, 3.0  # the gradient stands at multiples of STEP, in [-ACROSS, ACROSS] x [-UP, UP]
LIMITS = (0.5, 1.0, 1.5, 2.0)
UNIT, EDGE, TOP = 48.0, 16.0, 68.0  # px: a 1, the margin, the height of the legend
MIDDLE = (EDGE + ACROSS * UNIT, TOP + UP * UNIT)
PLANE = Plane(Axis(-ACROSS, ACROSS, EDGE, MIDDLE[0] + ACROSS * UNIT), Axis(-UP, UP, MIDDLE[1] + UP * UNIT, TOP))
START, START_LIMIT = (3.5, 1.5), 2


def grid() -> list[tuple[float, float]]:
    """The places of the gradient, row by row from the top left."""
    xs, ys = np.arange(-ACROSS, ACROSS + STEP / 2, STEP), np.arange(UP, -UP - STEP / 2, -STEP)
    return [(float(x), float(y)) for y in ys for x in xs]


@dataclass(frozen=True)
class Clipped:
    """A clipped gradient: its elements, its length, and by how many degrees it was turned."""

    vector: tuple[float, float]
    length: float
    turned: float


def clipped(rule, g: tuple[float, float], limit: float) -> Clipped:
    """What `rule`, one of `clip_rules`, makes of the gradient `g`.

    >>> found = clipped(by_value, (3.0, 1.0), 1.0)
    >>> found.vector, round(found.length, 3), round(found.turned, 3)
    ((1.0, 1.0), 1.414, 26.565)
    """
    before = [np.array(g)]
    after = rule(before, limit)
    return Clipped((float(after[0][0]), float(after[0][1])), length(after), angle(before, after))


@cache
def scene() -> Scene:
    """The picture: dial `g` is the gradient, dial `limit` the limit of both rules."""
    places = grid()
    found = {
        limit: ([clipped(each_by_norm, g, limit) for g in places], [clipped(by_value, g, limit) for g in places])
        for limit in LIMITS
    }
    marks = [*_ground(), *_gradient(places)]
    for i, limit in enumerate(LIMITS):
        marks += only({"limit": [i]}, _results(*found[limit]))
    ends = [PLANE.at(place) for place in places]
    handle = circle(0, 0, 10, "outline").following("g", cx=[x for x, _ in ends], cy=[y for _, y in ends])
    marks.append(handle)
    width, height = 2 * MIDDLE[0], MIDDLE[1] + UP * UNIT + EDGE
    panel = Panel("ball", "Drag g: the ball limits its norm, the box its values", width, height, marks)
    return Scene(
        "Ball and box",
        "Ball and box: a gradient of two elements, shortened to a ball by norm, cut to a box by value, which turns it.",
        _dials(places), [panel], _captions(places, found), grips=[Grip("g", "ball", "Gradient g", "g", ends)],
    )  # fmt: skip


def _dials(places):
    plane = {"columns": round(2 * ACROSS / STEP) + 1, "labels": ["first element", "second element"]}
    values = [f"({number(x)}, {number(y)})" for x, y in places]
    corner = number(np.sqrt(2) * LIMITS[3])
    ask = Ask(
        f"The limit is {number(LIMITS[3])}. How long can a gradient of two elements be after clipping by value?",
        float(np.sqrt(2) * LIMITS[3]), f"The corner of the box is √2 times the limit away: {corner}.",
        ((LIMITS[3], "So long at most by norm. By value, both elements may reach the limit at once."),
         (2 * LIMITS[3], "The two elements stand at a right angle: Pythagoras, not a sum.")),
        otherwise="Not that. Where is the farthest point of the box?",
    )  # fmt: skip
    return [
        Dial("g", "Gradient g", values, "plane", places.index(START), plane=plane),
        Dial("limit", "Limit", [number(v) for v in LIMITS], start=START_LIMIT, asks={3: ask}),
    ]


def _ground() -> Iterator[Mark]:
    x, y = MIDDLE
    yield PLANE.ground(3.0)
    yield line(PLANE.across.start, y, PLANE.across.end, y, "axis")
    yield line(x, TOP, x, PLANE.up.start, "axis")
    yield from PLANE.across.below(y + 13, [v for v in range(1 - int(ACROSS), int(ACROSS)) if v])
    yield from PLANE.up.beside(x - 5, [v for v in range(1 - int(UP), int(UP)) if v])
    sizes = [v * UNIT for v in LIMITS]
    both = [2 * s for s in sizes]
    box = rect(x, y, 1, 1, "backedge", 0).following("limit", x=[x - s for s in sizes], y=[y - s for s in sizes])
    yield box.following("limit", width=both, height=both)
    yield circle(x, y, sizes[0], "edge").following("limit", r=sizes)


def _gradient(places) -> Iterator[Mark]:
    yield from _arrow(places, "inkvector", "inkhead")
    for y, role in ((14, "inkvector"), (32, "vector"), (50, "backvector")):
        yield line(EDGE, y, EDGE + 34, y, role)
    words = [f"g = ({number(x)}, {number(y)}), length {length([np.array((x, y))]):.2f}" for x, y in places]
    yield text(EDGE + 42, 18, "").following("g", text=words)


def _results(by_norm, values) -> Iterator[Mark]:
    """What the two rules make of every gradient, at one limit."""
    yield from _arrow([c.vector for c in values], "backvector", "backhead")
    yield from _arrow([c.vector for c in by_norm], "vector", "head")
    for row, name, role, results in ((2, "by norm", "forwardtext", by_norm), (3, "by value", "slope", values)):
        yield text(EDGE + 42, 18 * row, "", role).following("g", text=[_words(name, c) for c in results])


def _arrow(vectors, shaft, head) -> Iterator[Mark]:
    """An arrow from the middle that follows g."""
    shafts, heads = [], []
    for dx, dy in vectors:
        (x, y), longest = PLANE.at((dx, dy)), np.hypot(dx, dy)
        size = min(11.0, longest * UNIT / 2)
        back = size / longest if longest else 0.0
        shafts.append([MIDDLE, (x - dx * back, y + dy * back)])
        heads.append(arrow_head(x, y, dx, -dy, "head", size).at["d"] if longest else NOWHERE)
    yield path(NOWHERE, shaft).following("g", d=shafts)
    yield path(NOWHERE, head).following("g", d=heads)


def _words(name, c):
    turned = f"turned by {c.turned:.1f}°" if c.turned else "same direction"
    return f"{name}: {turned}, length {c.length:.2f}"


def _captions(places, found):
    rules = [f"Limit {number(v)}: ops.clip_by_norm keeps g in the ball, ops.clip_by_value in the box." for v in LIMITS]
    said = [changes(map(_sentence, places, *found[limit])) for limit in LIMITS]
    return [Caption("limit", changes(rules)), *(Caption("g", texts, {"limit": [i]}) for i, texts in enumerate(said))]


def _sentence(g, by_norm, value):
    if value.vector == g == by_norm.vector:
        return "This g is inside both: nothing is clipped."
    shown = [f"({', '.join(number(v) for v in c.vector)})" for c in (by_norm, value)]
    turned = f"turned by {value.turned:.1f}°" if value.turned else "the same direction"
    return f"By norm: {shown[0]}, the same direction. By value: {shown[1]}, {turned}."
