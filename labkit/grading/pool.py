"""Grade many submissions: in this process, or in several.

A worker has one jail and one submission at a time: so memory is bounded whatever the size of a class, and it is known what
a worker had that was lost. Results come in any order.
"""

from collections.abc import Generator, Iterable
from itertools import chain, islice
from multiprocessing.connection import wait

from .assignment import Assignment
from .grader import Grader, Settings
from .opening import SubmissionError
from .results import UNGRADED, SubmissionResult
from .submissions import Submission, open_submission
from .worker import Work, Worker, grade_one

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
