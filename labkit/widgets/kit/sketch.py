"""The still picture of a lab, for readers without JavaScript: plain SVG."""

from collections.abc import Iterable
from html import escape

from ...palette import PALETTES, SANS
from .strokes import Point, polyline


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
