"""Which file each student handed in, in the layouts that folders of submissions come in.

    ROOT/STUDENT/ASSIGNMENT/NOTEBOOK.ipynb   nbgrader's
    ROOT/STUDENT/NOTEBOOK.ipynb
    ROOT/STUDENT_ASSIGNMENT.ipynb            also STUDENT-ASSIGNMENT, ASSIGNMENT_STUDENT, or STUDENT alone

Nothing is opened through a link, and nothing here raises because of what one student did.
"""

import os
import stat
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from .opening import SubmissionError, obstacle, on_one_line, open_below
from .salvage import read_submission

__all__ = ["Submission", "SubmissionError", "find_submissions", "open_submission"]

ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json")  # browsers add the latter two
COMPARED = 20  # notebooks of one folder that are read to find out which is meant


@dataclass(frozen=True)
class Submission:
    """What one student handed in, or why it cannot be read.

    `student` is the name of the folder, or of the file without the assignment's name, as the system gives it (bytes that
    are no text as surrogate escapes). `file` is the path relative to the folder of submissions, fit to be printed.
    `problem` is empty, or a sentence; then `path` is None. `notes` say which of several files was taken, and why.
    `timestamp` (ISO 8601, UTC) is that of nbgrader's timestamp.txt, otherwise of the file's last change, which was at
    `changed` (ns).
    """

    student: str
    path: Path | None
    file: str
    problem: str
    notes: tuple[str, ...] = ()
    timestamp: str = ""
    changed: int = field(default=0, compare=False)


def find_submissions(root: Path, assignment: str, source: Path | None = None) -> list[Submission]:
    """One submission for each student, sorted by name; hidden files and checkpoints are left out.

    `source` is the instructor's notebook: it is never taken for a submission, and where no notebook of a student has the
    right name, the cells in it tell which one is meant. Raises SubmissionError where `root` or `source` is missing.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "ann_week1.ipynb").write_text("{}")
    ...     Path(folder, "bob").mkdir()
    ...     for found in find_submissions(Path(folder), "week1"):
    ...         print(found.student, found.file, found.problem)
    ann ann_week1.ipynb
    bob  The folder bob holds no notebook; expected week1.ipynb. Ask for it.
    """
    search = _Search(Path(root), assignment, source)
    found: dict[str, list[Submission]] = {}
    for candidate in search.candidates():
        found.setdefault(candidate.student, []).append(candidate)
    return [_newest(found[student]) for student in sorted(found)]


def open_submission(submission: Submission) -> bytes:
    """The bytes of a submission's file, at most `opening.LIMIT`.

    Raises SubmissionError, a sentence, where there is no file, where it or a folder on the way to it is a link, where it
    is no ordinary file with one name only, and where it is too large.
    """
    if submission.path is None:
        raise SubmissionError(submission.problem or f"{on_one_line(submission.student)} handed in no notebook.")
    depth = submission.file.count("/")
    return open_below(submission.path.parents[depth], submission.path.parts[-depth - 1 :])


def _newest(candidates: list[Submission]) -> Submission:
    """Of several files of one student the newest that can be read; the others are named in a note."""
    *others, taken = sorted(candidates, key=lambda c: (not c.problem, c.changed, c.file))
    if not others:
        return taken
    names = ", ".join(c.file or on_one_line(c.student) for c in others)
    note = f"There are {len(candidates)} files of this student: {taken.file} is graded, and not {names}."
    return replace(taken, notes=(*taken.notes, note))


class _Search:
    """One walk through a folder of submissions."""

    def __init__(self, root: Path, assignment: str, source: Path | None) -> None:
        self.root, self.assignment, self.source = root, assignment, source
        self.names = [assignment, *([source.stem] if source else [])]
        self.folded = {name.casefold() for name in self.names}
        try:
            self.original = os.stat(source) if source else None
        except OSError as error:
            raise SubmissionError(f"The instructor's notebook {source} cannot be read: {error.strerror}.") from None

    def candidates(self) -> list[Submission]:
        """What lies in the folder, in the order of the names."""
        if not self.root.is_dir():
            raise SubmissionError(f"There is no folder {self.root}; expected one that holds the students' notebooks.")
        found = []
        for name in self._listed(()):
            if _is_notebook(name):
                found.append(self._file(self._student(_stem(name)), (name,)))
            elif os.path.isdir(self.root / name) or _leads_nowhere(self.root / name):
                found.append(self._student_folder(name))
        return found

    def _listed(self, parts: tuple[str, ...]) -> list[str]:
        """The names in a folder, without hidden ones. Raises SubmissionError."""
        folder = self.root.joinpath(*parts)
        try:
            if parts and stat.S_ISLNK(os.lstat(folder).st_mode):
                raise SubmissionError(
                    f"{_joined(parts)} is a link, and links are not followed. Put the folder itself in its place."
                )
            return sorted(name for name in os.listdir(folder) if not name.startswith((".", "__MACOSX")))
        except OSError as error:
            raise SubmissionError(
                f"The folder {_joined(parts)} cannot be read: {error.strerror}. Give yourself the right to read it."
            ) from None

    def _student(self, stem: str) -> str:
        """The student that a file's name tells, without the name of the assignment."""
        for name in self.names:
            for mark in ("_", "-"):
                short = stem.removesuffix(mark + name) if stem.endswith(mark + name) else stem.removeprefix(name + mark)
                if short and short != stem:
                    return short
        return stem

    def _file(self, student: str, parts: tuple[str, ...]) -> Submission:
        path, file = self.root.joinpath(*parts), _joined(parts)
        try:
            status = os.lstat(path)
        except OSError as error:
            return Submission(student, None, file, f"{file} cannot be read: {error.strerror}.")
        if self.original and os.path.samestat(status, self.original):
            problem = f"{file} is the instructor's own notebook. Remove it, and put the student's file in its place."
        else:
            problem = obstacle(file, status)
        if problem:
            return Submission(student, None, file, problem)
        timestamp = self._timestamp(parts) or _iso(status.st_mtime)
        return Submission(student, path, file, "", (), timestamp, status.st_mtime_ns)

    def _timestamp(self, parts: tuple[str, ...]) -> str:
        """What nbgrader's timestamp.txt beside the notebook says, or an empty text."""
        if len(parts) < 2:
            return ""
        try:
            text = open_below(self.root, (*parts[:-1], "timestamp.txt"), 100).decode("ascii").strip()
            return _iso(datetime.fromisoformat(text.removesuffix(" UTC")).replace(tzinfo=UTC).timestamp())
        except (SubmissionError, ValueError, OverflowError):
            return ""

    def _student_folder(self, student: str) -> Submission:
        try:
            folder: tuple[str, ...] = (student,)
            names = self._listed(folder)
            if self.assignment in names and os.path.isdir(self.root / student / self.assignment):
                inner = self._listed((student, self.assignment))
                if any(map(_is_notebook, inner)) or not any(map(_is_notebook, names)):
                    folder, names = (student, self.assignment), inner
        except SubmissionError as error:
            return Submission(student, None, "", str(error))
        return self._choose(student, folder, names)

    def _choose(self, student: str, folder: tuple[str, ...], names: list[str]) -> Submission:
        """The right notebook of a folder: by its name, as the only one, or by its cells."""
        wanted = f"{self.names[-1]}.ipynb"
        found = {name: self._file(student, (*folder, name)) for name in names if _is_notebook(name)}
        if not found:
            there = f" There are: {on_one_line(', '.join(names[:5]))}." if names else ""
            sentence = f"The folder {_joined(folder)} holds no notebook; expected {wanted}.{there} Ask for it."
            return Submission(student, None, "", sentence)
        whole = [c for c in found.values() if not c.problem]
        named = [c for name, c in found.items() if _stem(name).casefold() in self.folded]
        if not whole:
            return (named or list(found.values()))[0]
        if right := [c for c in named if c in whole]:
            return max(right, key=lambda c: c.changed)
        return self._with_other_name(student, whole[0] if len(whole) == 1 else self._alike(whole), folder, wanted)

    def _with_other_name(
        self, student: str, chosen: Submission | None, folder: tuple[str, ...], wanted: str
    ) -> Submission:
        if chosen is None:
            sentence = f"The folder {_joined(folder)} holds several notebooks and none is named {wanted}."
            return Submission(student, None, "", f"{sentence} Rename the one that is to be graded.")
        note = f"{chosen.file} was graded, although its name is not {wanted}: no other notebook fits better."
        return replace(chosen, notes=(note,))

    def _alike(self, candidates: list[Submission]) -> Submission | None:
        """The candidate with the most of the assignment's marked cells (more than half), the newest of equals."""
        scores = [(self._marks_in(c), c.changed, i) for i, c in enumerate(candidates[:COMPARED])]
        score, _, best = max(scores)
        return candidates[best] if 2 * score > len(self._marks) else None

    @cached_property
    def _marks(self) -> frozenset[str]:
        return _marks(self.source.read_bytes()) if self.source else frozenset()

    def _marks_in(self, candidate: Submission) -> int:
        """How many of the assignment's marks stand in a file; it is not decoded, because that is for `worker` to do."""
        try:
            data = open_submission(candidate)
        except SubmissionError:
            return 0
        return sum(f'"{mark}"'.encode() in data for mark in self._marks)


def _marks(data: bytes) -> frozenset[str]:
    """The grade ids of a notebook."""
    return frozenset(cell.grade_id for cell in read_submission(data).cells if cell.grade_id)


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def _leads_nowhere(path: Path) -> bool:
    """True for a link to nothing."""
    return os.path.islink(path) and not os.path.exists(path)


def _stem(name: str) -> str:
    """A notebook's name without its ending."""
    return name[: name.lower().rindex(".ipynb")]


def _joined(parts: tuple[str, ...]) -> str:
    return "/".join(map(on_one_line, parts))


def _iso(seconds: float) -> str:
    """Seconds of the system's clock as a time in UTC; empty for a time that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""
