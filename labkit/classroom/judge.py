"""Judges an answer by evidence: a value, or the calls of a function. No student code runs here.

The evidence may come from this process (`check`) or from a sandbox (`labkit.grading`); the judgement is the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evidence import TriedCall, encode, is_tensor, plain_data
from .compare import (
    Difference,
    as_arrays,
    as_asked,
    brief,
    describe,
    difference,
    differences,
    quoted,
    quotes_told,
    same,
    shown,
    size,
)
from .exercise import Exercise, Misconception
from .tutor import explain_calls, explain_items, meant, places, sure
from .ways import objection

LONGEST_ERROR = 160  # characters of an error's message
MOST_ELEMENTS = 8  # of an array that is shown as a whole
MOST_OF_INPUT = 60  # characters of one argument; a larger one is described
SO_FAR = "Right so far: {right} of {all} {things}.\n"
NOT_GIVEN = "Running the code does not give {got}. Go through it one operation at a time."
OTHER_KIND = "{item} is {got}; expected {expected}."
OTHER_VALUE = "{result} is {got}\n  and should be {expected}"
WRONG_VALUES = "The kind and shape of {result} are right; its values are not, for {count} of {all} inputs."
ARGUMENTS = "expected a function of {arguments}, but yours takes {takes}: {problem}."
OTHER_ARGUMENTS = "Expected a function of {arguments}, but yours takes others."
NO_VALUE = "This exercise asks for a value that you predict, but got {kind}."
NO_FUNCTION = (
    'Expected a function of {arguments}, but got {kind}. Pass the function itself: check("{name}", your_function).'
)
DOTS = "{place} is still three dots. Replace every ... with your prediction."
TOO_LARGE = "This is {got}, which is too large to compare."
CHANGED = "it changed an input in place: {names}. Make a new value instead."


@dataclass(frozen=True)
class Verdict:
    """`kind` is "right", or what is wrong (see `checking.Report`); `text` says it with the drawn inputs and the values.

    `feedback` says it without any drawn input, expected value or words of an error, for feedback on hidden inputs.
    """

    kind: str
    text: str
    feedback: str

    def __bool__(self) -> bool:
        return self.kind == "right"


def judge_value(exercise: Exercise, answer: Any, expected: Callable[[], Any] | None = None) -> Verdict:
    """The verdict on a prediction; `expected()` gives the right one, without it the exercise's own."""
    if callable(answer) and not isinstance(answer, type):
        return _verdict("type", NO_VALUE.format(kind=describe(answer)))
    if dots := _dots(answer):
        text = DOTS.format(place=_place(exercise, dots))
        return _verdict("empty", text)
    if _is_too_large(answer):
        return _verdict("shape", TOO_LARGE.format(got=describe(answer)))
    right = (expected or exercise.expected)()
    got = as_asked(right, plain_data(answer))
    found = difference(right, got)
    if found is None:
        return _verdict("right", "Your prediction is right: running the code gives the same.")
    if known := _recognised(exercise, [((), right, got)], listed=False):
        return _verdict(known.name, _so_far(right, got) + known.sentence)
    if isinstance(right, (tuple, list)) and (reason := sure(explain_items, exercise, right, got)):
        return _verdict(reason.kind, _so_far(right, got) + reason.sentence)
    return _verdict(found.stage, _difference_in_prediction(exercise, right, got, found, describe(answer)))


def not_a_function(exercise: Exercise, answer: Any) -> Verdict:
    """The verdict on a value where a function is asked for."""
    text = NO_FUNCTION.format(arguments=signature(exercise), kind=describe(answer), name=exercise.name)
    return _verdict("type", text)


def judge_calls(
    exercise: Exercise,
    inputs: Sequence[tuple],
    tried: Sequence[TriedCall],
    expected: Callable[[tuple], Any] | None = None,
) -> Verdict:
    """The verdict on a function that was tried on plain `inputs`, one after the other, until a call failed.

    `expected(inputs)` gives the right answer; without it, the exercise's own.
    """
    expected = expected or exercise.expected
    problem = ("", "", "")
    compared = []
    for drawn, one in zip(inputs, tried, strict=False):
        if one.came and not _is_too_large(one.outcome.value):
            right = expected(drawn)
            compared.append((drawn, right, as_arrays(right, one.outcome.value)))
        problem = _problem_of_call(exercise, drawn, one)
        if problem[0]:
            break
    failed = [case for case in compared if difference(case[1], case[2])]
    if (
        known := _recognised(exercise, _plain(failed), _plain([c for c in compared if not any(c is f for f in failed)]))
        if failed
        else None
    ):
        return _verdict(known.name, known.sentence)
    fine = len(compared) - len(failed)
    so_far = SO_FAR.format(right=fine, all=len(inputs), things="inputs") if fine else ""
    kind, text, feedback = problem
    if kind:
        so_far = so_far if fine and kind != "mutated" else ""
        return Verdict(kind, f"{so_far}With {_inputs_in_words(exercise, drawn)}:\n  {text}", so_far + feedback)
    if not failed and (sentence := objection(exercise, compared, tried)):
        return _verdict("forbidden", sentence)
    if not failed:
        return _verdict("right", "It gives the right answer for all {count} random inputs.".format(count=len(inputs)))
    reason = sure(explain_calls, exercise, compared, failed)
    if reason and reason.kind != "where":
        return _verdict(reason.kind, so_far + reason.sentence)
    smallest = min(failed, key=lambda case: size(case[0]))
    where = so_far + f"{reason.sentence}\n" if reason else so_far
    return Verdict(*_difference_in_result(exercise, smallest, where, len(failed), len(inputs)))


def _is_too_large(value):
    """True for data that a grader does not send, either."""
    return encode(value)[0] == "other" and (is_tensor(value) or isinstance(value, (tuple, list, np.ndarray)))


def _plain(cases):
    return [(drawn, plain_data(right), as_arrays(right, plain_data(got), fitting=False)) for drawn, right, got in cases]


def signature(exercise: Exercise) -> str:
    """The arguments of an exercise's function, as they are written."""
    return f"({', '.join(exercise.arguments)})"


def _verdict(kind, text):
    return Verdict(kind, *quotes_told(text))


def _dots(answer: Any, path: str = "") -> str:
    """The path of the first item that is still three dots, or an empty text."""
    if isinstance(answer, (tuple, list)):
        return next(filter(None, (_dots(item, f"{path}[{i}]") for i, item in enumerate(answer))), "")
    return path if answer is Ellipsis else ""


def _difference_in_prediction(exercise: Exercise, expected: Any, got: Any, found: Difference, answer: str) -> str:
    """The first difference, without the value; and how many items of a list are right. `answer`: the answer, in words."""
    item = _place(exercise, found.path) if found.path else "Your answer"
    if found.stage != "value":
        wanted = describe(found.expected)
        if isinstance(found.expected, (str, type)):  # which of the two would tell the answer
            wanted = "a text, or the type of an error such as KeyError"
        came = describe(found.got) if found.path else answer
        return _so_far(expected, got) + OTHER_KIND.format(item=item, got=came, expected=wanted)
    if not found.path:
        return NOT_GIVEN.format(got=quoted(brief(got), "that"))
    said = quoted(" You said {got}.".format(got=brief(found.got)))
    return _so_far(expected, got) + "{item} is not what running the code gives.".format(item=item) + said


def _so_far(expected: Any, got: Any) -> str:
    """How many items of a list are right, if any."""
    found = [d.path for d in differences(expected, got)]
    if not isinstance(expected, (tuple, list)) or "" in found:
        return ""
    right = len(expected) - len({path.split("]")[0] for path in found})
    return SO_FAR.format(right=right, all=len(expected), things="items") if right else ""


def _place(exercise: Exercise, path: str) -> str:
    words = places(exercise, [int(path[1:].split("]")[0])])
    return words[0].upper() + words[1:]


def _problem_of_call(exercise: Exercise, inputs: tuple, one: TriedCall) -> tuple[str, str, str]:
    """What is wrong with a call before its value is looked at: a kind, the text, and the text without drawn values."""
    outcome = one.outcome
    if one.unfit:
        arguments = signature(exercise)
        text = ARGUMENTS.format(arguments=arguments, takes=one.takes, problem=one.unfit)
        return "arguments", text, OTHER_ARGUMENTS.format(arguments=arguments)
    kind, text, feedback = _failure_of_call(outcome, _changed_arguments(exercise, inputs, one))
    if kind in ("error", "printed"):
        known = [meaning for part, meaning in exercise.errors if part in (outcome.error or text)]
        known = known or list(filter(None, [meant(exercise.tensors, outcome.error)]))
        meaning = "".join(f"\n  {meaning}" for meaning in known)
        text, feedback = text + meaning, feedback + meaning
    said = "".join("\n  it printed: {line}".format(line=line) for line in outcome.printed.splitlines()[:5])
    return kind, text + said, "On a random input {feedback}".format(feedback=feedback)


def _changed_arguments(exercise, inputs, one):
    pairs = zip(exercise.arguments, one.after, inputs, strict=False)
    return [name for name, after, before in pairs if after is not before and not same(after, before)]


def _short(error):
    """An error without the middle of a long message: frameworks write paragraphs."""
    message, at, line = error.rpartition(" (line ")
    message = message if at else line
    kept = message if len(message) <= LONGEST_ERROR else f"{message[:LONGEST_ERROR].rsplit(None, 1)[0]} ..."
    return kept + at + (line if at else "")


def _failure_of_call(outcome, changed):
    kind, text = outcome.kind, ""
    if kind == "error":
        return kind, *("it raised {error}".format(error=e) for e in (_short(outcome.error), outcome.error_place))
    if kind == "timeout":
        text = "{error} and was stopped. Is there an infinite loop, or a call of input()?".format(error=outcome.error)
    elif changed:
        kind, text = "mutated", CHANGED.format(names=", ".join(changed))
    elif outcome.value is None:
        returned = (
            "it returned nothing (None). Does every path through the function end with a return that has a value? A method "
            "such as backward() or append() has none, and .grad is None before the first backward pass."
        )
        printed = "it printed an answer but returned nothing (None). Return the answer."
        kind, text = "printed", printed if outcome.printed else returned
    elif _is_too_large(outcome.value):
        kind, text = "shape", TOO_LARGE.format(got=describe(outcome.value))
    return kind if text else "", text, text


def _difference_in_result(
    exercise: Exercise, case: tuple, so_far: str, failures: int, draws: int
) -> tuple[str, str, str]:
    """The first difference between what a function returned and what was expected: its stage, in words, and without values."""
    inputs, right, got = case
    found = difference(right, got)
    assert found
    where = f"result{found.path}"
    if found.stage == "value":
        at, got, right = _furthest(found.got, found.expected)
        texts = [shown(value) for value in (got, right)]
        if len(set(texts)) == 1:  # they differ in later digits
            texts = [shown(value, 200, 12) for value in (got, right)]
        seen = OTHER_VALUE.format(result=where + at, got=texts[0], expected=texts[1])
        feedback = WRONG_VALUES.format(result=where, count=failures, all=draws)
    else:
        seen = feedback = OTHER_KIND.format(item=where, got=describe(found.got), expected=describe(found.expected))
    return found.stage, f"{so_far}With {_inputs_in_words(exercise, inputs)}:\n  {seen}", so_far + feedback


def _furthest(got: Any, right: Any) -> tuple[str, Any, Any]:
    """Two values; of arrays with many elements the one that is off most, with its place."""
    g, r = np.asarray(plain_data(got)), np.asarray(plain_data(right))
    if r.size <= MOST_ELEMENTS or r.dtype.kind not in "biuf":
        return "", got, right
    off = np.nan_to_num(np.abs(np.asarray(g, float) - np.asarray(r, float)), nan=np.inf)
    at = np.unravel_index(np.argmax(off), r.shape)
    return f"[{', '.join(map(str, at))}]", g[at], r[at]


def _recognised(
    exercise: Exercise, compared: list[tuple], fine: Sequence[tuple] = (), listed: bool = True
) -> Misconception | None:
    """The first misconception that explains every wrong result, and contradicts no right one.

    `listed`: also those that explain items of a prediction.
    """
    for misconception in exercise.misconceptions:
        if misconception.items and not listed:
            continue
        try:
            if all(misconception.recognises(*case) for case in compared) and not (
                misconception.gives and any(not same(right, misconception.gives(drawn)) for drawn, right, _ in fine)
            ):
                return misconception
        except Exception:  # a recogniser reads answers of any shape: what it cannot read, it does not recognise
            continue
    return None


def _inputs_in_words(exercise: Exercise, inputs: tuple) -> str:
    return ", ".join(
        f"{name} = {shown(value, MOST_OF_INPUT)}" for name, value in zip(exercise.arguments, inputs, strict=True)
    )
