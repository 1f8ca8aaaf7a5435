"""Where cards and edges are: cards of one size, so that no number moves anything; from left to right, and from top to bottom."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...kit.layout import Point, layout
from .units import Units

HIGH, APART, FOOT = 42.0, 10.0, 16.0  # px: of a card, between a value and its gradient, for a line below both
WIDTHS = {False: 136.0, True: 164.0}  # px of a card: of numbers, and where there are arrays or long names
GAPS = {False: 66.0, True: 46.0}  # px between ranks, from left to right and from top to bottom
EDGE = 12.0  # px
Path = list[list[float]]


def places(units: Units, twins: set[Any], wide: float, upright: bool) -> dict[str, Any]:
    """`boxes`: the left upper corner of each; `forward`, `back`: SVG paths of each edge; `labels`: where its slope is written;
    `width`, `height`. The gradient is below its value, or right of it where ranks go from top to bottom."""
    edges = [(edge.start.index, edge.end.index) for edge in units.edges]
    whole = [
        (2 * wide + APART if u in twins else wide, HIGH + FOOT)
        if upright
        else (wide, 2 * HIGH + APART + FOOT if u in twins else HIGH)
        for u in units.units
    ]
    sizes = [(high, across) if upright else (across, high) for across, high in whole]
    drawn = layout(sizes, edges, column_gap=GAPS[upright], row_gap=14.0, lane=22.0)
    own, other = (wide / 2, wide + APART + wide / 2) if upright else (HIGH / 2, HIGH + APART + HIGH / 2)
    boxes = [(y, x) if upright else (x, y) for x, y, _, _ in drawn.boxes]
    forward, back, labels = list[str](), list[str](), list[list[float]]()
    for k, edge in enumerate(units.edges):
        both = edge.start in twins and edge.end in twins
        forward.append(_path(_cut(drawn.route(k, own, own, -5.0), upright and FOOT), upright))
        points = _cut(drawn.route(k, other, other, 5.0), upright and FOOT) if both else []
        back.append(_path(points, upright) if points else "")
        labels.append(_label(points, labels, upright, len(units.users.get(edge.start, ())) > 1))
    width, height = (drawn.height, drawn.width) if upright else (drawn.width, drawn.height)
    return {
        "boxes": [[_tenth(x + EDGE), _tenth(y + EDGE)] for x, y in boxes], "forward": forward, "back": back,
        "labels": labels, "width": width + 2 * EDGE, "height": height + 2 * EDGE,
    }  # fmt: skip


def _cut(points: list[Point], foot: float) -> list[Point]:
    """A route that begins at the card and not at the line below it."""
    return [(points[0][0] - foot, points[0][1]), *points[1:]] if foot else points


def _path(points: Sequence[Point], upright: bool) -> str:
    """An SVG path that starts and ends along the ranks."""
    at = [(_tenth(x + EDGE), _tenth(y + EDGE)) for x, y in points]
    text = f"M{_spot(at[0], upright)}"
    for (x, y), (u, v) in pairwise(at):
        middle = _tenth((x + u) / 2)
        spots = ((middle, y), (middle, v), (u, v))
        text += f"L{_spot((u, v), upright)}" if y == v else "C" + " ".join(_spot(spot, upright) for spot in spots)
    return text


def _spot(point, upright):
    x, y = reversed(point) if upright else point
    return f"{x:g} {y:g}"


def _label(points: list[Point], others: list[list[float]], upright: bool, late: bool) -> list[float]:
    """The middle of the first gap of a route, or of the last one; moved where another label is."""
    if not points:
        return []
    (x, y), (u, v) = points[-2:] if late else points[:2]
    if late and u - x < GAPS[upright] / 2 and len(points) > 2:
        (x, y), (u, v) = points[-3:-1]
    across, along = _tenth((x + u) / 2 + EDGE), _tenth((y + v) / 2 + EDGE)
    spot = [along, across] if upright else [across, along]
    while any(other and abs(other[0] - spot[0]) < 60 and abs(other[1] - spot[1]) < 15 for other in others):
        spot[1] += 15
    return spot


def _tenth(value: float) -> float:
    return round(value, 1) + 0.0
