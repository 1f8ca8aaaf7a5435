"""The record of a grading run: one line for each graded submission, on disk before the next one is graded.

A run that is killed goes on where it stopped. The first line says what the grades depend on (the fingerprint); every
other line is a `SubmissionResult` as JSON. Of several lines for one student the last one counts.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..working_copy import DAMAGED
from .results import SubmissionResult

HEAD = '{"labkit grading journal": 1, "fingerprint": '
CHANGED = "{path} was changed while this run wrote it. Does another run use it?"
EXISTS = "{path} has the results of an earlier run. Continue it with --resume, or move the file away to grade again."
OTHER_SETTINGS = "{path} belongs to a run with other settings: {changes}. Go back to those, or move the file away."
DAMAGED_LINE = "line {number} of {path} is damaged. Delete that line: its submission is then graded again."
NO_JOURNAL = "{path} is not a journal of labkit, and was not changed. Choose another file."
IN_USE = "{name} is in use: another run grades into {folder}. Wait until it ends, or choose another --out."
NOT_GRADES = "{path} is missing, or not a journal of labkit. Use the table of grades that labkit grade wrote."


class JournalError(ValueError):
    """A journal that must not be continued, with what to do instead."""


class Journal:
    """What is graded so far: `find` it, `add` to it. `results` has the latest result of each student, in order.

    `fingerprint` is plain data, such as `{"assignment": digest, "seed": 7, "labkit": "1.2", "limits": {...}}`; values
    that JSON changes (tuples) count as what JSON makes of them. The file is open only while something is written, so
    that no process that is forked to run a student's code can hold it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     Journal.open(f"{folder}/journal.jsonl", {"seed": 7}).add(SubmissionResult("ann", "week1", (), digest="12ab"))
    ...     journal = Journal.open(f"{folder}/journal.jsonl", {"seed": 7}, resume=True)
    >>> journal.find("ann", "12ab").assignment, journal.find("ann", "other"), journal.find("bob", "")
    ('week1', None, None)
    """

    def __init__(self, path: str | os.PathLike[str], fingerprint: dict[str, Any]) -> None:
        """Use `Journal.open`. Raises JournalError for a file that is not a journal, or one of another run."""
        self.path, self.results = Path(path), dict[str, SubmissionResult]()
        data = self.path.read_bytes() if os.path.lexists(path) else b""
        self._end = self._read(data, json.loads(json.dumps(fingerprint)))
        if data:
            os.truncate(self.path, self._end)
        if not self._end:
            self._append(f"{HEAD}{json.dumps(fingerprint)}}}")

    @classmethod
    def open(cls, path: str | os.PathLike[str], fingerprint: dict[str, Any], resume: bool = False) -> "Journal":
        """Begin a journal, or with `resume` continue the one that is there, if there is one.

        Raises JournalError if the file has results and `resume` is False, if its fingerprint differs, or if a line is
        damaged that is not the last; OSError where it cannot be written.
        """
        if not resume and begun_alone(path):
            os.truncate(path, 0)  # in place: a run that has locked it keeps its lock
        elif not resume and os.path.lexists(path):
            raise JournalError(EXISTS.format(path=path))
        return cls(path, fingerprint)

    def find(self, student: str, digest: str) -> SubmissionResult | None:
        """The student's result, if it is here and the file is still the one that was graded; otherwise None."""
        found = self.results.get(student)
        return found if found is not None and found.digest == digest else None

    def add(self, result: SubmissionResult) -> None:
        """Append a result. When this returns it is on disk.

        Raises OSError (a full disk; the journal is then as before), JournalError if another run writes here, too.
        """
        self._append(json.dumps(result.as_json()))
        self.results[result.student] = result

    def _append(self, line: str) -> None:
        data = memoryview(line.encode("ascii") + b"\n")
        with open(self.path, "ab", buffering=0) as file:
            if os.fstat(file.fileno()).st_size != self._end:
                raise JournalError(CHANGED.format(path=self.path))
            try:
                while data:
                    data = data[file.write(data) :]
                os.fsync(file.fileno())
            except BaseException:
                os.ftruncate(file.fileno(), self._end)
                raise
            self._end = os.fstat(file.fileno()).st_size

    def _read(self, data: bytes, fingerprint: dict[str, Any]) -> int:
        """Fill `results`; return how many bytes are whole lines."""
        end = data.rfind(b"\n") + 1
        if not end:
            return self._torn_head(data)
        first, *lines = data[: end - 1].split(b"\n")
        self._same(fingerprint, first)
        for number, line in enumerate(lines, 2):
            self._one(number, line)
        return end

    def _torn_head(self, start: bytes) -> int:
        """Killed before the first line was whole: start again, if the file was to be a journal."""
        if start.startswith(HEAD.encode()) or HEAD.encode().startswith(start):
            return 0
        raise self._foreign()

    def _same(self, fingerprint: dict[str, Any], first: bytes) -> None:
        if not first.startswith(HEAD.encode()):
            raise self._foreign()
        try:
            before = json.loads(first)["fingerprint"]
        except DAMAGED:
            raise self._foreign() from None
        if differing := [key for key in {**before, **fingerprint} if before.get(key) != fingerprint.get(key)]:
            changes = "; ".join(f"{key}: {before.get(key)!r}, now {fingerprint.get(key)!r}" for key in differing)
            raise JournalError(OTHER_SETTINGS.format(path=self.path, changes=changes))

    def _one(self, number: int, line: bytes) -> None:
        try:
            result = SubmissionResult.from_json(json.loads(line))
        except DAMAGED:
            raise JournalError(DAMAGED_LINE.format(number=number, path=self.path)) from None
        self.results[result.student] = result

    def _foreign(self) -> JournalError:
        return JournalError(NO_JOURNAL.format(path=self.path))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other run off the journal at `path`, which is made if it is not there; a file without a result is removed.

    Raises JournalError where another run has the lock, which ends with its process; what this one starts does not have it.
    """
    with open(path, "ab") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(IN_USE.format(name=path.name, folder=path.parent)) from None
        except (ImportError, OSError):  # Windows, or a file system without locks: `Journal.add` notices another run
            pass
        try:
            yield
        finally:
            with suppress(OSError):
                if begun_alone(path):
                    os.unlink(path)


def begun_alone(path: str | os.PathLike[str]) -> bool:
    """True for a journal without any result: the run that began it could grade nothing, or is only about to begin it."""
    try:
        with open(path, "rb") as file:
            first = file.readline()
            return (not first or first.startswith(HEAD.encode())) and not file.read(1)
    except OSError:
        return False


def results_in(path: str | os.PathLike[str]) -> list[SubmissionResult]:
    """The latest result of each student, for reading only: nothing is written. Raises JournalError, OSError."""
    path = Path(path)
    head, *lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
    if not head.startswith(HEAD.encode()):
        raise JournalError(NOT_GRADES.format(path=path))
    found: dict[str, SubmissionResult] = {}
    for line in lines[:-1]:  # what stands behind the last line end is not whole
        with suppress(*DAMAGED):
            result = SubmissionResult.from_json(json.loads(line))
            found[result.student] = result
    return list(found.values())


def fingerprint_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the journal's run depended on; empty where there is no journal that can be read."""
    try:
        with open(path, encoding="ascii") as file:
            return dict(json.loads(file.readline())["fingerprint"])
    except (OSError, *DAMAGED):
        return {}


def seed_of(path: str | os.PathLike[str]) -> int | None:
    """The seed in a journal's fingerprint; None where there is no journal that can be read."""
    try:
        return int(fingerprint_of(path)["seed"])
    except DAMAGED:
        return None
