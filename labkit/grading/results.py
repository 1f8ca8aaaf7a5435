"""The results of grading, as data: one `SubmissionResult` for each student, one `QuestionResult` for each question."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

UNGRADED = "ungraded"  # the kind of result where the grader failed, and not the student
BY_HAND, MARKED = "by-hand", "marked"  # kinds of result where a person grades
GRADED, NOTHING, UNREAD, FAILED = (
    "graded",
    "no submission",
    "could not be read",
    "not graded",
)  # states of a submission


@dataclass(frozen=True)
class QuestionResult:
    """What one answer earned.

    `question` is the name of the question in the assignment, `exercise` the exercise it asked (they differ where each
    student gets one of several). `kind` is "right", "missing", "empty", "type", "arguments", "error", "timeout",
    "printed", "mutated", "died", one of the stages of a comparison ("kind", "structure", "shape", "value"), or
    the name of the misconception that was recognised; of questions that an instructor added "tests" (one is not passed),
    "by-hand" (a person has to grade it) or "marked" (one has). `text` is for the student and holds no drawn input and no
    expected value; `detail` is for the instructor, and is the text that `check` would show. `share` is the part of the
    answer that is right, from 0 to 1, None where it is not known; `basis` is a digest of what that was found by; `comment`
    is a person's.
    """

    question: str
    exercise: str
    points: float
    max_points: float
    kind: str
    text: str
    detail: str = ""
    hint: str = ""
    share: float | None = None
    basis: str = ""
    comment: str = ""


@dataclass(frozen=True)
class SubmissionResult:
    """What one student's submission earned.

    `notes` say what could not be found or was not as handed out. `answers` are the sources that were graded, by question.
    `pictures` are those of answers that a person grades, as Base64, by question.
    `file` is the path relative to the folder of submissions, "" where there is none; `digest` is the SHA-256 of its bytes.
    `timestamp` is when it was handed in, as ISO 8601, in UTC where it names no zone; "" if unknown. `unsafe`: it was
    graded where the code of others may have been in reach.
    """

    student: str
    assignment: str
    questions: tuple[QuestionResult, ...]
    notes: tuple[str, ...] = ()
    file: str = ""
    digest: str = ""
    timestamp: str = ""
    seconds: float = 0.0
    answers: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, list[str]] = field(default_factory=dict)
    unsafe: bool = False

    @property
    def score(self) -> float:
        """Points earned."""
        return sum(q.points for q in self.questions)

    @property
    def max_score(self) -> float:
        """Points that could be earned."""
        return sum(q.max_points for q in self.questions)

    @property
    def state(self) -> str:
        """GRADED; NOTHING (handed in), UNREAD (no answer was found in what was), or FAILED (the grader did)."""
        if any(question.kind == UNGRADED for question in self.questions):
            return FAILED
        counts = any(question.kind != "missing" or question.points for question in self.questions)
        if counts or any(map(str.strip, self.answers.values())):
            return GRADED
        return UNREAD if self.file or self.digest else NOTHING

    @property
    def to_mark(self) -> tuple[str, ...]:
        """The questions that a person has to grade yet."""
        return tuple(q.question for q in self.questions if q.kind == BY_HAND)

    @property
    def submitted(self) -> datetime | None:
        """When it was handed in, in UTC and without a zone, as nbgrader stores it; None if unknown.

        >>> SubmissionResult("ann", "week1", (), timestamp="2025-03-01T14:30:00+02:00").submitted
        datetime.datetime(2025, 3, 1, 12, 30)
        """
        return in_utc(self.timestamp)

    def as_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads again."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "SubmissionResult":
        """The result that `as_json` wrote."""
        questions = tuple(QuestionResult(**q) for q in data["questions"])
        return cls(**{**data, "questions": questions, "notes": tuple(data["notes"])})


def in_utc(timestamp: str) -> datetime | None:
    """A time of ISO 8601 (nbgrader's own "... UTC" too) in UTC and without a zone; None for any other text.

    >>> print(in_utc("2025-03-01 12:30:00 UTC"), in_utc("tomorrow"))
    2025-03-01 12:30:00 None
    """
    try:
        moment = datetime.fromisoformat(timestamp.strip().removesuffix(" UTC"))
        return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        return None


def by_question(results: Iterable[SubmissionResult]) -> dict[str, list[QuestionResult]]:
    """The results of each question, in the order of the assignment."""
    gathered: dict[str, list[QuestionResult]] = {}
    for result in results:
        for question in result.questions:
            gathered.setdefault(question.question, []).append(question)
    return gathered
