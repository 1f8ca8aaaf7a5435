"""Several processes that compute together over MPI: the ranks, and the exchange that all collectives are built from.

`mpiexec -n 4 python script.py` starts four processes of the same script, called *ranks*. Each `exchange` sends an array to
all the others and waits for theirs. The array of another rank may never arrive: that rank has ended, has failed, or is
elsewhere in its program. Each of these is an error, never a hang: every message names its exchange, a rank reports when it
leaves, and waiting has a time limit.

Needs mpi4py and an MPI (the extra `parallel` brings both). A single process needs neither of them, nor does `in_turn`,
which runs all ranks in one process, one after the other, where there is no mpiexec, as in a browser. Under
`mpiexec -n 4 python -m labkit.parallel script.py` a rank joins before anything else, so the others learn of its failure.
"""

import atexit
import os
import runpy
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..messages.install_hints import how_to_install, in_browser
from .sequential_ranks import Turn, take_turns

__all__ = ["Alone", "Group", "in_turn", "join", "launched", "leave", "member"]

LAUNCHERS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")  # what mpiexec sets for those it starts
OWNER = "LABKIT_RANK_PID"  # set for the processes that a rank starts, which inherit its environment
GRACE = 5.0  # seconds a rank that has failed gives the others to hear of it, before it ends them
NOT_JOINED = (
    "Distributed Communication has not been inited. You can't invoke this interface yet. Please call `init()` method first: "
    "this process is one of several started by mpiexec."
)


def launched() -> bool:
    """Whether this process is one that mpiexec started; the processes that it starts in turn are not."""
    by_mpi = any(name in os.environ for name in LAUNCHERS)
    return by_mpi and os.environ.setdefault(OWNER, str(os.getpid())) == str(os.getpid())


def _missing():
    if in_browser():
        return "a web page is one process, without mpiexec: labkit.parallel.in_turn(function, 4) runs the ranks in turn"
    return f"several processes exchange arrays by mpi4py, which is not installed: {how_to_install('parallel')}"


class Alone:
    """A group of one process: what it exchanges, it has."""

    rank, size = 0, 1

    def exchange(self, what: str, array) -> list:
        """The array of each rank."""
        return [array]

    def leave(self) -> None:
        """There is no other rank to leave."""


class Group:
    """All processes of one mpiexec; this one is number `rank` of `size`.

    `timeout` is a function that gives the longest time to wait for another rank, in seconds.
    """

    def __init__(self, timeout: Callable[[], float]) -> None:
        try:
            from mpi4py import MPI
        except ImportError as error:
            raise ImportError(_missing()) from error
        self._comm, self._timeout = MPI.COMM_WORLD.Dup(), timeout  # messages of a group before this one stay away
        self.rank, self.size = self._comm.rank, self._comm.size
        self._others = [r for r in range(self.size) if r != self.rank]
        self._count, self._lock = 0, threading.Lock()
        self._sent: list[tuple] = []  # (request, content) of messages that may not have left yet
        self._gone: dict[int, tuple] = {}  # the farewells of those that have left
        self._farewell: str | None = None

    def exchange(self, what: str, array) -> list:
        """The arrays that the ranks give to this same exchange, in the order of ranks; `what` names it in errors.

        Raises RuntimeError where another rank has ended or failed, is in another exchange, or does not come in time.
        """
        with self._lock:
            self._count += 1
            head = self._count, f"{what} of {array.dtype.name}{list(np.shape(array))}"
            self._send(head, array)
            arrays = {other: self._array_of(other, head) for other in self._others}
        arrays[self.rank] = array
        return [arrays[r] for r in range(self.size)]

    def _send(self, head, content):
        self._sent = [(r, kept) for r, kept in self._sent if not r.Test()]  # the others may still be reading from them
        self._sent += [(self._comm.isend((head, content), other), content) for other in self._others]

    def _array_of(self, other, head):
        theirs, content = self._gone.get(other) or self._message(other, time.monotonic() + self._timeout(), head)
        if theirs is None:
            self._gone[other] = None, content
            raise RuntimeError(f"rank {self.rank} waits in {head[1]}, but rank {other} {content}")
        if theirs != head:
            raise RuntimeError(
                f"the ranks are out of step: exchange {head[0]} of rank {self.rank} is {head[1]}, exchange {theirs[0]} of "
                f"rank {other} is {theirs[1]}. All ranks have to make the same calls, with the same shapes."
            )
        return content

    def _message(self, other, limit, head):
        """The next message of another rank. Asking, not blocking: this can be interrupted, and shares the processor."""
        tries = 0
        while (message := self._comm.improbe(other)) is None:
            if time.monotonic() > limit:
                raise RuntimeError(
                    f"rank {self.rank} has waited {self._timeout()} s in {head[1]} for rank {other}, which is elsewhere in "
                    "its program or has died. (The limit is the setting op_timeout.)"
                )
            tries += 1
            time.sleep(0 if tries < 200 else 1e-4)
        return message.recv()

    # ---- leaving ----

    def failed(self, error: BaseException) -> None:
        """Tell the others that this rank has failed."""
        self._tell(f"failed: {type(error).__name__}: {error}")

    def leave(self) -> None:
        """Take leave, and wait until all others have: as long as it takes, or shortly if this rank has failed."""
        failed = self._farewell is not None
        self._tell("has ended")
        limit = time.monotonic() + (GRACE if failed else np.inf)
        while len(self._gone) < len(self._others) and time.monotonic() < limit:
            for other in [o for o in self._others if o not in self._gone]:
                message = self._comm.improbe(other)
                if message is not None and (content := message.recv())[0] is None:
                    self._gone[other] = content
            time.sleep(1e-3)
        if len(self._gone) < len(self._others):
            sys.stdout.flush()
            self._comm.Abort(1)

    def _tell(self, farewell):
        if self._farewell is None:
            self._farewell = farewell
            self._send(None, farewell)


# ---- the group of this process ----

_alone = Alone()
_joined: Alone | Group | Turn | None = None
_turn: Turn | None = None  # what this process is while `in_turn` runs


def member() -> Alone | Group | Turn:
    """The group that this process is in. Raises RuntimeError in one of several processes that has not joined yet."""
    if _joined is None and launched():
        raise RuntimeError(NOT_JOINED)
    return _joined or _alone


def join(timeout: Callable[[], float] = lambda: 900.0) -> Alone | Group | Turn:
    """Join the others, if mpiexec started this process; all ranks have to. Once joined, the group stays.

    From here on the end of one rank is an error of those that wait for it, and names its uncaught exception.
    """
    global _joined
    if _joined is None:
        _joined = _turn or (Group(timeout) if launched() else _alone)
        if isinstance(_joined, Group):
            atexit.register(leave)
    elif isinstance(_joined, Group):
        _joined._timeout = timeout
    return _joined


def leave() -> None:
    """Leave the group, when all others do. `join` makes a new one."""
    global _joined
    if _joined is not None:
        atexit.unregister(leave)
        group, _joined = _joined, None
        group.leave()


@contextmanager
def _rank_of(group: Turn) -> Iterator[None]:
    global _joined, _turn
    before, _joined, _turn = (_joined, _turn), group, group
    try:
        yield
    finally:
        _joined, _turn = before


def in_turn(function: Callable[[], Any], size: int) -> list:
    """What `function()` returns on each of `size` ranks that run in this process, one after the other.

    Each collective op gives what it gives under mpiexec. A rank that needs the others' arrays is left, and begins again at
    its start when they are there: so `function` makes all that it changes by itself, its network too. What it prints is
    printed rank by rank. Raises RuntimeError where the ranks make different calls, or one waits for another that has ended.

    >>> in_turn(lambda: [float(a) for a in member().exchange("rank", np.float64(10 * member().rank))], 3)
    [[0.0, 10.0, 20.0], [0.0, 10.0, 20.0], [0.0, 10.0, 20.0]]
    """
    if not isinstance(size, int) or size < 1:
        raise ValueError(f"in_turn: expected a number of ranks, 1 or more, but got {size!r}")
    return take_turns(function, size, _rank_of)


def _announce_failures():
    """Let the others hear of an uncaught exception; before this rank has joined, by a death that mpiexec notices."""

    def announce(kind, error, where):
        group = f"Rank {_joined.rank} of {_joined.size}" if isinstance(_joined, Group) else "A rank that has not joined"
        lines = traceback.format_exception(kind, error, where)
        sys.stderr.write(f"{group} failed:\n{''.join(lines)}")  # at once, for others write too
        if isinstance(_joined, Group):
            return _joined.failed(error)
        sys.stdout.flush(), sys.stderr.flush()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)

    sys.excepthook = announce


if launched():
    _announce_failures()


def main(arguments: list[str]) -> None:
    """Run a script as one rank, joined from the start: `mpiexec -n 4 python -m labkit.parallel script.py`."""
    if not arguments or not os.path.isfile(arguments[0]):
        problem = f"{arguments[0]!r} is not a file\n" if arguments else ""
        sys.exit(f"{problem}usage: mpiexec -n 4 python -m labkit.parallel script.py [arguments]")
    join()
    sys.argv = arguments
    runpy.run_path(arguments[0], run_name="__main__")
