"""A function near a point, with its tangent. `page/closeups.js` draws the same while the point is dragged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from .axes import Axis
from .scene import Mark, circle, line, path

WIDE, HIGH = 112.0, 64.0  # px
HALF, SAMPLES = 3.0, 61  # of a window around 0, or around the point; places in it
REACH = 26.0  # px, half of a tangent


@dataclass(frozen=True)
class CloseUp:
    """Where it is drawn: `left`, `top`, and `first`, the number of the first of its five marks in the panel. `curve`: the name
    that the function has in the program of a page; it goes through (`x`, `y`) with a `slope`."""

    left: float
    top: float
    first: int
    curve: str
    x: float
    y: float
    slope: float

    def marks(self, ys: Sequence[float]) -> Iterator[Mark]:
        """The axes, the curve, whose values in the window are `ys`, the tangent, the point."""
        xs = window(self.x)
        low, high = _levels(ys, self.y)
        across, up = Axis(xs[0], xs[-1], self.left, self.left + WIDE), Axis(low, high, self.top + HIGH, self.top)
        level, middle = up(0.0), across(0.0)  # at a border where it is not in the window
        yield line(self.left, level, self.left + WIDE, level, "grid")
        yield line(middle, self.top, middle, self.top + HIGH, "grid")
        seen = ((across(x), up(y)) if isfinite(y) and up.holds(y) else None for x, y in zip(xs, ys, strict=True))
        yield path(seen, "inkline")
        x, y = across(self.x), up(self.y)
        back, on = (self._within(x, y, way) for way in (-1, 1))
        yield line(x - back, y + self.slope * back, x + on, y - self.slope * on, "backline")
        yield circle(x, y, 4.0, "bar")

    def _within(self, x, y, way):
        """How far across the tangent goes from the point, to the right (1) or the left (-1), inside of the panel."""
        up = way * self.slope
        rise = (y - self.top if up > 0 else self.top + HIGH - y) / abs(up) if up else REACH
        return min(REACH / float(np.hypot(1.0, self.slope)), rise, self.left + WIDE - x if way > 0 else x - self.left)


def window(x: float) -> np.ndarray:
    """The places at which a curve is drawn: around 0 where the point is in sight there."""
    return np.linspace(-HALF, HALF, SAMPLES) + (0.0 if abs(x) < 0.9 * HALF else x)


def _levels(ys, y):
    """From where to where, as far apart as across: a slope of 1 is one. Around 0 where the point is in sight there."""
    span = 2 * HALF * HIGH / WIDE
    low = -0.5 * span if np.nanmin(ys) < 0 else -0.1 * span
    low = low if low + 0.08 * span <= y <= low + 0.92 * span else y - 0.5 * span
    return low, low + span
