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
KNOB = 10.0  # px: half of a handle
LEFT = Axis(0, 5, 8, 292)  # lengths, in the second panel
TURNS = Axis(0, 45, 8, 292)
ROW, TOP = 34.0, 236.0


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
    yield from arrow(places, "inkvector", "inkhead", PLANE)
    ends = [PLANE.at(place) for place in places]
    yield circle(0, 0, KNOB, "before").following("g", cx=[x for x, _ in ends], cy=[y for _, y in ends])


def results(places: Sequence[Any], limit: float, by_norm: Sequence[Any], values: Sequence[Any]) -> Iterator[Mark]:
    """What the two rules make of every gradient, at one limit: where it is pulled to, and arrows."""
    pulled = [
        [PLANE.at(g), PLANE.at(v.vector)] if v.vector != g else NOWHERE for g, v in zip(places, values, strict=True)
    ]
    yield path(NOWHERE, "backedge").following("g", d=pulled)
    yield from arrow([c.vector for c in values], "backvector", "backhead", PLANE)
    yield from arrow([c.vector for c in by_norm], "vector", "head", PLANE)


def names(places: Sequence[Any], limit: float, by_norm: Sequence[Any], values: Sequence[Any]) -> Iterator[Mark]:
    """The names of g and of the limit, at one limit."""
    spots = [_spots(g, *pair, limit) for g, pair in zip(places, zip(by_norm, values, strict=True), strict=True)]
    for k, (role, words) in enumerate((("name", "g"), ("note", f"limit {number(limit)}"))):
        name = text(0, 0, words, role, "middle").following(
            "g", x=[at[k][0] for at in spots], y=[at[k][1] for at in spots]
        )
        yield name.moving("g", 0.0, 0.0, "x", "y")  # all at once: on the way they would pass over each other


@lru_cache(8192)
def _spots(g, by_norm, value, limit):
    """Where the names stand: of g, and of the limit; clear of all that is drawn."""
    tips, (x, y), size = [PLANE.at(v) for v in (value.vector, by_norm.vector, g)], MIDDLE, limit * UNIT
    lines = [Line([MIDDLE, tip], 8.0) for tip in tips] + [Line([tips[2], tips[0]], 4.0)]
    lines += [Line(around(spot, KNOB), 4.0) for spot in (edge(limit), tips[2])]
    lines += [Line(square(MIDDLE, size), 0.7), Line(around(MIDDLE, size), 0.7)]
    labels = [
        Label(tips[2], width_of("g", 12, bold=True), (g[0], -g[1])),
        Label((x, y + size), width_of(f"limit {number(limit)}", 12, bold=True), (0.0, 1.0)),
    ]
    return beside_points(labels, lines, PLANE.across.start, PLANE.up.end, PLANE.across.end, PLANE.up.start)


def around(middle: Point, size: float) -> list[Point]:
    """A circle as points."""
    return [
        (middle[0] + size * float(np.cos(a)), middle[1] + size * float(np.sin(a)))
        for a in np.linspace(0, 2 * np.pi, 25)
    ]


def square(middle: Point, size: float) -> list[Point]:
    """The square around that circle."""
    return [(middle[0] + i * size, middle[1] + j * size) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]


def edge(limit: float) -> Point:
    """Where the circle is taken hold of."""
    away = limit * UNIT * float(np.sqrt(0.5))
    return MIDDLE[0] - away, MIDDLE[1] - away


def arrow(vectors: Sequence[Any], shaft: str, head: str, plane: Plane) -> Iterator[Mark]:
    """An arrow from the middle that follows g; one that leaves the plane has no head."""
    shafts, heads, middle = [], [], plane.at((0.0, 0.0))
    for dx, dy in vectors:
        inside = plane.holds((dx, dy))
        x, y = plane.at((dx, dy)) if inside else plane.leaving((0.0, 0.0), (dx, dy))
        longest = float(np.hypot(x - middle[0], y - middle[1]))
        size = min(11.0, longest / 2) if inside else 0.0
        back = size / longest if longest else 0.0
        shafts.append([middle, (x - (x - middle[0]) * back, y - (y - middle[1]) * back)])
        heads.append(arrow_head(x, y, dx, -dy, "head", size).at["d"] if size else NOWHERE)
    yield path(NOWHERE, shaft).following("g", d=shafts)
    yield path(NOWHERE, head).following("g", d=heads)


# ---- what is left ----


def left(places: Sequence[Any], limits: Sequence[float], lengths: Sequence[float]) -> Iterator[Mark]:
    """The length of every gradient, and the limit."""
    xs = [LEFT(limit) for limit in limits]
    rows = [(TOP + ROW * k + 4, TOP + ROW * k + 17) for k in range(3)]
    lines = [polyline(point for top, end in rows for point in ((x, top), (x, end), None)) for x in xs]
    words = [f"limit {number(limit)}" for limit in limits]
    yield text(0, TOP - 17, "", "note", "middle").following("limit", x=xs, text=words)
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
    yield rect(axis.start, y + 5, 0, 10, bar, 0).following("g", width=[axis(value) - axis.start for value in values])
