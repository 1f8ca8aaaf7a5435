"""Paths as SVG writes them: the same on every machine."""

from collections.abc import Iterable

Point = tuple[float, float]  # px


def polyline(points: Iterable[Point | None]) -> str:
    """A path through points, interrupted where there is none.

    >>> polyline([(0, 0), (2, 1.26), None, (4, 4), (5, 4)])
    'M0 0L2 1.3M4 4L5 4'
    """
    words, command = [], "M"
    for point in points:
        words += [f"{command}{px(point[0])} {px(point[1])}"] if point else []
        command = "L" if point else "M"
    return "".join(words)


def px(value: float) -> str:
    """A coordinate as it is written: one decimal at most.

    >>> px(3.04), px(-0.01), px(12.26)
    ('3', '0', '12.3')
    """
    shown = f"{float(value):.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown
