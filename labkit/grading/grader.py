"""Grades submissions: the points of each answer, by evidence from a sandbox on random inputs."""

import hashlib
import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from types import MappingProxyType
from typing import Any

from ..classroom import EXERCISES
from ..sandbox import Limits, Sandbox, SandboxError
from .assignment import Assignment, Question
from .bindings import definitions, without_magics
from .bounds import Bounds, Exceeded, bounded
from .damaged_notebooks import read_submission
from .dialogue import result_of_tests
from .disclosure import LATE
from .examine import examine
from .findings import Evidence, Findings, Inquiry, Pace
from .instructor_questions import AddedQuestion
from .judging import Judge, cut, exercise_of
from .manual import by_hand, by_person, known_ids, pictures_of, written_answers
from .matching import NOT_DRAWN, NOWHERE, CodeStep, UnknownVariant, plan, variant_of
from .rescoring import asked_of, basis
from .results import BY_HAND, QuestionResult, SubmissionResult

_JUDGING = Lock()  # right answers are found with the dialects, whose modes belong to the whole process

NOTES = 40  # of one submission
UNREADABLE = "Nothing could be graded."


@dataclass(frozen=True)
class Settings:
    """How a class is graded: the seed of the drawn inputs, the limits, and whether missing layers are accepted.

    `pace` and `limits` are of a student's code, `bounds` of the grader's own work on one submission.

    Who can guess the seed knows the inputs: `classwork` draws 128 bits.
    """

    seed: int
    pace: Pace = field(default_factory=Pace)
    limits: Limits = field(default_factory=Limits)
    unsafe: bool = False
    preload: tuple[str, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)


@dataclass
class Grader:
    """Grades one submission after the other in a sandbox of its own; use it with `with`.

    `tell` is called with the name of each question that is about to be judged. `worn` is true when something exceeded its
    limit: then a process should stop using it. Raises `sandbox.layers.NotIsolated` at the start where a needed layer is missing
    and `settings.unsafe` is false.
    """

    assignment: Assignment
    settings: Settings
    tell: Callable[[str], None] = lambda name: None
    worn: bool = False
    tests_sandbox: Sandbox | None = None

    def __post_init__(self) -> None:
        EXERCISES.adopt(dict(self.assignment.own))
        self.judge = Judge(self.settings.seed, self.settings.pace)

    def __enter__(self) -> "Grader":
        self.sandbox = self._new_sandbox()
        return self

    def __exit__(self, *ignored: Any) -> None:
        self.sandbox.stop()
        if self.tests_sandbox:
            self.tests_sandbox.stop()

    def _new_sandbox(self):
        sandbox = Sandbox(self.settings.limits, self.settings.unsafe, self.settings.preload)
        sandbox.start()
        return sandbox

    def _second_sandbox(self) -> Sandbox:
        """The sandbox of the instructor's tests, which no student's code enters; started where there are such tests."""
        if self.tests_sandbox is None:
            self.tests_sandbox = Sandbox(self.settings.limits, self.settings.unsafe, self.settings.preload)
            self.tests_sandbox.start()
        return self.tests_sandbox

    def grade(
        self, student: str, data: bytes, file: str = "", notes: Iterable[str] = (), again: bool = False,
        called: tuple[str, ...] | None = None, beyond: Mapping[str, str] = MappingProxyType({}),
        only: Collection[str] | None = None,
    ) -> SubmissionResult:  # fmt: skip
        """What the notebook in `data` earns; raises nothing, whatever is in it.

        `again`: an earlier version was graded before, and has seen the hidden inputs; so this one gets others. `called` is
        what the student is called, by their id alone if it is not given; empty where `student` is only a system's number.
        `beyond` says of questions that are not to be judged why. `only` names the questions to grade, all where it is None.
        """
        began, known = time.monotonic(), (student,) if called is None else called
        try:
            with self.judge.others(hashlib.sha256(data).hexdigest()) if again else nullcontext():
                result = self._grade(student, data, file, notes, known, beyond, only)
        except UnknownVariant as error:
            result = self.nothing(student, str(error), file, data, only)
        except Exceeded as excess:
            self.worn = True
            result = self.nothing(student, str(excess), file, data, only)
        return replace(result, seconds=round(time.monotonic() - began, 3))

    def _grade(self, student, data, file, notes, called, beyond, only):
        pictures: dict[str, list[str]] = {}
        with bounded("Reading the file", self.settings.bounds.reading):
            handed = read_submission(data)
            variant, others, undrawn = variant_of(self.assignment, student, handed, called)
            asked = _wanted(variant, only)
            steps, matched = plan(handed, variant)
            written = written_answers(asked, handed, variant)
        with suppress(Exceeded), bounded("Reading the pictures", self.settings.bounds.reading):
            pictures = pictures_of(data, {q.name: q.kind for q in by_person(asked)}, known_ids(variant))
        with bounded("Reading the results of its code", self.settings.bounds.talking):
            findings = self._examine(steps, [q for q in asked if q.name not in undrawn])
        with _JUDGING:
            questions = tuple(
                self._not_drawn(q)
                if q.name in undrawn
                else self._result(q, findings, steps, written, beyond.get(q.name, ""))
                for q in asked
            )
        told = (*notes, *others, *handed.notes, *matched, *_notes_of_failures(findings, steps))
        more = ("More notes: {count}.".format(count=len(told) - NOTES),) if len(told) > NOTES else ()
        answers = _answers(asked, steps, written)
        return SubmissionResult(
            student, variant.name, questions, told[:NOTES] + more, file, handed.digest, answers=answers, pictures=pictures
        )  # fmt: skip

    def nothing(
        self, student: str, problem: str, file: str = "", data: bytes = b"", only: Collection[str] | None = None
    ) -> SubmissionResult:
        """The result of a student of whom there is nothing that can be read; `problem` says why."""
        questions = tuple(
            QuestionResult(
                q.name, q.title if isinstance(q, AddedQuestion) else q.exercise, 0.0, q.points, "missing", UNREADABLE,
                problem, share=0.0, basis=basis(self.assignment, q),
            )
            for q in _wanted(self.assignment.for_student(student), only)
        )  # fmt: skip
        digest = hashlib.sha256(data).hexdigest() if data else ""
        return SubmissionResult(student, self.assignment.name, questions, (problem,), file, digest)

    def _examine(self, steps: list[CodeStep], questions: Iterable[Question | AddedQuestion]) -> Findings:
        asked = [self._asked(q) for q in questions if not (isinstance(q, AddedQuestion) and q.by_hand)]
        try:
            return examine(self.sandbox, steps, asked, self.settings.pace, self._second_sandbox)
        except (SandboxError, OSError):  # a sandbox is gone: new ones, and once more
            self.sandbox.stop()
            if self.tests_sandbox:
                self.tests_sandbox.stop()
            self.sandbox, self.tests_sandbox = self._new_sandbox(), None
            return examine(self.sandbox, steps, asked, self.settings.pace, self._second_sandbox)

    def _asked(self, question: Question | AddedQuestion) -> Inquiry:
        if isinstance(question, AddedQuestion):
            return Inquiry(question.name, "", tests=question)
        exercise = exercise_of(question)
        drawn = self.judge.of(exercise)
        sent = drawn.inputs, drawn.data
        return Inquiry(question.name, question.binds, *sent, exercise.tensors, exercise.watched, question.partial)

    def _not_drawn(self, question: Any) -> QuestionResult:
        """The result of an answer to another question than the student's own: a person has to look."""
        known = basis(self.assignment, question)
        text = NOT_DRAWN, "{exercise} is not this student's variant".format(exercise=question.exercise)
        return QuestionResult(
            question.name, question.exercise, 0.0, question.points, BY_HAND, *text, share=0.0, basis=known
        )

    def _result(
        self, question: Question | AddedQuestion, findings: Findings, steps: list[CodeStep], written: dict[str, str],
        beyond: str,
    ) -> QuestionResult:  # fmt: skip
        """What a question earned; to find it may take no more than `bounds` allow, and `beyond` says where it did before."""
        self.tell(question.name)
        try:
            if beyond:
                raise Exceeded(beyond)
            with bounded("Comparing the answer", self.settings.bounds.judging):
                found = self._found(question, findings, steps, written)
        except Exceeded as excess:
            self.worn = self.worn or not beyond
            found = _unread(question, str(excess), str(excess))
        except Exception as error:  # whatever came, the others are still to be graded
            text = "The result of the answer could not be compared."
            found = _unread(question, text, f"{text} ({type(error).__name__}: {error})")
        return replace(found, basis=basis(self.assignment, question))

    def _found(self, question, findings, steps, written):
        if isinstance(question, Question):
            return self.judge.judged(question, findings, steps)
        came = findings.evidence.get(question.name, Evidence())
        found = by_hand(question, written) if question.by_hand else result_of_tests(question, came.found, came.value)
        return replace(found, text=cut(found.text), detail=cut(found.detail))


def _wanted(variant: Assignment, only: Collection[str] | None) -> list[Question | AddedQuestion]:
    """The questions to grade, in the order of the notebook."""
    return [q for q in asked_of(variant) if only is None or q.name in only]


def _unread(question: Question | AddedQuestion, text: str, detail: str) -> QuestionResult:
    """What a question earned whose answer could not be judged."""
    title = question.exercise if isinstance(question, Question) else question.title
    return QuestionResult(question.name, title, 0.0, question.points, "unread", cut(text), cut(detail), share=0.0)


def _notes_of_failures(findings: Findings, steps: list[CodeStep]) -> list[str]:
    """A note for each cell that did not run to its end."""
    return [
        f"{LATE * failure.late}{steps[i].label.capitalize()}: {cut(failure.place)}"
        for i, failure in sorted(findings.failures.items())
    ]


def _answers(
    asked: Iterable[Question | AddedQuestion], steps: list[CodeStep], written: dict[str, str]
) -> dict[str, str]:
    """The sources of the answers that were graded; where the step has none, the last cell before it that gives a name of it."""
    found, cells = dict[str, str](), list[str]()
    wanted = {q.name: _names(q) for q in asked}
    for step in steps:
        cells += [] if step.is_given or not step.source.strip() else [step.source]
        for name in step.asks:
            if name in wanted:
                giving = (one for one in reversed(cells) if wanted[name] & set(definitions(without_magics(one)) or ()))
                last = cells[-1] if cells and step.label != NOWHERE else ""
                found[name] = (step.source or next(giving, last))[:20_000]
    return found | {name: answer[:20_000] for name, answer in written.items()}


def _names(question: Question | AddedQuestion) -> set[str]:
    """The names that an answer gives; of tests those that they use."""
    if isinstance(question, Question):
        return {question.binds}
    return set(question.answers).intersection(re.findall(r"\w+", question.source))
