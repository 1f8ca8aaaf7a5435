"""The still picture of a lab, for readers without JavaScript: plain SVG."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

import numpy as np

from ...palette import PALETTES, SANS

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


class Sketch:
    """A picture of `width` x `height` px, in the colours of a theme, by their names; `said` is for screen readers.

    >>> sketch = Sketch("light", 100, 40, "A line.")
    >>> sketch.path([(0, 10), (100, 10)])
    >>> sketch.text(50, 30, "x & y")
    >>> "x &amp; y" in str(sketch)
    True
    """

    def __init__(self, theme: str, width: float, height: float, said: str):
        self._ink, self._size, self._said = PALETTES[theme], (width, height), said
        self._marks: list[str] = []
        self.rect(0, 0, width, height, "page")

    def text(self, x: float, y: float, said: str, colour: str = "muted", anchor: str = "middle") -> None:
        """Words at a place."""
        look = f'fill="{self._ink[colour]}" text-anchor="{anchor}" font-size="12"'
        self._marks.append(f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(said)}</text>')

    def rect(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A filled rectangle."""
        self._marks.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{self._ink[colour]}"/>'
        )

    def circle(self, x: float, y: float, r: float, colour: str, filled: bool = True) -> None:
        """A filled circle, or a ring."""
        look = f'fill="{self._ink[colour]}"' if filled else f'fill="none" stroke="{self._ink[colour]}"'
        self._marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {look}/>')

    def path(self, points: Iterable[Point | None], colour: str = "ink", width: float = 2, dashes: str = "none") -> None:
        """A line through points; None interrupts it."""
        look = f'fill="none" stroke="{self._ink[colour]}" stroke-width="{width:g}" stroke-dasharray="{dashes}"'
        self._marks.append(f'<path d="{polyline(list(points))}" {look}/>')

    def __str__(self) -> str:
        wide, high = self._size
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high:g}" viewBox="0 0 {wide:g} {high:g}" '
            f'role="img" font-family="{escape(SANS)}"><title>{escape(self._said)}</title>{"".join(self._marks)}</svg>'
        )
