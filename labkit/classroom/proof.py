"""Checks an instructor's own exercise before it is handed out: the solution, the random inputs, each wrong answer."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..evidence import decode, encode, plain_data, try_call
from ..messages.suggestions import did_you_mean
from .checking import assess, judge_answer
from .compare import STAGES, difference
from .exercise import Exercise, namespace
from .exercises import EXERCISES

SEEDS = 20
SECONDS = 5.0
OTHER_VERDICT = "the wrong answer '{name}' gets the verdict '{kind}', not '{expected}'. {hint}"
DIFFERS = "the solution differs from reference(...) with seed {seed}: {got!r} instead of {expected!r}"
NO_TUPLE = "draw(rng) must return a tuple of {count}: {arguments}"
FAILS = "the solution fails with seed {seed}: {error}"
ACCEPTED = "the wrong answer '{name}' is accepted: let draw(rng) return inputs that show the difference"


def doubts(name: str) -> Iterator[str]:
    """A sentence for each thing in the exercise `name` that is not as it must be; none where it holds."""
    where = f"exercises/{name.replace('-', '_')}.py"
    try:
        exercise = EXERCISES[name]
        for doubt in _doubts(exercise):
            yield f"{where}: {doubt}"
    except Exception as error:  # whatever an instructor's code does: the others are to be tried, too
        yield f"{where}: {type(error).__name__}: {error}"


def _doubts(exercise: Exercise) -> Iterator[str]:
    answer = _defined(exercise.solution)
    if not exercise.is_prediction:
        yield from _of_draws(exercise)
        yield from _of_solution(exercise, answer)
        if assess(exercise.name, _defined(exercise.stub.replace("...", "pass"))).kind == "right":
            yield "the empty answer is accepted"
    elif not (verdict := judge_answer(exercise, answer)):
        yield "expected `answer` to be what `reference()` gives. {text}".format(text=verdict.text)
    yield from _of_reasons(exercise)


def _of_draws(exercise: Exercise) -> Iterator[str]:
    first, again, other = (_encoded(exercise, seed) for seed in (1, 1, 2))
    if first != again:
        yield "draw(rng) returns different inputs for the same seed: use no other random numbers than those of rng"
    if first == other:
        yield "draw(rng) returns the same inputs for every seed: use rng"
    for inputs in exercise.inputs(1):
        if not isinstance(inputs, tuple) or len(inputs) != len(exercise.arguments):
            yield NO_TUPLE.format(count=len(exercise.arguments), arguments=", ".join(exercise.arguments))
        elif not _same_data(decode(encode(inputs)), inputs):
            yield "an input cannot be sent to the sandbox: use numbers, strings, tuples, lists, dicts and arrays"
        else:
            continue
        return


def _encoded(exercise: Exercise, seed: int) -> list[Any]:
    return [encode(inputs) for inputs in exercise.inputs(seed)]


def _same_data(came: Any, sent: Any) -> bool:
    return encode(came) == encode(sent) and "other" not in str(encode(sent))


def _of_solution(exercise: Exercise, answer: Callable) -> Iterator[str]:
    for seed in range(SEEDS):
        for inputs in exercise.inputs(seed):
            tried, right = try_call(answer, inputs, exercise.tensors, SECONDS), exercise.expected(inputs)
            if not tried.came:
                yield FAILS.format(seed=seed, error=tried.outcome.error or tried.unfit)
                return
            if found := difference(right, tried.outcome.value):
                yield DIFFERS.format(seed=seed, got=found.got, expected=found.expected)
                return


def _of_reasons(exercise: Exercise) -> Iterator[str]:
    told, names = {wrong.expected for wrong in exercise.wrong_answers}, [m.name for m in exercise.misconceptions]
    for wrong in exercise.wrong_answers:
        verdict = judge_answer(exercise, _defined(wrong.source))
        if verdict:
            yield ACCEPTED.format(name=wrong.name)
        elif verdict.kind != wrong.expected and (verdict.kind in names or wrong.expected not in STAGES):
            hint = (
                did_you_mean(wrong.expected, names)
                if wrong.expected not in names
                else "An earlier reason fits it, too."
            )
            yield OTHER_VERDICT.format(name=wrong.name, kind=verdict.kind, expected=wrong.expected, hint=hint)
    for reason in exercise.misconceptions:
        if reason.name not in told:
            yield "'{name}' has no wrong answer that shows it: give it answer=...".format(name=reason.name)
        if _fits_right_answer(exercise, reason):
            yield "'{name}' also fits the right answer".format(name=reason.name)


def _fits_right_answer(exercise: Exercise, reason: Any) -> bool:
    """True where a reason recognises the right results, for all inputs."""
    recognised = []
    for inputs in [()] if exercise.is_prediction else exercise.inputs():
        right = plain_data(exercise.expected(inputs))
        try:
            recognised.append(bool(reason.recognises(inputs, right, right)))
        except Exception:
            return False
    return all(recognised)


def _defined(source: Any) -> Any:
    names = {**namespace(), "np": np}
    exec(source, names)
    return names.get("answer", names.get(next(reversed(names))))
