"""Which mutants of an exercise's solution its own judge takes for right: `python tests/tools/survivors.py [NAME ...]`."""

import sys
import warnings
from collections.abc import Iterable, Iterator
from unittest.mock import patch

import numpy as np
from mutants import Mutant, mutants

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, Exercise, judge
from labkit.classroom.exercise import modes_put_back
from labkit.classroom.judge import judge_calls, judge_value
from labkit.evidence import plain_data, try_call

SECONDS = 2.0  # a mutant may loop for ever
PATIENT = 60.0  # for what is known to end, on a busy machine


def defined(source):
    """The `answer` that a source defines, with the names a notebook imports."""
    names = {"np": np, "ms": ms, "torch": torch}
    exec(compile(source, "<mutant>", "exec"), names)
    return names["answer"]


def cases(exercise: Exercise, inputs: Iterable[tuple] | None = None) -> list[tuple]:
    """Inputs, each with the right answer."""
    return [(drawn, exercise.expected(drawn)) for drawn in (exercise.inputs() if inputs is None else inputs)]


def is_right(exercise: Exercise, source: str, known: Iterable[tuple], seconds: float = SECONDS) -> bool:
    """True where the judge takes what a source defines for a right answer on all `known` cases. Why it is not, nobody asks."""
    with warnings.catch_warnings(), modes_put_back(), patch.object(judge, "sure", lambda *evidence: None):
        warnings.simplefilter("ignore")
        try:
            answer = defined(source)
        except Exception:
            return False
        return all(_passes(exercise, answer, *case, seconds) for case in known)


def _passes(exercise, answer, inputs, right, seconds):
    if exercise.is_prediction:
        return plain_data(answer) != plain_data(right) and bool(judge_value(exercise, answer, lambda: right))
    if not callable(answer):
        return False
    with modes_put_back():
        tried = try_call(answer, inputs, exercise.tensors, seconds, exercise.watched)
    return bool(judge_calls(exercise, [inputs], [tried], lambda _: right))


def survivors(exercise: Exercise, seed: int | None = None) -> Iterator[Mutant]:
    """The mutants of the solution that pass, among the inputs drawn from `seed` (without one: those of `check`)."""
    known = cases(exercise, exercise.inputs(seed))
    return (mutant for mutant in mutants(exercise.solution) if is_right(exercise, mutant.source, known))


if __name__ == "__main__":
    for name in sys.argv[1:] or EXERCISES:
        print(name, *(mutant.change for mutant in survivors(EXERCISES[name])), sep="\n    ")
