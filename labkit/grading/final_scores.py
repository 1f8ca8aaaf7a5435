"""Final scores: the points earned, less the late penalty."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from .late_policy import Policy
from .pages import points
from .results import NOTHING, SubmissionResult, in_utc
from .roster import Roster, Student
from .submissions import Submission

LATE = "Days late: {days} ({source}). Late penalty: {taken} of {score} points."


@dataclass(frozen=True)
class Final:
    """What counts of one student: the `result`, who it is on the roster, days late (None: not known) and points taken off.

    `time_from` is what says when it was handed in, `policy` by what rules points are taken off.
    """

    result: SubmissionResult
    student: Student | None = None
    due: datetime | None = None
    days: int | None = 0
    taken_off: float = 0.0
    time_from: str = ""
    policy: Policy = field(default_factory=Policy)

    @classmethod
    def of(cls, result: "SubmissionResult | Final") -> "Final":
        """A result without a due date, a penalty and a name, where it is not final yet."""
        return result if isinstance(result, Final) else cls(result)

    def shown(self, time: datetime | None) -> datetime | None:
        """A time in the zone of the course; without one, or for a time that names none, in UTC."""
        aware = time if time is None or time.tzinfo else time.replace(tzinfo=UTC)
        return aware.astimezone(self.policy.zone or UTC) if aware else None

    @property
    def score(self) -> float:
        """Points that count."""
        return float(self.result.score) - self.taken_off

    @property
    def timeless(self) -> bool:
        """True for a submission whose lateness is unknown."""
        return self.days is None and self.result.state != NOTHING


def finals_of(
    results: Iterable[SubmissionResult], found: Iterable[Submission], roster: Roster | None, policy: Policy
) -> list[Final]:
    """What counts of each result; a late submission gets a note."""
    submissions = {submission.student: submission for submission in found}
    students = roster.by_id if roster else {}
    return [_final(result, submissions[result.student], students.get(result.student), policy) for result in results]


def _final(result: SubmissionResult, submission: Submission, student: Student | None, policy: Policy) -> Final:
    called = submission.called or (submission.student,)
    time = in_utc(submission.timestamp) if submission.timestamp else None
    marked = submission.late if time is None else None
    due = policy.due_for(called)
    days = policy.days_late(called, time.replace(tzinfo=UTC) if time else None, marked)
    days = days if result.state != NOTHING else 0
    taken_off = policy.taken_off(days, float(result.score), float(result.max_score))
    result = replace(result, timestamp=submission.timestamp)
    told_by = submission.time_from or ("the system's LATE mark" if time is None and submission.late is not None else "")
    if days:
        text = LATE.format(days=days, source=told_by, taken=points(taken_off), score=points(result.score))
        result = replace(result, notes=(*result.notes, text))
    told_by = told_by if result.state != NOTHING else ""
    return Final(result, student or _as_named(submission), due, days, taken_off, told_by, policy)


def _as_named(submission: Submission) -> Student | None:
    """The student as a system's name of the file says it; None where it says an id alone."""
    first, _, last = submission.name.rpartition(" ")
    return Student(submission.student, first, last, submission.name) if submission.name else None


def unknown_extensions(policy: Policy, roster: Roster) -> list[str]:
    """The names in the extensions that are not on the roster."""
    named = {key for student in roster.students for _, key in student.keys} | set(roster.by_id)
    return [name for name in policy.extensions if name not in named]
