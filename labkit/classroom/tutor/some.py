"""Answers that are right for some of the drawn inputs: what the others have in common."""

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np

from ..closeness import Case, Reason, numbers, shape

Condition = tuple[str, Callable[[tuple], Any]]
ENOUGH = 2  # inputs of either kind, for a property that many inputs have
SPECIAL = (" is '", "inf or nan", "one element only", "one item only", " is True", " is False")


def told_apart(names: tuple[str, ...], cases: list[Case], wrong: list[Case]) -> Reason | None:
    """A property that all inputs with a wrong result have and all others have not; it is looked for among simple ones."""
    bad = {id(case) for case in wrong}
    good = [case for case in cases if id(case) not in bad]
    if not good or len(cases) < 3:
        return None
    few = min(len(good), len(wrong)) < ENOUGH
    for words, holds in conditions(names, [case.inputs for case in cases]):
        if few and not any(special in words for special in SPECIAL):
            continue
        if all(_holds(holds, c.inputs) for c in wrong) and not any(_holds(holds, c.inputs) for c in good):
            return Reason(
                "some-inputs", f"It is right for the other inputs that were drawn, and wrong wherever {words}."
            )
    return None


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
    texts = [v for v in values if isinstance(v, (str, bool))]
    for value in dict.fromkeys(texts):
        yield f"{name} is {value!r}", lambda v, value=value: v == value
        yield f"{name} is not {value!r}", lambda v, value=value: v != value
    yield f"{name} has inf or nan in it", lambda v: not np.all(np.isfinite(numbers(v)))
    if any(shape(v) for v in values):
        yield f"{name} has an element that is 0", lambda v: np.any(numbers(v) == 0)
        yield f"{name} has a negative element", lambda v: np.any(numbers(v) < 0)
        yield f"{name} has an element above 1", lambda v: np.any(numbers(v) > 1)
        yield f"{name} has one element only", lambda v: np.size(v) == 1
        yield f"{name} has more than one element", lambda v: np.size(v) > 1
        yield f"{name} has an odd number of elements", lambda v: np.size(v) % 2
        yield f"{name} has an even number of elements", lambda v: np.size(v) % 2 == 0
        for n in (0, 1, 2, 3):
            yield f"{name} has {n} ax{'i' if n == 1 else 'e'}s", lambda v, n=n: _axes(v) == n
    if any(isinstance(v, (tuple, list)) for v in values):
        yield f"{name} has one item only", lambda v: len(v) == 1
        yield f"{name} has more than one item", lambda v: len(v) > 1
        yield f"{name} has an odd number of items", lambda v: len(v) % 2
        yield f"{name} has an even number of items", lambda v: len(v) % 2 == 0
        yield f"{name} is shorter than others", _short(values)
    if all(shape(v) == () for v in values):
        for n in (0, 1, 2):
            yield f"{name} is {n}", lambda v, n=n: v == n
        yield f"{name} is negative", lambda v: v < 0
        yield f"{name} is positive", lambda v: v > 0
        yield f"{name} is below 1 in size", lambda v: abs(v) < 1
        yield f"{name} is above 1 in size", lambda v: abs(v) > 1
        yield f"{name} is odd", lambda v: v % 2 == 1
        yield f"{name} is even", lambda v: v % 2 == 0


def _axes(value):
    found = shape(value)
    return -1 if found is None else len(found)


def _short(values):
    lengths = sorted(len(v) for v in values if isinstance(v, (tuple, list)))
    return lambda v: len(v) < lengths[-1]


def _together(a, b):
    plain_number = lambda v: float(v) if shape(v) == () else np.nan
    yield f"{a} is larger than {b}", lambda x, y: plain_number(x) > plain_number(y)
    yield f"{a} is as large as {b}", lambda x, y: plain_number(x) == plain_number(y)
    yield f"{b} does not divide {a}", lambda x, y: plain_number(x) % plain_number(y) != 0 and shape(x) == shape(y) == ()
    yield f"{b} divides {a}", lambda x, y: plain_number(x) % plain_number(y) == 0
    yield f"{b} does not divide the length of {a}", lambda x, y: len(x) % y != 0
    yield f"{b} divides the length of {a}", lambda x, y: len(x) % y == 0
    yield f"{a} has another shape than {b}", lambda x, y: shape(x) != shape(y)
    yield f"{a} has the same shape as {b}", lambda x, y: shape(x) == shape(y)
    yield f"{a} has more axes than {b}", lambda x, y: _axes(x) > _axes(y)
    norm = lambda v: np.linalg.norm(numbers(v)) if shape(v) else np.nan
    yield f"{a} is longer than {b} as a vector", lambda x, y: norm(x) > y
    yield f"{a} is shorter than {b} as a vector", lambda x, y: norm(x) < y
