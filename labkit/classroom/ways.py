"""Answers whose results are right, found in a way that the statement forbids: from evidence of what was called."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..evidence import TriedCall, plain_data
from .exercise import DIFFERENCES, Exercise, Way
from .tutor.near import numbers, parts

INEXACT = 1e-12  # a formula in float64 is more exact than this, a finite difference is not


def forbidden_way(exercise: Exercise, compared: Sequence[tuple], tried: Sequence[TriedCall]) -> Way | None:
    """The way that an answer with right results should not have taken; None where it is fine or was not watched.

    `compared`: for each call its inputs, what was expected and what came.
    """
    done = [one.done for one in tried]
    seen = [each for each in done if each is not None]
    if len(seen) < len(done):
        return None
    return next((way for way in exercise.ways if _is_broken(way, compared, seen)), None)


def _is_broken(way, compared, done):
    if way.what == DIFFERENCES:
        near_calls, small_steps = (all(each.get(word, 0) for each in done) for word in DIFFERENCES)
        return near_calls or (small_steps and all(_inexact(right, got) for _, right, got in compared))
    counts = [sum(each.get(thing, 0) for thing in way.what) for each in done]
    return (way.most is not None and max(counts) > way.most) or max(counts) < way.least


def _inexact(right: Any, got: Any) -> bool:
    """True for results that are right within the tolerance, and further away than rounding alone explains."""
    for (_, r), (_, g) in zip(parts(plain_data(right)), parts(plain_data(got)), strict=False):
        e, came = numbers(r), numbers(g)
        comparable = e is not None and came is not None and e.shape == came.shape
        if comparable and np.max(np.abs(e - came), initial=0.0) > INEXACT * np.max(np.abs(e), initial=0.0):
            return True
    return False
