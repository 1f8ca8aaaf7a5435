"""Processes that grade submissions one after the other, each with one sandbox, outside it but apart from this process.

A worker reads the file, talks to its sandbox and judges the answers, within `bounds`. A worker that exceeds them is ended and
replaced, and its file or question counts as not graded. It ends with the process that started it. Results come in any order.
"""

import signal
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from typing import Any

from ..sandbox import NotIsolated
from .assignment import Assignment
from .bounds import limit_memory
from .files import SubmissionError
from .grader import Grader, Settings
from .processes import Helper
from .results import UNGRADED, SubmissionResult
from .submissions import Submission, open_submission

TRIES = 2  # processes that one submission may cost for no reason that is known
PATIENCE = 900.0  # seconds beyond those of a submission, to start on a slow machine, and to read and to judge
NOT_GRADED = "This could not be graded: {why}."
ENDED = "the grading process ended {count} times at this file"
COMPARING = "Comparing it took {took}, and was stopped."


@dataclass(frozen=True)
class Work:
    """One submission to grade: the bytes of its file, or the problem with it; `again` where an earlier one was graded.

    `called` is what the student is called, by `student` alone if it is not given; empty where that is only a system's number.
    `beyond` names questions that cost a process when they were judged, each with what was exceeded. `only` names the
    questions to grade; None: all.
    """

    student: str
    data: bytes = b""
    problem: str = ""
    file: str = ""
    notes: tuple[str, ...] = ()
    timestamp: str = ""
    again: bool = False
    called: tuple[str, ...] | None = None
    beyond: tuple[tuple[str, str], ...] = ()
    only: frozenset[str] | None = None


def grade_one(grader: Grader, work: Work) -> SubmissionResult:
    """The result of one piece of work; raises nothing but `NotIsolated`, where no sandbox can be started any more."""
    try:
        if work.problem:
            result = grader.nothing(work.student, work.problem, work.file, work.data, work.only)
        else:
            more = work.file, work.notes, work.again, work.called, dict(work.beyond), work.only
            result = grader.grade(work.student, work.data, *more)
    except NotIsolated:
        raise
    except Exception as error:  # a fault of the grader's own: the others are still to be graded
        why = "the grader failed ({kind}: {error})".format(kind=type(error).__name__, error=error)
        return ungraded_result(grader.assignment, grader.settings, work, why)
    return replace(result, timestamp=work.timestamp, unsafe=grader.settings.unsafe)


def ungraded_result(assignment: Assignment, settings: Settings, work: Work, why: str) -> SubmissionResult:
    """A result without points and without digest, so that a run that goes on grades the submission again."""
    result = Grader(assignment, settings).nothing(work.student, NOT_GRADED.format(why=why), work.file)
    questions = tuple(replace(question, kind=UNGRADED) for question in result.questions)
    return replace(result, questions=questions, timestamp=work.timestamp)


class Worker:
    """A process with a grader, and the work that it has."""

    def __init__(self, assignment: Assignment, settings: Settings) -> None:
        self.common = assignment, settings
        self.work: Work | None = None
        self.lost, self.at, self.deadline = 0, "", 0.0
        self._start()

    def _start(self):
        self.helper = Helper(__name__)
        with suppress(OSError):
            self.line.send(self.common)

    @property
    def line(self) -> Connection:
        """Can be read when something has come."""
        return self.helper.line

    def give(self, work: Work) -> None:
        """Let it grade this."""
        if self.helper.is_lost:  # it was worn, or is lost since
            self.kill()
            self._start()
        self.work, self.at = work, ""
        self.deadline = time.monotonic() + self.common[1].pace.submission * 2 + PATIENCE
        with suppress(OSError):  # if it has ended, then so has the line, and `result` sees it
            self.line.send(replace(work, data=b""))
            self.line.send_bytes(work.data)  # as it is: to pickle it takes twice the memory

    def result(self) -> SubmissionResult | None:
        """The result, when there is one or time is over; None where more is to come, perhaps from another process.

        Raises what the process raised when it could not start, such as `NotIsolated`.
        """
        work = self.work
        assert work is not None
        late = time.monotonic() > self.deadline
        try:
            came: Any = self.line.recv() if not late and self.line.poll(0) else None
        except (EOFError, OSError):
            return self._lose(work, "")
        if late:
            return self._lose(work, "more than the time limit for a submission")
        if isinstance(came, Exception):
            raise came
        if isinstance(came, tuple):
            result, worn = came
            self.work, self.lost = None, 0
            if worn:
                self.kill()
            return result
        self.at = came or self.at
        return None

    def _lose(self, work, took):
        """The process is gone, or has to go: blame what exceeded its limit, or try again if that is unknown."""
        self.kill()
        if took or self.helper.ended_by == signal.SIGXCPU:
            return self._blame(work, took or "more than the limit on CPU time")
        self.lost += 1
        if self.lost < TRIES:
            self.give(work)
            return None
        self.work, self.lost = None, 0
        return ungraded_result(*self.common, work, ENDED.format(count=TRIES))

    def _blame(self, work, took):
        """Leave out the question that was judged; where it was the file itself, there is nothing to grade."""
        if self.at:
            self.give(replace(work, beyond=(*work.beyond, (self.at, COMPARING.format(took=took)))))
            return None
        self.work, self.lost = None, 0
        grader = Grader(*self.common)
        why = "Reading this file and its results took {took}, and was stopped.".format(took=took)
        result = grader.nothing(work.student, why, work.file, work.data, work.only)
        return replace(result, timestamp=work.timestamp)

    def end(self) -> None:
        """Close the connection, so that the process ends by itself."""
        self.helper.end()

    def kill(self) -> None:
        """End the process, and with it its sandbox."""
        self.helper.kill()


def serve(line: Connection) -> None:
    """Grade what is sent until the connection is closed."""
    try:
        _grade(line, *line.recv())
    except (EOFError, ConnectionError):
        pass
    except (RuntimeError, OSError) as error:  # no sandbox: for all of them, not for this one
        with suppress(OSError):
            line.send(error)


def _grade(line, assignment, settings):
    tell: Callable[[str], None] = line.send
    with Grader(assignment, settings, tell=tell) as grader:
        limit_memory(settings.bounds.megabytes)
        while True:
            work = replace(line.recv(), data=line.recv_bytes())
            line.send(
                (grade_one(grader, work), grader.worn)
            )  # one that is worn may still hold what it has had too much of


LOOK = 1.0  # seconds between two looks at the clocks of the workers


def work_of(submission: Submission) -> Work:
    """The submission with its file read, as far as it can be."""
    try:
        data, problem = open_submission(submission), ""
    except SubmissionError as error:
        data, problem = b"", submission.problem or str(error)
    common = submission.file, submission.notes, submission.timestamp
    return Work(submission.student, data, problem, *common, called=submission.called)


def is_graded(result: SubmissionResult) -> bool:
    """False where the grader failed, and a person has to look."""
    return all(question.kind != UNGRADED for question in result.questions)


def grade_here(assignment: Assignment, settings: Settings, works: Iterable[Work]) -> Generator[SubmissionResult]:
    """Grade one after the other in this process: for files that one trusts, because those of others may cost it."""
    works = iter(works)
    for first in islice(works, 1):  # no sandbox for nothing
        with Grader(assignment, settings) as grader:
            for work in chain([first], works):
                yield grade_one(grader, work)


def grade_in_processes(
    assignment: Assignment, settings: Settings, works: Iterable[Work], jobs: int
) -> Generator[SubmissionResult]:
    """Grade in `jobs` processes. What a lost one had is graded once more; when the generator is closed, all end at once.

    Raises what a worker raised when it could not start, such as `NotIsolated`.
    """
    works, crew = iter(works), list[Worker]()
    try:
        for work in islice(works, jobs):
            crew.append(Worker(assignment, settings))
            crew[-1].give(work)
        while crew:
            wait([worker.line for worker in crew], LOOK)
            for worker in list(crew):
                result = worker.result()
                if result is None:
                    continue
                for work in islice(works, 1):
                    worker.give(work)
                if worker.work is None:
                    crew.remove(worker)
                    worker.end()
                yield result
    finally:
        for worker in crew:
            worker.kill()
