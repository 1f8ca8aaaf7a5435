"""An edge that is not there: where a path may have been cut."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...kit.layout import Point
from ...kit.layout import path as route
from ...kit.scene import Mark, altered, circle, line, path, text

HALF_GAP = 13.0  # px


def broken(points: Sequence[Point | None], words: str, cut: bool) -> Iterator[Mark]:
    """A route in two pieces, and over the gap what is known of it; `cut`: with scissors there, for something is wrong."""
    k, (x, y), along = _longest(points)
    pieces = [*points[: k + 1], (x - along * HALF_GAP, y)], [(x + along * HALF_GAP, y), *points[k + 1 :]]
    for piece in pieces:
        yield altered(
            drawn := path(route(piece), "badline" if cut else "axis"), at={**drawn.at, "stroke-dasharray": "3 4"}
        )
    for side in (-1, 1) if cut else ():
        yield circle(x - 7, y + side * 4.5, 3, "badline")
        yield line(x - 4.4, y + side * 3, x + 10, y - side * 5, "badline")
    if words:
        yield text(x, y - 12, words, "badtext" if cut else "note", "middle")


def _longest(points):
    """Of the longest level part of a route: its number, its middle, and whether it leads right (1) or left (-1)."""
    parts = [
        (abs(b[0] - a[0]), k, a, b) for k, (a, b) in enumerate(pairwise(points)) if a and b and abs(a[1] - b[1]) < 1
    ]
    _, k, a, b = max(parts)
    return k, ((a[0] + b[0]) / 2, a[1]), 1 if b[0] > a[0] else -1
