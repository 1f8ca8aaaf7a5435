"""Answers that are right for some of the drawn inputs: what the others have in common."""

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np

from ..closeness import Case, numbers, parts, shape

Condition = tuple[str, Callable[[tuple], Any]]
ENOUGH = 2  # inputs of either kind, for a property that many inputs have
SPECIAL = (" is '", "inf or nan", "one element", "one item", " is True", " is False")


def condition(names: tuple[str, ...], cases: list[Case], wrong: list[Case]) -> str:
    """A property that all inputs with a wrong result have and all others have not; an empty text where there is none."""
    bad = {id(case) for case in wrong}
    good = [case for case in cases if id(case) not in bad]
    if not good or len(cases) < 3:
        return ""
    few = min(len(good), len(wrong)) < ENOUGH
    for words, holds in conditions(names, [case.inputs for case in cases]):
        if few and not any(special in words for special in SPECIAL):
            continue
        if all(_holds(holds, c.inputs) for c in wrong) and not any(_holds(holds, c.inputs) for c in good):
            return words
    return ""


def _holds(holds, inputs):
    try:
        with np.errstate(all="ignore"):
            return bool(holds(inputs))
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return False


def conditions(names: tuple[str, ...], drawn: list[tuple]) -> Iterator[Condition]:
    """Properties of inputs, in words: of each argument alone, then of two together."""
    for k, name in enumerate(names):
        for words, holds in _alone(name, [inputs[k] for inputs in drawn]):
            yield words, _of(holds, k)
    for k, j in permutations(range(len(names)), 2):
        for words, holds in _together(names[k], names[j]):
            yield words, _of(holds, k, j)


def _of(holds, *places):
    return lambda inputs: holds(*(inputs[k] for k in places))


def _alone(name, values):
    for value in dict.fromkeys(v for v in values if isinstance(v, (str, bool))):
        yield f"{name} is {value!r}", lambda v, value=value: v == value
        yield f"{name} is not {value!r}", lambda v, value=value: v != value
    yield f"{name} has inf or nan in it", lambda v: not np.all(np.isfinite(numbers(v)))
    if any(shape(v) for v in values):
        yield f"{name} has one element", lambda v: np.size(v) == 1
        yield f"{name} has more than one element", lambda v: np.size(v) > 1
        for n in (0, 1, 2, 3):
            yield f"{name} has {n} ax{'i' if n == 1 else 'e'}s", lambda v, n=n: _axes(v) == n
    for text in dict.fromkeys(p for v in values if isinstance(v, tuple) for _, p in parts(v) if isinstance(p, str)):
        yield (
            f"{name} contains {text!r}",
            lambda v, text=text: any(p == text for _, p in parts(v) if isinstance(p, str)),
        )
    if any(isinstance(v, (tuple, list)) for v in values):
        yield f"{name} has one item", lambda v: len(v) == 1
        yield f"{name} has more than one item", lambda v: len(v) > 1
    if all(shape(v) == () for v in values):
        yield f"{name} is 0", lambda v: v == 0
        yield f"{name} is 1", lambda v: v == 1


def _axes(value):
    found = shape(value)
    return -1 if found is None else len(found)


def _together(a, b):
    yield f"{b} does not divide the length of {a}", lambda x, y: len(x) % y != 0
    yield f"{a} and {b} have different shapes", lambda x, y: shape(x) != shape(y)
