"""Paths and coordinates as SVG writes them: the same on every machine."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

Point = tuple[float, float]  # px
Outline = str | Iterable[Point | None]  # a path as SVG writes it, or the points that it goes through

NOWHERE = "M0 0"  # a path that is not seen


class Placed(float):
    """A place in px that stands for a `value` on an `axis`. Marks keep it, so that what is drawn can be read back."""

    __slots__ = ("axis", "value")
    value: float
    axis: Any

    def __new__(cls, px: float, value: float, axis: Any) -> "Placed":
        found = super().__new__(cls, px)
        found.value, found.axis = float(value), axis
        return found


class Drawn(str):
    """A path as it is written, with the `points` that it goes through, or the one that a sign stands around."""

    __slots__ = ("points",)
    points: Sequence[Point]

    def __new__(cls, d: str, points: Sequence[Point]) -> "Drawn":
        found = super().__new__(cls, d)
        found.points = points
        return found


def outline(d: Outline) -> str:
    """A path as it is written."""
    return d if isinstance(d, str) else polyline(d)


def polyline(points: Iterable[Point | None]) -> str:
    """A path through points, interrupted where there is none; `NOWHERE` without any.

    >>> polyline([(0, 0), (2, 1), None, (4, 4), (5, 4)]), polyline([])
    ('M0 0L2 1M4 4L5 4', 'M0 0')
    """
    words, command, through = [], "M", []
    for point in points:
        if point:
            words.append(command + spot(point))
            through.append(point)
        command = "L" if point else "M"
    return Drawn("".join(words) or NOWHERE, through)


def spot(point: Point) -> str:
    """A point as it is written in a path.

    >>> spot((1.0, 2.25))
    '1 2.2'
    """
    return f"{px(point[0])} {px(point[1])}"


def polygon(corners: Iterable[Point], x: float = 0.0, y: float = 0.0) -> str:
    """A closed path around corners that are counted from (x, y).

    >>> polygon([(-4, 4), (4, 4), (0, -4)], 10, 10)
    'M6 14L14 14L10 6Z'
    """
    return Drawn(polyline((x + dx, y + dy) for dx, dy in corners) + "Z", [(x, y)])


def numbers(d: str) -> list[float]:
    """The coordinates of a path, x and y in turn.

    >>> numbers("M0 -1.5L2 1Z")
    [0.0, -1.5, 2.0, 1.0]
    """
    return [float(n) for n in re.findall(r"-?[\d.]+", d)]


def growing(points: Sequence[Point], count: int) -> list[list[Point]]:
    """The beginnings of a path that grows by a point with each of `count` positions, the first having one."""
    return [list(points[: i + 1]) for i in range(count)]


def px(value: float) -> str:
    """A coordinate as it is written: one decimal at most, the same on every machine.

    >>> px(3.04), px(-0.01), px(12.26)
    ('3', '0', '12.3')
    """
    shown = f"{float(value):.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def tenth(value: float) -> float:
    """A coordinate as a number: to a tenth of a px, a whole one as an integer."""
    found = round(float(value), 1)
    if isinstance(value, Placed):
        return Placed(found, value.value, value.axis)
    return int(found) if found.is_integer() else found
