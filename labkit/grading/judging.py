"""Judges answers by the evidence of a sandbox, against right results on the random inputs of this run."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..classroom import (
    Exercise,
    Verdict,
    find,
    fitting,
    judge_calls,
    judge_value,
    not_a_function,
    share_of_calls,
    share_of_value,
    wrong_items,
)  # fmt: skip
from ..evidence import encode
from .assignment import Question
from .files import on_one_line
from .findings import Evidence, Failure, Findings, Pace
from .matching import CodeStep
from .results import QuestionResult

LONGEST = 4000  # characters of a message
RAISED = "The cell raised {error}, before it defined {name}."
STOPPED = "The cell was stopped: {error}, before it defined {name}."
WITHOUT = {  # an answer
    "missing": "There is no answer: the cell of this question is missing, or does not define {name}.",
    "empty": "There is no answer yet: the cell still contains the three dots.",
    "timeout": "It ran for more than {seconds:g} s and was stopped. Is there an infinite loop?",
    "died": "The process ended: os._exit, a crash in compiled code, or too much memory.",
    "unread": "The result is not data that can be compared.",
}
PARTIAL = "\nPartial credit: {right} of {of} parts are right."
UNKNOWN = "there is no exercise {exercise!r}: the assignment is of another version of labkit"


class DrawnInputs:
    """The inputs of one exercise in this run, and the right answers, found once.

    First come the inputs of `check`, which show every mistake that the exercise knows, then as many hidden ones.
    `fresh`, the digest of a submission, gives that one hidden inputs of its own.
    """

    def __init__(self, exercise: Exercise, seed: int, fresh: str = "") -> None:
        self.exercise = exercise
        text = f"{seed}\n{exercise.name}\n{fresh}".encode()
        drawn = (*exercise.inputs(), *exercise.inputs(int.from_bytes(hashlib.sha256(text).digest())))
        self.inputs: tuple[tuple, ...] = () if exercise.is_prediction else drawn
        self._answers: dict[int, Any] = {}

    @cached_property
    def data(self) -> tuple[list, ...]:
        """The inputs as they are sent to an answer."""
        return tuple(map(encode, self.inputs))

    def expected(self, inputs: tuple = ()) -> Any:
        """The right answer for one of `self.inputs`, or for a prediction."""
        key = id(inputs) if self.inputs else 0
        if key not in self._answers:
            self._answers[key] = self.exercise.expected(inputs)
        return self._answers[key]


@dataclass
class Judge:
    """Judges answers. `seed` draws the inputs, each exercise's once; `fresh`, the digest of a submission, draws others."""

    seed: int
    pace: Pace
    fresh: str = ""
    drawn: dict[str, DrawnInputs] = field(default_factory=dict)

    @contextmanager
    def others(self, fresh: str) -> Iterator[None]:
        """Inside, the inputs are others than those that an earlier version of a submission has seen."""
        before = self.fresh, self.drawn
        self.fresh, self.drawn = fresh, {}
        try:
            yield
        finally:
            self.fresh, self.drawn = before

    def of(self, exercise: Exercise) -> DrawnInputs:
        """The inputs of an exercise."""
        if exercise.name not in self.drawn:
            self.drawn[exercise.name] = DrawnInputs(exercise, self.seed, self.fresh)
        return self.drawn[exercise.name]

    def judged(self, question: Question, findings: Findings, steps: list[CodeStep]) -> QuestionResult:
        """What an answer earned, by the evidence that was gathered."""
        exercise = exercise_of(question)
        evidence = findings.evidence[question.name]
        failure = next((findings.failures.get(i) for i, s in enumerate(steps) if question.name in s.asks), None)
        verdict = self._verdict(exercise, question, evidence, failure)
        share, said = (1.0, "") if verdict else self._share(question, exercise, evidence, verdict)
        points = round(question.points * share, 6)
        hint = "" if verdict else fitting(exercise, self._wrong_items(exercise, evidence))[0]
        feedback, text = cut(verdict.feedback) + said, cut(verdict.text) + said
        return QuestionResult(
            question.name, exercise.name, points, question.points, verdict.kind, feedback, text, hint, share
        )

    def _share(self, question: Question, exercise: Exercise, evidence: Evidence, verdict: Verdict) -> tuple[float, str]:
        """The part of a wrong answer that is right, where that counts, and the sentence that says so."""
        drawn = self.of(exercise)
        if not question.partial or verdict.kind == "forbidden":
            return 0.0, ""
        if exercise.is_prediction and evidence.found == "value":
            right, of = share_of_value(exercise, evidence.value, drawn.expected)
        elif not exercise.is_prediction and evidence.found == "function":
            right, of = share_of_calls(exercise, drawn.inputs, evidence.tried, drawn.expected)
        else:
            return 0.0, ""
        return right / of, PARTIAL.format(right=right, of=of) if right else ""

    def _wrong_items(self, exercise: Exercise, evidence: Evidence) -> tuple[int, ...] | None:
        asked = exercise.is_prediction and evidence.found == "value"
        return wrong_items(exercise, evidence.value, self.of(exercise).expected()) if asked else None

    def _verdict(self, exercise: Exercise, question: Question, evidence: Evidence, failure: Failure | None) -> Verdict:
        drawn = self.of(exercise)
        if evidence.found == "value" and exercise.is_prediction:
            return judge_value(exercise, evidence.value, drawn.expected)
        if evidence.found == "value":
            return not_a_function(exercise, evidence.value)
        if evidence.found == "function" and exercise.is_prediction:
            return judge_value(exercise, _verdict_on_functions)
        if evidence.found == "function":
            return judge_calls(exercise, drawn.inputs, evidence.tried, drawn.expected)
        return _without_answer(question.binds, evidence.found, failure, self.pace)


def _verdict_on_functions() -> None:
    """A function that stands for the student's own, which never leaves the sandbox."""


def cut(text: str) -> str:
    """A message that may quote what a student's code gave: one that can be read, and printed on any terminal."""
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]} [...]"
    return "".join(c if c.isprintable() or c == "\n" else on_one_line(c) for c in text)


def exercise_of(question: Question) -> Exercise:
    """The exercise that a question asks."""
    exercise = find(question.exercise)
    if exercise is None:
        raise LookupError(UNKNOWN.format(exercise=question.exercise))
    return exercise


def _without_answer(binds: str, found: str, failure: Failure | None, pace: Pace) -> Verdict:
    """The verdict where no value came, and why."""
    if found == "missing" and failure is not None:
        text = RAISED if failure.kind == "error" else STOPPED
        place = "an error" if failure.late and failure.kind == "error" else failure.place
        shown, full = (text.format(name=binds, error=error) for error in (place, failure.error))
        return Verdict(failure.kind, full, shown)
    sentence = WITHOUT[found].format(name=binds, seconds=pace.call)
    return Verdict(found, sentence, sentence)
