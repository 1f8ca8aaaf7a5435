"""How the ball and the box look: the gradient, what both rules make of it, and what is left of its length."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.scene import Mark, arrow_head, circle, line, path, rect, text, width_of
from ...kit.strokes import NOWHERE, Point, polyline
from ...kit.words import number

ACROSS, UP = 4.0, 3.0  # the gradient stands in [-ACROSS, ACROSS] x [-UP, UP]
UNIT, EDGE, TICKS = 48.0, 8.0, 28.0  # px: a 1, the margin, and the one that ticks stand in
MIDDLE = (TICKS + ACROSS * UNIT, EDGE + UP * UNIT)
PLANE = Plane(Axis(-ACROSS, ACROSS, TICKS, MIDDLE[0] + ACROSS * UNIT), Axis(-UP, UP, MIDDLE[1] + UP * UNIT, EDGE))
SIZE = PLANE.across.end + EDGE, PLANE.up.start + TICKS
KNOB = 10.0  # px: half of a handle
LEFT = Axis(0, 5, 8, 292)  # lengths, in the second panel
TURNS = Axis(0, 45, 8, 292)
ROW, TOP, BAR = 46.0, 38.0, 14.0
TURN = 3.7  # the row of the turn, below the axis of lengths
BESIDE = 308.0, TOP + (TURN + 1) * ROW + 10
WEDGE = 58.0  # px: how far the turn is filled


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
    """What the two rules make of every gradient, at one limit: where it is pulled to, arrows, and the turn between them."""
    pulled = [
        [PLANE.at(g), PLANE.at(v.vector)] if v.vector != g else NOWHERE for g, v in zip(places, values, strict=True)
    ]
    yield path(NOWHERE, "turn").following("g", d=list(map(_wedge, by_norm, values)))
    yield path(NOWHERE, "backedge").following("g", d=pulled)
    yield from arrow([c.vector for c in values], "backvector", "backhead", PLANE)
    yield from arrow([c.vector for c in by_norm], "vector", "head", PLANE)
    told = [f"{c.turned:.1f}°" if c.turned else "" for c in values]
    spots = list(map(_beside_turned, by_norm, values, told))
    turned = text(0, 0, "", "slope", "middle").following("g", text=told)
    yield turned.following("g", x=[x for x, _ in spots], y=[y for _, y in spots])


def _wedge(by_norm, value):
    """The part of a disk between the two arrows."""
    if not value.turned:
        return NOWHERE
    start, end = (np.arctan2(c.vector[1], c.vector[0]) for c in (by_norm, value))
    end = start + (end - start + np.pi) % (2 * np.pi) - np.pi
    size = min(WEDGE, value.length * UNIT, by_norm.length * UNIT)
    rim = [(MIDDLE[0] + size * np.cos(a), MIDDLE[1] - size * np.sin(a)) for a in np.linspace(start, end, 3)]
    return [MIDDLE, *rim, MIDDLE]


def _beside_turned(by_norm, value, words) -> Point:
    """Beside the tip of the arrow that is turned, on the side that is away from the other one."""
    (x, y), (u, v), (left, top) = by_norm.vector, value.vector, PLANE.at(value.vector)
    if not words:
        return left, top
    side = (1.0 if x * v >= y * u else -1.0) / value.length  # anticlockwise of the other arrow, or clockwise
    dx, dy = -v * side, -u * side
    far = 7 + abs(dx) * width_of(words, 12, bold=True) / 2 + abs(dy) * 6
    return left + dx * far, top + dy * far + 4


def names(places: Sequence[Any], limits: Sequence[float]) -> Iterator[Mark]:
    """The names of g, beyond it, and of the limit, on the side of the box where g is not."""
    spots = list(map(_beyond, places))
    yield text(0, 0, "g", "name", "middle").following("g", x=[x for x, _ in spots], y=[y for _, y in spots])
    words = [f"limit {number(limit)}" for limit in limits]
    for below in (True, False):
        y = [MIDDLE[1] + (limit * UNIT + 15 if below else -limit * UNIT - 6) for limit in limits]
        seen = ["" if (g[1] >= 0) == below else "hidden" for g in places]
        named = text(MIDDLE[0], 0, "", "note", "middle").following("limit", y=y, text=words)
        yield named.following("g", state=seen).moving("g", 0.0, 0.0, "state")


@lru_cache(4096)
def _beyond(g) -> Point:
    """As far along as g points as its ring needs, or the next direction in which there is room, clear of the arrow."""
    (x, y), away = PLANE.at(g), KNOB + 9.0
    first = np.arctan2(-g[1], g[0]) if any(g) else -np.pi / 2
    for turn in sorted(range(-19, 20), key=abs):
        a = first + turn * np.pi / 24
        spot = float(x + away * np.cos(a)), float(y + away * np.sin(a))
        if (
            PLANE.across.start + 4.5 < spot[0] < PLANE.across.end - 4.5
            and PLANE.up.end + 6 < spot[1] < PLANE.up.start - 5
        ):
            return spot[0], spot[1] + 4
    return x, y


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
    """The length of every gradient, the limit, and the axes of both kinds of bars."""
    xs = [LEFT(limit) for limit in limits]
    rows = [(TOP + ROW * k + 5, TOP + ROW * k + BAR + 9) for k in range(3)]
    lines = [polyline(point for top, end in rows for point in ((x, top), (x, end), None)) for x in xs]
    words = [f"limit {number(limit)}" for limit in limits]
    yield text(0, TOP - 20, "", "note", "middle").following("limit", x=xs, text=words)
    yield from LEFT.below(TOP + 3 * ROW - 6, range(6))
    yield from TURNS.below(TOP + (TURN + 1) * ROW - 6, (0, 15, 30, 45), "{:.0f}°".format)
    yield from _row(0, "inkhead", "name", [f"g: length {length:.2f}" for length in lengths], lengths)
    yield path(NOWHERE, "outline").following("limit", d=lines)
    asked = (
        (1, "by norm: length?", "forwardtext"),
        (2, "by value: length?", "slope"),
        (TURN, "by value: turned by?", "slope"),
    )
    yield from (text(LEFT.start, TOP + ROW * k, words, role).asking("g") for k, words, role in asked)


def left_by(by_norm: Sequence[Any], values: Sequence[Any]) -> Iterator[Mark]:
    """What the two rules leave of every length, at one limit, and by how much they turn it."""
    said = [f"by norm: length {c.length:.2f}{', same direction' if c.length else ''}" for c in by_norm]
    yield from _row(1, "bar", "forwardtext", said, [c.length for c in by_norm])
    said = [f"by value: length {c.length:.2f}" for c in values]
    yield from _row(2, "backbar", "slope", said, [c.length for c in values])
    turned = [
        f"by value: turned by {c.turned:.1f}°" if c.turned else "by value: same direction" if c.length else ""
        for c in values
    ]
    yield from _row(TURN, "turn", "slope", turned, [c.turned for c in values], TURNS)


def _row(k, bar, role, words, values, axis=LEFT) -> Iterator[Mark]:
    y = TOP + ROW * k
    yield text(axis.start, y, "", role).following("g", text=words)
    yield rect(axis.start, y + 7, 0, BAR, bar, 0).following("g", width=[axis(value) - axis.start for value in values])
