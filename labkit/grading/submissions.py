"""A student's submission: its file, its time, and which of several files counts."""

import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from .files import SubmissionError, on_one_line, open_below
from .lms_file_names import Label
from .notebook_choice import Handed
from .trees import Folder, Tree

_AS_MOODLE = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p", "%A, %d %B %Y, %H:%M")  # in English
NONE = "{student} submitted no notebook."
SAME_TIME = "Several files have the same time: {names}, {file}. Remove all but the one that counts."


def handed_in(tree: Tree, handed: Handed, label: Label) -> tuple[float | None, str]:
    """Seconds, and the source of that time: nbgrader's timestamp.txt, otherwise the file.

    None and an empty text where there is no source: files from a system or from Git have the time of the download.
    """
    if (stamp := _stamp(tree, handed, label)) is not None:
        return stamp, "timestamp.txt"
    if not label.layout.own_times or not handed.changed or _in_checkout(tree, handed):
        return None, ""
    return handed.changed, "the file"


def _stamp(tree: Tree, handed: Handed, label: Label) -> float | None:
    """What nbgrader's timestamp.txt says, in the folder that nbgrader collects in: one inside a submission is no evidence."""
    collected = isinstance(tree, Folder) and label.layout.own_times and len(handed.parts) == 3 and not handed.inside
    if not collected or _in_checkout(tree, handed):
        return None
    try:
        text = tree.read((*handed.parts[:-1], "timestamp.txt"), 100).decode("ascii").strip()
        time = datetime.fromisoformat(text.removesuffix(" UTC")).replace(tzinfo=UTC).timestamp()
        return time if iso(time) else None
    except (SubmissionError, ValueError, OverflowError):
        return None


def _in_checkout(tree: Tree, handed: Handed) -> bool:
    """True for a file in a checkout of Git, whose dates the student's computer writes."""
    above = range(1, len(handed.parts)) if isinstance(tree, Folder) else ()
    return any(tree.path((*handed.parts[:depth], ".git")).exists() for depth in above)


def moment(text: str, zone: tzinfo | None) -> datetime | None:
    """A time of a table: ISO 8601, or as Moodle writes it in English; None for another text, or where no zone is known.

    >>> print(moment("Monday, 30 November 2026, 10:15 PM", UTC), moment("-", UTC))
    2026-11-30 22:15:00+00:00 None
    """
    found = _as_iso(text) or next(filter(None, (_as(form, text) for form in _AS_MOODLE)), None)
    if found is None or (found.tzinfo is None and zone is None):
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)


def _as_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.removesuffix(" UTC") + "+00:00" * text.endswith(" UTC"))
    except ValueError:
        return None


def _as(form: str, text: str) -> datetime | None:
    try:
        return datetime.strptime(text.replace("\u202f", " "), form)
    except ValueError:
        return None


def iso(seconds: float) -> str:
    """Seconds of the system's clock as a time in UTC; empty for a time that no calendar has.

    >>> iso(0), iso(1e300)
    ('1970-01-01T00:00:00+00:00', '')
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


__all__ = ["Collected", "Stranger", "Submission", "SubmissionError", "latest", "open_submission"]


@dataclass(frozen=True)
class Submission:
    """What one student handed in, or why it cannot be read.

    `student` is the id on the roster; without one, what the layout says: the name of the folder, of the file without the
    assignment's name, the system's number. `path` is the file or the archive that it is in, `file` the path relative to the
    folder of submissions, fit to be printed; `file` is empty where nothing was handed in. `problem` is empty, or a sentence;
    then `path` is None. `notes` say which of several files was taken, and why. `timestamp` (ISO 8601, UTC) is when it was
    handed in, as `time_from` says it: "timestamp.txt", "the roster", "the file";
    the time of a file that says nothing of the handing in is not given. `late` is what the system marked, None where it marks
    nothing. `changed` (ns) orders several files. `called` is what the student is called: on the roster, or by the name of the
    folder or file; empty where there is only a system's number. `page` is the name for a page
    of feedback in an archive for the system, with {page} in it.
    """

    student: str
    path: Path | None
    file: str
    problem: str
    notes: tuple[str, ...] = ()
    timestamp: str = ""
    changed: int = field(default=0, compare=False)
    time_from: str = field(default="", compare=False)
    late: bool | None = field(default=None, compare=False)
    name: str = field(default="", compare=False)
    called: tuple[str, ...] = field(default=(), compare=False)
    page: str = field(default="", compare=False)
    handed: Handed | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Stranger:
    """An entry of which it is not known whose it is, and why; `is_work` where it may be what a student handed in."""

    file: str
    why: str
    is_work: bool = True


@dataclass(frozen=True)
class Collected:
    """One submission for each student, sorted by id, and the files that match no student."""

    submissions: list[Submission]
    strangers: list[Stranger]


def open_submission(submission: Submission) -> bytes:
    """The bytes of a submission's file, at most `opening.LIMIT`.

    Raises SubmissionError, a sentence, where there is no file, where it or a folder on the way to it is a link, where it
    is not an ordinary file with one name only, and where it is too large.
    """
    if submission.path is None:
        raise SubmissionError(submission.problem or NONE.format(student=on_one_line(submission.student)))
    if submission.handed is not None:
        return submission.handed.read()
    depth = submission.file.count("/")
    return open_below(submission.path.parents[depth], submission.path.parts[-depth - 1 :])


def latest(candidates: list[Submission]) -> Submission:
    """Of several files of one student the later that can be read; the others are named in a note."""
    *others, taken = sorted(candidates, key=lambda c: (not c.problem, c.changed, c.file))
    if not others:
        return taken
    names = ", ".join(c.file or on_one_line(c.student) for c in others)
    if not taken.problem and any(not c.problem and c.changed == taken.changed and _differ(c, taken) for c in others):
        problem = SAME_TIME.format(names=names, file=taken.file)
        return replace(taken, path=None, problem=problem)
    note = "The student has several files: labkit grades {file}, not {names}.".format(file=taken.file, names=names)
    return replace(taken, notes=(*taken.notes, note))


def _differ(one: Submission, other: Submission) -> bool:
    try:
        return hashlib.sha256(open_submission(one)).digest() != hashlib.sha256(open_submission(other)).digest()
    except SubmissionError:
        return True
