"""Axes of still pictures: where values are, in px."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` as places from `start` to `end` px; what is outside is placed at the end.

    `log`: by powers of ten; `low` and `high` are then powers, and what is not positive is placed at the start.

    >>> up = Axis(-2, 2, 100.0, 0.0, log=True)
    >>> up(1.0), up(100.0), up(1e9), up(0.0)
    (50.0, 0.0, 0.0, 100.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        level = min(max(self._level(value), self.low), self.high)
        return self.start + (level - self.low) / (self.high - self.low) * (self.end - self.start)

    def _level(self, value: float) -> float:
        if self.log:
            return float(np.log10(value)) if value > 0 else self.low
        return float(value)

    def holds(self, value: float) -> bool:
        """Whether a value is between the ends."""
        return bool(self.low <= self._level(value) <= self.high)
