"""An edge that is not there: where a path may have been cut."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...kit.layout import Point
from ...kit.layout import path as route
from ...kit.scene import Mark, altered, circle, line, path, text

HALF_GAP, LEAST, NEAR = 13.0, 32.0, 24.0  # px


def broken(points: Sequence[Point | None], words: str, cut: bool) -> Iterator[Mark]:
    """A route in two pieces, and over the gap what is known of it, if anything; `cut`: with scissors, for something is
    wrong: upright pieces beside each other share those at the words."""
    k, (x, y), (right, down) = _longest(points)
    off = right * HALF_GAP, down * HALF_GAP
    pieces = [*points[: k + 1], (x - off[0], y - off[1])], [(x + off[0], y + off[1]), *points[k + 1 :]]
    for piece in pieces:
        yield altered(
            drawn := path(route(piece), "badline" if cut else "axis"), at={**drawn.at, "stroke-dasharray": "3 4"}
        )
    if cut and (words or not down):
        yield from _scissors(x, y, upright=bool(down))
    if words:
        place, anchor = ((x + 16, y + 4), "start") if down else ((x, y - 12), "middle")
        yield text(*place, words, "badtext" if cut else "note", anchor)


def _scissors(middle_x, middle_y, upright):
    """A pair that cuts across."""

    def at(along, across):
        return (middle_x + across, middle_y + along) if upright else (middle_x + along, middle_y + across)

    for side in (-1, 1):
        (x0, y0), (x1, y1), (x2, y2) = at(-7, side * 4.5), at(-4.4, side * 3), at(10, -side * 5)
        yield circle(x0, y0, 3, "badline")
        yield line(x1, y1, x2, y2, "badline")


def _longest(points):
    """Of the longest straight part of a route, a level one where one is long enough: its number, middle and direction."""
    parts = [(k, a, b) for k, (a, b) in enumerate(pairwise(points)) if a and b]
    level = [part for part in parts if abs(part[1][1] - part[2][1]) < 1 and abs(part[1][0] - part[2][0]) > LEAST]
    k, a, b = max(level or parts, key=lambda part: abs(part[1][0] - part[2][0]) + abs(part[1][1] - part[2][1]))
    sign = 1 if (b > a if level else b[1] > a[1]) else -1
    if level:
        return k, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), (sign, 0)
    near = min(NEAR, abs(b[1] - a[1]) / 2)  # what leads to one box is cut at one height
    return k, (b[0], b[1] - sign * near), (0, sign)
