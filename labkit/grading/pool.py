"""Grade many submissions at once: in this process, in processes of this machine, or on a dask cluster (`cluster`).

Every worker holds one `Grader`, and so one jail. Work goes out a little at a time, so that memory is bounded whatever
the number of submissions, and comes back in any order.
"""

import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import islice

from .assignment import Assignment
from .grader import Grader, Settings
from .opening import SubmissionError
from .results import SubmissionResult
from .submissions import Submission, open_submission

AHEAD = 2  # submissions in flight for each worker


@dataclass(frozen=True)
class Work:
    """One submission to grade: the bytes of its file, or the problem with it."""

    student: str
    data: bytes = b""
    problem: str = ""
    file: str = ""
    notes: tuple[str, ...] = ()
    timestamp: str = ""


def work_of(submission: Submission) -> Work:
    """The submission with its file read, as far as it can be."""
    try:
        data, problem = open_submission(submission), ""
    except SubmissionError as error:
        data, problem = b"", submission.problem or str(error)
    return Work(submission.student, data, problem, submission.file, submission.notes, submission.timestamp)


def grade_one(grader: Grader, work: Work) -> SubmissionResult:
    """The result of one piece of work."""
    if work.problem:
        result = grader.nothing(work.student, work.problem, work.file)
    else:
        result = grader.grade(work.student, work.data, work.file, work.notes)
    return replace(result, timestamp=work.timestamp or result.timestamp)


def grade_here(assignment: Assignment, settings: Settings, works: Iterable[Work]) -> Iterator[SubmissionResult]:
    """Grade one after the other in this process."""
    with Grader(assignment, settings) as grader:
        for work in works:
            yield grade_one(grader, work)


def grade_in_processes(
    assignment: Assignment, settings: Settings, works: Iterable[Work], jobs: int
) -> Iterator[SubmissionResult]:
    """Grade in `jobs` processes. If one of them is lost, what was under way is graded once more, each for itself."""
    works = iter(works)
    lost: list[Work] = []
    while True:
        executor = _executor(assignment, settings, jobs)
        try:
            under_way: dict[Future, Work] = {}
            try:
                for work in islice(works, jobs * AHEAD):
                    under_way[executor.submit(_grade, work)] = work
                while under_way:
                    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
                        del under_way[future]
                        for work in islice(works, 1):
                            under_way[executor.submit(_grade, work)] = work
                break
            except BrokenProcessPool:
                lost += under_way.values()
        finally:
            executor.shutdown(cancel_futures=True)
        for work in lost:
            yield _alone(assignment, settings, work)
        lost.clear()


def _alone(assignment, settings, work):
    """Grade what was under way when a worker was lost; if that costs another worker, it is this one's doing."""
    with _executor(assignment, settings, 1) as executor:
        try:
            return executor.submit(_grade, work).result()
        except BrokenProcessPool:
            problem = "The grader's own process ended twice while it read this file. Look at the file by hand."
    return Grader(assignment, settings).nothing(work.student, problem, work.file)


def _executor(assignment, settings, jobs):
    return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin, (assignment, settings))


_grader: Grader | None = None


def _begin(assignment, settings):
    global _grader
    _grader = Grader(assignment, settings).__enter__()


def _grade(work):
    return grade_one(_grader, work)
