"""How what differs among scenes follows from numbers that the page computes: texts with places for numbers, numbers, and kinds
of both that are told apart by a number's sign or size. `page/reckoning.js` makes scenes of it.

What is found holds for all the scenes that it was found in; whoever asks compares it with others.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .quantities import Quantities, Unfitted, skeleton
from .telling import Telling

PIXELS = ("x", "y", "cx", "cy", "width", "height")
FEW = 8  # parts of a list that may say different things
TENTH = 0.11  # px: places are written in tenths


class Fit:
    """What the page makes scenes of, as `page/reckoning.js` reads it; `left`: paths of what does not follow."""

    def __init__(self, known: Quantities):
        self.known, self.telling, self.left = known, Telling(known), list[tuple[str, ...]]()
        self.lengths, self.places = dict[tuple[int, ...], Any](), list[Any]()

    def of(self, scenes: Sequence[Any]) -> Any:
        """How scenes differ; None: not at all."""
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
        if made and len(rows) == len(self.known.rows) and all(isinstance(value, str) for value in values):
            self.lengths.setdefault(tuple(map(len, values)), made)
        return made

    def inside(self, values: Sequence[Any], rows: np.ndarray, path: tuple[str, ...]) -> Any:
        """Of one kind."""
        first = values[0]
        if isinstance(first, dict):
            keys = dict.fromkeys(key for value in values for key in value)
            return {"in": self._each([(key, [value.get(key) for value in values]) for key in keys], rows, path)}
        if isinstance(first, list):
            return {"in": self._each([(str(i), list(p)) for i, p in enumerate(zip(*values, strict=True))], rows, path)}
        try:
            if isinstance(first, str):
                return self.known.words(values, rows)
            return self.level(np.array(values, float), rows, path)
        except Unfitted:
            kinds = [skeleton(value) for value in values] if isinstance(first, str) else [0]
            if len(set(kinds)) > 1:
                return self.chosen(values, kinds, rows, path)
            self._given_up(path)
            return None

    def level(self, wanted: np.ndarray, rows: np.ndarray, path: tuple[str, ...]) -> Any:
        """A number; that of a place may follow from how long a text is, which is known at the end."""
        if made := self.known.level(wanted, rows):
            return made
        if path[-1] in PIXELS:
            self.places.append(({}, wanted, rows, path))
            return self.places[-1][0]
        return {"level": [self.known.of_two(rows, wanted), ""]}

    def _each(self, parts, rows, path):
        found = {key: self.part(values, rows, (*path, key)) for key, values in sorted(parts, key=_texts_first)}
        return {key: made for key, made in found.items() if made is not None}  # of a place not yet: it is empty still

    def chosen(self, values: Sequence[Any], kinds: Sequence[Any], rows: np.ndarray, path: tuple[str, ...]) -> Any:
        """Of several kinds: `[[test, value of this kind, what differs in it] ...]`, the last without a test."""
        groups: dict[Any, list[int]] = {}
        for i, kind in enumerate(kinds):
            groups.setdefault(kind, []).append(i)
        smallest = sorted(groups.values(), key=len)
        found, rest = [], np.arange(len(rows))
        for members in smallest:
            test = None
            if members is not smallest[-1]:
                numeric = self.telling.test(rows[rest], np.isin(rest, members))
                test = self.telling.by_length(values, rows, rest, members, smallest, numeric) or numeric
                if test is None:
                    self._given_up(path)
                    return None
            of_kind = [values[i] for i in members]
            within = self.inside(of_kind, rows[members], path) if any(v != of_kind[0] for v in of_kind) else None
            found.append([test, of_kind[0], within])
            rest = np.setdiff1d(rest, members)
        return {"one of": found}

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


def _texts_first(part):
    return part[0] in ("at", "moves")


def _kind(value):
    """What values have in common that are made in one way."""
    if isinstance(value, (bool, type(None))):
        return value
    return (
        "number"
        if isinstance(value, (int, float))
        else (type(value).__name__, len(value) if isinstance(value, list) else 0)
    )


def _outline(value):
    """The words of all that is in a value."""
    if isinstance(value, list):
        return tuple(map(_outline, value))
    return skeleton(value) if isinstance(value, str) else _kind(value)


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
    return bool(pairs) and all(a[0] < b[0] for a, b in pairwise(items))


def _filled(items, places) -> Iterator[list[Any]]:
    known, now = dict(items), None
    for at in places:
        now = known.get(at, now)
        yield [at, now]
