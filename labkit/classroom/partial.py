"""How much of an answer is right: of a prediction by item, of a function by property.

A property of a function is one stratum of the inputs (a branch of the answer, a side of a limit: a function of `draw`) and one
part of the result, where that is a tuple. It holds where that part is right on every input of the stratum. None counts where the
answer does what the statement forbids, or a method that it demands did not give all parts (see `Way`).
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..evidence import TriedCall
from .compare import differences, same
from .exercise import Exercise
from .hinting import wrong_items
from .ways import objection


def share_of_value(exercise: Exercise, answer: Any, expected: Callable[[], Any]) -> tuple[int, int]:
    """How many items of a prediction are right, and how many there are.

    >>> from .exercises import EXERCISES
    >>> order = EXERCISES["start-order"]
    >>> share_of_value(order, [2, 3, 3], order.expected)
    (2, 3)
    """
    right = expected()
    of = len(right) if isinstance(right, (tuple, list)) else 1
    wrong = wrong_items(exercise, answer, right)
    return (0 if wrong is None else of - len(wrong)), of


def share_of_calls(
    exercise: Exercise, inputs: Sequence[tuple], tried: Sequence[TriedCall], expected: Callable[[tuple], Any]
) -> tuple[int, int]:
    """How many properties of a function hold, and how many there are; inputs that were not tried count as wrong."""
    strata, each = len(exercise.strata), max(exercise.draws, len(exercise.strata))
    failed, found = set[tuple[int, int]](), set[tuple[int, int]]()
    for i, drawn in enumerate(inputs):
        right, stratum = expected(drawn), i % each % strata
        parts = range(len(right) if isinstance(right, tuple) else 1)
        found |= {(stratum, part) for part in parts}
        failed |= {(stratum, part) for part in _wrong_parts(right, drawn, tried[i] if i < len(tried) else None)}
    came = [(drawn, expected(drawn), one) for drawn, one in zip(inputs, tried, strict=False) if one.came]
    compared = [(drawn, right, _completed(right, one.outcome.value)) for drawn, right, one in came]
    forbidden = objection(exercise, compared, [one for _, _, one in came])
    return 0 if forbidden else len(found - failed), len(found)


def _completed(right: Any, got: Any) -> Any:
    """A result in which the wrong parts are right."""
    if isinstance(right, tuple) and isinstance(got, (tuple, list)) and len(right) == len(got):
        return tuple(one if same(part, one) else part for part, one in zip(right, got, strict=True))
    return got if same(right, got) else right


def _wrong_parts(right: Any, drawn: tuple, one: TriedCall | None) -> set[int]:
    """The parts of a result that are wrong; all of them where nothing came, or an argument was changed."""
    parts = set(range(len(right) if isinstance(right, tuple) else 1))
    if one is None or not one.came or not all(map(same, drawn, one.after)):
        return parts
    paths = [found.path for found in differences(right, one.outcome.value)]
    if not isinstance(right, tuple):
        return parts if paths else set()
    return parts if "" in paths else {int(path[1:].split("]")[0]) for path in paths}
