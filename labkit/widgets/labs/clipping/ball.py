"""The ball and the box: a gradient of two elements that the reader drags, clipped by norm and by value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.grips import Along, Grip
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
LIMITS, LEAST = (0.5, 1.0, 1.5, 2.0), 0.1
UNIT, EDGE, TOP = 48.0, 16.0, 68.0  # px: a 1, the margin, the height of the legend
MIDDLE = (EDGE + ACROSS * UNIT, TOP + UP * UNIT)
PLANE = Plane(Axis(-ACROSS, ACROSS, EDGE, MIDDLE[0] + ACROSS * UNIT), Axis(-UP, UP, MIDDLE[1] + UP * UNIT, TOP))
START, START_LIMIT = (3.5, 1.5), 2


@lru_cache
def grid() -> tuple[tuple[float, float], ...]:
    """The places of the gradient, row by row from the top left."""
    xs, ys = np.arange(-ACROSS, ACROSS + STEP / 2, STEP), np.arange(UP, -UP - STEP / 2, -STEP)
    return tuple((float(x), float(y)) for y in ys for x in xs)


@dataclass(frozen=True)
class Clipped:
    """A clipped gradient: its elements, its length, and by how many degrees it was turned."""

    vector: tuple[float, float]
    length: float
    turned: float


@lru_cache(4096)
def clipped(rule, g: tuple[float, float], limit: float) -> Clipped:
    """What `rule`, one of `clip_rules`, makes of the gradient `g`.

    >>> found = clipped(by_value, (3.0, 1.0), 1.0)
    >>> found.vector, round(found.length, 3), round(found.turned, 3)
    ((1.0, 1.0), 1.414, 26.565)
    """
    before = [np.array(g)]
    after = rule(before, limit)
    return Clipped((float(after[0][0]), float(after[0][1])), length(after), angle(before, after))


def nearest(inputs: Mapping[str, float]) -> dict[str, int]:
    """The positions of the dials next to other numbers: "g1" and "g2", the elements of the gradient, and "limit"."""
    away = [np.hypot(x - inputs["g1"], y - inputs["g2"]) for x, y in grid()]
    return {"g": int(np.argmin(away)), "limit": int(np.argmin([abs(v - inputs["limit"]) for v in LIMITS]))}


def checked(inputs: Mapping[str, float]) -> None:
    """Raises ValueError for what has no place in the picture."""
    for name, low, high in (("g1", -ACROSS, ACROSS), ("g2", -UP, UP), ("limit", LEAST, UP)):
        if not low <= inputs[name] <= high:
            raise ValueError(f"{name}: expected a number from {low:g} to {high:g}, but got {inputs[name]:g}")


@cache
def scene(g1: float = START[0], g2: float = START[1], limit: float = LIMITS[START_LIMIT]) -> Scene:
    """The picture: dial `g` is the gradient, dial `limit` the limit of both rules; the positions nearest to the given
    numbers stand for these."""
    given = {"g1": g1, "g2": g2, "limit": limit}
    at, places, limits = nearest(given), list(grid()), list(LIMITS)
    places[at["g"]], limits[at["limit"]] = (g1, g2), limit
    return _scene(places, limits, given)


def passing(inputs: Mapping[str, float], dials: Mapping[str, int]) -> Scene:
    """While one of both is dragged: what is seen where the dials stand, at every position."""
    at, places, limits = nearest(inputs), list(grid()), list(LIMITS)
    places[at["g"]], limits[at["limit"]] = (inputs["g1"], inputs["g2"]), inputs["limit"]
    return _scene([places[dials["g"]]] * len(places), [limits[dials["limit"]]] * len(limits), inputs)


def _scene(places, limits, given) -> Scene:
    found = {
        limit: tuple([clipped(rule, g, limit) for g in places] for rule in (each_by_norm, by_value))
        for limit in dict.fromkeys(limits)
    }
    marks = [*_ground(limits), *_gradient(places)]
    for limit in found:
        marks += only(_where(limits, limit), _results(*found[limit]))
    ends = [PLANE.at(place) for place in places]
    handle = circle(0, 0, 10, "outline").following("g", cx=[x for x, _ in ends], cy=[y for _, y in ends])
    marks.append(handle)
    width, height = 2 * MIDDLE[0], MIDDLE[1] + UP * UNIT + EDGE
    panel = Panel("ball", "Drag g: the ball limits its norm, the box its values", width, height, marks)
    return Scene(
        "Ball and box",
        "Ball and box: a gradient of two elements, shortened to a ball by norm, cut to a box by value, which turns it.",
        _dials(places, limits), [panel], _captions(places, limits, found), fields={k: number(v) for k, v in given.items()},
        grips=list(_grips(ends, limits)),
    )  # fmt: skip


def _grips(ends, limits) -> Iterator[Grip]:
    free = {"x": PLANE.across.sets("g1"), "y": PLANE.up.sets("g2")}
    yield Grip("g", "ball", "Gradient g", "g", ends, free=free, bare=True)
    side = UNIT * np.sqrt(0.5)
    edge = [(MIDDLE[0] - v * side, MIDDLE[1] - v * side) for v in limits]
    away = {"r": Along("limit", LEAST, UP, LEAST * UNIT, UP * UNIT)}
    yield Grip("limit", "ball", "Limit, at the circle's edge", "limit", edge, "r", MIDDLE, away)


def _dials(places, limits):
    plane = {"columns": round(2 * ACROSS / STEP) + 1, "labels": ["first element", "second element"]}
    values = [f"({number(x)}, {number(y)})" for x, y in places]
    corner = number(np.sqrt(2) * limits[3])
    ask = Ask(
        f"The limit is {number(limits[3])}. How long can a gradient of two elements be after clipping by value?",
        float(np.sqrt(2) * limits[3]), f"The corner of the box is √2 times the limit away: {corner}.",
        ((limits[3], "So long at most by norm. By value, both elements may reach the limit at once."),
         (2 * limits[3], "The two elements stand at a right angle: Pythagoras, not a sum.")),
        otherwise="Not that. Where is the farthest point of the box?",
    )  # fmt: skip
    return [
        Dial("g", "Gradient g", values, "plane", grid().index(START), plane=plane),
        Dial("limit", "Limit", [number(v) for v in limits], start=START_LIMIT, asks={3: ask}),
    ]


def _ground(limits) -> Iterator[Mark]:
    x, y = MIDDLE
    yield PLANE.ground(3.0)
    yield line(PLANE.across.start, y, PLANE.across.end, y, "axis")
    yield line(x, TOP, x, PLANE.up.start, "axis")
    yield from PLANE.across.below(y + 13, [v for v in range(1 - int(ACROSS), int(ACROSS)) if v])
    yield from PLANE.up.beside(x - 5, [v for v in range(1 - int(UP), int(UP)) if v])
    sizes = [v * UNIT for v in limits]
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


def _captions(places, limits, found):
    rules = [f"Limit {number(v)}: ops.clip_by_norm keeps g in the ball, ops.clip_by_value in the box." for v in limits]
    said = {limit: changes(map(_sentence, places, *both)) for limit, both in found.items()}
    return [
        Caption("limit", changes(rules)),
        *(Caption("g", texts, _where(limits, limit)) for limit, texts in said.items()),
    ]


def _where(limits, limit):
    """The positions of the dial that stand for a limit."""
    return {"limit": [i for i, one in enumerate(limits) if one == limit]}


def _sentence(g, by_norm, value):
    if value.vector == g == by_norm.vector:
        return "This g is inside both: nothing is clipped."
    shown = [f"({', '.join(number(v) for v in c.vector)})" for c in (by_norm, value)]
    turned = f"turned by {value.turned:.1f}°" if value.turned else "the same direction"
    return f"By norm: {shown[0]}, the same direction. By value: {shown[1]}, {turned}."
