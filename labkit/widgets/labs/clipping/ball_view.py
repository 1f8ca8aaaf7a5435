"""How the ball and the box look: the gradient, what both rules make of it, and what is left of its length."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.labels import Label, Line, beside_points
from ...kit.scene import Mark, arrow_head, circle, line, path, rect, text, width_of
from ...kit.strokes import NOWHERE, Point, polyline
from ...kit.words import number

ACROSS, UP = 4.0, 3.0  # the gradient stands in [-ACROSS, ACROSS] x [-UP, UP]
UNIT, EDGE, TICKS = 48.0, 12.0, 28.0  # px: a 1, the margin, and the one that ticks stand in
MIDDLE = (TICKS + ACROSS * UNIT, EDGE + UP * UNIT)
PLANE = Plane(Axis(-ACROSS, ACROSS, TICKS, MIDDLE[0] + ACROSS * UNIT), Axis(-UP, UP, MIDDLE[1] + UP * UNIT, EDGE))
SIZE = PLANE.across.end + EDGE, PLANE.up.start + TICKS
WEDGE, KNOB = 34.0, 10.0  # px: how far the turn is filled, and half of a handle
LEFT = Axis(0, 5, 8, 292)  # lengths, in the second panel
TURNS = Axis(0, 45, 8, 292)
ROW, TOP = 52.0, 44.0


def ground(limits: Sequence[float]) -> Iterator[Mark]:
    """The plane, the ball and the box."""
    x, y = MIDDLE
    yield PLANE.ground(3.0)
    sizes = [v * UNIT for v in limits]
    both = [2 * s for s in sizes]
    box = rect(x, y, 1, 1, "back", 0).following("limit", x=[x - s for s in sizes], y=[y - s for s in sizes])
    yield box.following("limit", width=both, height=both)
    yield circle(x, y, sizes[0], "op").following("limit", r=sizes)
    yield line(PLANE.across.start, y, PLANE.across.end, y, "grid")
    yield line(x, PLANE.up.end, x, PLANE.up.start, "grid")
    yield from PLANE.across.below(PLANE.up.start + 16, [v for v in range(1 - int(ACROSS), int(ACROSS)) if v])
    yield from PLANE.up.beside(PLANE.across.start - 6, [v for v in range(1 - int(UP), int(UP)) if v])


def gradient(places: Sequence[Any]) -> Iterator[Mark]:
    """The arrow that is dragged, at its ring."""
    yield from _arrow(places, "inkvector", "inkhead")
    ends = [PLANE.at(place) for place in places]
    ends = [PLANE.at(place) for place in places]
    yield circle(0, 0, KNOB, "before").following("g", cx=[x for x, _ in ends], cy=[y for _, y in ends])


def results(places: Sequence[Any], limit: float, by_norm: Sequence[Any], values: Sequence[Any]) -> Iterator[Mark]:
    """What the two rules make of every gradient, at one limit: where it is pulled to, arrows, the turn between them, and
    names."""
    pairs = list(zip(by_norm, values, strict=True))
    yield path(NOWHERE, "turn").following("g", d=[_wedge(*pair) for pair in pairs])
    pulled = [
        [PLANE.at(g), PLANE.at(v.vector)] if v.vector != g else NOWHERE for g, v in zip(places, values, strict=True)
    ]
    yield path(NOWHERE, "backedge").following("g", d=pulled)
    yield from _arrow([c.vector for c in values], "backvector", "backhead")
    yield from _arrow([c.vector for c in by_norm], "vector", "head")
    names = [_names(limit, *pair) for pair in pairs]
    spots = [_spots(g, *pair, limit, words) for g, pair, words in zip(places, pairs, names, strict=True)]
    for k, role in enumerate(("slope", "forwardtext", "name", "note")):
        name = text(0, 0, "", role, "middle").following("g", text=[words[k] for words in names])
        name = name.following("g", x=[at[k][0] for at in spots], y=[at[k][1] for at in spots])
        yield name.moving("g", 0.0, 0.0, "x", "y")  # all at once: on the way they would pass over each other


def _names(limit, by_norm, value):
    both = np.allclose(by_norm.vector, value.vector)
    return "" if both else _turn(value), "both" if both else "by norm", "g", f"limit {number(limit)}"


@lru_cache(8192)
def _spots(g, by_norm, value, limit, words):
    """Where the names stand: of what is clipped by value and by norm, of g, and of the limit; clear of all that is drawn."""
    tips, (x, y), size = [PLANE.at(v) for v in (value.vector, by_norm.vector, g)], MIDDLE, limit * UNIT
    knobs = [edge(limit), tips[2]]
    around = np.linspace(0, 2 * np.pi, 25)
    turned = [(float(np.cos(a)), float(np.sin(a))) for a in around]
    lines = [Line([MIDDLE, tip], 8.0) for tip in tips] + [Line([tips[2], tips[0]], 4.0)]
    lines += [Line([(a + KNOB * c, b + KNOB * s) for c, s in turned], 4.0) for a, b in knobs]
    corners = [(x + i * size, y + j * size) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
    lines += [Line(corners, 0.7), Line([(x + size * c, y + size * s) for c, s in turned], 0.7)]
    side = _side(by_norm, value)
    wide = [width_of(w, 12, bold=True) for w in words]
    labels = [
        Label(tips[0], wide[0], _across(value, side)),
        Label(tips[1], wide[1], _across(by_norm, -side)),
        Label(tips[2], wide[2], (g[0], -g[1])),
        Label((x, y + size), wide[3], (0.0, 1.0)),
    ]
    order = [k for k, w in enumerate(words) if w]
    found = beside_points(
        [labels[k] for k in order], lines, PLANE.across.start, PLANE.up.end, PLANE.across.end, PLANE.up.start
    )
    return [found[order.index(k)] if k in order else found[0] for k in range(len(words))]


def edge(limit: float) -> Point:
    """Where the circle is taken hold of."""
    away = limit * UNIT * float(np.sqrt(0.5))
    return MIDDLE[0] - away, MIDDLE[1] - away


def _across(clipped, side):
    """To one side of an arrow."""
    (x, y), size = clipped.vector, clipped.length or 1.0
    return -side * y / size, -side * x / size


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


@lru_cache(8192)
def _wedge(by_norm, value):
    """The part of a disk between the two arrows."""
    if not value.turned:
        return NOWHERE
    start, end = (np.arctan2(c.vector[1], c.vector[0]) for c in (by_norm, value))
    end = start + (end - start + np.pi) % (2 * np.pi) - np.pi
    size = min(WEDGE, value.length * UNIT)
    rim = [(MIDDLE[0] + size * np.cos(a), MIDDLE[1] - size * np.sin(a)) for a in np.linspace(start, end, 4)]
    return [MIDDLE, *rim, MIDDLE]


def _side(by_norm, value):
    """1 where the value's arrow stands anticlockwise of the other, else -1."""
    (x, y), (u, v) = by_norm.vector, value.vector
    return 1 if x * v >= y * u else -1


def _turn(value):
    return f"by value: {value.turned:.1f}°" if value.turned else "by value"


# ---- what is left ----


def left(places: Sequence[Any], limits: Sequence[float], lengths: Sequence[float]) -> Iterator[Mark]:
    """The length of every gradient, and the limit."""
    xs = [LEFT(limit) for limit in limits]
    rows = [(TOP + ROW * k + 3, TOP + ROW * k + 24) for k in range(3)]
    lines = [polyline(point for top, end in rows for point in ((x, top), (x, end), None)) for x in xs]
    words = [f"limit {number(limit)}" for limit in limits]
    yield text(0, TOP - 22, "", "note", "middle").following("limit", x=xs, text=words)
    yield from _row(0, "inkhead", "name", [f"g: length {length:.2f}" for length in lengths], lengths)
    yield path(NOWHERE, "outline").following("limit", d=lines)


def left_by(by_norm: Sequence[Any], values: Sequence[Any]) -> Iterator[Mark]:
    """What the two rules leave of every length, at one limit, and by how much they turn it."""
    said = [f"by norm: length {c.length:.2f}, same direction" for c in by_norm]
    yield from _row(1, "bar", "forwardtext", said, [c.length for c in by_norm])
    said = [f"by value: length {c.length:.2f}" for c in values]
    yield from _row(2, "backbar", "slope", said, [c.length for c in values])
    turned = [f"turned by {c.turned:.1f}°" if c.turned else "same direction" for c in values]
    yield from _row(3, "turn", "slope", turned, [c.turned for c in values], TURNS)


def _row(k, bar, role, words, values, axis=LEFT) -> Iterator[Mark]:
    y = TOP + ROW * k
    yield text(axis.start, y, "", role).following("g", text=words)
    yield rect(axis.start, y + 7, 0, 13, bar, 0).following("g", width=[axis(value) - axis.start for value in values])
