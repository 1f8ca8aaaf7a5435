"""A small array as a heat map with its numbers, in few marks: rows of tiles by strength, a line of text for each row."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import floor, log10
from typing import Any

import numpy as np

from ...engine import Summary
from .heat import full_colour
from .scene import Mark, rect, text, width_of
from .words import brief, clipped, minus, number, raised, shape

MOST_ROWS, MOST_COLUMNS = 16, 16  # that have tiles
ROWS_READ, COLUMNS_READ = 8, 6  # that have numbers
CELL, ROW = 42.0, 20.0  # px, of a tile with its number
DOT = 10.0  # px, of one without
BOX = 34.0  # px, the height of what has no tiles
NOTE = 13.0  # px, of the letters of a size where a panel is drawn small
LETTERS = 6  # that a number has room for
STRENGTHS = (0.14, 0.32, 0.55)  # of colours on which a number is read; where there are none twice as strong
ABOVE, BELOW = 16.0, 15.0  # px, of the name and of the size


@dataclass(frozen=True)
class Tiles:
    """An array called `name` with the shape `dims`; its `value`, or None where that is not known; `words`: with its numbers, if
    they are few; `missing`: what is said in their place."""

    name: str
    value: Any
    dims: tuple[int, ...] = ()
    words: bool = True
    missing: str = "not kept"

    @cached_property
    def rows(self) -> np.ndarray | None:
        """Its numbers as rows, where there are not too many, and not all are 0."""
        if self.value is None or isinstance(self.value, Summary) or np.asarray(self.value).dtype.kind not in "fiub":
            return None
        array = np.asarray(self.value, float)
        if array.size > 1 and not array.any():
            return None
        rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
        return rows if 0 < len(rows) <= MOST_ROWS and 0 < rows.shape[1] <= MOST_COLUMNS else None

    @cached_property
    def read(self) -> bool:
        """Whether its numbers are written."""
        rows = self.rows
        few = rows is not None and len(rows) <= ROWS_READ and rows.shape[1] <= COLUMNS_READ
        return few and (self.words or (rows is not None and rows.size == 1))

    @cached_property
    def size(self) -> tuple[float, float]:
        """Px of the tiles, or of the box in their place."""
        rows = self.rows
        if rows is None:
            return max(width_of(words, NOTE, mono=True) for words in self._lines) + 16, BOX
        if rows.size == 1:
            return max(CELL, width_of(number(rows), 12, mono=True) + 8), ROW
        w, h = (CELL, ROW) if self.read else (DOT, DOT)
        return rows.shape[1] * w, len(rows) * h

    @cached_property
    def width(self) -> float:
        """Px, with the name and the size."""
        return max(self.size[0], width_of(self._name, 12.5, bold=True), width_of(self.told, NOTE))

    @property
    def height(self) -> float:
        """Px, with both."""
        return ABOVE + self.size[1] + BELOW

    @cached_property
    def told(self) -> str:
        """The line below it: shape and length; a single number says all itself."""
        if self.rows is None or np.size(self.value) == 1:
            return ""
        power = written(self.rows)[1] if self.read else 0
        said = brief(self.value) if np.asarray(self.value).dtype.kind == "f" else shape(np.shape(self.value))
        return f"{said}, in {raised(10, power)}" if power else said

    @property
    def _name(self):
        return clipped(self.name, 22)

    @property
    def _lines(self):
        if self.value is None:
            return [shape(self.dims) or "1 number", self.missing]
        zero = not isinstance(self.value, Summary) and np.size(self.value) and not np.any(self.value)
        return [shape(np.shape(self.value)), "∅ all 0"] if zero else [brief(self.value)]

    def marks(self, x: float, y: float, **more: Any) -> Iterator[Mark]:
        """With its left upper corner at (x, y); `more` of each mark."""
        (w, h), middle, top = self.size, round(x + self.width / 2), round(y + ABOVE)
        left = round(middle - w / 2)
        yield text(middle, y + 11, self._name, "name", "middle", **more)
        if self.rows is None:
            yield rect(left, top, w, h, "area", **more)
            for i, line in enumerate(self._lines):
                yield text(middle, top + 21 + (i - (len(self._lines) - 1) / 2) * 14, line, "note", "middle", **more)
            return
        yield rect(left, top, w, h, "area", 1, **more)
        yield from self._tiles(left, top, self.rows, **more)
        if self.told:
            yield text(middle, top + h + 12, self.told, "note", "middle", **more)

    def block(self, x: float, y: float, i: int, j: int, rows: int, columns: int) -> tuple[float, float, float, float]:
        """Where some of its tiles are: left, top, width and height, with its own left upper corner at (x, y)."""
        w, h = (CELL, ROW) if self.read else (DOT, DOT)
        left = round(round(x + self.width / 2) - self.size[0] / 2)
        return left + j * w, round(y + ABOVE) + i * h, columns * w, rows * h

    def _tiles(self, left, top, rows, **more):
        w, h = self.size if rows.size == 1 else (CELL, ROW) if self.read else (DOT, DOT)
        inset, finite = 1.5 if self.read else 1.0, np.isfinite(rows)
        size = np.abs(np.where(finite, rows, 0.0)) / full_colour([rows])
        level = np.where(finite, np.minimum(size * len(STRENGTHS), len(STRENGTHS) - 1).astype(int), len(STRENGTHS))
        level = np.where(rows == 0, -1, level + (rows < 0) * (len(STRENGTHS) + 1))  # one for each look
        for look in np.unique(level[level >= 0]):
            negative, i = divmod(int(look), len(STRENGTHS) + 1)
            role = "badtiles" if i == len(STRENGTHS) else "backtiles" if negative else "tiles"
            strength = (*STRENGTHS, 0.5)[i]
            places = zip(*map(np.ndarray.tolist, (level == look).nonzero()), strict=True)
            bars = _bars(places, left, top, w, h, inset, bool(negative))
            seen_as = round(strength if self.read else min(1.8 * strength, 1.0), 2)
            yield Mark("path", role, {"d": bars, "stroke-width": h - 2 * inset, "stroke-opacity": seen_as}, **more)
        for i, row in enumerate(written(rows)[0] if self.read and rows.size > 1 else ()):
            words = "".join(one.rjust(LETTERS) for one in row).replace(" ", "\u00a0")
            line = text(left - 0.5 * w / LETTERS, top + (i + 0.5) * h + 4, words, "value", **more)
            yield replace(line, at={**line.at, "textLength": w * len(row)})
        if rows.size == 1:
            yield text(left + w / 2, top + h / 2 + 4, number(rows), "value", "middle", **more)


def _bars(places, left, top, w, h, inset, round_):
    """Short level strokes, one for each tile, each told from where the one before ended: so alike arrays are alike text."""
    end = h / 2 if round_ else inset
    long, words, x, y = max(w - 2 * end, 0.01), "", 0.0, 0.0
    for i, j in places:
        at = j * w + end, (i + 0.5) * h
        words += f"m{at[0] - x:g} {at[1] - y:g}h{long:g}"
        x, y = at[0] + long, at[1]
    return f"M{left:g} {top:g}{words}"


def written(rows: np.ndarray) -> tuple[list[list[str]], int]:
    """Numbers with as many decimals as the largest needs, at most five letters each, and the power of ten that they are in.

    >>> written(np.array([[0.1234, -0.0012, 0.0]])), written(np.array([[2.0, np.nan]])), written(np.array([[-0.0512]]))
    (([['0.12', '−0.00', '0']], 0), ([['2', 'nan']], 0), ([['−.051']], 0))
    """
    finite = rows[np.isfinite(rows)]
    reach = float(np.abs(finite).max(initial=0.0))
    power = 0 if reach == 0 or 0.01 <= reach < 1000 else max(3 * floor(log10(reach) / 3), -300)
    scaled = rows / 10.0**power
    whole = bool((finite == np.round(finite)).all()) and not power
    size = reach / 10.0**power
    decimals = 0 if whole or size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.0995 else 3
    return [[_written(v, decimals) for v in row] for row in scaled], power


def _written(value, decimals):
    words = "0" if value == 0 else minus(f"{value:.{decimals}f}")
    return words.replace("0.", ".", 1) if decimals == 3 else words
