"""How the ball and the box look: the gradient, what both rules make of it, and what is left of its length."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.scene import Mark, arrow_head, circle, line, path, rect, text, width_of
from ...kit.strokes import NOWHERE, polyline
from ...kit.words import number

ACROSS, UP = 4.0, 3.0  # the gradient stands in [-ACROSS, ACROSS] x [-UP, UP]
UNIT, EDGE, TICKS = 48.0, 12.0, 28.0  # px: a 1, the margin, and the one that ticks stand in
MIDDLE = (TICKS + ACROSS * UNIT, EDGE + UP * UNIT)
PLANE = Plane(Axis(-ACROSS, ACROSS, TICKS, MIDDLE[0] + ACROSS * UNIT), Axis(-UP, UP, MIDDLE[1] + UP * UNIT, EDGE))
SIZE = PLANE.across.end + EDGE, PLANE.up.start + TICKS
WEDGE, BESIDE = 34.0, 15.0  # px: how far the turn is filled, and a name beside its arrow
LEFT = Axis(0, 5, 8, 292)  # lengths, in the second panel
TURNS = Axis(0, 45, 8, 292)
ROW, TOP = 52.0, 44.0


def ground(limits: Sequence[float]) -> Iterator[Mark]:
    """The plane, the ball and the box."""
    x, y = MIDDLE
    yield PLANE.ground(3.0)
    yield line(PLANE.across.start, y, PLANE.across.end, y, "grid")
    yield line(x, PLANE.up.end, x, PLANE.up.start, "grid")
    yield from PLANE.across.below(PLANE.up.start + 16, [v for v in range(1 - int(ACROSS), int(ACROSS)) if v])
    yield from PLANE.up.beside(PLANE.across.start - 6, [v for v in range(1 - int(UP), int(UP)) if v])
    sizes = [v * UNIT for v in limits]
    both = [2 * s for s in sizes]
    box = rect(x, y, 1, 1, "backedge", 0).following("limit", x=[x - s for s in sizes], y=[y - s for s in sizes])
    yield box.following("limit", width=both, height=both)
    yield circle(x, y, sizes[0], "edge").following("limit", r=sizes)
    said = [f"limit {number(v)}" for v in limits]
    spots = [
        PLANE.kept(x - s - 6, y - s * np.sqrt(0.5) + 4, width_of(w, 11.5), "end")
        for s, w in zip(sizes, said, strict=True)
    ]
    words = text(0, 0, "", "note", "end").following("limit", text=said)
    yield words.following("limit", x=[x for x, _ in spots], y=[y for _, y in spots])


def gradient(places: Sequence[Any]) -> Iterator[Mark]:
    """The arrow that is dragged."""
    yield from _arrow(places, "inkvector", "inkhead")
    ends = [PLANE.at(place) for place in places]
    yield circle(0, 0, 10, "outline").following("g", cx=[x for x, _ in ends], cy=[y for _, y in ends])
    spots = [_name_of_g(place) for place in places]
    yield text(0, 0, "g", "name", "middle").following("g", x=[x for x, _ in spots], y=[y for _, y in spots])


def _name_of_g(place):
    """Beyond the tip; where that is out of the picture, on the side of the arrow where there is more room."""
    (x, y), long = PLANE.at(place), float(np.hypot(*place)) or 1.0
    (dx, dy), side = np.array(place) / long, -1 if place[0] * place[1] > 0 else 1
    beyond, aside = (x + 20 * dx, y - 20 * dy + 4), (x - 8 * dx - 18 * side * dy, y + 8 * dy - 18 * side * dx + 4)
    return beyond if PLANE.kept(*beyond, 8) == beyond else PLANE.kept(*aside, 8)


def results(by_norm: Sequence[Any], values: Sequence[Any]) -> Iterator[Mark]:
    """What the two rules make of every gradient, at one limit: arrows, the turn between them, and their names."""
    pairs = list(zip(by_norm, values, strict=True))
    yield path(NOWHERE, "turn").following("g", d=[_wedge(*pair) for pair in pairs])
    yield from _arrow([c.vector for c in values], "backvector", "backhead")
    yield from _arrow([c.vector for c in by_norm], "vector", "head")
    names = [("both" if n.vector == v.vector else "by norm", _turn(v)) for n, v in pairs]
    sides = [_side(*pair) for pair in pairs]
    for which, role in ((0, "forwardtext"), (1, "slope")):
        spots = [
            _beside(pair[which], side if which else -side, words[which])
            for pair, side, words in zip(pairs, sides, names, strict=True)
        ]
        name = text(0, 0, "", role).following("g", text=[words[which] for words in names], x=[x for x, _, _ in spots])
        yield name.following("g", y=[y for _, y, _ in spots], text_anchor=[anchor for *_, anchor in spots])


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
    rim = [(MIDDLE[0] + size * np.cos(a), MIDDLE[1] - size * np.sin(a)) for a in np.linspace(start, end, 7)]
    return [MIDDLE, *rim, MIDDLE]


def _side(by_norm, value):
    """1 where the value's arrow stands anticlockwise of the other, else -1."""
    (x, y), (u, v) = by_norm.vector, value.vector
    return 1 if x * v >= y * u else -1


@lru_cache(8192)
def _beside(clipped, side, words):
    """Where the name of an arrow stands, on a side of its tip, and how it is anchored."""
    (x, y), length = clipped.vector, clipped.length or 1.0
    across, up = -side * y / length, side * x / length
    left, top = PLANE.at(clipped.vector)
    anchor = "start" if across > 0.3 else "end" if across < -0.3 else "middle"
    return *PLANE.kept(left + BESIDE * across, top - BESIDE * up + 4, width_of(words, 12, bold=True), anchor), anchor


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
