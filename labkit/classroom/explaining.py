"""`explain`: more about a wrong answer: further inputs, the smallest one that fails, the first line that differs."""

import linecache
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from ..evidence import call, plain_data, try_call
from ..messages.wrapping import wrapped
from .checking import latest
from .closeness import agree, numbers, parts
from .compare import difference, shown, size
from .exercise import Exercise, modes_put_back, namespace, quiet
from .exercises import EXERCISES
from .hinting import so_far, wrong_items
from .tutor import explain_calls, sure

SEEDS = 12  # of further inputs
SECONDS = 1.0  # of CPU time for them
ONE = 1.0  # for one call
MOST = 2000  # values of variables that are kept
RIGHT = "Right for {passed} of {count} inputs. The smallest of the others: {inputs}"
FIRST = "The first variable whose value differs from that in a right answer is {name}, in line {line}: {code}"
RESULT = "Your result for it is {result}."


@dataclass(frozen=True)
class Explanation:
    """What is known about the last answer to an exercise; prints as a few lines.

    In a notebook the graph of the answer's run follows, where it can be recorded; `picture` is that graph, or None.
    """

    text: str
    answer: Any = None
    arguments: tuple = ()

    def __repr__(self) -> str:
        return wrapped(self.text)

    @cached_property
    def picture(self) -> Any:
        """`labkit.show` of the answer for the input that is shown."""
        if not callable(self.answer) or not self.arguments:
            return None
        show = import_module("labkit.widgets").show
        with quiet():
            outcome = call(lambda: show(self.answer, *self.arguments, program=False), (), 4 * ONE)
        return outcome.value

    def _ipython_display_(self) -> None:
        print(self)
        if self.picture is not None:
            import_module("IPython.display").display(self.picture)


def explain(name: str | None = None) -> Explanation:
    """More about the last answer that `check` found wrong, of the exercise `name` or of the latest one.

    For a function it tries further inputs and shows the smallest one that fails, with its result, how the results follow
    from the right ones, and, where code was to be fixed, the first line whose value differs from that in a right answer;
    in a notebook its graph is drawn. For a prediction it shows what decides the first wrong item. It never gives the
    answer away, and raises nothing.

    >>> from labkit import check
    >>> _ = check("start-shapes", [(2, 3), (3,), (4, 6), ()])
    start-shapes: not yet.
    Right so far: 3 of 4 items.
    2 * x doubles each number. The number of elements does not change.
    For a hint: hint("start-shapes")
    >>> explain("start-shapes")
    Right so far: 3 of 4 items. Look at item [2] (2 * x) first.
    A number times an array works on every element.
    """
    found = latest(name)
    if found is None:
        return Explanation("There is no answer to explain yet: check one first.")
    name, answer, verdict = found
    exercise = EXERCISES[name]
    if verdict:
        return Explanation('Your answer to "{name}" is right.'.format(name=name))
    if exercise.is_prediction or not callable(answer):
        return Explanation("\n".join(_of_prediction(exercise, answer)) or verdict.feedback)
    return _of_function(exercise, answer, verdict)


def _of_prediction(exercise: Exercise, answer: Any) -> Iterator[str]:
    if wrong := wrong_items(exercise, answer):
        yield so_far(exercise, wrong)
        if exercise.rules:
            yield exercise.rules[min(wrong[0], len(exercise.rules) - 1)]


def _of_function(exercise, answer, verdict):
    compared = list(_tried(exercise, answer))
    failed = [case for case in compared if difference(case[1], case[2])]
    if not failed:
        return Explanation(verdict.text, answer)
    smallest, passed = min(failed, key=lambda case: size(case[0])), len(compared) - len(failed)
    given = zip(exercise.arguments, smallest[0], strict=True)
    inputs, result = ", ".join(f"{name} = {shown(value)}" for name, value in given), shown(smallest[2]).rstrip(".")
    lines = [RIGHT.format(passed=passed, count=len(compared), inputs=inputs), RESULT.format(result=result)]
    named = {misconception.name: misconception.sentence for misconception in exercise.misconceptions}
    if verdict.kind in named:  # `check` knows it: another reading of the same numbers would only lead away
        lines.append(named[verdict.kind])
    elif reason := sure(explain_calls, exercise, compared, failed):
        lines.append(reason.sentence)
    if place := _first_line(exercise, answer, smallest[0]):
        lines.append(place)
    return Explanation("\n".join(lines), answer, exercise.wrap(smallest[0]))


def _tried(exercise: Exercise, answer: Callable) -> Iterator[tuple[tuple, Any, Any]]:
    """Inputs, the right results and those that came: of the inputs of `check`, then of others, for a second."""
    began = time.process_time()
    for seed in (None, *range(SEEDS)):
        for drawn in exercise.inputs(seed):
            if seed is not None and time.process_time() - began > SECONDS:
                return
            with quiet():
                one = try_call(answer, drawn, exercise.tensors, ONE)
            if one.came:
                yield drawn, exercise.expected(drawn), one.outcome.value


# ---- the first line that goes another way ----


def _first_line(exercise: Exercise, answer: Callable, inputs: tuple) -> str:
    """Where a variable of the given code first differs from the same one in the solution; an empty text if nowhere."""
    given = "```python" in exercise.statement and "def " in exercise.statement
    code = getattr(answer, "__code__", None)
    if not given or code is None:
        return ""
    names = namespace()
    with quiet():
        call(lambda: exec(compile(exercise.solution, "<solution>", "exec"), names), (), ONE)
        right = _assigned(names.get("answer"), exercise.wrap(inputs))
        mine = _assigned(answer, exercise.wrap(inputs))
    known, written = _values(right)
    lines = _values(mine)[1]
    if len(written.keys() & lines.keys()) < 2:
        return ""
    turns: dict[str, int] = {}
    for name, line, value in mine:
        turn = turns[name] = turns.get(name, -1) + 1
        alike = len(lines[name]) == len(written.get(name, ())) and turn < len(known[name])
        if alike and not agree(known[name][turn], value):
            text = linecache.getline(code.co_filename, line).strip().rstrip(":")
            return FIRST.format(name=name, line=line, code=text)
    return ""


def _values(assigned):
    """The values of each variable in their order, and the lines that give them. What is written in another number of lines
    is used in another way: its values say nothing."""
    values: dict[str, list] = {}
    lines: dict[str, set[int]] = {}
    for name, line, value in assigned:
        values.setdefault(name, []).append(value)
        lines.setdefault(name, set()).add(line)
    return values, lines


def _assigned(function: Any, arguments: tuple) -> list[tuple[str, int, Any]]:
    """Each value that a variable of `function` gets in one call: its name, the line, and the value as plain data."""
    code, found = getattr(function, "__code__", None), list[tuple[str, int, Any]]()
    inputs = code.co_varnames[: code.co_argcount] if code else ()
    before: dict[str, Any] = {}
    line = 0

    def trace(frame, event, arg):
        nonlocal line
        if frame.f_code is not code:
            return None
        for name, value in frame.f_locals.items():
            if callable(value):
                continue  # a function of one's own: whether it is another one cannot be said
            plain = plain_data(value)
            if not all(numbers(part) is not None or isinstance(part, str) for _, part in parts(plain)):
                continue  # an object of a class: that it is another one says nothing
            if len(found) < MOST and not (name in before and agree(before[name], plain)):
                if name in before or name not in inputs:
                    found.append((name, line, plain))
                before[name] = plain
        line = frame.f_lineno
        return trace

    def traced():
        earlier = sys.gettrace()
        sys.settrace(trace)
        try:
            return function(*arguments)
        finally:
            sys.settrace(earlier)

    with modes_put_back():
        call(traced, (), ONE)
    return found
