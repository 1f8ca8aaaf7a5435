"""What a text or a number of scenes is made of: numbers that the page computes, each written in one of a few formats."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from .formats import FORMATS, IN_TEXTS
from .reckoning import PRIMITIVES, Const, Program

_NUMBER = r"\d+(?:\.\d+)?(?:e[−+-]\d+)?"
PLACES = tuple(re.compile(f"({found})") for found in (rf"\(−{_NUMBER}\)|[−-]?{_NUMBER}", rf"[−-]?{_NUMBER}"))
SIGNS = ("+ ", "− ", "× ", "÷ ", "·")
NEAR = 1e-9


class Unfitted(Exception):
    """Something does not follow."""


@dataclass
class Quantities:
    """The numbers of a program at `rows` of inputs. `doubts`: what places of texts may mean, as long as that is
    not clear."""

    program: Program
    rows: Sequence[Mapping[str, float]]
    doubts: list[list[list[Any]]] = field(default_factory=list)

    def __post_init__(self):
        for place in range(len(self.rows[0])):
            self._size(place)

    def _size(self, place) -> int:
        """The place of the size of an input, of 1 at least."""
        return self.program.place("maximum", self.program.line("absolute", place), Const(1.0))

    @cached_property
    def values(self) -> np.ndarray:
        """A row for each quantity, a column for each scene; nan along curves."""
        values, along = self.program.values(self.rows), self.program.along()
        return np.array([np.full(len(self.rows), np.nan) if i in along else row for i, row in enumerate(values)])

    @cached_property
    def rounded(self) -> np.ndarray:
        """All quantities, to six digits."""
        return np.array([[float(f"{one:.6g}") for one in row] for row in self.values])

    @cached_property
    def texts(self) -> dict[str, np.ndarray]:
        """All quantities in all formats."""
        return {
            key: np.array([[form(v) if np.isfinite(v) else "" for v in row] for row in self.values], dtype=object)
            for key, form in ((key, FORMATS[key]) for key in IN_TEXTS)
        }

    def words(self, values: Sequence[str], rows: np.ndarray) -> Any:
        """A text: words, and `[quantity, format]` between them. Raises Unfitted where it is none."""
        for places in PLACES:
            pieces = [places.split(value) for value in values]
            if len({tuple(piece[::2]) for piece in pieces}) > 1:
                continue
            try:
                made = [self._piece([piece[k] for piece in pieces], pieces[0][:k], rows) for k in range(len(pieces[0]))]
            except Unfitted:
                continue
            return {"words": _joined(made)}
        raise Unfitted

    def _piece(self, column, before, rows):
        if all(one == column[0] for one in column):
            return column[0]
        if len(before) % 2:
            wanted = np.array(column, dtype=object)
            found: list[list[Any]] = [
                [int(place), key]
                for key, texts in self.texts.items()
                for place in np.flatnonzero((texts[:, rows] == wanted).all(axis=1))
            ]
            if len(found) > 1 and found not in self.doubts:
                self.doubts.append(found)
            if found:
                signed = before[-1].endswith(SIGNS)  # after a sign a negative number is in brackets (`bracketed`)
                return next((one for one in found if (one[1][0] == "(") == signed), found[0])
            told = np.array([float(one.strip("()").replace("−", "-")) for one in column])
            place = self.of_two(rows, told, 0.006)
            key = next((key for key, texts in self.texts.items() if (texts[place, rows] == wanted).all()), None)
            if key:
                return [place, key]
        raise Unfitted

    def spelled(self, made: Any, row: int) -> str:
        """The words of a scene."""
        return "".join(p if isinstance(p, str) else self.texts[p[1]][p[0], row] for p in made["words"])

    def level(self, wanted: np.ndarray, rows: np.ndarray) -> Any:
        """A number: a quantity, rounded to six digits or not, or made of one input. None where it is neither."""
        v = self.values[:, rows]
        for key, found in (("", v), ("6", self.rounded[:, rows])):
            places = np.flatnonzero(np.isclose(found, wanted, NEAR, 0.0).all(axis=1))
            if places.size:
                return {"level": [int(places[0]), key]}
        for place in range(len(self.rows[0])):
            size = self._size(place)
            basis = np.stack([v[place], v[size], np.ones(len(rows))], axis=1)
            factors = np.linalg.lstsq(basis, wanted, rcond=None)[0].round(9)
            if np.allclose(basis @ factors, wanted, NEAR, 1e-9):
                return {"sum": [[place, factors[0]], [size, factors[1]]], "and": factors[2]}
        return None

    def of_two(self, rows: np.ndarray, wanted: np.ndarray, near: float = NEAR) -> int:
        """The place of a line that makes a number of two. Raises Unfitted where none does."""
        v, count = self.values[:, rows], len(self.values)
        constants = dict.fromkeys([0.0, 1.0, *self.program.constants])
        every = [*range(count), *map(Const, constants)]
        known = np.concatenate([v, *(np.full((1, len(wanted)), one) for one in constants)])
        with np.errstate(all="ignore"):
            for name, i in product(("add", "subtract", "multiply", "divide"), range(len(known))):
                places = np.flatnonzero(np.isclose(PRIMITIVES[name](known[i], known), wanted, near, 0.0).all(axis=1))
                if places.size:
                    place = self.program.line(name, every[i], every[places[0]])
                    if isinstance(place, Const):
                        continue
                    if place == count:  # there was none
                        for stale in ("values", "rounded", "texts"):
                            self.__dict__.pop(stale, None)
                    return place
        raise Unfitted


def finite(program: Program, rows: Sequence[Mapping[str, float]]) -> list[int]:
    """At which rows of inputs all quantities are finite, but for those along curves."""
    values, along = program.values(rows), program.along()
    known = np.array([row for i, row in enumerate(values) if i not in along])
    return [int(i) for i in np.flatnonzero(np.isfinite(known).all(axis=0))]


def skeleton(words: str) -> str:
    """A text without its numbers.

    >>> skeleton("2 × (−0.5) = −1")
    '# × # = #'
    """
    return "#".join(PLACES[0].split(words)[::2])


def _joined(pieces):
    """Words next to each other in one."""
    found: list[Any] = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        elif piece:
            found.append(piece)
    return found
