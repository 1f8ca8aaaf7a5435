"""Heat maps whose colour never stands alone: a positive number is a square tile, a negative one is round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .scene import Mark, changes, path, px, rect, text
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
        right, bottom = self.x + columns * self.w, self.y + rows * self.h
        across = [
            f"M{px(self.x)} {px(self.y + i * self.h)}L{px(right)} {px(self.y + i * self.h)}" for i in range(rows + 1)
        ]
        down = [
            f"M{px(self.x + j * self.w)} {px(self.y)}L{px(self.x + j * self.w)} {px(bottom)}"
            for j in range(columns + 1)
        ]
        return path("".join(across + down), "grid", **more)

    def strength(self, value: float) -> float:
        """How opaque a tile is: never invisible, and light enough to read a number on it."""
        most = 0.55 if self.words else 1.0
        return round(0.1 + (most - 0.1) * min(1.0, abs(float(value)) / self.scale), 2)

    def tile(self, i: int, j: int, value: float, link: str | None = None) -> list[Mark]:
        """The marks of a number that stays: its tile (none for 0) and the number, or a sign where it is not finite."""
        role, opacity = _look(value, self)
        marks = [] if value == 0 else [self._tile(i, j, role, opacity, value < 0, link=link)]
        if self.words:
            marks.append(self._words(i, j, number(value), "tick" if value == 0 else "value", link=link))
        elif not np.isfinite(value):
            marks.append(self._words(i, j, "?" if np.isnan(value) else "∞", "value", link=link))
        return marks

    def moving(
        self, i: int, j: int, values: Sequence[float | None], dial: str, when: Mapping[str, Sequence[int]]
    ) -> list[Mark]:
        """The marks of a number that follows a dial: one value per position, None for an empty cell."""
        looks = [(None, 0.0) if v is None or v == 0 else _look(v, self) for v in values]
        marks = []
        for role in dict.fromkeys(r for r, _ in looks if r):
            opacity = changes(o if r == role else 0 for r, o in looks)
            marks.append(self._tile(i, j, role, 0, role == "backbar", when=when, vary={dial: {"opacity": opacity}}))
        if self.words:
            said = changes("" if v is None else number(v) for v in values)
            marks.append(self._words(i, j, "", "value", when=when, vary={dial: {"text": said}}))
        return marks

    def _tile(self, i, j, role, opacity, is_round, **more):
        x, y = self.cell(i, j)
        inset = 1.5 if self.words else 1
        r = (min(self.w, self.h) - 2 * inset) / 2 if is_round else 1
        shape = rect(x + inset, y + inset, self.w - 2 * inset, self.h - 2 * inset, role, r)
        return Mark("rect", role, {**shape.at, "opacity": opacity}, **more)

    def _words(self, i, j, words, role, **more):
        x, y = self.cell(i, j)
        return text(x + self.w / 2, y + self.h / 2 + 4, words, role, "middle", **more)


def _look(value, grid):
    if not np.isfinite(value):
        return "bad", 1.0
    return "bar" if value > 0 else "backbar", grid.strength(value)


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
