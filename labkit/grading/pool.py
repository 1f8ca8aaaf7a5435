"""Grade many submissions: in this process, or in several of this machine. `cluster` does it on several machines.

Every worker holds one `Grader`, and so one jail, and has one submission at a time: so memory is bounded whatever the size
of a class, and it is known what a worker had that was lost. Results come in any order.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from multiprocessing.connection import wait
from typing import Any

from ..jail import NotIsolated
from .assignment import Assignment
from .grader import Grader, Settings
from .opening import SubmissionError
from .results import SubmissionResult
from .submissions import Submission, open_submission

UNGRADED = "ungraded"  # the kind of result where the grader failed, and not the student
TRIES = 2  # workers that one submission may cost
PROCESSES = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Work:
    """One submission to grade: the bytes of its file, or the problem with it; `again` where an earlier one was graded.

    `only` names the questions to grade; None: all.
    """

    student: str
    data: bytes = b""
    problem: str = ""
    file: str = ""
    notes: tuple[str, ...] = ()
    timestamp: str = ""
    again: bool = False
    only: frozenset[str] | None = None


def work_of(submission: Submission) -> Work:
    """The submission with its file read, as far as it can be."""
    try:
        data, problem = open_submission(submission), ""
    except SubmissionError as error:
        data, problem = b"", submission.problem or str(error)
    return Work(submission.student, data, problem, submission.file, submission.notes, submission.timestamp)


def grade_one(grader: Grader, work: Work) -> SubmissionResult:
    """The result of one piece of work; raises nothing but `NotIsolated`, where no jail can be started any more."""
    try:
        if work.problem:
            result = grader.nothing(work.student, work.problem, work.file)
        else:
            result = grader.grade(work.student, work.data, work.file, work.notes, work.again, work.only)
    except NotIsolated:
        raise
    except Exception as error:  # a fault of the grader's own: the others are still to be graded
        why = f"the grader failed ({type(error).__name__}: {error})"
        return ungraded_result(grader.assignment, grader.settings, work, why)
    return replace(result, timestamp=work.timestamp)


def ungraded_result(assignment: Assignment, settings: Settings, work: Work, why: str) -> SubmissionResult:
    """A result without points and without digest, so that a run that goes on grades the submission again."""
    result = Grader(assignment, settings).nothing(work.student, f"This could not be graded: {why}.", work.file)
    questions = tuple(replace(question, kind=UNGRADED) for question in result.questions)
    return replace(result, questions=questions, timestamp=work.timestamp)


def is_graded(result: SubmissionResult) -> bool:
    """False where the grader failed, and a person has to look."""
    return all(question.kind != UNGRADED for question in result.questions)


def grade_here(assignment: Assignment, settings: Settings, works: Iterable[Work]) -> Generator[SubmissionResult]:
    """Grade one after the other in this process."""
    works = iter(works)
    for first in islice(works, 1):  # no jail for nothing
        with Grader(assignment, settings) as grader:
            for work in chain([first], works):
                yield grade_one(grader, work)


def grade_in_processes(
    assignment: Assignment, settings: Settings, works: Iterable[Work], jobs: int
) -> Generator[SubmissionResult]:
    """Grade in `jobs` processes. What a lost one had is graded once more; when the generator is closed, all end at once.

    Raises what a worker raised when it could not start, such as `NotIsolated`.
    """
    works, crew = iter(works), list[_Worker]()
    try:
        for work in islice(works, jobs):
            crew.append(_Worker(assignment, settings))
            crew[-1].give(work)
        while crew:
            ready = wait([worker.line for worker in crew])
            for worker in [worker for worker in crew if worker.line in ready]:
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


class _Worker:
    """A process with a grader, and the work that it has."""

    def __init__(self, assignment: Assignment, settings: Settings) -> None:
        self.common = assignment, settings
        self.work: Work | None = None
        self.lost = 0
        self._start()

    def _start(self):
        self.line, theirs = PROCESSES.Pipe()
        self.process = PROCESSES.Process(target=_serve, args=(theirs, *self.common), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, work: Work) -> None:
        """Let it grade this."""
        self.work = work
        with suppress(ConnectionError):  # if it has ended, then so has the line, and `result` sees it
            self.line.send(work)

    def result(self) -> SubmissionResult | None:
        """What came, when something did; None where the process was lost, and another one has its work now."""
        work = self.work
        assert work is not None
        try:
            came: Any = self.line.recv()
        except (EOFError, ConnectionError):
            return self._lose(work)
        if isinstance(came, Exception):
            raise came
        self.work, self.lost = None, 0
        return came

    def _lose(self, work):
        self.kill()
        self._start()
        self.lost += 1
        if self.lost < TRIES:
            self.give(work)
            return None
        self.work, self.lost = None, 0
        return ungraded_result(*self.common, work, f"the grading process was lost {TRIES} times at this file")

    def end(self) -> None:
        """Let the process end by itself: nobody speaks to it any more."""
        self.line.close()
        self.process.join(5)
        self.kill()

    def kill(self) -> None:
        """End the process, and with it its jail."""
        self.process.kill()
        self.process.join()
        self.line.close()


def _end_with_the_leader():
    """End this process, and with it its jail, when the one that started it has died, however that came."""
    leader = multiprocessing.parent_process()
    assert leader is not None
    wait([leader.sentinel])
    os._exit(1)


def _serve(line, assignment, settings):
    """What a worker does: grade what comes, until nobody is at the other end of the line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; it is for the process that hands out the work
    threading.Thread(target=_end_with_the_leader, daemon=True).start()
    try:
        for result in grade_here(assignment, settings, iter(line.recv, None)):
            line.send(result)
    except (EOFError, ConnectionError):
        pass
    except (RuntimeError, OSError) as error:  # no jail: for all of them, not for this one
        line.send(error)
