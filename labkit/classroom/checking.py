"""`check`, `hint` and `solution`: what a learner sees. Never "wrong" without a reason; never an exception."""

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .compare import STAGES, Difference, brief, describe, difference, differences, plain, same
from .exercise import Exercise, modes_put_back
from .exercises import EXERCISES, find
from .progress import remember
from .run import Outcome, call


class Text(str):
    """A text that a notebook shows as it reads, without quotes."""

    def __repr__(self):
        return str(self)


@dataclass(frozen=True)
class Report:
    """The answer of `check`: true when right; prints as a few lines.

    `kind` is "right", "unknown", "empty", "type", "arguments", "error", "timeout", "printed", "mutated", one of the
    stages of a comparison, or the name of the misconception that was recognised.
    """

    name: str
    kind: str
    text: str
    points: int = 0

    def __bool__(self):
        return self.kind == "right"

    def __repr__(self):
        return self.text


def check(name: str, answer: Any = None, *, seconds: float = 5.0) -> Report:
    """Check an answer to the exercise `name` and say what is right, what is not yet, and why.

    `answer` is a function where the exercise asks for one (pass it, do not call it), otherwise a value. A function is
    called on several inputs, each call for at most `seconds`. Returns a `Report`; raises nothing. In a notebook a right
    answer is remembered (`labkit.progress`).

    >>> check("grad-slip", ...).kind
    'empty'
    """
    exercise = find(name)
    if exercise is None:
        return Report(name, "unknown", _unknown(name))
    if answer is None or answer is Ellipsis or _is_blank(answer):
        what = "what you predict" if exercise.is_prediction else f"your code: a function {_signature(exercise)}"
        text = f"There is no answer yet. Replace the ... by {what}, and run the cell again."
        return _not_yet(exercise, "empty", text)
    kind, text = (_prediction if exercise.is_prediction else _function)(exercise, answer, seconds)
    return _right(exercise, text) if kind == "right" else _not_yet(exercise, kind, text)


def _blank(): ...


def _is_blank(answer: Any) -> bool:
    """True for a function whose body is still three dots."""
    code = getattr(answer, "__code__", None)
    return code is not None and code.co_code == _blank.__code__.co_code and code.co_consts == (None,)


def _dots(answer: Any, path: str = "") -> str:
    """The path of the first item that is still three dots, or an empty text."""
    if isinstance(answer, (tuple, list)):
        return next(filter(None, (_dots(item, f"{path}[{i}]") for i, item in enumerate(answer))), "")
    return path if answer is Ellipsis else ""


_given: dict[str, int] = {}


def hint(name: str) -> Text:
    """The next hint for the exercise `name`: three of them, one at each call; after that it points to `solution`."""
    exercise = find(name)
    if exercise is None:
        return Text(_unknown(name))
    _given[name] = _given.get(name, 0) + 1
    if _given[name] > len(exercise.hints):
        return Text(f'You have seen all {len(exercise.hints)} hints. The solution: solution("{name}")')
    return Text(f"Hint {_given[name]} of {len(exercise.hints)}: {exercise.hints[_given[name] - 1]}")


def solution(name: str) -> Text:
    """The source of a right answer to the exercise `name`."""
    exercise = find(name)
    return Text(_unknown(name) if exercise is None else exercise.solution.strip())


def _prediction(exercise: Exercise, answer: Any, seconds: float) -> tuple[str, str]:
    if callable(answer) and not isinstance(answer, type):
        return "type", f"This exercise asks for a value that you predict, but got {describe(answer)}."
    if dots := _dots(answer):
        return "empty", f"Item {_place(exercise, dots)} is still three dots. Replace every ... by what you predict."
    expected, got = exercise.expected(), plain(answer)
    found = difference(expected, got)
    if found is None:
        return "right", "Your prediction is what labkit gives when it runs."
    known = _recognised(exercise, [((), expected, got)])
    return known or (found.stage, _predicted(exercise, expected, got, found, describe(answer)))


def _predicted(exercise: Exercise, expected: Any, got: Any, found: Difference, answer: str) -> str:
    """The first difference, without the value; and how many items of a list are right. `answer`: what came, in words."""
    if found.stage in ("kind", "structure", "shape", "dtype"):
        where, what = (
            (f"Item {_place(exercise, found.path)}", describe(found.got)) if found.path else ("Your answer", answer)
        )
        wanted = describe(found.expected)
        if isinstance(found.expected, (str, type)):  # which of the two would tell the answer
            wanted = "a text, or the type of an error such as KeyError"
        reason = f"{where} is {what}; expected {wanted}."
    elif not found.path:
        reason = f"Running it does not give {brief(got)}. Go through it one operation at a time."
    else:
        reason = f"Item {_place(exercise, found.path)} is not what running it gives. You said {brief(found.got)}."
        if _is_spelling(found):
            reason = (
                f"Item {_place(exercise, found.path)}: capital and small letters count. You said {brief(found.got)}."
            )
    if not isinstance(expected, (tuple, list)) or not found.path:
        return reason
    wrong = {d.path.split("]")[0] for d in differences(expected, got)}
    return f"Right so far: {len(expected) - len(wrong)} of {len(expected)} items.\n{reason}"


def _is_spelling(found: Difference) -> bool:
    """True for the right word in the wrong case."""
    word = found.expected.__name__ if isinstance(found.expected, type) else found.expected
    return isinstance(word, str) and isinstance(found.got, str) and found.got.strip().lower() == word.lower()


def _place(exercise: Exercise, path: str) -> str:
    index = int(path[1:].split("]")[0])
    return f"{path} ({exercise.places[index]})" if index < len(exercise.places) else path


def _function(exercise: Exercise, answer: Any, seconds: float) -> tuple[str, str]:
    if not callable(answer):
        return "type", (
            f"This exercise asks for a function {_signature(exercise)}, but got {describe(answer)}. "
            f'Pass the function itself, without calling it: check("{exercise.name}", your_function).'
        )
    compared = []
    for i, inputs in enumerate(exercise.inputs()):
        problem, got = _one_call(exercise, answer, inputs, seconds)
        if problem:
            passed = f"Right so far: {i} of {exercise.draws} inputs.\n" if i else ""
            return problem, f"{passed}With {_named(exercise, inputs)}:\n  {got}"
        compared.append((inputs, exercise.expected(inputs), got))
    failed = [(c, found) for c in compared if (found := difference(c[1], c[2]))]
    if not failed:
        return "right", f"It gives the right answer for all {exercise.draws} inputs that were drawn."
    known = _recognised(exercise, [(inputs, plain(expected), plain(got)) for (inputs, expected, got), _ in failed])
    (inputs, _, _), found = failed[0]
    return known or (found.stage, _returned(exercise, inputs, found, len(failed)))


def _one_call(exercise: Exercise, answer: Callable, inputs: tuple, seconds: float) -> tuple[str, Any]:
    """`("", value)`, or the kind of problem and what to say about it."""
    arguments = exercise.wrap(inputs)
    try:
        inspect.signature(answer).bind(*arguments)
    except TypeError as error:
        takes = inspect.signature(answer)
        return "arguments", f"expected a function {_signature(exercise)}, but yours takes {takes}: {error}."
    except ValueError:  # a callable that shows no signature: the call itself will tell
        pass
    with modes_put_back():
        outcome = call(answer, arguments, seconds)
    changed = [n for n, a, v in zip(exercise.arguments, arguments, inputs, strict=True) if not same(plain(a), v)]
    kind, problem = _problem(outcome, changed)
    if kind == "error":
        problem += "".join(f"\n  {meaning}" for part, meaning in exercise.errors if part in outcome.error)
    said = "".join(f"\n  it printed: {line}" for line in outcome.printed.splitlines()[:5])
    return (kind, problem + said) if kind else ("", outcome.value)


def _problem(outcome: Outcome, changed: list[str]) -> tuple[str, str]:
    """What is wrong with a call before its value is looked at: a kind and a sentence, or two empty texts."""
    if outcome.kind == "timeout":
        return "timeout", f"{outcome.error} and was stopped. Is there a loop that never ends?"
    if outcome.kind == "error":
        return "error", f"it raised {outcome.error}"
    if changed:
        return "mutated", f"it changed its input {' and '.join(changed)} in place. Make a new value instead."
    if outcome.value is None and outcome.printed:
        return "printed", "it printed an answer but returned nothing (None). End it with return."
    if outcome.value is None:
        return "printed", "it returned nothing (None). Does every way through it end with return?"
    return "", ""


def _returned(exercise: Exercise, inputs: tuple, found: Difference, failures: int) -> str:
    """The first difference between what a function returned and what was expected."""
    right = ["the number of arguments", "the kind of result", "the structure", "every shape", "every dtype"]
    passed = exercise.draws - failures
    so_far = f"{passed} of {exercise.draws} inputs" if passed else ", ".join(right[: 1 + STAGES.index(found.stage)])
    where = f"result{found.path}"
    if found.stage == "value":
        seen = f"{where} is {brief(found.got)}\n  and should be {brief(found.expected)}"
    else:
        seen = f"{where} is {describe(found.got)}; expected {describe(found.expected)}."
        seen += " Did you forget to call it?" if describe(found.got) == "a function" else ""
    return f"Right so far: {so_far}.\nWith {_named(exercise, inputs)}:\n  {seen}"


def _recognised(exercise: Exercise, compared: list[tuple]) -> tuple[str, str] | None:
    """The first misconception that explains every wrong result, with its sentence."""
    for misconception in exercise.misconceptions:
        try:
            if all(misconception.recognises(*case) for case in compared):
                return misconception.name, misconception.sentence
        except Exception:  # a recogniser reads answers of any shape: what it cannot read, it does not recognise
            continue
    return None


def _signature(exercise: Exercise) -> str:
    return (
        f"of {len(exercise.arguments)} argument{'s' * (len(exercise.arguments) != 1)} ({', '.join(exercise.arguments)})"
    )


def _named(exercise: Exercise, inputs: tuple) -> str:
    return ", ".join(f"{name} = {brief(value)}" for name, value in zip(exercise.arguments, inputs, strict=True))


def _right(exercise: Exercise, text: str) -> Report:
    points = f"{exercise.points} point{'s' * (exercise.points != 1)}"
    told = remember(exercise, min(_given.get(exercise.name, 0), len(exercise.hints)))
    lines = [f"{exercise.name}: right ({points}).", text, *filter(None, [told])]
    return Report(exercise.name, "right", "\n".join(lines), exercise.points)


def _not_yet(exercise: Exercise, kind: str, text: str) -> Report:
    return Report(exercise.name, kind, f'{exercise.name}: not yet.\n{text}\nFor a hint: hint("{exercise.name}")')


def _unknown(name: str) -> str:
    close = difflib.get_close_matches(str(name), EXERCISES, n=3, cutoff=0.5)
    meant = f"Did you mean {' or '.join(repr(c) for c in close)}?" if close else f"There are: {', '.join(EXERCISES)}."
    return f"There is no exercise {name!r}. {meant}"
