"""Grade on a dask cluster, for a class that outgrows one machine.

Files are read here and sent, so the workers need no common file system; they need labkit, of the same version, and what
its jail is made of. If a worker is lost, dask gives what it had under way to another one.
"""

import secrets
from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import suppress
from itertools import islice
from threading import Lock
from typing import Any

from .. import __version__
from ..jail import NotIsolated, installed_layers
from .assignment import Assignment
from .grader import Settings
from .results import SubmissionResult
from .worker import Work, Worker, ungraded_result

AHEAD = 2  # submissions under way for each thread of the workers
PATIENCE = 10  # seconds to wait for a scheduler, and for a first worker
ASK_VERSION = "__import__('labkit').__version__"  # evaluated by workers that may not have labkit


class ClusterError(ConnectionError):
    """A cluster that cannot grade, with what to do about it."""


def grade_on_cluster(
    assignment: Assignment, settings: Settings, works: Iterable[Work], address: str
) -> Generator[SubmissionResult]:
    """Grade on the workers of the dask scheduler at `address`, such as `tcp://10.0.0.1:8786`.

    Raises ImportError without dask, `ClusterError` where no scheduler answers or its workers cannot grade, and
    `NotIsolated` where a worker lacks walls. When the generator is closed, the workers stop and keep no jail.
    """
    from distributed import as_completed

    run, works = secrets.token_hex(8), iter(works)
    with _client(address) as client:
        under_way: dict[Any, Work] = {}

        def submit(number: int) -> list[Any]:
            fresh = {
                client.submit(grade_there, run, assignment, settings, work, pure=False): work
                for work in islice(works, number)
            }
            under_way.update(fresh)
            return list(fresh)

        try:
            _ready(client, address, settings)
            running = as_completed(submit(AHEAD * sum(client.nthreads().values())), loop=client.loop)
            for future in running:
                yield _result(future, assignment, settings, under_way.pop(future), address)
                for fresh in submit(1):
                    running.add(fresh)
        finally:
            with suppress(OSError, TimeoutError):
                client.cancel(list(under_way))
                client.run(leave, run, on_error="ignore")


def _client(address):
    from distributed import Client

    try:
        return Client(address, set_as_default=False, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no dask scheduler answers at {address} ({error}). Start one on that machine: dask scheduler"
        ) from None


def _ready(client, address, settings):
    """Raise unless there are workers, all of them with this labkit and its walls."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise ClusterError(f"the scheduler at {address} has no workers. Start some: dask worker {address}") from None
    for worker, version in client.run(eval, ASK_VERSION, on_error="return").items():
        if version != __version__:
            has = f"has labkit {version}" if isinstance(version, str) else f"cannot import labkit ({version})"
            raise ClusterError(
                f'the worker {worker} {has}; expected {__version__}. On its machine run: pip install "labkit[cluster]", of '
                "the same version as here, and start it again."
            )
    for worker, layers in client.run(installed_layers).items():
        if not layers.isolated and not settings.unsafe:
            raise NotIsolated(f"student code cannot be isolated on the worker {worker}:\n{layers}")


def _result(future, assignment, settings, work, address):
    from distributed import KilledWorker
    from distributed.client import CancelledError

    try:
        return future.result()
    except KilledWorker:
        return ungraded_result(assignment, settings, work, "several workers were lost at this file")
    except CancelledError:
        raise ClusterError(f"the scheduler at {address} is gone, or has dropped the work.") from None


# ---- on a worker ----

_idle: dict[str, list[Worker]] = defaultdict(list)  # by run; a thread takes one, or starts one, and puts it back
_over: set[str] = set()
_change = Lock()


def grade_there(run: str, assignment: Assignment, settings: Settings, work: Work) -> SubmissionResult:
    """Grade on this machine, in a process that another submission of the same run has left, or a new one."""
    with _change:
        worker = _idle[run].pop() if _idle[run] else None
    if worker is None:
        _end(other for other in list(_idle) if other != run)  # whoever began them may have gone without a word
        worker = Worker(assignment, settings)
    try:
        return worker.grade(work)
    except NotIsolated as error:
        raise NotIsolated(f"on the worker {_address()}: {error}") from None
    finally:
        with _change:
            _idle[run].append(worker)
        if run in _over:
            _end([run])


def leave(run: str) -> None:
    """End the processes of a run on this worker; one that is at work ends when it is done."""
    _over.add(run)
    _end([run])


def _address():
    from distributed import get_worker

    return get_worker().address


def _end(runs):
    for run in runs:
        with _change:
            workers = _idle.pop(run, [])
        for worker in workers:
            worker.kill()
