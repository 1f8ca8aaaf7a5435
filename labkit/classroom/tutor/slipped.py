"""Answers that give what a right answer with one slip gives: the slips of an exercise's solution, run on drawn inputs."""

import pickle
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from ...evidence import call, plain_data
from ..closeness import Case, Reason, agree, numbers
from ..exercise import Exercise, modes_put_back
from .slips import Slip, slips

SECONDS = 2.0  # of CPU time for one answer; what was not tried by then is tried for the next one
ONE = 0.5  # of the clock, for one call
HASTY = 0.1  # where a loop may have lost its end
VAGUE = "another-value"  # a kind that has very many slips and says little: tried last, and not all of them
MOST_VAGUE = 40
KEPT = 40  # exercises whose slips are kept
MOST_SAID = 2  # slips of different kinds that are still told


class Tries:
    """The slips of one solution, and what each gave for the inputs seen so far."""

    def __init__(self, exercise: Exercise):
        self.exercise = exercise
        found = [slip for slip in slips(exercise.solution, exercise.arguments) if slip.code]
        vague = [slip for slip in found if slip.kind == VAGUE][:MOST_VAGUE]
        self.slips = [slip for slip in found if slip.kind != VAGUE] + vague
        self._seconds = HASTY if "while " in exercise.solution else ONE
        self._made: dict[int, Callable | None] = {}
        self._gave: dict[tuple[int, bytes], Any] = {}

    def gives(self, index: int, inputs: tuple) -> Any:
        """What slip `index` gives for plain inputs; None where it fails."""
        key = index, pickle.dumps(inputs)
        if key not in self._gave:
            self._gave[key] = self._run(index, inputs)
        return self._gave[key]

    def _run(self, index, inputs):
        if index not in self._made:
            self._made[index] = _made(self.slips[index])
        answer = self._made[index]
        if answer is None:
            return None
        with quiet():
            outcome = call(answer, self.exercise.wrap(inputs), self._seconds)
            if outcome.kind == "value":
                outcome = call(plain_data, (outcome.value,), ONE)  # it may hold itself
        if outcome.kind != "value":
            self._made[index] = None  # what fails or hangs once is no answer that came back on every input
            return None
        return outcome.value


@contextmanager
def quiet() -> Iterator[None]:
    """Whatever runs inside warns nobody, and leaves the modes of both dialects as they were."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), modes_put_back():
        warnings.simplefilter("ignore")
        yield


def namespace() -> dict[str, Any]:
    """The names that a notebook imports, and that a solution may use."""
    return {"np": np, "ms": import_module("labkit.mindspore"), "torch": import_module("labkit.torch")}


def _made(slip: Slip):
    names = namespace()

    def define():
        exec(slip.code, names)
        return names.get("answer")

    with quiet():
        outcome = call(define, (), ONE)
    return outcome.value if callable(outcome.value) else None


@lru_cache(maxsize=KEPT)
def tries(name: str) -> Tries:
    """The slips of the exercise called `name`, once."""
    from ..exercises import EXERCISES  # the exercises import the judge's comparisons

    return Tries(EXERCISES[name])


def slipped(exercise: Exercise, cases: list[Case], wrong: list[Case]) -> Reason | None:
    """The slip, or the two of different kinds, whose results are those of the answer on all drawn inputs."""
    began, found = time.process_time(), {}
    all_of_them = tries(exercise.name)
    if all_of_them.exercise is not exercise:
        all_of_them = Tries(exercise)
    others = [case for case in cases if case is not wrong[0]]
    for index, slip in enumerate(all_of_them.slips):
        if time.process_time() - began > SECONDS:
            break
        if slip.kind == "another-argument" and not _of_a_kind(slip, exercise, wrong[0].inputs):
            continue
        if (slip.kind, slip.says) not in found and all(
            _gives(all_of_them, index, case) for case in [wrong[0], *others]
        ):
            found[slip.kind, slip.says] = slip
    return _told(list(found.values()))


def _of_a_kind(slip, exercise, inputs):
    """True where the two arguments that a slip takes for each other are both numbers, or arrays, or neither."""
    named = [value for name, value in zip(exercise.arguments, inputs, strict=True) if name in slip.says.split()]
    return len({numbers(value) is None for value in named}) == 1


def _gives(all_of_them, index, case):
    gave = all_of_them.gives(index, case.inputs)
    return gave is not None and agree(gave, case.got)


def _told(found: list[Slip]) -> Reason | None:
    if not found:
        return None
    says = _shortest(found)
    if len(says) == 1:
        return Reason(found[0].kind, f"Your results are exactly those of a right answer in which {says[0]}.")
    if len(says) <= MOST_SAID:
        either = ", or ".join(says)
        return Reason(found[0].kind, f"Your results are exactly those of a right answer in which either {either}.")
    return Reason(
        "one-slip",
        "Your results are exactly those of a right answer with one small slip in it. The way is right: go through your "
        "signs, factors, brackets, bounds and the order of the lines once more.",
    )


def _shortest(found):
    """What is said, once for each kind; the words of a kind without the place where places differ."""
    by_kind: dict[str, list[str]] = {}
    for slip in found:
        by_kind.setdefault(slip.kind, []).append(slip.says)
    return [says[0] if len(says) == 1 else _common(says) for says in by_kind.values()]


def _common(says):
    bare = {text.split(" (next to")[0] for text in says}
    return bare.pop() if len(bare) == 1 else min(says, key=len)
