"""What an answer is worth, and why: from evidence alone, a value or the calls of a function. No student code runs here.

The evidence may come from this process (`check`) or from a sandbox (`labkit.grading`); the judgement is the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..evidence import TriedCall, plain_data
from ..messages.wrapping import counted
from .compare import STAGES, Difference, as_asked, brief, describe, difference, differences, quoted, quotes_told, same
from .exercise import Exercise, Misconception
from .tutor import besides, explain_calls, explain_value, fuller, meant, sure
from .ways import objection

RIGHT = ("the number of arguments", "the kind of result", "the structure", "every shape", "every dtype")


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
        return _verdict("type", f"This exercise asks for a value that you predict, but got {describe(answer)}.")
    if dots := _dots(answer):
        text = f"Item {_place(exercise, dots)} is still three dots. Replace every ... with your prediction."
        return _verdict("empty", text)
    right = (expected or exercise.expected)()
    got = as_asked(right, plain_data(answer))
    found = difference(right, got)
    if found is None:
        return _verdict("right", "Your prediction is right: running the code gives the same.")
    recognised = lambda some: _recognised(exercise, [((), right, some)])
    if known := recognised(got):
        reason = sure(fuller, exercise, right, got, known, recognised)
        if reason:
            return _verdict(reason.kind, reason.sentence)
        more = sure(besides, exercise, right, got, known, recognised)
        return _verdict(known.name, (_so_far(right, got) if more else "") + known.sentence + (more or ""))
    if reason := sure(explain_value, exercise, right, got, recognised):
        return _verdict(reason.kind, _so_far(right, got) + reason.sentence)
    return _verdict(found.stage, _difference_in_prediction(exercise, right, got, found, describe(answer)))


def not_a_function(exercise: Exercise, answer: Any) -> Verdict:
    """The verdict on a value where a function is asked for."""
    return _verdict(
        "type",
        f"This exercise asks for a function {signature(exercise)}, but got {describe(answer)}. "
        f'Pass the function itself, without calling it: check("{exercise.name}", your_function).',
    )


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
    for i, (drawn, one) in enumerate(zip(inputs, tried, strict=False)):
        kind, text, feedback = _problem_of_call(exercise, drawn, one)
        if kind:
            passed = f"Right so far: {i} of {len(inputs)} inputs.\n" if i else ""
            return Verdict(kind, f"{passed}With {_inputs_in_words(exercise, drawn)}:\n  {text}", passed + feedback)
    compared = [(drawn, expected(drawn), one.outcome.value) for drawn, one in zip(inputs, tried, strict=True)]
    failed = [(case, found) for case in compared if (found := difference(case[1], case[2]))]
    if not failed and (sentence := objection(exercise, compared, tried)):
        return _verdict("forbidden", sentence)
    if not failed:
        return _verdict("right", f"It gives the right answer for all {len(inputs)} random inputs.")
    if known := _recognised(
        exercise, [(drawn, plain_data(right), plain_data(got)) for (drawn, right, got), _ in failed]
    ):
        return _verdict(known.name, known.sentence)
    if reason := sure(explain_calls, exercise, compared, [case for case, _ in failed]):
        fine = len(inputs) - len(failed)
        so_far = f"Right so far: {fine} of {len(inputs)} inputs.\n" if fine else ""
        return _verdict(reason.kind, so_far + reason.sentence)
    (drawn, _, _), found = failed[0]
    return Verdict(found.stage, *_difference_in_result(exercise, drawn, found, len(failed), len(inputs)))


def signature(exercise: Exercise) -> str:
    """What the function of an exercise takes, in words."""
    return f"of {counted(len(exercise.arguments), 'argument')} ({', '.join(exercise.arguments)})"


def _verdict(kind, text):
    return Verdict(kind, *quotes_told(text))


def _dots(answer: Any, path: str = "") -> str:
    """The path of the first item that is still three dots, or an empty text."""
    if isinstance(answer, (tuple, list)):
        return next(filter(None, (_dots(item, f"{path}[{i}]") for i, item in enumerate(answer))), "")
    return path if answer is Ellipsis else ""


def _difference_in_prediction(exercise: Exercise, expected: Any, got: Any, found: Difference, answer: str) -> str:
    """The first difference, without the value; and how many items of a list are right. `answer`: the answer, in words."""
    item = f"Item {_place(exercise, found.path)}" if found.path else "Your answer"
    if found.stage != "value":
        wanted = describe(found.expected)
        if isinstance(found.expected, (str, type)):  # which of the two would tell the answer
            wanted = "a text, or the type of an error such as KeyError"
        reason = f"{item} is {describe(found.got) if found.path else answer}; expected {wanted}."
    elif not found.path:
        reason = f"Running the code does not give {quoted(brief(got), 'that')}. Go through it one operation at a time."
    else:
        what = " differs in upper and lower case" if _is_spelling(found) else " is not what running the code gives"
        reason = f"{item}{what}.{quoted(f' You said {brief(found.got)}.')}"
    return (_so_far(expected, got) if found.path else "") + reason


def _so_far(expected: Any, got: Any) -> str:
    """How many items of a list are right."""
    found = [d.path for d in differences(expected, got)]
    if not isinstance(expected, (tuple, list)) or "" in found:
        return ""
    return f"Right so far: {len(expected) - len({path.split(']')[0] for path in found})} of {len(expected)} items.\n"


def _is_spelling(found: Difference) -> bool:
    """True for the right word in the wrong case."""
    word = found.expected.__name__ if isinstance(found.expected, type) else found.expected
    return isinstance(word, str) and isinstance(found.got, str) and found.got.strip().lower() == word.lower()


def _place(exercise: Exercise, path: str) -> str:
    index = int(path[1:].split("]")[0])
    return f"{path} ({exercise.places[index]})" if index < len(exercise.places) else path


def _problem_of_call(exercise: Exercise, inputs: tuple, one: TriedCall) -> tuple[str, str, str]:
    """What is wrong with a call before its value is looked at: a kind, the text, and the text without drawn values."""
    outcome = one.outcome
    if one.unfit:
        text = f"expected a function {signature(exercise)}, but yours takes"
        return "arguments", f"{text} {one.takes}: {one.unfit}.", f"{text.capitalize()} others."
    kind, text, feedback = _failure_of_call(outcome, _changed_arguments(exercise, inputs, one))
    if kind == "error":
        known = [meaning for part, meaning in exercise.errors if part in outcome.error]
        known = known or list(filter(None, [meant(exercise.tensors, outcome.error)]))
        meaning = "".join(f"\n  {meaning}" for meaning in known)
        text, feedback = text + meaning, feedback + meaning
    said = "".join(f"\n  it printed: {line}" for line in outcome.printed.splitlines()[:5])
    return kind, text + said, f"On a random input {feedback}"


def _changed_arguments(exercise, inputs, one):
    pairs = zip(exercise.arguments, one.after, inputs, strict=False)
    return [name for name, after, before in pairs if after is not before and not same(after, before)]


def _failure_of_call(outcome, changed):
    kind, text = outcome.kind, ""
    if kind == "error":
        return kind, f"it raised {outcome.error}", f"it raised {outcome.error_place}"
    if kind == "timeout":
        text = f"{outcome.error} and was stopped. Is there an infinite loop?"
    elif changed:
        kind, text = "mutated", f"it changed its input {' and '.join(changed)} in place. Make a new value instead."
    elif outcome.value is None:
        returned = "it returned nothing (None). Does every path through it end with a return that has a value?"
        printed = "it printed an answer but returned nothing (None). Return the answer."
        kind, text = "printed", printed if outcome.printed else returned
    return kind if text else "", text, text


def _difference_in_result(
    exercise: Exercise, inputs: tuple, found: Difference, failures: int, draws: int
) -> tuple[str, str]:
    """The first difference between what a function returned and what was expected; and the same without the values."""
    passed = draws - failures
    stages = ", ".join(RIGHT[: 1 + STAGES.index(found.stage)])
    so_far = f"Right so far: {f'{passed} of {draws} inputs' if passed else stages}.\n"
    where = f"result{found.path}"
    if found.stage == "value":
        seen = f"{where} is {brief(found.got)}\n  and should be {brief(found.expected)}"
        feedback = f"The kind and shape of {where} are right; its values are not, for {failures} of {draws} inputs."
    else:
        seen = f"{where} is {describe(found.got)}; expected {describe(found.expected)}."
        seen += " Did you forget to call it?" if describe(found.got) == "a function" else ""
        feedback = seen
    return f"{so_far}With {_inputs_in_words(exercise, inputs)}:\n  {seen}", so_far + feedback


def _recognised(exercise: Exercise, compared: list[tuple]) -> Misconception | None:
    """The first misconception that explains every wrong result."""
    for misconception in exercise.misconceptions:
        try:
            if all(misconception.recognises(*case) for case in compared):
                return misconception
        except Exception:  # a recogniser reads answers of any shape: what it cannot read, it does not recognise
            continue
    return None


def _inputs_in_words(exercise: Exercise, inputs: tuple) -> str:
    return ", ".join(f"{name} = {brief(value)}" for name, value in zip(exercise.arguments, inputs, strict=True))
