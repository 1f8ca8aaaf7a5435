"""Axes: positions of values in a panel, ticks, and a part of the plane with paths over it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from .contours import contour
from .grips import Along
from .scene import Mark, line, rect, text
from .strokes import Placed, Point, polyline
from .words import number

Span = tuple[float, float]  # from where to where something goes, px
WITHIN, WORDS = 4.0, 9.0  # px: between words and a border, and how high words stand over their baseline


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` as places from `start` to `end` px; what lies outside stands at the end.

    `log`: by powers of ten; `low` and `high` are then powers, and what is not positive stands at the start.

    >>> up = Axis(-2, 2, 100.0, 0.0, log=True)
    >>> up(1.0), up(100.0), up(1e9), up(0.0)
    (50.0, 0.0, 0.0, 100.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def sets(self, field: str) -> Along:
        """For a grip: a field that a place on the axis sets."""
        return Along(field, self.low, self.high, self.start, self.end, self.log)

    def __call__(self, value: float) -> float:
        level, span = min(max(self._level(value), self.low), self.high), self.high - self.low
        if self.end < self.start:  # an axis that goes up is measured from the top, as the page is
            return Placed(self.end + (self.high - level) / span * (self.start - self.end), value, self)
        return Placed(self.start + (level - self.low) / span * (self.end - self.start), value, self)

    def _level(self, value: float) -> float:
        if self.log:
            return float(np.log10(value)) if value > 0 else self.low
        return value

    def holds(self, value: float) -> bool:
        """Whether a value lies between the ends."""
        return bool(self.low <= self._level(value) <= self.high)

    def ticks(self, most: int) -> list[float]:
        """Round values, at most about so many; of a logarithmic axis powers of ten."""
        found = round_values(self.low, self.high, most)
        return [10.0**power for power in found] if self.log else found

    def below(
        self, y: float, values: Iterable[float], name: Callable[[float], str] = number, grid: Span | None = None
    ) -> Iterator[Mark]:
        """Under an axis that goes across: the name of each value, its baseline at y, and where `grid` says so, a line."""
        for value in values:
            x = self(value)
            if grid:
                yield line(x, grid[0], x, grid[1], "grid")
            yield text(x, y, name(value), "tick", "middle")

    def beside(
        self, x: float, values: Iterable[float], name: Callable[[float], str] = number, grid: Span | None = None
    ) -> Iterator[Mark]:
        """Left of an axis that goes up: the name of each value, ending at x, and where `grid` says so, a line."""
        for value in values:
            y = self(value)
            if grid:
                yield line(grid[0], y, grid[1], y, "grid")
            yield text(x, y + 4, name(value), "tick", "end")


def round_values(low: float, high: float, most: int) -> list[float]:
    """The multiples of 1, 2 or 5 times a power of ten between two numbers, at most about so many.

    >>> round_values(0.0, 30.0, 8)
    [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]
    """
    raw = (high - low) / most
    power = 10.0 ** floor(log10(raw))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= raw)
    return [k * step for k in range(ceil(low / step), floor(high / step) + 1)]


@dataclass(frozen=True)
class Plane:
    """A part of the plane: an axis that goes across and one that goes up."""

    across: Axis
    up: Axis

    def at(self, place: Sequence[float]) -> Point:
        """A place in px."""
        return self.across(place[0]), self.up(place[1])

    def holds(self, place: Sequence[float]) -> bool:
        """Whether a place is inside."""
        return self.across.holds(place[0]) and self.up.holds(place[1])

    def ground(self, r: float = 0.0) -> Mark:
        """What everything is drawn upon."""
        width, height = self.across.end - self.across.start, self.up.start - self.up.end
        return rect(self.across.start, self.up.end, width, height, "area", r)

    def kept(self, x: float, y: float, wide: float, anchor: str = "middle") -> Point:
        """Where words that are `wide` px may stand, as near to a baseline at (x, y) as they are inside.

        >>> plane = Plane(Axis(0, 1, 0.0, 200.0), Axis(0, 1, 100.0, 0.0))
        >>> plane.kept(100.0, 50.0, 40.0), plane.kept(195.0, 2.0, 40.0), plane.kept(195.0, 99.0, 40.0, "end")
        ((100.0, 50.0), (176.0, 13.0), (195.0, 94.0))
        """
        left = {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        low, high = self.across.start + left + WITHIN, self.across.end - wide + left - WITHIN
        return min(max(x, low), high), min(max(y, self.up.end + WORDS + WITHIN), self.up.start - WITHIN - 2)

    def inner(self, places: Sequence[Sequence[float]]) -> list[Point]:
        """The places before the first that is not inside, in px."""
        stays = next((i for i, place in enumerate(places) if not self.holds(place)), len(places))
        return [self.at(place) for place in places[:stays]]

    def track(self, places: Sequence[Sequence[float]]) -> list[Point]:
        """The way along the places in px; it ends where it leaves the plane."""
        seen = self.inner(places)
        leaves = len(seen) < len(places)
        return [*seen, self.leaving(*places[len(seen) - 1 : len(seen) + 1])] if leaves else seen

    def leaving(self, inner: Sequence[float], outer: Sequence[float]) -> Point:
        """Where the way from a place inside to one outside crosses the border, in px."""
        shares = [1.0]
        for a, b, axis in zip(inner, outer, (self.across, self.up), strict=True):
            if not axis.holds(b):
                shares.append(((axis.high if b > axis.high else axis.low) - a) / (b - a))
        part = min(shares)
        return self.at([a + part * (b - a) for a, b in zip(inner, outer, strict=True)])

    def contour(self, values: np.ndarray, xs: np.ndarray, ys: np.ndarray, level: float) -> list[tuple[Point, Point]]:
        """Where `values` (rows at `ys`, columns at `xs`) equal `level`: pieces of a line, in px."""
        return [(self.at(start), self.at(end)) for start, end in contour(values, xs, ys, level)]


def pieces(found: Iterable[tuple[Point, Point]]) -> str:
    """Pieces of lines as one path."""
    return polyline(point for piece in found for point in (*piece, None))
