"""Answers whose results are right, found in a way that the statement forbids: from evidence of what was called."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..evidence import TriedCall, plain_data
from .exercise import DIFFERENCES, Exercise
from .tutor.near import numbers, parts

UNSEEN = (
    "The results are right, but the way to them could not be observed. Run it in the main thread, without a debugger or "
    "sys.settrace."
)
DELIVERED = "Let a backward pass compute it: what you return is not what one delivered."
INEXACT = 1e-12  # a formula in float64 is more exact than this, a finite difference is not


def objection(exercise: Exercise, compared: Sequence[tuple], tried: Sequence[TriedCall]) -> str:
    """Why the way to right results is not accepted; "" where it is.

    `compared`: for each call its inputs, what was expected and what came.
    """
    if not exercise.ways:
        return ""
    done = [one.done for one in tried if one.done is not None]
    if len(done) < len(tried):
        return UNSEEN
    broken = (way.sentence for way in exercise.ways if _is_broken(way, compared, done))
    return next((f"The results are right, but not the way to them. {sentence}" for sentence in broken), "")


def _is_broken(way, compared, done):
    if way.what == DIFFERENCES:
        near_calls, small_steps = (all(each.get(word, 0) for each in done) for word in DIFFERENCES)
        return near_calls or (small_steps and all(_inexact(right, got) for _, right, got in compared))
    if way.holds:
        return not all(_holds(way, case, each) for case, each in zip(compared, done, strict=True))
    counts = [sum(each.get(thing, 0) for thing in way.what) for each in done]
    return (way.most is not None and max(counts) > way.most) or max(counts) < way.least


def _holds(way, case, done):
    inputs, expected, got = case
    try:
        return bool(way.holds(inputs, plain_data(expected), plain_data(got), done))
    except Exception:  # a record that was not written by an observer
        return False


def _inexact(right: Any, got: Any) -> bool:
    """True for results that are right within the tolerance, and further away than rounding alone explains."""
    for (_, r), (_, g) in zip(parts(plain_data(right)), parts(plain_data(got)), strict=False):
        e, came = numbers(r), numbers(g)
        comparable = e is not None and came is not None and e.shape == came.shape
        if comparable and np.max(np.abs(e - came), initial=0.0) > INEXACT * np.max(np.abs(e), initial=0.0):
            return True
    return False


def delivered(got: Any, done: dict) -> bool:
    """True where all arrays in `got` were delivered by backward passes.

    >>> delivered(np.ones(2), {"gradients": [[np.zeros(2)], [np.ones(2)]]})
    True
    """
    arrays = [one for each in done["gradients"] for one in each if one is not None]
    return all(
        any(np.shape(one) == np.shape(value) and _close(one, value) for one in arrays) for _, value in parts(got)
    )


def _close(one, other):
    return np.allclose(one, other, rtol=1e-5, atol=1e-6 * np.max(np.abs(other), initial=0.0))
