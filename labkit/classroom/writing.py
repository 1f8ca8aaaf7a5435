"""The format of an exercise's file. `reading` makes an `Exercise` from it.

    \"""# The pullback of a dot product (3 points)

    Write `pull(x, y, v)` for `y = x @ y`: it returns what is sent to `x`.
    \"""

    def pull(x, y, v):                       # the solution: stub and arguments follow from it
        return v * y

    def draw(rng):
        return rng.normal(size=3), rng.normal(size=3), rng.normal()

    @wrong("You gave the pullback for y.")
    def swapped(x, y, v):                    # a wrong answer, and what it is recognised by, in one
        return v * x

    hints = "...", "...", "..."

    not_sent_on = slip("The upstream gradient is missing.", "v * y -> y")    # the same in one line

The file's name is the name of the exercise (`dot_pull.py`: `dot-pull`), a wrong answer's name that of its misconception.
A prediction has a value, `answer = [...]`, and `reference()` runs what finds it. `[[f, g]]` on a line of the docstring shows
the code of `f` and `g`, `[[as_it_was as fixed]]` a wrong answer under the name of its fixed version; a program
that is not a function is in the docstring itself, and `ran(__doc__)` runs it. Numbers that `n, h = drawn(usual, draw)` names
may be others for each student: the docstring has them as `[[n]]`, code that is shown as `n`; answer, wrong items and texts are
computed from them. What else a file may say are the fields of
`Exercise` (`tensors`, `draws`, `places`, `rules`, `errors`, `ways`, `partial_credit`, `practice`), and `reference(...)` where
the solution that is shown and the one that judges are two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .compare import same
from .exercise import Way, strata
from .numbers import drawn, filled
from .ways import EXACT, PLAIN

__all__ = [
    "EXACT", "PLAIN", "Judged", "Way", "Wrong", "drawn", "either", "judged", "ran", "same", "slip", "strata", "wrong",
]  # fmt: skip

Recogniser = Callable[[Any, Any, Any], bool]


@dataclass(frozen=True)
class Wrong:
    """A misconception with its example: made by `wrong`."""

    sentence: str
    items: Mapping[int, Any] | None = None
    together: bool = False
    parts: tuple[int, ...] = ()
    when: Recogniser | None = None
    answer: Any = None
    changes: tuple[str, ...] = ()
    alone: bool = False

    def __call__(self, function: Callable) -> "Wrong":
        return replace(self, answer=function)

    def explained(self, expected: Any, got: Any) -> frozenset[int]:
        """The items of a prediction that are wrong in this way. Of a whole wrong answer two at least."""
        whole, items = self.items is None, self.items or {}
        if whole:
            items = {i: item for i, item in enumerate(self.answer) if not same(expected[i], item)}
        found = frozenset(i for i, item in items.items() if _is(item, expected[i], got[i]))
        enough = len(items) if self.together else min(2, len(items)) if whole else 1
        return found if len(found) >= enough else frozenset()


@dataclass(frozen=True)
class Judged:
    """A wrong answer that has no misconception of its own: made by `judged`."""

    kind: str
    answer: Any = None

    def __call__(self, function: Callable) -> "Judged":
        return replace(self, answer=function)


def wrong(
    sentence: str,
    items: Mapping[int, Any] | None = None,
    *,
    together: bool = False,
    parts: tuple[int, ...] = (),
    when: Recogniser | None = None,
    answer: Any = None,
) -> Wrong:
    """A way to be wrong that has a reason; `sentence` tells the learner what they misunderstood.

    Above a function, that function is a wrong answer. An answer with the same results gets this sentence; with `parts=(0, 1)`,
    an answer with one of these parts of its result; with `when(inputs, expected, got)`, an answer whose result meets it
    (`expected` differs from `got`).

    Of a prediction, `items` says which item gives it away: `{1: (4, 2)}` where item 1 was answered by `(4, 2)`; one of
    several `either("A", "B")`; by a rule `{1: lambda expected, got: got > expected}`. One such item is enough, or with
    `together` all of them are needed. A rule has no example of its own: `answer=[...]`.

    >>> wrong("b gets one sum.", {1: (4, 2)}).explained([(3, 2), (2,)], [(3, 2), (4, 2)])
    frozenset({1})
    """
    return Wrong(sentence, items, together, parts, when, answer)


def slip(sentence: str, *changes: str, alone: bool = False) -> Wrong:
    """A way to be wrong by small changes of the solution, such as "counter >= window -> counter > window".

    What is left of the arrow occurs once in the solution's text. Two at once are recognised, too, but none that is `alone`.

    >>> slip("The step just made counts as well.", "counter >= window -> counter > window").changes
    ('counter >= window -> counter > window',)
    """
    return Wrong(sentence, changes=changes, alone=alone)


def judged(kind: str, answer: Any = None) -> Judged:
    """A wrong answer with the verdict `kind`: the name of a misconception that has another example, or a kind of report.

    Above a function that is the answer: a misconception without `when` is recognised by all of its examples. Of a
    prediction the answer, or the items in which it differs from the right one.
    """
    return Judged(kind, answer)


def ran(statement: str, **names: Any) -> dict[str, Any]:
    """What the first program of a statement leaves: its names, and under "printed" all that it prints, in a list.

    `[[n]]` in the program stands for the value of `n`.

    >>> ran("```python\\nx = n + 1\\nprint(x)\\n```", n=1)["printed"]
    [2]
    """
    printed: list[Any] = []
    program = filled(statement, names).split("```python\n")[1].split("```")[0]
    exec(program, scope := {**names, "print": printed.append})
    return {**scope, "printed": printed}


class either(tuple):
    """One of several wrong values of an item: `either("A", "B")`."""

    def __new__(cls, *values: Any) -> "either":
        return super().__new__(cls, values)


def _is(item, expected, got):
    if isinstance(item, either):
        return any(_is(value, expected, got) for value in item)
    if callable(item) and not isinstance(item, type):
        return bool(item(expected, got))
    return same(item, got) and not same(expected, got)
