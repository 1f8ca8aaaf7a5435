"""The box close up: it is as large at every limit, so what both rules leave is seen however long the gradient is."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...kit.axes import Axis, Plane
from ...kit.labels import Label, Line, beside_points
from ...kit.scene import Mark, circle, path, rect, text, width_of
from ...kit.strokes import NOWHERE
from .ball_view import around, arrow, square

WIDTH, HIGH = 300.0, 196.0
PLANE = Plane(Axis(-1.85, 1.85, 4.0, WIDTH - 4.0), Axis(-1.2, 1.2, HIGH, 4.0))  # a 1 is the limit
MIDDLE = PLANE.at((0.0, 0.0))
LIMIT = PLANE.across(1.0) - MIDDLE[0]
WEDGE = 58.0  # px: how far the turn is filled


def ground() -> Iterator[Mark]:
    """The ball and the box."""
    x, y = MIDDLE
    yield PLANE.ground(3.0)
    yield rect(x - LIMIT, y - LIMIT, 2 * LIMIT, 2 * LIMIT, "back", 0)
    yield circle(x, y, LIMIT, "op")


def gradient(places: Sequence[Any], limit: float) -> Iterator[Mark]:
    """The way to g, which may lie outside."""
    yield from arrow([(g[0] / limit, g[1] / limit) for g in places], "inkvector", "inkhead", PLANE)


def results(places: Sequence[Any], limit: float, by_norm: Sequence[Any], values: Sequence[Any]) -> Iterator[Mark]:
    """What the two rules make of every gradient, at one limit, with their names."""
    pairs = list(zip(by_norm, values, strict=True))
    yield path(NOWHERE, "turn").following("g", d=[_wedge(*pair, limit) for pair in pairs])
    for found, shaft, head in ((values, "backvector", "backhead"), (by_norm, "vector", "head")):
        yield from arrow([_times(c.vector, 1 / limit) for c in found], shaft, head, PLANE)
    spots = [_spots(*pair, limit) for pair in pairs]
    for k, role in enumerate(("forwardtext", "slope")):
        said = text(0, 0, "", role, "middle").following("g", text=[_said(*pair)[k] for pair in pairs])
        said = said.following("g", x=[at[k][0] for at in spots], y=[at[k][1] for at in spots])
        yield said.moving("g", 0.0, 0.0, "x", "y")


@lru_cache(8192)
def _wedge(by_norm, value, limit):
    """The part of a disk between the two arrows."""
    if not value.turned:
        return NOWHERE
    start, end = (np.arctan2(c.vector[1], c.vector[0]) for c in (by_norm, value))
    end = start + (end - start + np.pi) % (2 * np.pi) - np.pi
    size = min(WEDGE, value.length / limit * LIMIT)
    rim = [(MIDDLE[0] + size * np.cos(a), MIDDLE[1] - size * np.sin(a)) for a in np.linspace(start, end, 4)]
    return [MIDDLE, *rim, MIDDLE]


def _times(vector, factor):
    return vector[0] * factor, vector[1] * factor


def _said(by_norm, value):
    """The names of the two arrows, which may be one."""
    return ("by norm", "by value") if by_norm.vector != value.vector and value.turned else ("both", "")


@lru_cache(8192)
def _spots(by_norm, value, limit):
    """Where the names stand: each on its side of the other, beside the tip of its arrow."""
    vectors = [_times(c.vector, 1 / limit) for c in (by_norm, value)]
    tips = [PLANE.at(v) for v in vectors]
    (x, y), (u, v) = vectors
    side = 1.0 if x * v >= y * u else -1.0  # whether the second arrow stands anticlockwise of the first
    lines = [Line([MIDDLE, tip], 8.0) for tip in tips] + [
        Line(around(MIDDLE, LIMIT), 0.7),
        Line(square(MIDDLE, LIMIT), 0.7),
    ]
    lines.append(Line([MIDDLE, _times_from(tips[0])], 2.0))
    words = _said(by_norm, value)
    labels = [
        Label(tip, width_of(said, 12, bold=True), (way * vector[1], way * vector[0]))
        for tip, said, vector, way in zip(tips, words, vectors, (side, -side), strict=True)
    ]
    found = beside_points(
        [label for label, said in zip(labels, words, strict=True) if said],
        lines, PLANE.across.start, PLANE.up.end, PLANE.across.end, PLANE.up.start,
    )  # fmt: skip
    return [found[0], found[-1]]


def _times_from(tip):
    """Twice as far from the middle: the way on to g."""
    return 2 * tip[0] - MIDDLE[0], 2 * tip[1] - MIDDLE[1]
