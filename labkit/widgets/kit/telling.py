"""What tells kinds of a text, or of anything, apart: a number's sign or size, or that a text has no room. Where it is in doubt,
which other scenes would clear that up.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .formats import FORMATS
from .quantities import Quantities, Unfitted

MOST_DOUBTS = 40  # comparisons that tell the same apart
_TESTS = {"<": np.less, "=": np.equal, ">": np.greater, "≠": np.not_equal, "≤": np.less_equal, "≥": np.greater_equal}


class Telling:
    """Of what is `known`: tests, and how far they are in doubt."""

    def __init__(self, known: Quantities):
        self.known, self.doubts, self.lengths = known, list[list[list[Any]]](), list[tuple[Any, int, int, bool, Any]]()

    def test(self, rows: np.ndarray, wanted: np.ndarray) -> Any:
        """A comparison that holds for those of the scenes that are wanted: of a quantity and 0 or 1, or of two."""
        v = self.known.values[:, rows]
        found = list[list[Any]]()
        for (sign, compare), level in product(_TESTS.items(), (0.0, 1.0)):
            found += ([sign, int(i), [level]] for i in np.flatnonzero((compare(v, level) == wanted).all(axis=1)))
        for (sign, compare), i in product(_TESTS.items(), range(len(v))):
            if len(found) < MOST_DOUBTS:
                found += ([sign, i, int(k)] for k in np.flatnonzero((compare(v[i], v) == wanted).all(axis=1)))
        if len(found) > 1:
            self.doubts.append(found[:MOST_DOUBTS])
        return found[0] if found else None

    def by_length(self, values, rows, rest, members, groups, numeric) -> Any:
        """Whether a text would be longer than there is room for, where another stands in its place then."""
        for group in groups:
            if not isinstance(values[group[0]], str) or not set(group) <= set(rest.tolist()):
                continue
            try:
                made = self.known.words([values[i] for i in group], rows[group])
            except Unfitted:
                continue
            lengths = {i: len(self.known.spelled(made, rows[i])) for i in rest}
            inside, others = [lengths[i] for i in group], [lengths[i] for i in rest if i not in group]
            if max(inside) < min(others) and (members is group or len(rest) == len(members) + len(group)):
                self.lengths.append((made, max(inside), min(others), members is group, numeric))
                return ["short" if members is group else "long", made, max(inside)]
        return None

    def asked_for(self, rows: Sequence[Mapping[str, float]]) -> list[Mapping[str, float]]:
        """Those of other rows of inputs on which comparisons differ that told the same kinds apart so far."""
        values, found = np.array(self.known.program.values(rows)), list[int]()

        def of_test(sign, i, k):
            return _TESTS[sign](values[i], k[0] if isinstance(k, list) else values[k])

        def of_piece(i, key):
            return values[i] + 1000.0 * (key[0] == "(") * (values[i] < 0)

        known = [i for i, row in enumerate(rows) if row in self.known.rows]
        for doubt in (*self.doubts, *self.known.doubts):
            held = np.array([(of_test if len(one) == 3 else of_piece)(*one) for one in doubt])
            differ = (~np.isclose(held, held[0], 1e-3, 0.0)).sum(axis=0)
            differ[known] = 0
            if differ.any() and not differ[found].any():
                found.append(int(np.abs(differ - len(held) / 2).argmin() if differ.all() else differ.argmax()))
        for made, inside, outside, short, numeric in self.lengths:
            lengths = np.array([sum(len(_spelled(p, values[:, i])) for p in made["words"]) for i in range(len(rows))])
            open_ = (inside < lengths) & (lengths < outside)
            if numeric:
                open_ |= of_test(*numeric) != ((lengths <= inside) == short)
            open_[known] = False
            found += [int(open_.argmax())] if open_.any() and not open_[found].any() else []
        return [rows[i] for i in found]


def _spelled(piece, values):
    return piece if isinstance(piece, str) else FORMATS[piece[1]](values[piece[0]])
