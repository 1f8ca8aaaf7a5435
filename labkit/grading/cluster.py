"""Grade on a dask cluster, for a class that outgrows one machine.

Each thread of each worker holds a grader with a jail of its own. Files are read here and sent, so the workers need no
common file system. If a worker is lost, dask gives what it had under way to another one.
"""

import threading
from collections.abc import Iterable, Iterator
from itertools import islice

from .assignment import Assignment
from .grader import Grader, Settings
from .pool import AHEAD, Work, grade_one
from .results import SubmissionResult

RETRIES = 5  # workers that may be lost under one submission


def grade_on_cluster(
    assignment: Assignment, settings: Settings, works: Iterable[Work], address: str
) -> Iterator[SubmissionResult]:
    """Grade on the workers of the dask scheduler at `address`, such as `tcp://10.0.0.1:8786`.

    Raises ImportError without dask, OSError where no scheduler answers, and `NotIsolated` from a worker that lacks walls.
    """
    from distributed import Client, as_completed

    with Client(address, set_as_default=False) as client:
        if not client.nthreads():
            client.wait_for_workers(1, timeout=60)
        common, works = (assignment, settings), iter(works)

        def submit(number):
            return [
                client.submit(grade_there, common, work, pure=False, retries=RETRIES) for work in islice(works, number)
            ]

        running = as_completed(submit(AHEAD * max(sum(client.nthreads().values()), 1)))
        for future in running:
            yield future.result()
            for fresh in submit(1):
                running.add(fresh)


_here = threading.local()


def grade_there(common: tuple[Assignment, Settings], work: Work) -> SubmissionResult:
    """On a worker: grade with this thread's own grader, which is made when it is first needed."""
    assignment, settings = common
    if getattr(_here, "common", None) != common:
        if hasattr(_here, "grader"):
            _here.grader.__exit__()
            del _here.grader
        _here.grader = Grader(assignment, settings).__enter__()
        _here.common = common
    return grade_one(_here.grader, work)
