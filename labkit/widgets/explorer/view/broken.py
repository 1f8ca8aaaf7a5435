"""An edge that is not there: where a path may have been cut."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...kit.layout import Point
from ...kit.scene import Mark, altered, circle, line, path, text

HALF_GAP = 13.0  # px


def broken(points: Sequence[Point], words: str) -> Iterator[Mark]:
    """A route in two pieces, scissors between them, and over them what is known of the cut."""
    x, y = _middle(points)
    before, after = [p for p in points if p[0] < x - HALF_GAP], [p for p in points if p[0] > x + HALF_GAP]
    for piece in ([*before, (x - HALF_GAP, y)], [(x + HALF_GAP, y), *after]):
        if len(piece) > 1:
            yield altered(drawn := path(piece, "badline"), at={**drawn.at, "stroke-dasharray": "3 4"})
    for side in (-1, 1):
        yield circle(x - 7, y + side * 4.5, 3, "badline")
        yield line(x - 4.4, y + side * 3, x + 10, y - side * 5, "badline")
    yield text(x, y - 12, words, "badtext", "middle")


def _middle(points):
    """Of the longest level part."""
    level = [(start, end) for start, end in pairwise(points) if abs(start[1] - end[1]) < 1]
    start, end = max(level, key=lambda part: abs(part[1][0] - part[0][0]), default=(points[0], points[-1]))
    return (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
