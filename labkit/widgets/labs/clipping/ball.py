"""The ball and the box: a gradient of two elements that the reader drags, clipped by norm and by value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from ...kit.grips import Along, Grip
from ...kit.scene import Caption, Dial, Panel, Scene, changes, only
from ...kit.seeks import Seek
from ...kit.words import number
from . import ball_view as view
from .ball_view import ACROSS, UP
from .rules import angle, by_value, each_by_norm, length

STEP = 0.25  # the gradient stands at multiples of it, and on its way around
LIMITS, LEAST = (0.5, 1.0, 1.5, 2.0), 0.1
START, START_LIMIT = (3.5, 1.5), 2
AROUND = 24  # places on the way around
NEARLY = 0.9  # of the largest turn: as good as the largest


@lru_cache
def grid() -> tuple[tuple[float, float], ...]:
    """The places of the gradient, row by row from the top left."""
    xs, ys = np.arange(-ACROSS, ACROSS + STEP / 2, STEP), np.arange(UP, -UP - STEP / 2, -STEP)
    return tuple((float(x), float(y)) for y in ys for x in xs)


@lru_cache
def tour() -> tuple[tuple[float, float], ...]:
    """The places on a way once around, from `START` to `START`: of its length, or as long as there is room for."""
    whole, first = np.hypot(*START), np.arctan2(START[1], START[0])
    angles = first + np.linspace(0, 2 * np.pi, AROUND + 1)
    reach = [min(whole, 0.95 * UP / max(abs(np.sin(a)), 1e-9)) for a in angles]
    places = [(round(r * np.cos(a), 2), round(r * np.sin(a), 2)) for r, a in zip(reach, angles, strict=True)]
    return tuple((float(x), float(y)) for x, y in places)


@dataclass(frozen=True)
class Clipped:
    """A clipped gradient: its elements, its length, and by how many degrees it was turned."""

    vector: tuple[float, float]
    length: float
    turned: float


@lru_cache(16384)
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
    at, places, limits = nearest(given), [*grid(), *tour()], list(LIMITS)
    places[at["g"]], limits[at["limit"]] = (g1, g2), limit
    return _scene(places, limits, given)


def passing(inputs: Mapping[str, float], dials: Mapping[str, int]) -> Scene:
    """While one of both is dragged: what is seen where the dials stand, at every position."""
    at, places, limits = nearest(inputs), [*grid(), *tour()], list(LIMITS)
    places[at["g"]], limits[at["limit"]] = (inputs["g1"], inputs["g2"]), inputs["limit"]
    return _scene([places[dials["g"]]] * len(places), [limits[dials["limit"]]] * len(limits), inputs)


def _scene(places, limits, given) -> Scene:
    found = {
        limit: tuple([clipped(rule, g, limit) for g in places] for rule in (each_by_norm, by_value))
        for limit in dict.fromkeys(limits)
    }
    marks = [*view.ground(limits), *view.gradient(places)]
    beside = list(view.left(places, limits, [length([np.array(g)]) for g in places]))
    for limit, both in found.items():
        for drawn, told in ((marks, view.results(places, limit, *both)), (beside, view.left_by(*both))):
            drawn += (mark.answering("g") for mark in only(_where(limits, limit), told))
    marks += view.names(places, limits)
    panels = [
        Panel("ball", "Drag g, or the circle's edge", *view.SIZE, marks),
        Panel("left", "What is left of g", *view.BESIDE, beside),
    ]
    return Scene(
        "Ball and box",
        "Ball and box: a gradient of two elements, shortened to a ball by norm, cut to a box by value, which turns it.",
        _dials(places, limits, found), panels, _captions(places, limits, found), fields={k: number(v) for k, v in given.items()},
        grips=list(_grips([view.PLANE.at(place) for place in places], limits)),
    )  # fmt: skip


def _grips(ends, limits) -> Iterator[Grip]:
    free = {"x": view.PLANE.across.sets("g1"), "y": view.PLANE.up.sets("g2")}
    yield Grip("g", "ball", "Gradient g", "g", ends, free=free, bare=True)
    away = {"r": Along("limit", LEAST, UP, LEAST * view.UNIT, UP * view.UNIT)}
    yield Grip(
        "limit", "ball", "Limit, at the circle's edge", "limit", [view.edge(v) for v in limits], "r", view.MIDDLE, away
    )


def _dials(places, limits, found):
    plane = {"columns": round(2 * ACROSS / STEP) + 1, "labels": ["first element", "second element"]}
    values = [f"({number(x)}, {number(y)})" for x, y in places]
    seeks = [seek for limit, both in found.items() for seek in only(_where(limits, limit), [_seek(limit, both[1])])]
    return [
        Dial(
            "g",
            "Once around",
            values,
            "plane",
            len(grid()),
            plane=plane,
            plays=tuple(range(len(grid()), len(places))),
            rests=len(grid()),
            seeks=seeks,
        ),
        Dial("limit", "Limit", [number(v) for v in limits], "choice", START_LIMIT),
    ]


def _seek(limit, values):
    """Where clipping by value turns g the most, at one limit; of few places the best."""
    most, turned = _most(limit), [c.turned for c in values]
    right = [i for i, by in enumerate(turned) if by >= NEARLY * most] or [turned.index(max(turned))]
    said = [f"Not yet: turned by {c.turned:.1f}° here." for c in values]
    return Seek(
        f"Drag g to where clipping by value, at limit {number(limit)}, turns it most.",
        right,
        f"Here by up to {most:.1f}°, up to 45° if g is longer: its longer element is cut to the limit, the other just fits.",
        changes(said),
    )


@lru_cache
def _most(limit):
    """The largest turn by value, of all places of the gradient."""
    return max(clipped(by_value, g, limit).turned for g in grid())


def _captions(places, limits, found):
    rules = [
        f"\nLimit {number(v)}: ops.clip_by_norm keeps g in the ball, ops.clip_by_value in the box. With all gradients "
        "joined in g, the ball is that of ops.clip_by_global_norm."
        for v in limits
    ]
    said = {limit: changes(map(_sentence, places, *both)) for limit, both in found.items()}
    return [
        *(Caption("g", texts, _where(limits, limit)) for limit, texts in said.items()),
        Caption("limit", changes(rules)),
    ]


def _where(limits, limit):
    """The positions of the dial that stand for a limit."""
    return {"limit": [i for i, one in enumerate(limits) if one == limit]}


def _sentence(g, by_norm, value):
    if value.vector == g == by_norm.vector:
        return "This g is inside both: nothing is clipped."
    shown = [f"({', '.join(number(v) for v in c.vector)})" for c in (by_norm, value)]
    numbers = f"By norm: {shown[0]}. By value: {shown[1]}."
    return f"{_headline(g, by_norm, value)}\n{numbers}"


def _headline(g, by_norm, value):
    """What matters, in a sentence or two."""
    if by_norm.vector == g:
        return "This g is inside both: nothing is clipped."
    if value.vector == g:
        return "By norm: only shorter. By value: inside the box, nothing is clipped."
    if not value.turned:
        return "On an axis or a diagonal, both rules keep the direction."
    return f"By norm: only shorter. By value: turned by {value.turned:.1f}°."
