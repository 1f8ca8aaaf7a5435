"""A sum as it is written by hand, in binary: both numbers, one below the other, and what falls behind the last place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from ....precision import FORMATS
from ...kit.scene import Mark, Panel, line, path, text
from ...kit.strokes import NOWHERE
from ...kit.words import raised
from .bits import bits_end, boxes
from .ranges import BELOW, range_marks
from .ruler import DIAL
from .run import Landing, digits, exponent_of, gap_at
from .training import TALL, training_marks

WIDTH = 436.0
LEFT, PLACE, FIRST = 78.0, 9.1, 52.0  # px: of the digits, one of them, and their first row
ROW, LINE = 34.0, 20.0  # px: from one row to the next, and from one of its lines
ALONG, BEFORE = 27, 54  # places of a line in front of the end, and of all lines
ROOM = 38  # places of a line with what is behind the end
NAMES = ("", "", "exactly", "stored")


class Columns:
    """The binary places of one sum: from `top` down to `last`, the last one that the result keeps, and more as there is room."""

    def __init__(self, found: Landing):
        self.found = found
        self.terms = found.terms if found.terms else (Fraction(0), Fraction(0))
        self.exact = sum(self.terms, Fraction(0))
        self.last = exponent_of(gap_at(self.exact, found.of))
        sizes = [exponent_of(v) for v in (*self.terms, self.exact, self.stored) if v]
        self.top = min(max([*sizes, self.last]), self.last + BEFORE - 1)

    @property
    def stored(self) -> Fraction:
        """What the format keeps of the sum; 0 where it keeps no number."""
        return Fraction(self.found.result) if np.isfinite(self.found.result) else Fraction(0)

    @property
    def kept(self) -> int:
        """How many places stand in front of the end."""
        return self.top - self.last + 1

    @property
    def room(self) -> int:
        """How many places there is room for behind the end."""
        return ROOM - min(self.kept, ALONG)

    def written(self, value: Fraction, least: int) -> tuple[str, str]:
        """The digits of a number down to the place `least`, in front of the end and behind it."""
        if not value:
            return " " * (self.kept - 1) + "0", ""
        cut = least < self.last - self.room
        high, low = exponent_of(value), self.last - self.room + 1 if cut else least
        places = range(self.top, min(low, self.last) - 1, -1)
        shown = ["" if k > high else self._digit(value, k) for k in places]
        said = "".join(d or " " for d in shown)
        if high > self.top:
            said = "…" + said[1:]
        front, behind = said[: self.kept], said[self.kept :]
        return front, behind + ("…" if cut and behind.strip() else "")

    @staticmethod
    def _digit(value, k) -> str:
        return str(int(abs(value) // Fraction(2) ** k) % 2)

    def rows(self) -> list[tuple[str, str]]:
        """Both numbers with the places that the format stores of them, the exact sum, and what is stored of it."""
        of, result = self.found.of, str(self.found.result)
        if not self.found.terms:
            return [("", ""), ("", ""), ("", ""), (result, "")]
        own = [self.written(v, exponent_of(gap_at(v, of)) if v else self.last) for v in self.terms]
        own = [(front, behind.rstrip("0")) for front, behind in own]
        last = Fraction(self.exact.numerator & -self.exact.numerator, self.exact.denominator) if self.exact else None
        whole = self.written(self.exact, min(self.last, exponent_of(last)) if last else self.last)
        kept = self.written(self.stored, self.last) if np.isfinite(self.found.result) else (result, "")
        return [*own, whole, kept]


def adds(landings: Mapping[str, Sequence[Landing]]) -> bool:
    """Whether the function is one addition, or subtraction."""
    return all(f.terms is not None for f in landings["float64"])


def sum_panels(landings: Mapping[str, Sequence[Landing]]) -> Iterator[Panel]:
    """For each format the sum, written by hand; where there is none, for a number is too large, the bits of the result."""
    for i, (name, found) in enumerate(landings.items()):
        of = FORMATS[name]
        there = ["" if f.terms else "hidden" for f in found]
        marks = [*_marks([Columns(f) for f in found], of, there)]
        marks += [*training_marks(found, range_at(found) - TALL - 26), *range_marks(found, range_at(found))]
        if "hidden" in there:
            instead = ["hidden" if f.terms else "" for f in found]
            marks += [mark.following(DIAL, state=instead) for mark in boxes(of, found)]
        title = f"The sum, in binary{f': drag {found[0].name}' * (len(found) > 1)}"
        yield Panel(f"sum {name}", title, WIDTH, range_at(found) + BELOW, marks, {"format": [i]})


def range_at(found: Sequence[Landing]) -> float:
    """How high the range of a format stands below the sum, px."""
    return max(_end(_lines(map(Columns, found))) + 44, bits_end(found[0].of) + 72) + TALL + 58


def _lines(sums: Iterable[Columns]) -> int:
    """How many lines a number takes in front of the end."""
    return max(-(-c.kept // ALONG) for c in sums)


def _end(lines: int) -> float:
    """How far down the rows reach."""
    return FIRST + (ROW + LINE * (lines - 1)) * len(NAMES) - 18


def _marks(sums: Sequence[Columns], of, there) -> Iterator[Mark]:
    lines = _lines(sums)
    tall, bottom = ROW + LINE * (lines - 1), _end(lines)
    ends = [LEFT + PLACE * min(c.kept, ALONG) + 3 for c in sums]
    here = text(0, FIRST - 34, f"{of.name} ends", "note", "middle")
    yield here.following(DIAL, x=[max(x, 48.0) for x in ends], state=there)
    if lines == 1:
        yield from _places(sums, ends, there)
    y = FIRST + tall * 2 - 22
    yield line(8, y, WIDTH - 8, y, "axis").following(DIAL, state=there)
    rows = [c.rows() for c in sums]
    for k, (name, words) in enumerate(zip(NAMES, _names(sums), strict=True)):
        y = FIRST + tall * k
        yield text(8, y, name, "name").following(DIAL, text=words, state=there)
        for i in range(lines):
            cut = [_cut(row[k][0], i, lines) for row in rows]
            yield text(LEFT, y + LINE * i, "", "place").following(DIAL, text=cut, state=there)
        y += LINE * (lines - 1)
        yield text(0, y, "", "lost").following(DIAL, x=[x + 4 for x in ends], text=[_fixed(row[k][1]) for row in rows])
        over = [(y - 22 if k and lines == 1 else y - 16), y + 16 if lines == 1 else y + 5]
        yield path(NOWHERE, "outline").following(DIAL, d=[[(x, over[0]), (x, over[1])] for x in ends], state=there)
    yield text(8, bottom + 26, "rounded away", "name").following(DIAL, state=there)
    yield text(WIDTH - 8, bottom + 26, "", "value", "end").following(DIAL, text=[_lost(c) for c in sums], state=there)


def _places(sums, ends, there) -> Iterator[Mark]:
    """What the first and the last place before the end are worth."""
    y = FIRST - 18
    yield text(LEFT, y, "", "note").following(DIAL, text=[raised(2, c.top) for c in sums], state=there)
    last = text(0, y, "", "note", "end").following(DIAL, x=[x - 3 for x in ends])
    yield last.following(DIAL, text=[raised(2, c.last) if c.kept > 6 else "" for c in sums], state=there)


def _cut(front: str, i: int, lines: int) -> str:
    """A line of the digits in front of the end; the last one is full."""
    places = front.rjust(lines * ALONG) if lines > 1 else front
    return _fixed(places[i * ALONG : (i + 1) * ALONG])


def _fixed(written: str) -> str:
    """Digits whose blanks keep their width."""
    return written.replace(" ", "\u2007")


def _names(sums: Sequence[Columns]) -> list[list[str]]:
    """What stands before each row: the names of both numbers, with the sign by which the second one comes."""
    first = sums[0].found.words
    sign = "−" if " − " in first else "+"
    mine, theirs = first.split(f" {sign} ", 1) if f" {sign} " in first else (first, "")
    return [[mine] * len(sums), [f"{sign} {theirs}"] * len(sums), [NAMES[2]] * len(sums), [NAMES[3]] * len(sums)]


def _lost(c: Columns) -> str:
    """What is rounded away, in gaps."""
    if not np.isfinite(c.found.result):
        return "everything"
    off = abs(c.exact - c.stored)
    if not off:
        return "nothing"
    gaps = off / gap_at(c.exact, c.found.of)
    return f"{digits(off, off / 100)} = {digits(gaps, gaps / 100)} gap"
