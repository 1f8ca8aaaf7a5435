"""Data parallel training in one process: the ranks run in turn, and exchange their arrays.

A rank runs until it needs an array that another one has not given yet; then it is left, and the next one runs. Its next turn
begins at the start again, and what it gave before is known by then, so that it comes one exchange further. A rank is
therefore a function that creates everything itself: its network, its random numbers.
"""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

__all__ = ["in_turn", "member"]

OTHER_VALUES = (
    "rank {rank} sent other values in exchange {number} when it ran the last time. A rank runs again from its start "
    "after each exchange, so it must create everything that it changes, the network too, and seed its random numbers."
)
OUT_OF_STEP = (
    "the ranks are out of step: exchange {number} of rank {rank} is {own}, that of rank {other} is {theirs}. All ranks "
    "have to make the same calls, with the same shapes."
)


class Waits(BaseException):
    """A rank needs what another one has not given yet. No `Exception`, so that the rank's own handlers do not hide it."""


class Alone:
    """A group of one process, which exchanges with itself."""

    rank, size = 0, 1

    def exchange(self, what: str, array: Any) -> list:
        """The array of each rank."""
        return [array]


class Turn:
    """The group that one rank is in while it has its turn: number `rank` of `size`.

    `given[r]` is what rank r has given so far: what each exchange is called, and the array.
    """

    def __init__(self, rank: int, given: list[list[tuple[str, np.ndarray]]]) -> None:
        self.rank, self.size, self.waits_in = rank, len(given), ""
        self._given, self._count = given, 0

    def exchange(self, what: str, array: Any) -> list:
        """The arrays of all ranks, if they have been given; else this rank's turn is over.

        Raises RuntimeError where another rank is in another exchange, or where this one gave something else in its last turn.
        """
        here, head = self._count, f"{what} of {array.dtype.name}{list(np.shape(array))}"
        own = self._given[self.rank]
        if here == len(own):
            own.append((head, np.array(array)))
        elif own[here][0] != head or own[here][1].tobytes() != np.asarray(array).tobytes():
            raise RuntimeError(OTHER_VALUES.format(rank=self.rank, number=here + 1))
        for other, gave in enumerate(self._given):
            if gave[here:] and gave[here][0] != head:
                raise RuntimeError(
                    OUT_OF_STEP.format(number=here + 1, rank=self.rank, own=head, other=other, theirs=gave[here][0])
                )
        if self.waits_in or not all(gave[here:] for gave in self._given):
            self.waits_in = self.waits_in or head
            raise Waits
        self._count += 1
        return [gave[here][1].copy() for gave in self._given]


_group: Alone | Turn = Alone()


def member() -> Alone | Turn:
    """The group that this process is in: its `rank`, its `size`, and `exchange`.

    >>> member().rank, member().size
    (0, 1)
    """
    return _group


def in_turn(function: Callable[[], Any], size: int) -> list:
    """What `function()` returns on each of `size` ranks that run in this process, one after the other.

    Each collective op gives what it gives in `size` processes. A rank that needs the others' arrays is left, and begins again
    at its start when they are there, so `function` must create everything that it changes, its network too. What the ranks
    printed in their last turns is printed at the end, rank by rank. Raises ValueError for a size below 1, and RuntimeError
    where the ranks make different calls, or one waits for another that has ended. An error of a rank has a note that names it.

    >>> in_turn(lambda: [float(a) for a in member().exchange("rank", np.float64(10 * member().rank))], 3)
    [[0.0, 10.0, 20.0], [0.0, 10.0, 20.0], [0.0, 10.0, 20.0]]
    """
    if not isinstance(size, int) or size < 1:
        raise ValueError("in_turn: expected a number of ranks, 1 or more, but got {size!r}".format(size=size))
    given: list[list[tuple[str, np.ndarray]]] = [[] for _ in range(size)]
    printed, ended = [""] * size, dict[int, Any]()
    try:
        while len(ended) < size:
            before, waiting = (len(ended), [len(gave) for gave in given]), dict[int, str]()
            for rank in (rank for rank in range(size) if rank not in ended):
                group, out = Turn(rank, given), StringIO()
                try:
                    result = _run(function, group, out)
                finally:
                    printed[rank] = out.getvalue()
                if group.waits_in:
                    waiting[rank] = group.waits_in
                else:
                    ended[rank] = result
            if before == (len(ended), [len(gave) for gave in given]):
                rank, what = next(iter(waiting.items()))
                text = "rank {rank} waits in {what}, but rank {other} has ended"
                raise RuntimeError(text.format(rank=rank, what=what, other=next(iter(ended))))
    finally:
        sys.stdout.write("".join(printed))
    return [ended[rank] for rank in range(size)]


def _run(function: Callable[[], Any], group: Turn, out: StringIO) -> Any:
    global _group
    before, _group = _group, group
    try:
        with redirect_stdout(out):
            return function()
    except Waits:
        return None
    except BaseException as error:
        error.add_note("This was rank {rank} of {size}.".format(rank=group.rank, size=group.size))
        raise
    finally:
        _group = before
