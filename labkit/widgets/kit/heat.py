"""Heat maps whose colour never stands alone: a positive number is a square tile, a negative one is round."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .scene import Mark, path, rect, text
from .strokes import polyline
from .words import number


@dataclass(frozen=True)
class Grid:
    """Cells of `w` by `h` px, the first with its left upper corner at (x, y). `words`: whether numbers are written in
    the cells; `scale`: the magnitude that has the full colour."""

    x: float
    y: float
    w: float
    h: float
    words: bool
    scale: float

    def cell(self, i: int, j: int) -> tuple[float, float]:
        """The left upper corner of the cell in row i, column j."""
        return self.x + j * self.w, self.y + i * self.h

    def block(self, i: int, j: int, rows: int, columns: int, role: str, **more: Any) -> Mark:
        """A rectangle around some cells."""
        x, y = self.cell(i, j)
        return rect(x, y, columns * self.w, rows * self.h, role, r=1, **more)

    def lines(self, rows: int, columns: int, **more: Any) -> Mark:
        """The lines between the cells."""
        right, bottom = self.cell(rows, columns)
        ends = [((self.x, y), (right, y)) for y in (self.y + i * self.h for i in range(rows + 1))]
        ends += [((x, self.y), (x, bottom)) for x in (self.x + j * self.w for j in range(columns + 1))]
        return path(polyline(point for start, end in ends for point in (start, end, None)), "grid", **more)

    def strength(self, value: float) -> float:
        """How opaque a tile is: never invisible, and light enough to read a number on it."""
        most = 0.55 if self.words else 1.0
        return round(0.1 + (most - 0.1) * min(1.0, abs(float(value)) / self.scale), 2)

    def tile(self, i: int, j: int, value: float, link: str | None = None) -> Iterator[Mark]:
        """The marks of a number that stays: its tile (none for 0) and the number, or a sign where it is not finite."""
        role, opacity = _look(value, self)
        if value != 0:
            yield self._tile(i, j, role, opacity, link=link)
        if self.words:
            yield self._words(i, j, number(value), "tick" if value == 0 else "value", link=link)
        elif not np.isfinite(value):
            yield self._words(i, j, "?" if np.isnan(value) else "∞", "value", link=link)

    def _tile(self, i, j, role, opacity, **more):
        x, y = self.cell(i, j)
        inset = 1.5 if self.words else 1
        r = (min(self.w, self.h) - 2 * inset) / 2 if role == "backbar" else 1
        shape = rect(x + inset, y + inset, self.w - 2 * inset, self.h - 2 * inset, role, r)
        return Mark("rect", role, {**shape.at, "opacity": opacity}, **more)

    def _words(self, i, j, words, role, **more):
        x, y = self.cell(i, j)
        return text(x + self.w / 2, y + self.h / 2 + 4, words, role, "middle", **more)


def _look(value, grid):
    if not np.isfinite(value):
        return "bad", 1.0
    return "bar" if value > 0 else "backbar", grid.strength(value)


def full_colour(values: Iterable[np.ndarray]) -> float:
    """The largest magnitude of the finite numbers in arrays, for `Grid.scale`; 1 where there is none.

    >>> full_colour([np.array([1.0, -3.0]), np.array([[np.inf]])])
    3.0
    """
    every = np.abs(np.concatenate([np.ravel(v) for v in values]))
    return float(every[np.isfinite(every)].max(initial=0)) or 1.0


def pooled(matrix: np.ndarray, rows: Sequence[np.ndarray], columns: Sequence[np.ndarray]) -> np.ndarray:
    """One number for each block: its entry of largest magnitude, or one that is not finite where there is one.

    >>> pooled(np.array([[1.0, -3.0, 0.0], [2.0, 0.5, 0.0]]), [np.arange(2)], [np.arange(2), np.arange(2, 3)])
    array([[-3.,  0.]])
    """
    size = np.where(np.isfinite(matrix), np.abs(matrix), np.inf)
    found = np.empty((len(rows), len(columns)), matrix.dtype)
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            block = np.ix_(r, c)
            found[i, j] = matrix[block].flat[np.argmax(size[block])]
    return found
