"""Where host and device meet, counted: the device is simulated, the meetings are real calls of this package.

Without sinking the host hands over every batch and waits for every result. With sinking batches go through a channel,
and the host only starts a loop of `sink_size` steps and waits for the last result.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["Transfers", "counting"]


@dataclass
class Transfers:
    """`fed`: steps for which the host handed over the data and waited. `launched`: loops it started and waited for.
    `queued`: steps inside those loops, whose data came through the channel. `nbytes`: of all data that went over.
    """

    fed: int = 0
    launched: int = 0
    queued: int = 0
    nbytes: int = 0

    @property
    def round_trips(self) -> int:
        """How often the host waited for the device."""
        return self.fed + self.launched

    @property
    def steps(self) -> int:
        """Training or evaluation steps."""
        return self.fed + self.queued

    def __str__(self):
        return f"{self.steps} steps, {self.round_trips} round trips between host and device"


class _Open(threading.local):
    def __init__(self):
        self.counts = []


_open = _Open()


@contextmanager
def counting() -> Iterator[Transfers]:
    """While open, this thread's steps are counted in the `Transfers` that it gives.

    >>> from labkit.mindspore import dataset, train
    >>> rows = dataset.NumpySlicesDataset([1.0, 2.0, 3.0], shuffle=False)
    >>> with counting() as count:
    ...     for (x,) in train.DatasetHelper(rows, dataset_sink_mode=False):
    ...         pass
    >>> print(count)
    3 steps, 3 round trips between host and device
    """
    count = Transfers()
    _open.counts.append(count)
    try:
        yield count
    finally:
        _open.counts.pop()


def note(row=(), **events):
    """Add `events` to every open count, with the bytes of `row`, a list of tensors."""
    for count in _open.counts:
        count.nbytes += sum(t.nbytes for t in row)
        for name, number in events.items():
            setattr(count, name, getattr(count, name) + number)
