"""A part of the plane around the point of a case: where what lies in it stands."""

from collections.abc import Sequence

import numpy as np

from ...kit.scene import Mark
from ...kit.strokes import NOWHERE, Outline, Point, polyline
from .run import Case

Box = tuple[float, float, float, float]  # left, right, top and base, px
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BASE = 420.0, 336.0, 12.0, 408.0, 56.0, 300.0  # px
BOX = (LEFT, RIGHT, TOP, BASE)
SAMPLES = 121
ROOM = 0.04  # of its height: above and below what touches the curve at the point
REACH = 1.5  # widths of the window on either side of x


class Window:
    """A part of the plane around the point of a case, `width` in x standing for a third of a `box`; places in px."""

    def __init__(self, case: Case, width: float, box: Box = BOX):
        self.x, self.y, self.width, self.box = case.x, case.fn(case.x), width, box
        half = REACH * width
        turn = -case.slope / case.bend if case.bend else 0.0  # where the parabola that touches there is level
        places = (-half, half, min(max(turn, -half), half))
        found = [case.slope * t + bend * t**2 / 2 for t in places for bend in (0.0, case.bend)]
        if not np.isfinite(found).all() or max(found) == min(found):
            found = [-half, half]
        room = ROOM * (max(found) - min(found))
        self.low, self.high = min(found) - room, max(found) + room

    def across(self, x: float) -> float:
        left, right, _, _ = self.box
        return (left + right) / 2 + (x - self.x) / self.width * (right - left) / (2 * REACH)

    def height(self, y: float) -> float:
        _, _, top, base = self.box
        return base - (y - self.y - self.low) / (self.high - self.low) * (base - top)

    def holds(self, point: Point) -> bool:
        """Whether a point of the plane is inside."""
        left, right, top, base = self.box
        inside = left - 1 <= self.across(point[0]) <= right + 1
        return bool(inside and top - 1 <= self.height(point[1]) <= base + 1)

    def spot(self, point: Point) -> Point | None:
        """Where a point stands that is inside."""
        return (self.across(point[0]), self.height(point[1])) if self.holds(point) else None

    def curve(self, points: Sequence[Point]) -> str:
        """A path through the points that are inside; where one is not, it is interrupted."""
        spots: list[Point | None] = []
        for point, flat in zip(points, _level(points), strict=True):
            spot = self.spot(point)
            if not (spot and flat and spots and spots[-1]):
                spots.append(spot)
        return polyline(spots)

    def straight(self, point: Point, slope: float) -> Outline:
        """The line through a point with a slope, from edge to edge of the window; none without a slope."""
        (left, right, top, base), x, y = self.box, self.across(point[0]), self.height(point[1])
        steep = -slope * self.width * 2 * REACH / (right - left) * (base - top) / (self.high - self.low)  # px per px
        if not np.isfinite([steep, x, y]).all():
            return NOWHERE
        ends = [(left - x, right - x)]
        if steep:
            low, high = sorted(((top - y) / steep, (base - y) / steep))
            ends.append((low, high))
        start, end = max(low for low, _ in ends), min(high for _, high in ends)
        if start >= end or not top - 1 <= y + steep * start <= base + 1:
            return NOWHERE
        return [(x + start, y + steep * start), (x + end, y + steep * end)]


def _level(points):
    """Whether each point lies between two of the same height."""
    heights = [y for _, y in points]
    inner = [a == b == c for a, b, c in zip(heights, heights[1:], heights[2:], strict=False)]
    return [False, *inner, False]


def point_of(window: Window, case: Case) -> Point:
    """Where the curve is at x; at the border, where that is outside."""
    return window.across(case.x), min(max(window.height(case.fn(case.x)), TOP), BASE)


def at_spots(mark, spots: Sequence[Point | None]) -> Mark:
    """A circle that is seen at a spot for each step; hidden where there is none."""
    xs, ys = zip(*(spot or (0.0, 0.0) for spot in spots), strict=True)
    return mark.following("h", cx=xs, cy=ys, state=["" if spot else "hidden" for spot in spots])
