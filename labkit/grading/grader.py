"""Grade submissions: what each answer earns, by evidence from a jail, on inputs drawn now."""

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from types import MappingProxyType
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
from .bounds import Bounds, Exceeded, bounded
from .byhand import by_hand, written_answers
from .examine import Evidence, Failure, Findings, Inquiry, Pace, examine
from .matching import CodeStep, plan
from .opening import on_one_line
from .rescoring import asked_of, basis
from .results import QuestionResult, SubmissionResult
from .salvage import read_submission
from .tested import result_of_tests
from .variants import UnknownVariant, variant_of

_JUDGING = Lock()  # right answers are found with the dialects, whose modes belong to the whole process

LONGEST = 4000  # characters of a message
NOTES = 40  # of one submission
UNREADABLE = "There is nothing that could be graded."


@dataclass(frozen=True)
class Settings:
    """How a class is graded: the seed of the drawn inputs, the limits, and whether missing walls are accepted.

    `pace` and `limits` are of a student's code, `bounds` of the grader's own work on one submission.

    Who can guess the seed knows the inputs: `classwork` draws 128 bits.
    """

    seed: int
    pace: Pace = field(default_factory=Pace)
    limits: Limits = field(default_factory=Limits)
    unsafe: bool = False
    preload: tuple[str, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)


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

    `tell` hears the name of each question that is about to be judged. `worn` is true when something took more than it may:
    then a process should not go on with it. Raises `jail.layers.NotIsolated` at the start where a needed wall is missing
    and `settings.unsafe` is false.
    """

    assignment: Assignment
    settings: Settings
    drawn: dict[str, DrawnInputs] = field(default_factory=dict)
    fresh: str = ""
    tell: Callable[[str], None] = lambda name: None
    worn: bool = False
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
        self, student: str, data: bytes, file: str = "", notes: Iterable[str] = (), again: bool = False,
        called: tuple[str, ...] | None = None, beyond: Mapping[str, str] = MappingProxyType({}),
        only: Collection[str] | None = None,
    ) -> SubmissionResult:  # fmt: skip
        """What the notebook in `data` earns; raises nothing, whatever is in it.

        `again`: an earlier version was graded before, and has seen the hidden inputs; so this one gets others. `called` is
        what the student is called, by their id alone if it is not given; empty where `student` is only a system's number.
        `beyond` says of questions that are not to be judged why. `only` names the questions to grade, all where it is None.
        """
        began, drawn = time.monotonic(), self.drawn
        if again:
            self.fresh, self.drawn = hashlib.sha256(data).hexdigest(), {}
        try:
            result = self._grade(student, data, file, notes, (student,) if called is None else called, beyond, only)
        except UnknownVariant as error:
            result = self.nothing(student, str(error), file, data, only)
        except Exceeded as excess:
            self.worn = True
            result = self.nothing(student, str(excess), file, data, only)
        finally:
            self.fresh, self.drawn = "", drawn
        return replace(result, seconds=round(time.monotonic() - began, 3))

    def _grade(self, student, data, file, notes, called, beyond, only):
        with bounded("Reading the file", self.settings.bounds.reading):
            handed = read_submission(data)
            variant, others = variant_of(self.assignment, student, handed, called)
            asked = _wanted(variant, only)
            steps, matched = plan(handed, variant)
            written = written_answers(asked, handed, variant)
        with bounded("Reading what its code says", self.settings.bounds.talking):
            findings = self._examine(steps, asked)
        with _JUDGING:
            questions = tuple(self._result(q, findings, steps, written, beyond.get(q.name, "")) for q in asked)
        told = (*notes, *others, *handed.notes, *matched, *_notes_of_failures(findings, steps))
        more = (f"There are {len(told) - NOTES} more notes like these.",) if len(told) > NOTES else ()
        answers = _answers(asked, steps, written)
        return SubmissionResult(
            student, variant.name, questions, told[:NOTES] + more, file, handed.digest, answers=answers
        )

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
        self, question: Question | AddedQuestion, findings: Findings, steps: list[CodeStep], written: dict[str, str],
        beyond: str,
    ) -> QuestionResult:  # fmt: skip
        """What a question earned; to find it may take no more than `bounds` allow, and `beyond` says where it did before."""
        self.tell(question.name)
        try:
            if beyond:
                raise Exceeded(beyond)
            with bounded("To judge it", self.settings.bounds.judging):
                found = self._found(question, findings, steps, written)
        except Exceeded as excess:
            self.worn = self.worn or not beyond
            found = _unread(question, str(excess), str(excess))
        except Exception as error:  # whatever came, the others are still to be graded
            text = "What the answer gave could not be compared with anything."
            found = _unread(question, text, f"{text} ({type(error).__name__}: {error})")
        return replace(found, basis=basis(self.assignment, question))

    def _found(self, question, findings, steps, written):
        if isinstance(question, Question):
            return self._judged(question, findings, steps)
        came = findings.evidence.get(question.name, Evidence())
        found = by_hand(question, written) if question.by_hand else result_of_tests(question, came.found, came.value)
        return replace(found, text=_cut(found.text), detail=_cut(found.detail))

    def _judged(self, question: Question, findings: Findings, steps: list[CodeStep]) -> QuestionResult:
        exercise = _exercise(question)
        evidence = findings.evidence[question.name]
        failure = next((findings.failures.get(i) for i, s in enumerate(steps) if question.name in s.asks), None)
        verdict = self._verdict(exercise, question, evidence, failure)
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


def _wanted(variant: Assignment, only: Collection[str] | None) -> list[Question | AddedQuestion]:
    """The questions to grade, in the order of the notebook."""
    return [q for q in asked_of(variant) if only is None or q.name in only]


def _unread(question: Question | AddedQuestion, text: str, detail: str) -> QuestionResult:
    """What a question earned whose answer could not be judged."""
    title = question.exercise if isinstance(question, Question) else question.title
    return QuestionResult(question.name, title, 0.0, question.points, "unread", _cut(text), _cut(detail), share=0.0)


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
