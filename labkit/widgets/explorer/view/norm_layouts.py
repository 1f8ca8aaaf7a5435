"""Where the plot of gradient norms stands: along a row for wide pages, upright for narrow ones."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import ceil, isfinite

import numpy as np

from ...kit.axes import Axis
from ...kit.scene import line, rect, text, width_of
from .cards import short
from .lengths import Point, Trend
from .norm_plots import LONGEST, RADIUS, Plot
from .placing import NARROW
from .units import Units

LEVELS = 104.0  # px, how high the axis is
ROW = 24.0  # px, for what has no place on the axis
LEFT, RIGHT, LETTER = 62.0, 8.0, 6.6  # px: beside the axis, of a letter
HIGH, ROOM = 170.0, 16.0  # px: the axis where the curve is what is to be seen, above it for a word
NEAR = 0.3  # of the way from the least, where the factor is told
COLUMN, WIDEST, LEAST = 84.0, 1100.0, 420.0  # px
SAID = 22.0  # px, a line on all of it


class Across(Plot):
    """From left to right: the way back; up: the norm."""

    begin = LEFT

    def __init__(self, units: Units, points: Sequence[Point], trend: Trend | None, room: float):
        columns = max(p.at for p in points) - min(p.at for p in points) + 1
        needed = min(max(COLUMN, LEAST / columns), WIDEST / columns)
        self.apart = (room - LEFT - RIGHT) / columns if room else needed
        super().__init__(units, points, trend)
        self.top = 6.0 + ROW * self.bad + ROOM + SAID * bool(self.sound)
        self.axis = Axis(*self.powers, self.top + (HIGH if units.story.coloured else LEVELS), self.top, log=True)
        self.bottom = self.axis.start + ROW * self.zero
        longest = max(width_of(short(unit, LONGEST), 11.5) for unit in self.arrived.values())
        self.rows = min(ceil((longest + 8) / self.apart), 3)

    def level(self, value: float) -> float:
        if not isfinite(value):
            return self.axis.end - ROW + 8
        return self.axis(value) if value else self.axis.start + ROW - 8

    def _size(self):
        return self.begin + self.length + RIGHT, self.bottom + 6 + 15 * self.rows

    def _area(self):
        return rect(self.begin, 6, self.length, self.bottom - 6, "area", 0)

    def _level_line(self, at):
        return line(self.begin, at, self.begin + self.length, at, "grid")

    def _band(self, low, high):
        return rect(self.begin, high - 1, self.length, low - high + 2, "zone-sound", 0)

    def _aside(self):
        return self.begin + 10, 23.0

    def _tick(self, at, words):
        return text(self.begin - 7, at + 4, words, "tick", "end").answering("step")

    def _names(self):
        """In rows, of very many only some."""
        room = self.apart * self.rows
        for k, (step, unit) in enumerate(sorted(self.arrived.items())):
            kept = short(unit, min(max(int((room - 6) / LETTER), 4), LONGEST))
            if k % ceil(4 * LETTER / room) == 0:
                yield text(self.along(step), self.bottom + 15 + 15 * (k % self.rows), kept, "note", "middle")

    def _label(self, p, words, role):
        """Above the dot, or below where another is higher; within the area, and where it meets least of the curve."""
        (x, y), half, wide = self.place(p), self.apart / 2 - 4, width_of(words, 12, bold=True) / 2
        above = all(other.norm <= p.norm for other in self.points if other.at == p.at and other.known)
        at, anchor, left = x, "middle", x - wide
        if x - wide < self.begin:
            at, anchor, left = x - half, "start", x - half
        elif x + wide > self.begin + self.length:
            at, anchor, left = x + half, "end", x + half - 2 * wide
        met = [(u, v) for u, v in self._drawn if left - 5 < u < left + 2 * wide + 5]
        lines = [y + off for off in ((-10, 19, -26, 35) if above else (19, -10, 35, -26))]
        inside = [base for base in lines if ROOM < base < self.bottom - 3] or lines
        level = min(inside, key=lambda base: sum(base - 14 < v < base + 6 for _, v in met))
        return text(at, level, words, role, anchor)

    @cached_property
    def _drawn(self):
        """Places along the curve, and of the dots."""
        main, ends = [self.place(p) for p in self._main], np.linspace(0, 1, 13)
        along = [tuple(np.add(a, t * np.subtract(b, a))) for a, b in pairwise(main) for t in ends]
        return [*along, *(self.place(p) for p in self.points if p.known)]

    def _factor(self, trend):
        """Above the line and the dots there."""
        (x, y), (left, low) = self.place(trend.first), self.place(trend.last)
        middle, half = (x + left) / 2, width_of(trend.words, 12, bold=True) / 2
        rise = abs((y - low) / (x - left)) * half
        near = [self.place(p) for p in self.points if p.known]
        top = min([(y + low) / 2 - rise, *(q[1] for q in near if abs(q[0] - middle) < half + RADIUS)])
        return text(middle, top - 9, trend.words, "leaftext", "middle")

    def _column(self, step, link):
        return rect(self.along(step) - self.apart / 2, 6, self.apart, self.bottom - 6, "row", 0, link=link)


class Upright(Plot):
    """From top to bottom: the way back; to the right: the norm."""

    by, side, begin, apart = "y", "below", 22.0, 17.0

    def __init__(self, units: Units, points: Sequence[Point], trend: Trend | None):
        super().__init__(units, points, trend)
        self.begin += SAID * bool(self.sound)
        self.left, self.right = 104.0, NARROW - 20
        self.axis = Axis(*self.powers, self.left + 10 + 34 * self.zero, self.right - 10 - 46 * self.bad, log=True)

    def level(self, value: float) -> float:
        if not isfinite(value):
            return self.axis.end + 32
        return self.axis(value) if value else self.left + 12

    def spot(self, along: float, level: float) -> tuple[float, float]:
        return level, along

    def _size(self):
        return self.right + 12, self.begin + self.length + 6

    def _area(self):
        return rect(self.left, self.begin, self.right - self.left, self.length, "area", 0)

    def _level_line(self, at):
        return line(at, self.begin, at, self.begin + self.length, "grid")

    def _band(self, low, high):
        return rect(low - 1, self.begin, high - low + 2, self.length, "zone-sound", 0)

    def _aside(self):
        return 4.0, 16.0

    def _tick(self, at, words):
        return text(at, self.begin - 7, words, "tick", "middle").answering("step")

    def _names(self):
        for step, unit in self.arrived.items():
            yield text(4, self.along(step) + 4, short(unit, int((self.left - 8) / LETTER)), "note")

    def _label(self, p, words, role):
        """Beside the dots of its row, where there is more room."""
        row = [self.place(q)[0] for q in self.points if q.at == p.at and q.known]
        right = max(row) + 10 + width_of(words, 12, bold=True) < self.right
        return text(
            max(row) + 10 if right else min(row) - 10, self.along(p.at) + 4, words, role, "start" if right else "end"
        )

    def _factor(self, trend):
        """Beside the line, nearer to its shorter end."""
        (x, y), (end, high) = sorted(self.place(p) for p in trend[:2])
        at, level = x + NEAR * (end - x), y + NEAR * (high - y)
        room = self.right - at - 14
        fits = (words for words in (trend.words, trend.briefly) if width_of(words, 12, bold=True) < room)
        return text(at + 14, level + 4, next(fits, trend.briefly), "leaftext")

    def _column(self, step, link):
        return rect(0, self.along(step) - self.apart / 2, self.right, self.apart, "row", 0, link=link)
