"""Ranks that run one after the other, in one process and one thread, for `labkit.parallel.in_turn`.

A rank runs until it needs an array that another one has not given yet; then it is left, and the next one runs. Its next turn
begins at the start again, and what it gave before is known by then, so that it comes one exchange further. A rank is
therefore a function that creates everything itself: its network, its random numbers.
"""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

ANEW = (
    "A rank runs again from its start after each exchange, so it must create everything that it changes, the network too, and "
    "seed its random numbers."
)


Given = dict[int, list[tuple[str, np.ndarray]]]


class Waits(BaseException):
    """A rank needs what another one has not given yet. No `Exception`, so that the rank's own handlers do not hide it."""


class Turn:
    """The group that one rank is in while it has its turn: number `rank` of `size`.

    `given[r]` is what rank r has given so far, a list for each time it has joined: what the exchange is called, the array.
    """

    def __init__(self, rank: int, given: list[Given]) -> None:
        self.rank, self.size, self.waits_in = rank, len(given), ""
        self._given, self._joined, self._count = given, 0, 0

    def exchange(self, what: str, array: Any) -> list:
        """The arrays of all ranks, if they have been given; else this rank's turn is over.

        Raises RuntimeError where another rank is in another exchange, or where this one gave something else in its last turn.
        """
        here, head = self._count, f"{what} of {array.dtype.name}{list(np.shape(array))}"
        given = [gave.setdefault(self._joined, []) for gave in self._given]
        own = given[self.rank]
        if here == len(own):
            own.append((head, np.array(array)))
        elif own[here][0] != head or own[here][1].tobytes() != np.asarray(array).tobytes():
            raise RuntimeError(
                f"rank {self.rank} sent other values in exchange {here + 1} when it ran the last time. {ANEW}"
            )
        for other, gave in enumerate(given):
            if gave[here:] and gave[here][0] != head:
                raise RuntimeError(
                    f"the ranks are out of step: exchange {here + 1} of rank {self.rank} is {head}, that of rank {other} is "
                    f"{gave[here][0]}. All ranks have to make the same calls, with the same shapes."
                )
        if self.waits_in or not all(gave[here:] for gave in given):
            self.waits_in = self.waits_in or head
            raise Waits
        self._count += 1
        return [gave[here][1].copy() for gave in given]

    def leave(self) -> None:
        """Count the exchanges from zero again, as processes that join again do."""
        self._joined, self._count = self._joined + 1, 0


def take_turns(run: Callable[[], Any], size: int, entered: Callable[[Turn], AbstractContextManager]) -> list:
    """What `run()` returns on each rank; while `entered(group)` is open, this process is a rank of `group`.

    What the ranks printed in their last turns is printed at the end, rank by rank. Raises RuntimeError where a rank waits for
    one that has ended, and what a rank raises, with a note that says which.
    """
    given: list[Given] = [{} for _ in range(size)]
    printed = [""] * size
    ended: dict[int, Any] = {}
    try:
        while len(ended) < size:
            before = _progress(given, ended)
            waiting: dict[int, Any] = {}
            for rank in (rank for rank in range(size) if rank not in ended):
                group, out = Turn(rank, given), StringIO()
                try:
                    result = _turn(run, group, entered, out)
                finally:
                    printed[rank] = out.getvalue()
                (waiting if group.waits_in else ended)[rank] = group.waits_in or result
            if before == _progress(given, ended):
                rank, what = next(iter(waiting.items()))
                raise RuntimeError(f"rank {rank} waits in {what}, but rank {next(iter(ended))} has ended")
    finally:
        sys.stdout.write("".join(printed))
    return [ended[rank] for rank in range(size)]


def _progress(given, ended):
    return len(ended), [len(exchanges) for gave in given for exchanges in gave.values()]


def _turn(run, group, entered, out):
    try:
        with entered(group), redirect_stdout(out):
            return run()
    except Waits:
        return None
    except BaseException as error:
        error.add_note(f"This was rank {group.rank} of {group.size}.")
        raise
