"""Where everything of a Jacobian stands: its blocks of rows and columns, and the px of the cells."""

from dataclasses import dataclass

import numpy as np

from ...kit.heat import Grid, full_colour, pooled
from ...kit.passes import Passes
from ...kit.scene import width_of
from ...kit.words import number
from .directions import Directions
from .words import JacobianWords

MOST, MOST_WITH_NUMBERS = 40, (14, 10)  # rows and columns that are drawn one by one; those with their numbers
HOLD = 18.0  # px: for what is taken hold of, beside what goes in
VJP, JVP, ANY, SUM = {"mode": [0]}, {"mode": [1]}, {"mode": [2]}, {"mode": [3]}


@dataclass
class Layout:
    """In px: the input above the matrix, the output left of it; what a pass takes in stands beyond them (a tangent above,
    if it is `pushed`, a cotangent on the left), what it gives on the other side of the matrix."""

    passes: Passes
    least: float = 0.0  # px that a column is wide at least
    pushed: bool = False

    def __post_init__(self):
        m, n = self.passes.matrix.shape
        self.rows = np.array_split(np.arange(m), min(m, MOST))
        self.columns = np.array_split(np.arange(n), min(n, MOST))
        self.phrases = JacobianWords(self.passes, self.rows, self.columns)
        self.tiles = pooled(self.passes.matrix, self.rows, self.columns)
        self.total = pooled(self.passes.total[None], [np.arange(1)], self.columns)[0]
        self.x = pooled(self.passes.x[None], [np.arange(1)], self.columns)[0]
        self.y = pooled(self.passes.y[None], [np.arange(1)], self.rows)[0]
        self.m, self.n = self.tiles.shape
        self.directions = Directions.of(self.passes, not self.pushed) if (self.m, self.n) == (m, n) else None
        self._measure()
        self.scale = full_colour([self.tiles, self.total])

    def _measure(self):
        numbers = [*self.tiles.flat, *self.total, *self.x, *self.y]
        names = [*map(number, numbers), *self.phrases.column_names, *(["−0.966"] if self.directions else [])]
        wide = max(46.0, self.least, 8 + max(width_of(s, 12, True) for s in names))
        self.words = self.m <= MOST_WITH_NUMBERS[0] and self.n <= MOST_WITH_NUMBERS[1] and self.n * wide <= 680
        small = max(14.0, min(22.0, 480 / max(self.m, self.n)))
        sizes: tuple[float, ...] = (
            (wide, 34.0, 52.0 if self.directions else 34.0, 16.0) if self.words else (small, small, small, 22.0)
        )
        self.w, self.h, self.seed, self.gap = sizes
        self.input = f"input {self.passes.input_name}"
        labels = max(width_of(s, 11, True) for s in self.phrases.row_names) + 14
        labels += 0 if self.pushed else HOLD + 8 + self.seed
        self.label = max(labels, 16 + width_of(self.input, 12.5) - self.w - self.gap)
        self.left = self.label + self.w + self.gap
        self.over = 18 + (HOLD + 6 + max(self.h, 20) if self.pushed else 0)
        self.top = self.over + self.h + self.gap + 8
        out = 24 if self.pushed else self.h + self.gap
        self.height = self.bottom + out + self.gap + 20
        self.width = max(self.right + (self.gap + self.w + 10 if self.pushed else 28), 300)

    def grid(self, x: float, y: float, wide: float | None = None, scale: float | None = None) -> Grid:
        """Cells as large as those of the matrix, or `wide` px."""
        return Grid(x, y, wide or self.w, self.h, self.words, scale or self.scale)

    @property
    def stops(self) -> list[tuple[float, float]]:
        """Where what goes in is held, at each of its positions."""
        if self.pushed:
            return [(self.left + (j + 0.5) * self.w, HOLD - 2) for j in range(-1, self.n)]
        rows = range(self.m + (self.m > 1))
        return [(HOLD - 2, self.top - 12), *((HOLD - 2, self.top + (i + 0.5) * self.h) for i in rows)]

    @property
    def right(self) -> float:
        """Where the matrix ends."""
        return self.left + self.n * self.w

    @property
    def bottom(self) -> float:
        return self.top + self.m * self.h

    @property
    def below(self) -> float:
        """Where the row of a pull comes out."""
        return self.bottom + self.gap

    @property
    def beside(self) -> float:
        """Where the column of a push comes out."""
        return self.right + self.gap
