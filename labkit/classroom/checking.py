"""`check`, `hint` and `solution`: what a learner sees. Never "wrong" without a reason; never an exception."""

from typing import Any

from ..evidence import is_blank, try_call
from ..messages.suggestions import did_you_mean
from ..messages.wrapping import one_or_many, wrapped
from .exercise import Exercise, modes_put_back
from .exercises import EXERCISES, find
from .hinting import fitting, wrong_items
from .judge import Verdict, judge_calls, judge_value, not_a_function, signature
from .progress import remember
from .report import Report
from .tutor import real_framework

NO_PREDICTION = "There is no answer yet. Replace the ... by what you predict, and run the cell again."
NO_CODE = "There is no answer yet. Replace the ... by a function of {arguments}, and run the cell again."
RIGHT = "{name}: right ({number} point).", "{name}: right ({number} points)."
NOT_YET = '{name}: not yet.\n{text}\nFor a hint: hint("{name}")'
UNKNOWN = "There is no exercise {name!r}. {suggestion}"
NO_NAME = 'The name comes first, then the answer: check("{name}", your_answer). labkit.progress() lists the names.'
ENDLESS = "Your answer contains itself, so it has no end. Make a list of numbers, texts and tuples."


class Text(str):
    """A text that a notebook shows as it reads, without quotes."""

    def __repr__(self) -> str:
        return str(self)


def check(name: str | None = None, answer: Any = None, *more: Any, seconds: float = 5.0) -> Report:
    """Check an answer to the exercise `name` and display what is right, what is not yet, and why.

    `answer` is a function where the exercise asks for one (pass it, do not call it), otherwise a value; several values count
    as a list. A function is called on several inputs, each call for at most `seconds`. Displays a `Report` and returns it;
    raises nothing. In a notebook a right answer is remembered (`labkit.progress`).

    Every loop of Python code is left after `seconds`. Two things are not: one compiled call that does not return; and on
    Python 3.11, outside the main thread or on Windows, a loop whose bare `except` catches everything.

    >>> report = check("grad-slip", 2.5)
    grad-slip: not yet.
    Running the code does not give 2.5. Go through it one operation at a time.
    For a hint: hint("grad-slip")
    >>> report
    Report('grad-slip', right=False)
    """
    report = assess(name, (answer, *more) if more else answer, seconds)
    report.display()
    return report


def assess(name: Any, answer: Any, seconds: float = 5.0) -> Report:
    """The report of `check`, without displaying it."""
    exercise = find(name)
    if exercise is None:
        return Report(str(name)[:100], "unknown", _unknown(name, answer))
    if answer is None or answer is Ellipsis or is_blank(answer):
        text = NO_PREDICTION if exercise.is_prediction else NO_CODE
        return _not_yet(exercise, "empty", text.format(arguments=signature(exercise)))
    try:
        verdict = judge_answer(exercise, answer, seconds)
    except RecursionError:
        return _not_yet(exercise, "kind", ENDLESS)
    _latest.pop(exercise.name, None)  # the latest comes last
    _latest[exercise.name] = answer, verdict
    return _right(exercise, verdict.text) if verdict else _not_yet(exercise, verdict.kind, verdict.text)


_given: dict[str, list[str]] = {}  # the hints that were read, by exercise
_latest: dict[str, tuple[Any, Verdict]] = {}  # the last answer to each, and what was said


def hint(name: str | None = None) -> Text:
    """The next hint for the exercise `name`: up to three, one at each call; after that it points to `solution`.

    Without a name, for the exercise that was checked last. After a `check` it hints at nothing that is right already.

    For a name that is not an exercise it says which one may be meant. Raises nothing.

    >>> print(hint("grad-slop"))
    There is no exercise 'grad-slop'. Did you mean 'grad-slip', 'grad-clip' or
    'grad-sum-outputs'?
    """
    exercise = _asked(name)
    if exercise is None:
        return Text(wrapped(_unknown(name)))
    name = exercise.name
    answer, verdict = _latest.get(name, (None, None))
    if verdict:
        return Text(wrapped('Your answer to "{name}" is right, so it needs no hint.'.format(name=name)))
    wrong = wrong_items(exercise, answer) if verdict is not None else None
    told = _given.setdefault(name, [])
    left = [text for text in fitting(exercise, wrong) if text not in told]
    if not left:
        return Text('You have seen all hints. For the solution: solution("{name}")'.format(name=name))
    told.append(left[0])
    count = len(told) + len(left) - 1
    return Text(wrapped("Hint {number} of {count}: {text}".format(number=len(told), count=count, text=left[0])))


def latest(name: str | None = None) -> tuple[str, Any, Verdict] | None:
    """The last answer to the exercise `name`, or to any, that was checked, with the verdict; None where there is none.

    >>> latest("no such exercise")
    """
    name = next(reversed(_latest), None) if name is None else name
    return (name, *_latest[name]) if name in _latest else None


def solution(name: str | None = None) -> Text:
    """The source of a right answer to the exercise `name`; without a name, to the exercise that was checked last.

    Also where nothing has been answered yet; a sentence for a name that is not an exercise. Raises nothing.

    >>> solution("grad-slip").splitlines()[0]
    'x, y = ms.Tensor(1.0), ms.Tensor(2.0)'
    """
    exercise = _asked(name)
    if exercise is None:
        return Text(wrapped(_unknown(name)))
    return Text(exercise.solution.strip() or "The solution of this exercise is with your instructor.")


def judge_answer(exercise: Exercise, answer: Any, seconds: float = 5.0) -> Verdict:
    """The verdict on an answer that is not empty; a function is tried here, in this process."""
    if exercise.is_prediction:
        return judge_value(exercise, answer)
    if not callable(answer):
        return not_a_function(exercise, answer)
    if real := real_framework(answer):
        return Verdict("type", real, real)
    inputs, tried = list(exercise.inputs()), []
    for drawn in inputs:
        with modes_put_back():
            tried.append(try_call(answer, drawn, exercise.tensors, seconds, exercise.watched))
        if not tried[-1].came:
            break
    return judge_calls(exercise, inputs, tried)


def _right(exercise: Exercise, text: str) -> Report:
    name = exercise.name
    notice = remember(exercise, len(_given.get(name, ())))
    lines = [one_or_many(exercise.points, *RIGHT, name=name), text, *filter(None, [notice])]
    return Report(name, "right", "\n".join(lines), exercise.points)


def _not_yet(exercise: Exercise, kind: str, text: str) -> Report:
    return Report(exercise.name, kind, NOT_YET.format(name=exercise.name, text=text))


def _asked(name: str | None) -> Exercise | None:
    return find(next(reversed(_latest), "") if name is None else name)


def _unknown(name: Any, answer: Any = None) -> str:
    if not isinstance(name, str):
        return NO_NAME.format(name=answer if isinstance(answer, str) and find(answer) else "the-name")
    return UNKNOWN.format(name=name, suggestion=did_you_mean(name, EXERCISES, "labkit.progress() lists all of them."))
