"""Rejects right results that were found by a method that the statement forbids, according to the observers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..evidence import TriedCall, plain_data
from .closeness import numbers, parts
from .exercise import Exercise, Way

DELIVERED = "Compute each gradient by a backward pass through this function: your result was not computed from one."
INEXACT = 1e-12  # a formula in float64 is more exact than this, a finite difference is not


def objection(exercise: Exercise, compared: Sequence[tuple], tried: Sequence[TriedCall]) -> str:
    """Why the way to right results is not accepted; "" where it is.

    `compared`: for each call its inputs, the expected and the actual result.
    """
    for way in exercise.ways:
        if not all(_holds(way, case, one.done) for case, one in zip(compared, tried, strict=True)):
            return "The results are right, but not the method. {sentence}".format(sentence=way.sentence)
    return ""


def _holds(way, case, done):
    inputs, expected, got = case
    try:
        return bool(way.holds(inputs, plain_data(expected), plain_data(got), done))
    except Exception:  # a record that was not written by an observer
        return False


def passes_of(done: dict, shape: tuple = ()) -> list[tuple[float, np.ndarray]]:
    """The value and the gradient of each observed pass that delivered one gradient of this shape, in their order.

    >>> passes_of({"passes": [[4.0, [np.ones(2), np.ones(())]], [5.0, []]]}, (2,))
    [(4.0, array([1., 1.]))]
    """
    fitting = [(value, [one for one in found if np.shape(one) == shape]) for value, found in done["passes"]]
    return [(value, found[0]) for value, found in fitting if len(found) == 1]


def delivered(got: Any, done: dict, value: float) -> bool:
    """True where a backward pass through something of this value delivered all arrays in `got`.

    >>> delivered(np.ones(2), {"passes": [[3.0, [np.zeros(2)]], [4.0, [np.ones(2)]]]}, 4.0)
    True
    """
    return any(
        np.isclose(each, value, rtol=1e-4) and all(any(_close(one, part) for one in found) for _, part in parts(got))
        for each, found in done["passes"]
    )


def _close(one, other):
    return np.shape(one) == np.shape(other) and np.allclose(
        one, other, rtol=1e-5, atol=1e-6 * np.max(np.abs(other), initial=0.0)
    )


def exact(inputs: tuple, expected: Any, got: Any, done: dict) -> bool:
    """True for a result that differs by no more than rounding explains.

    >>> exact((), (1.0, 2.0), (1.0, 2.0 + 1e-10), {})
    False
    """
    right, came = (np.concatenate([np.ravel(numbers(part)) for _, part in parts(value)]) for value in (expected, got))
    return bool(np.max(np.abs(right - came), initial=0.0) <= INEXACT * np.max(np.abs(right), initial=0.0))


PLAIN = Way(
    "Write it in plain Python and NumPy, without automatic differentiation.",
    ("passes",),
    lambda inputs, expected, got, done: not done["passes"],
)
EXACT = Way("Only some digits are right: a finite difference or float32 is close, not exact.", (), exact)
