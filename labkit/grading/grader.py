"""Grade submissions: what each answer earns, by evidence from a jail, on inputs drawn now."""

import hashlib
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from ..classroom import (
    EXERCISES,
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
)
from ..jail import Jail, JailError, Limits
from .added import AddedQuestion
from .assignment import Assignment, Question
from .byhand import by_hand, written_answers
from .examine import Evidence, Failure, Findings, Inquiry, Pace, examine
from .matching import CodeStep, plan
from .opening import on_one_line
from .rescoring import asked_of, basis
from .results import QuestionResult, SubmissionResult
from .salvage import read_submission
from .tested import result_of_tests

_JUDGING = Lock()  # right answers are found with the dialects, whose modes belong to the whole process

LONGEST = 4000  # characters of a message
NOTHING = "There is nothing that could be graded."


@dataclass(frozen=True)
class Settings:
    """How a class is graded: the seed of the drawn inputs, the limits, and whether missing walls are accepted.

    Who can guess the seed knows the inputs: `classwork` draws 128 bits.
    """

    seed: int
    pace: Pace = field(default_factory=Pace)
    limits: Limits = field(default_factory=Limits)
    unsafe: bool = False
    preload: tuple[str, ...] = ()


class DrawnInputs:
    """The inputs of one exercise in this run, and the right answers, found once.

    First come the inputs of `check`, which show every mistake that the exercise knows, then as many that nobody has seen.
    `fresh`, the digest of a submission, gives that one hidden inputs of its own.
    """

    def __init__(self, exercise: Exercise, seed: int, fresh: str = "") -> None:
        self.exercise = exercise
        text = f"{seed}\n{exercise.name}\n{fresh}".encode()
        drawn = (*exercise.inputs(), *exercise.inputs(int.from_bytes(hashlib.sha256(text).digest())))
        self.inputs: tuple[tuple, ...] = () if exercise.is_prediction else drawn
        self._answers: dict[int, Any] = {}

    def expected(self, inputs: tuple = ()) -> Any:
        """The right answer for one of `self.inputs`, or for a prediction."""
        key = id(inputs) if self.inputs else 0
        if key not in self._answers:
            self._answers[key] = self.exercise.expected(inputs)
        return self._answers[key]


@dataclass
class Grader:
    """Grades one submission after the other in a jail of its own; use it with `with`.

    Raises `jail.layers.NotIsolated` at the start where a needed wall is missing and `settings.unsafe` is false.
    """

    assignment: Assignment
    settings: Settings
    drawn: dict[str, DrawnInputs] = field(default_factory=dict)
    fresh: str = ""
    tests_jail: Jail | None = None

    def __post_init__(self) -> None:
        EXERCISES.adopt(dict(self.assignment.own))

    def __enter__(self) -> "Grader":
        self.jail = self._new_jail()
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.jail.stop()
        if self.tests_jail:
            self.tests_jail.stop()

    def _new_jail(self):
        jail = Jail(self.settings.limits, self.settings.unsafe, self.settings.preload)
        jail.start()
        return jail

    def _second_jail(self) -> Jail:
        """The jail of the instructor's tests, which no student's code enters; started where there are such tests."""
        if self.tests_jail is None:
            self.tests_jail = Jail(self.settings.limits, self.settings.unsafe, self.settings.preload)
            self.tests_jail.start()
        return self.tests_jail

    def grade(
        self,
        student: str,
        data: bytes,
        file: str = "",
        notes: Iterable[str] = (),
        again: bool = False,
        only: Collection[str] | None = None,
    ) -> SubmissionResult:
        """What the notebook in `data` earns; raises nothing, whatever is in it.

        `again`: an earlier version was graded before, and has seen the hidden inputs; so this one gets others. `only`
        names the questions to grade, all of them where it is None.
        """
        began = time.monotonic()
        handed = read_submission(data)
        if again:
            fresh = Grader(self.assignment, self.settings, fresh=handed.digest, tests_jail=self.tests_jail)
            fresh.jail = self.jail
            try:
                return fresh.grade(student, data, file, notes, only=only)
            finally:
                self.jail, self.tests_jail = fresh.jail, fresh.tests_jail
        variant = self.assignment.for_student(student)
        asked = [q for q in asked_of(variant) if only is None or q.name in only]
        steps, matched = plan(handed, variant)
        findings = self._examine(steps, asked)
        written = written_answers(asked, handed, variant)
        with _JUDGING:
            questions = tuple(self._result(q, findings, steps, written) for q in asked)
        return SubmissionResult(
            student, variant.name, questions, (*notes, *handed.notes, *matched, *_notes_of_failures(findings, steps)), file,
            handed.digest, seconds=round(time.monotonic() - began, 3), answers=_answers(asked, steps, written),
        )  # fmt: skip

    def nothing(self, student: str, problem: str, file: str = "") -> SubmissionResult:
        """The result of a student of whom there is nothing that can be read; `problem` says why."""
        questions = tuple(
            QuestionResult(
                q.name, q.title if isinstance(q, AddedQuestion) else q.exercise, 0.0, q.points, "missing", NOTHING,
                problem, share=0.0, basis=basis(self.assignment, q),
            )
            for q in asked_of(self.assignment.for_student(student))
        )  # fmt: skip
        return SubmissionResult(student, self.assignment.name, questions, (problem,), file)

    def _examine(self, steps: list[CodeStep], questions: Iterable[Question | AddedQuestion]) -> Findings:
        asked = [self._asked(q) for q in questions if not (isinstance(q, AddedQuestion) and q.by_hand)]
        try:
            return examine(self.jail, steps, asked, self.settings.pace, self._second_jail)
        except (JailError, OSError):  # a jail is gone: new ones, and once more
            self.jail.stop()
            if self.tests_jail:
                self.tests_jail.stop()
            self.jail, self.tests_jail = self._new_jail(), None
            return examine(self.jail, steps, asked, self.settings.pace, self._second_jail)

    def _asked(self, question: Question | AddedQuestion) -> Inquiry:
        if isinstance(question, AddedQuestion):
            return Inquiry(question.name, "", tests=question)
        exercise = _exercise(question)
        drawn = self._drawn(exercise).inputs
        return Inquiry(question.name, question.binds, drawn, exercise.tensors, exercise.watched, question.partial)

    def _drawn(self, exercise: Exercise) -> DrawnInputs:
        if exercise.name not in self.drawn:
            self.drawn[exercise.name] = DrawnInputs(exercise, self.settings.seed, self.fresh)
        return self.drawn[exercise.name]

    def _result(
        self, question: Question | AddedQuestion, findings: Findings, steps: list[CodeStep], written: dict[str, str]
    ) -> QuestionResult:
        if isinstance(question, AddedQuestion):
            came = findings.evidence.get(question.name, Evidence())
            found = (
                by_hand(question, written) if question.by_hand else result_of_tests(question, came.found, came.value)
            )
            found = replace(found, text=_cut(found.text), detail=_cut(found.detail))
        else:
            found = self._judged(question, findings, steps)
        return replace(found, basis=basis(self.assignment, question))

    def _judged(self, question: Question, findings: Findings, steps: list[CodeStep]) -> QuestionResult:
        exercise = _exercise(question)
        evidence = findings.evidence[question.name]
        failure = next((findings.failures.get(i) for i, s in enumerate(steps) if question.name in s.asks), None)
        try:
            verdict = self._verdict(exercise, question, evidence, failure)
        except Exception as error:  # whatever came, the others are still to be graded
            text = "What the answer gave could not be compared with anything."
            verdict = Verdict("unread", f"{text} ({type(error).__name__}: {error})", text)
        share, said = (1.0, "") if verdict else self._share(question, exercise, evidence, verdict)
        points = round(question.points * share, 6)
        hint = "" if verdict else fitting(exercise, self._wrong_items(exercise, evidence))[0]
        feedback, text = _cut(verdict.feedback) + said, _cut(verdict.text) + said
        return QuestionResult(
            question.name, exercise.name, points, question.points, verdict.kind, feedback, text, hint, share
        )

    def _share(self, question: Question, exercise: Exercise, evidence: Evidence, verdict: Verdict) -> tuple[float, str]:
        """The part of a wrong answer that is right, where that counts, and the sentence that says so."""
        drawn = self._drawn(exercise)
        if not question.partial or verdict.kind == "forbidden":
            return 0.0, ""
        if exercise.is_prediction and evidence.found == "value":
            right, of = share_of_value(exercise, evidence.value, drawn.expected)
        elif not exercise.is_prediction and evidence.found == "function":
            right, of = share_of_calls(exercise, drawn.inputs, evidence.tried, drawn.expected)
        else:
            return 0.0, ""
        return right / of, f"\nPartial credit: {right} of {of} parts are right." if right else ""

    def _wrong_items(self, exercise: Exercise, evidence: Evidence) -> tuple[int, ...] | None:
        asked = exercise.is_prediction and evidence.found == "value"
        return wrong_items(exercise, evidence.value, self._drawn(exercise).expected()) if asked else None

    def _verdict(self, exercise: Exercise, question: Question, evidence: Evidence, failure: Failure | None) -> Verdict:
        drawn = self._drawn(exercise)
        if evidence.found == "value" and exercise.is_prediction:
            return judge_value(exercise, evidence.value, drawn.expected)
        if evidence.found == "value":
            return not_a_function(exercise, evidence.value)
        if evidence.found == "function" and exercise.is_prediction:
            return judge_value(exercise, _verdict_on_functions)
        if evidence.found == "function":
            return judge_calls(exercise, drawn.inputs, evidence.tried, drawn.expected)
        return _without_answer(question.binds, evidence.found, failure, self.settings.pace)


def _verdict_on_functions() -> None:
    """A function in the place of the student's own, which never comes here."""


def _cut(text: str) -> str:
    """A message that may quote what a student's code gave: one that can be read, and printed on any terminal."""
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]} [...]"
    return "".join(c if c.isprintable() or c == "\n" else on_one_line(c) for c in text)


def _exercise(question: Question) -> Exercise:
    exercise = find(question.exercise)
    if exercise is None:
        raise LookupError(f"there is no exercise {question.exercise!r}: the assignment is of another version of labkit")
    return exercise


def _without_answer(binds: str, found: str, failure: Failure | None, pace: Pace) -> Verdict:
    """The verdict where no value came, and why."""
    if found == "missing" and failure is not None:
        begun = "The cell was stopped: " if failure.kind != "error" else "The cell raised "
        text = f", before it defined {binds}."
        return Verdict(failure.kind, begun + failure.error + text, begun + failure.place + text)
    sentences = {
        "missing": f"There is no answer: after its cell, {binds} is not defined.",
        "empty": "There is no answer yet: the ... are still there.",
        "timeout": f"It ran for more than {pace.call:g} s and was ended. Is there a loop that never ends?",
        "died": "It ended the whole process: os._exit, a crash in compiled code, or too much memory.",
        "unread": "What came back is no data that can be compared.",
    }
    return Verdict(found, sentences[found], sentences[found])


def _notes_of_failures(findings: Findings, steps: list[CodeStep]) -> list[str]:
    """A note for each cell that did not run to its end."""
    return [f"{steps[i].label.capitalize()}: {_cut(failure.place)}" for i, failure in sorted(findings.failures.items())]


def _answers(
    asked: Iterable[Question | AddedQuestion], steps: list[CodeStep], written: dict[str, str]
) -> dict[str, str]:
    """The sources of the answers that were graded; of tests, the student's cell before them."""
    found, before, names = dict[str, str](), "", {q.name for q in asked}
    for step in steps:
        before = before if step.is_given or not step.source.strip() else step.source
        found |= {name: (step.source or before)[:20_000] for name in step.asks if name in names}
    return found | {name: answer[:20_000] for name, answer in written.items()}
