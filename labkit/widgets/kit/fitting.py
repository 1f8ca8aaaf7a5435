"""How what differs among scenes follows from numbers that the page computes: texts with places for numbers, numbers, and kinds
of both that are told apart by a number's sign or size. `page/reckoning.js` makes scenes of it.

What is found holds for all the scenes that it was found in; whoever asks compares it with others.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from .reckoning import PRIMITIVES, Const, Program
from .words import bracketed, minus, number

NUMBER = r"[−-]?\d+(?:\.\d+)?(?:e[−+-]\d+)?"
PLACES = tuple(re.compile(f"({found})") for found in (rf"\(−{NUMBER[4:]}\)|{NUMBER}", NUMBER))
FORMATS = {
    "3": number,
    "2": lambda value: number(value, 2),
    "(3": lambda value: bracketed(number(value)),
    "6": lambda value: f"{value:.6g}",
    "i": lambda value: minus(str(int(value))) if abs(value) < 1e15 else number(value),
}
PIXELS = ("x", "y", "cx", "cy", "width", "height")
FEW = 8  # parts of a list that may say different things
NEAR = 1e-9
SIGNS = ("+ ", "− ", "× ", "÷ ", "·")
MOST_DOUBTS = 40  # comparisons that tell the same apart
TENTH = 0.11  # px: places are written in tenths


class Unfitted(Exception):
    """There is something that does not follow."""


@dataclass
class Fit:
    """What the page makes scenes of: `made` as `page/reckoning.js` reads it; `left`: paths of what does not follow."""

    program: Program
    rows: Sequence[Mapping[str, float]]
    left: list[tuple[str, ...]] = field(default_factory=list)

    def __post_init__(self):
        for place in range(len(self.rows[0])):
            self.program.line("maximum", self.program.line("absolute", place), Const(1.0))

    @cached_property
    def values(self) -> np.ndarray:
        """A row for each quantity, a column for each scene."""
        values, along = self.program.values(self.rows), self.program.along()
        return np.array([np.full(len(self.rows), np.nan) if i in along else row for i, row in enumerate(values)])

    @cached_property
    def texts(self) -> dict[str, np.ndarray]:
        """All quantities in all formats."""
        return {
            key: np.array([[form(v) if np.isfinite(v) else "" for v in row] for row in self.values], dtype=object)
            for key, form in FORMATS.items()
        }

    @staticmethod
    def finite(program: Program, rows: Sequence[Mapping[str, float]]) -> list[int]:
        """Of which rows of inputs all quantities are finite, but for those along curves."""
        values, along = program.values(rows), program.along()
        known = np.array([row for i, row in enumerate(values) if i not in along])
        return [int(i) for i in np.flatnonzero(np.isfinite(known).all(axis=0))]

    def of(self, scenes: Sequence[Any]) -> Any:
        """How scenes differ; None: not at all."""
        self.lengths, self.places = dict[tuple[int, ...], Any](), list[Any]()
        self.doubts, self.lengths_open = list[list[list[Any]]](), list[tuple[Any, int, int]]()
        made = self.part(scenes, np.arange(len(scenes)), ())
        for place, wanted, rows, path in self.places:  # the texts are all known now
            place |= self._of_length(wanted, rows) or self._given_up(path)
        return made

    def _given_up(self, path):
        self.left.append(path)
        return {"level": [0, ""]}

    # ---- parts ----

    def part(self, values: Sequence[Any], rows: np.ndarray, path: tuple[str, ...]) -> Any:
        """What makes `values`, one for each of the scenes `rows`; None where they are all the same."""
        if all(value == values[0] for value in values):
            return None
        if all(isinstance(value, list) for value in values):
            first, values = values[0], aligned(values)
            if len(first) != len(values[0]):
                return {"one of": [[None, values[0], self.part(values, rows, path)]]}
        kinds = [_kind(value) for value in values]
        before = len(self.left)
        alike = all(kind == kinds[0] for kind in kinds)
        made = self.inside(values, rows, path) if alike else self.chosen(values, kinds, rows, path)
        if len(self.left) > before and isinstance(values[0], list) and len(values[0]) <= FEW:
            kinds = [_outline(value) for value in values]  # lists of one length that say different things
            if len(set(kinds)) > 1:
                lost = self.left[before:]
                del self.left[before:]
                otherwise = self.chosen(values, kinds, rows, path)
                made, self.left[before:] = (made, lost) if len(self.left) > before else (otherwise, [])
        if made and len(rows) == len(self.rows) and all(isinstance(value, str) for value in values):
            self.lengths.setdefault(tuple(map(len, values)), made)
        return made

    def inside(self, values, rows, path):
        """Of one kind."""
        first = values[0]
        if isinstance(first, dict):
            keys = dict.fromkeys(key for value in values for key in value)
            return {"in": self._each([(key, [value.get(key) for value in values]) for key in keys], rows, path)}
        if isinstance(first, list):
            return {"in": self._each([(str(i), list(p)) for i, p in enumerate(zip(*values, strict=True))], rows, path)}
        try:
            if isinstance(first, str):
                return self.words(values, rows)
            return self.level(np.array(values, float), rows, path)
        except Unfitted:
            kinds = [_skeleton(value) for value in values] if isinstance(first, str) else [0]
            if len(set(kinds)) > 1:
                return self.chosen(values, kinds, rows, path)
            self._given_up(path)
            return None

    def _each(self, parts, rows, path):
        found = {key: self.part(values, rows, (*path, key)) for key, values in sorted(parts, key=_texts_first)}
        return {key: made for key, made in found.items() if made is not None}  # of a place not yet: it is empty still

    def chosen(self, values, kinds, rows, path):
        """Of several kinds: `[[test, value of this kind, what differs in it] ...]`, the last without a test."""
        groups: dict[Any, list[int]] = {}
        for i, kind in enumerate(kinds):
            groups.setdefault(kind, []).append(i)
        smallest = sorted(groups.values(), key=len)
        found, rest = [], np.arange(len(rows))
        for members in smallest:
            test = None
            if members is not smallest[-1]:
                numeric = self.test(rows[rest], np.isin(rest, members))
                test = self._by_length(values, rows, rest, members, smallest, numeric) or numeric
                if test is None:
                    self._given_up(path)
                    return None
            of_kind = [values[i] for i in members]
            within = self.inside(of_kind, rows[members], path) if any(v != of_kind[0] for v in of_kind) else None
            found.append([test, of_kind[0], within])
            rest = np.setdiff1d(rest, members)
        return {"one of": found}

    # ---- what tells kinds apart ----

    def test(self, rows: np.ndarray, wanted: np.ndarray) -> Any:
        """A comparison that holds for those of the scenes that are wanted: of a quantity and 0 or 1, or of two."""
        v = self.values[:, rows]
        found = list[list[Any]]()
        for (sign, compare), level in product(_TESTS.items(), (0.0, 1.0)):
            found += ([sign, int(i), [level]] for i in np.flatnonzero((compare(v, level) == wanted).all(axis=1)))
        for (sign, compare), i in product(_TESTS.items(), range(len(v))):
            if len(found) < MOST_DOUBTS:
                found += ([sign, i, int(k)] for k in np.flatnonzero((compare(v[i], v) == wanted).all(axis=1)))
        if len(found) > 1:
            self.doubts.append(found[:MOST_DOUBTS])
        return found[0] if found else None

    def doubtful(self, rows: Sequence[Mapping[str, float]]) -> list[Mapping[str, float]]:
        """Those of other rows of inputs on which comparisons differ that told the same kinds apart so far."""
        values, found = np.array(self.program.values(rows)), list[int]()

        def of_test(sign, i, k):
            return _TESTS[sign](values[i], k[0] if isinstance(k, list) else values[k])

        def of_piece(i, key):
            return values[i] + 1000.0 * (key[0] == "(") * (values[i] < 0)

        known = [i for i, row in enumerate(rows) if row in self.rows]
        for doubt in self.doubts:
            held = np.array([(of_test if len(one) == 3 else of_piece)(*one) for one in doubt])
            differ = (~np.isclose(held, held[0], 1e-3, 0.0)).sum(axis=0)
            differ[known] = 0
            if differ.any() and not differ[found].any():
                found.append(int(np.abs(differ - len(held) / 2).argmin() if differ.all() else differ.argmax()))
        for made, inside, outside, short, numeric in self.lengths_open:
            lengths = np.array([sum(len(_spelled(p, values[:, i])) for p in made["words"]) for i in range(len(rows))])
            open_ = (inside < lengths) & (lengths < outside)
            if numeric:
                open_ |= of_test(*numeric) != ((lengths <= inside) == short)
            open_[known] = False
            found += [int(open_.argmax())] if open_.any() and not open_[found].any() else []
        return [rows[i] for i in found]

    def _by_length(self, values, rows, rest, members, groups, numeric):
        """Whether a text would be longer than there is room for, where another stands in its place then."""
        for group in groups:
            if not isinstance(values[group[0]], str) or not set(group) <= set(rest.tolist()):
                continue
            try:
                made = self.words([values[i] for i in group], rows[group])
            except Unfitted:
                continue
            lengths = {i: len(self.spelled(made, rows[i])) for i in rest}
            inside, others = [lengths[i] for i in group], [lengths[i] for i in rest if i not in group]
            if max(inside) < min(others) and (members is group or len(rest) == len(members) + len(group)):
                self.lengths_open.append((made, max(inside), min(others), members is group, numeric))
                return ["short" if members is group else "long", made, max(inside)]
        return None

    def spelled(self, made: Any, row: int) -> str:
        """The words of a scene."""
        return "".join(p if isinstance(p, str) else self.texts[p[1]][p[0], row] for p in made["words"])

    # ---- texts ----

    def words(self, values, rows):
        """Words, and `[quantity, format]` between them."""
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
            found = [
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
            place = self._of_two(rows, told, 0.006)
            key = next((key for key, texts in self.texts.items() if (texts[place, rows] == wanted).all()), None)
            if key:
                return [place, key]
        raise Unfitted

    # ---- numbers ----

    def level(self, wanted, rows, path):
        """A quantity, rounded to six digits or not; made of one input; of the length of a text, for a place; of two quantities."""
        v = self.values[:, rows]
        for key, found in (("", v), ("6", _rounded(v))):
            places = np.flatnonzero(np.isclose(found, wanted, NEAR, 0.0).all(axis=1))
            if places.size:
                return {"level": [int(places[0]), key]}
        for place in range(len(self.rows[0])):
            size = self.program.line("maximum", self.program.line("absolute", place), Const(1.0))
            basis = np.stack([v[place], v[size], np.ones(len(rows))], axis=1)
            factors = np.linalg.lstsq(basis, wanted, rcond=None)[0].round(9)
            if np.allclose(basis @ factors, wanted, NEAR, 1e-9):
                return {"sum": [[place, factors[0]], [size, factors[1]]], "and": factors[2]}
        if path[-1] in PIXELS:
            self.places.append(({}, wanted, rows, path))
            return self.places[-1][0]
        return {"level": [self._of_two(rows, wanted, NEAR), ""]}

    def _of_length(self, wanted, rows):
        lengths, words = np.array(list(self.lengths), float)[:, rows], list(self.lengths.values())
        for i in range(len(lengths)):
            longest = np.maximum(lengths[i], lengths[i:])
            off = longest - longest.mean(axis=1, keepdims=True)
            times = (off @ wanted) / np.maximum((off**2).sum(axis=1), 1e-12)
            level = wanted.mean() - times * longest.mean(axis=1)
            far = np.abs(times[:, None] * longest + level[:, None] - wanted).max(axis=1)
            if (k := int(far.argmin())) >= 0 and far[k] < TENTH:
                of = [words[i], *([words[i + k]] if k else [])]
                return {"long": of, "times": round(float(times[k]), 3), "and": round(float(level[k]), 2)}
        return None

    def _of_two(self, rows, wanted, near):
        """The place of a new line."""
        v, count = self.values[:, rows], len(self.values)
        constants = dict.fromkeys([0.0, 1.0, *self.program.constants])
        every = [*range(count), *map(Const, constants)]
        known = np.concatenate([v, *(np.full((1, len(wanted)), one) for one in constants)])
        with np.errstate(all="ignore"):
            for name, i in product(("add", "subtract", "multiply", "divide"), range(len(known))):
                places = np.flatnonzero(np.isclose(PRIMITIVES[name](known[i], known), wanted, near, 0.0).all(axis=1))
                if places.size:
                    place = self.program.line(name, every[i], every[places[0]])
                    if place == count:  # there was none
                        self.__dict__.pop("values", None)
                        self.__dict__.pop("texts", None)
                    return place
        raise Unfitted


_TESTS = {"<": np.less, "=": np.equal, ">": np.greater, "≠": np.not_equal, "≤": np.less_equal, "≥": np.greater_equal}


def _rounded(values):
    return np.array([[float(f"{one:.6g}") for one in row] for row in values])


def _texts_first(part):
    return part[0] in ("at", "moves")


def _joined(pieces):
    """Words next to each other in one."""
    found: list[Any] = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        elif piece:
            found.append(piece)
    return found


def _kind(value):
    """What values have in common that are made in one way."""
    if isinstance(value, (bool, type(None))):
        return value
    return "number" if isinstance(value, (int, float)) else (type(value).__name__, len(value) if isinstance(value, list) else 0)


def _spelled(piece, values):
    return piece if isinstance(piece, str) else FORMATS[piece[1]](values[piece[0]])


def _skeleton(words):
    return "#".join(PLACES[0].split(words)[::2])


def _outline(value):
    """The words of all that is in a value."""
    if isinstance(value, list):
        return tuple(map(_outline, value))
    return _skeleton(value) if isinstance(value, str) else _kind(value)


def aligned(lists: Sequence[list[Any]]) -> list[list[Any]]:
    """Lists of changes (`kit.scene`), each with an entry wherever one of them has one; other lists as they are.

    >>> aligned([[[0, ""], [3, "a"]], [[0, ""], [2, "b"], [3, "c"]]])
    [[[0, ''], [2, ''], [3, 'a']], [[0, ''], [2, 'b'], [3, 'c']]]
    """
    if len({len(one) for one in lists}) == 1 or not all(map(_are_changes, lists)):
        return list(lists)
    if len({one[0][0] for one in lists}) > 1:
        return list(lists)
    places = sorted({at for one in lists for at, _ in one})
    return [list(_filled(one, places)) for one in lists]


def _are_changes(items):
    pairs = items and all(isinstance(item, list) and len(item) == 2 and isinstance(item[0], int) for item in items)
    return bool(pairs) and all(a[0] < b[0] for a, b in zip(items, items[1:], strict=False))


def _filled(items, places) -> Iterator[list[Any]]:
    known, now = dict(items), None
    for at in places:
        now = known.get(at, now)
        yield [at, now]
