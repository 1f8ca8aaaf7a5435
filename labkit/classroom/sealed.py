"""An exercise without its solution, for the students' notebook: its inputs, the right results and the wrong ones.

`seal` writes down, for the inputs that `check` tries, the right results and those of each wrong answer that has a sentence.
`unseal` makes exercises of that, which `check` and `hint` know like any other. No code of the exercise is in it; anyone who
takes the text apart finds the right results for these inputs, and nothing for the ones that a grader draws.
"""

import base64
import json
import textwrap
import zlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from ..evidence import decode, encode, plain_data
from .compare import differences, same
from .exercise import Exercise, Misconception, given, namespace
from .exercises import EXERCISES
from .ways import EXACT, PLAIN

WIDTH = 110  # of a line of the text
FIELDS = (
    "name", "notebook", "title", "points", "statement", "hints", "arguments", "tensors", "places", "errors", "rules",
)  # fmt: skip


def seal(exercises: Iterable[Exercise]) -> str:
    """Exercises as a text of letters and digits, for `unseal`."""
    data = json.dumps([_sealed(exercise) for exercise in exercises], separators=(",", ":"))
    return textwrap.fill(base64.b64encode(zlib.compress(data.encode(), 9)).decode(), WIDTH)


def unseal(text: str) -> None:
    """From now on `check` and `hint` know the exercises that `seal` wrote.

    Raises ValueError for a text that is damaged.
    """
    try:
        found = [_opened(**data) for data in json.loads(zlib.decompress(base64.b64decode("".join(text.split()))))]
    except Exception as error:
        raise ValueError(
            "the exercises of this notebook cannot be read: expected the text as it was handed out, but it was "
            "changed. Take the cell from the original notebook."
        ) from error
    for exercise in found:
        EXERCISES.open(exercise)


def _sealed(exercise: Exercise) -> dict[str, Any]:
    inputs = list(exercise.inputs()) if not exercise.is_prediction else [()]
    sentences = {m.name: m.sentence for m in exercise.misconceptions}
    wrong = [(w.expected, w.source) for w in exercise.wrong_answers if w.expected in sentences]
    return {
        "fields": {field: getattr(exercise, field) for field in FIELDS},
        "ways": [way.sentence for way in exercise.ways],
        "inputs": [encode(drawn) for drawn in inputs] if not exercise.is_prediction else None,
        "right": [encode(exercise.expected(drawn)) for drawn in inputs],
        "wrong": [[name, sentences[name], _results(source, exercise, inputs)] for name, source in wrong],
    }


def _results(source: str, exercise: Exercise, inputs: list[tuple]) -> list[Any]:
    """What a wrong answer gives for each input; None where it raises."""
    names: dict[str, Any] = namespace()
    exec(source, names)
    if exercise.is_prediction:
        return [encode(names["answer"])]
    found: list[Any] = []
    for drawn in inputs:
        try:
            found.append(encode(plain_data(given(names["answer"], exercise.wrap(drawn)))))
        except Exception:
            found.append(None)
    return found


def _opened(fields: dict[str, Any], ways: list, inputs: list | None, right: list, wrong: list) -> Exercise:
    drawn = None if inputs is None else [decode(one) for one in inputs]
    answers = [decode(one) for one in right]
    misconceptions = tuple(
        Misconception(name, sentence, partial(_recognises, drawn, [one and decode(one) for one in results]))
        for name, sentence, results in wrong
    )
    return Exercise(
        **{key: _tuples(value) for key, value in fields.items()}, reference=_by_inputs(drawn, answers), solution="",
        misconceptions=misconceptions, wrong_answers=(), draws=len(answers),
        draw=None if drawn is None else tuple(partial(_drawn, one) for one in drawn),
        ways=tuple(way for way in (EXACT, PLAIN) if way.sentence in ways),
    )  # fmt: skip


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _drawn(inputs: tuple, rng: np.random.Generator) -> tuple:
    return tuple(np.copy(one) if isinstance(one, np.ndarray) else one for one in inputs)


def _by_inputs(drawn: list[tuple] | None, answers: list) -> Callable[..., Any]:
    """The right answer for the inputs that were written down."""

    def reference(*inputs: Any) -> Any:
        return answers[0 if drawn is None else _place(drawn, plain_data(inputs))]

    return reference


def _place(drawn: list[tuple], inputs: tuple) -> int:
    return next(i for i, one in enumerate(drawn) if same(one, inputs))


def _recognises(drawn: list[tuple] | None, results: list, inputs: tuple, expected: Any, got: Any) -> bool:
    """A function gave what the wrong one gives; a prediction has all of its wrong items."""
    if drawn is not None:
        return same(results[_place(drawn, inputs)], got)
    if not isinstance(expected, (tuple, list)) or len(got) != len(expected):
        return same(results[0], got)
    wrong = {int(found.path[1:].split("]")[0]) for found in differences(expected, results[0]) if found.path}
    return bool(wrong) and all(same(results[0][i], got[i]) for i in wrong)
