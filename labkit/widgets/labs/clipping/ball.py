"""The ball and the box: a gradient of two elements that the reader drags, clipped by norm and by value."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, arrow_head, changes, circle, line, path, px, rect, text
from ...kit.words import number
from .rules import angle, by_value, each_by_norm, length

STEP, ACROSS, UP = 0.5, 4.0, 3.0  # the gradient stands at multiples of STEP, in [-ACROSS, ACROSS] x [-UP, UP]
LIMITS = (0.5, 1.0, 1.5, 2.0)
UNIT, EDGE, TOP = 48.0, 16.0, 68.0  # px: a 1, the margin, the height of the legend
MIDDLE = (EDGE + ACROSS * UNIT, TOP + UP * UNIT)
START, START_LIMIT = (3.5, 1.5), 2
EMPTY = "M0 0"  # an arrow without length


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
    marks = [*_ground(), *_given(places)]
    for i, limit in enumerate(LIMITS):
        by_norm, values = found[limit]
        marks += _arrow(values, "backvector", "backhead", i) + _arrow(by_norm, "vector", "head", i)
        marks += [_said(2, "by norm", by_norm, i), _said(3, "by value", values, i)]
    marks += [_handle(places)]
    width, height = 2 * MIDDLE[0], MIDDLE[1] + UP * UNIT + EDGE
    panel = Panel("ball", "Drag g: the ball limits its norm, the box its values", width, height, marks)
    return Scene(
        "Ball and box",
        "Ball and box: a gradient of two elements, shortened to a ball by norm, cut to a box by value, which turns it.",
        _dials(places), [panel], _captions(places, found),
    )  # fmt: skip


def _dials(places):
    x, y = _at(places[0])
    plane = {
        "panel": "ball", "columns": round(2 * ACROSS / STEP) + 1, "x": x, "y": y, "dx": STEP * UNIT, "dy": STEP * UNIT,
        "labels": ["first element", "second element"],
    }  # fmt: skip
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


def _at(vector):
    return MIDDLE[0] + vector[0] * UNIT, MIDDLE[1] - vector[1] * UNIT


def _ground() -> list[Mark]:
    (left, top), (right, bottom) = _at((-ACROSS, UP)), _at((ACROSS, -UP))
    x, y = MIDDLE
    marks = [rect(left, top, right - left, bottom - top, "area")]
    marks += [line(left, y, right, y, "axis"), line(x, top, x, bottom, "axis")]
    marks += [
        text(_at((v, 0))[0], y + 13, number(v), "tick", "middle") for v in range(1 - int(ACROSS), int(ACROSS)) if v
    ]
    marks += [text(x - 5, _at((0, v))[1] + 4, number(v), "tick", "end") for v in range(1 - int(UP), int(UP)) if v]
    sizes = [v * UNIT for v in LIMITS]
    ball = circle(x, y, sizes[0], "edge", vary={"limit": {"r": changes(sizes)}})
    corner = {"x": changes(x - s for s in sizes), "y": changes(y - s for s in sizes)}
    sides = {"width": changes(2 * s for s in sizes), "height": changes(2 * s for s in sizes)}
    return [*marks, rect(x, y, 1, 1, "backedge", 0, vary={"limit": corner | sides}), ball]


def _given(places):
    words = [f"g = ({number(x)}, {number(y)}), length {length([np.array((x, y))]):.2f}" for x, y in places]
    shafts, heads = _strokes(places)
    return [
        path(EMPTY, "inkvector", vary={"g": {"d": changes(shafts)}}),
        path(EMPTY, "inkhead", vary={"g": {"d": changes(heads)}}),
        *(line(EDGE, y, EDGE + 34, y, role) for y, role in ((14, "inkvector"), (32, "vector"), (50, "backvector"))),
        text(EDGE + 42, 18, "", "plain", vary={"g": {"text": changes(words)}}),
    ]


def _handle(places):
    ends = [_at(place) for place in places]
    moves = {"cx": changes(float(px(x)) for x, _ in ends), "cy": changes(float(px(y)) for _, y in ends)}
    return circle(0, 0, 10, "outline", vary={"g": moves})


def _arrow(results, shaft, head, i):
    shafts, heads = _strokes([c.vector for c in results])
    return [
        path(EMPTY, shaft, vary={"g": {"d": changes(shafts)}}, when={"limit": [i]}),
        path(EMPTY, head, vary={"g": {"d": changes(heads)}}, when={"limit": [i]}),
    ]


def _strokes(vectors):
    """The shafts and the heads of arrows from the middle."""
    shafts, heads = [], []
    for dx, dy in vectors:
        (x, y), longest = _at((dx, dy)), np.hypot(dx, dy)
        size = min(11.0, longest * UNIT / 2)
        (a, b) = _at((dx - dx / longest * size / UNIT, dy - dy / longest * size / UNIT)) if longest else MIDDLE
        shafts.append(f"M{px(MIDDLE[0])} {px(MIDDLE[1])}L{px(a)} {px(b)}")
        heads.append(str(arrow_head(x, y, dx, -dy, "head", size).at["d"]) if longest else EMPTY)
    return shafts, heads


def _said(row, name, results, i):
    role = {"by norm": "forwardtext", "by value": "slope"}[name]
    return text(
        EDGE + 42,
        18 * row,
        "",
        role,
        vary={"g": {"text": changes(_words(name, c) for c in results)}},
        when={"limit": [i]},
    )


def _words(name, c):
    turned = f"turned by {c.turned:.1f}°" if c.turned else "same direction"
    return f"{name}: {turned}, length {c.length:.2f}"


def _captions(places, found):
    rules = [f"Limit {number(v)}: ops.clip_by_norm keeps g in the ball, ops.clip_by_value in the box." for v in LIMITS]
    captions = [Caption("limit", changes(rules))]
    for i, limit in enumerate(LIMITS):
        captions.append(Caption("g", changes(map(_sentence, places, *found[limit])), {"limit": [i]}))
    return captions


def _sentence(g, by_norm, value):
    if value.vector == g == by_norm.vector:
        return "This g is inside both: nothing is clipped."
    shown = [f"({', '.join(number(v) for v in c.vector)})" for c in (by_norm, value)]
    turned = f"turned by {value.turned:.1f}°" if value.turned else "the same direction"
    return f"By norm: {shown[0]}, the same direction. By value: {shown[1]}, {turned}."
