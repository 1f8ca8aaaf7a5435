"""What a student handed in, what is nobody's, and the one of several files that counts."""

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

from .choosing import Handed
from .opening import SubmissionError, on_one_line, open_below

__all__ = ["Collected", "Stranger", "Submission", "SubmissionError", "latest", "open_submission"]


@dataclass(frozen=True)
class Submission:
    """What one student handed in, or why it cannot be read.

    `student` is the id on the roster; without one, what the layout says: the name of the folder, of the file without the
    assignment's name, the system's number. `path` is the file or the archive that it is in, `file` the path relative to the
    folder of submissions, fit to be printed; `file` is empty where nothing was handed in. `problem` is empty, or a sentence;
    then `path` is None. `notes` say which of several files was taken, and why. `timestamp` (ISO 8601, UTC) is when it was
    handed in, as `time_from` says it: "timestamp.txt", "the commit", "the roster", "Moodle" (a system's name), "the file";
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
    """One submission for each student, sorted by id, and what is nobody's."""

    submissions: list[Submission]
    strangers: list[Stranger]


def open_submission(submission: Submission) -> bytes:
    """The bytes of a submission's file, at most `opening.LIMIT`.

    Raises SubmissionError, a sentence, where there is no file, where it or a folder on the way to it is a link, where it
    is no ordinary file with one name only, and where it is too large.
    """
    if submission.path is None:
        raise SubmissionError(submission.problem or f"{on_one_line(submission.student)} handed in no notebook.")
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
        problem = f"There are {len(candidates)} files of this student ({names}, {taken.file}), and nothing says which is later."
        return replace(taken, path=None, problem=f"{problem} Leave the one that counts.")
    note = f"There are {len(candidates)} files of this student: {taken.file} is graded, and not {names}."
    return replace(taken, notes=(*taken.notes, note))


def _differ(one: Submission, other: Submission) -> bool:
    try:
        return hashlib.sha256(open_submission(one)).digest() != hashlib.sha256(open_submission(other)).digest()
    except SubmissionError:
        return True
