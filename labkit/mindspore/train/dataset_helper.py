"""`DatasetHelper`: one epoch of a data set at a time, handed over by the host, or sunk to the device.

The device is simulated: it has a channel of batches, and a network connected with it that takes its own inputs. As in
the real framework sinking needs `device_target="Ascend"` or "GPU"; in GRAPH_MODE one call runs `sink_size` steps.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps

from ...dialects.argument_types import of_kind
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ...engine import PerThread
from ..context import get_context, in_graph_mode
from ..graph.jit import jit
from ..nn.cell import Cell

__all__ = ["DatasetHelper", "Transfers", "connect_network_with_dataset", "counting", "data_sink"]

DEVICES = ("Ascend", "GPU")


class Channel:
    """The way of batches to the device: without end, each epoch of the data set after the other."""

    def __init__(self, dataset):
        self.dataset, self._reader, self._network = dataset, dataset.create_tuple_iterator(), None

    def get_next(self):
        """The next batch, a list of tensors; past the end of the data set it starts again."""
        row = next(self._reader, None)
        row = next(self._reader) if row is None else row
        note(row, queued=1)
        return row

    def launched(self, step, count):
        """Call `step` with each of the next `count` batches, without a word to the host; returns the last result."""
        note(launched=1)
        for _ in range(count):
            output = step(*self.get_next())
        return output

    def connect(self, network):
        """Bind the channel to one network. Raises ValueError for a second one."""
        if self._network is not None and self._network is not network:
            raise ValueError("The dataset has been connected to other network, please check the code.")
        self._network = network


class DatasetHelper(metaclass=Placed):
    """Iterate over a data set for training: each `for` over it is one epoch.

    With `dataset_sink_mode` it gives empty inputs, for a network from `connect_network_with_dataset`: once per epoch in
    GRAPH_MODE, `sink_size` times otherwise. `sink_size` -1 is the whole data set; another number goes on where the
    epoch before ended. Raises RuntimeError for sinking on a CPU.
    """

    def __init__(self, dataset, dataset_sink_mode=True, sink_size=-1, epoch_num=1):
        check_sink_size(sink_size)
        if dataset_sink_mode:
            _check_device()
        self.dataset, self.sunk = dataset, dataset_sink_mode
        self._sink_size = dataset.get_dataset_size() if sink_size == -1 else sink_size
        self.channel = Channel(dataset) if dataset_sink_mode else None
        self._reader = () if dataset_sink_mode else dataset.create_tuple_iterator(num_epochs=epoch_num)

    def __iter__(self):
        return self._sunk() if self.sunk else self._fed()

    def _sunk(self):
        return iter([()] * (1 if in_graph_mode() else self._sink_size))

    def _fed(self):
        for row in self._reader:
            note(row, fed=1)
            yield row

    def sink_size(self) -> int:
        """Steps per call of the connected network."""
        return self._sink_size if self.sunk and in_graph_mode() else 1

    def types_shapes(self) -> tuple[list, list]:
        """The dtypes and the shapes of a batch."""
        row = next(iter(self.dataset))
        return [t.dtype for t in row], [list(t.shape) for t in row]


def connect_network_with_dataset(network, dataset_helper) -> "SunkNetwork":
    """A network that takes its inputs from the channel of a helper in sink mode, and is called without any."""
    if not dataset_helper.sunk:
        raise RuntimeError("The API 'connect_network_with_dataset' should be called in dataset sink mode.")
    dataset_helper.channel.connect(network)
    return SunkNetwork(network, dataset_helper)


class SunkNetwork(Cell):
    """What `connect_network_with_dataset` gives: a call runs the steps of one launch and returns the last result."""

    def __init__(self, network, helper):
        super().__init__(auto_prefix=False)
        self.network = network
        self._helper = helper

    def __call__(self):
        return self._helper.channel.launched(self.network, self._helper.sink_size())


def check_sink_size(sink_size, words="The 'sink_size' must be -1 or positive, but got sink_size"):
    """Raise TypeError unless it is an integer; ValueError, which begins with `words`, unless it is -1 or positive."""
    of_kind(sink_size, int, "The input value must be int, but got '{kind}'")
    if sink_size < -1 or sink_size == 0:
        raise ValueError(f"{words} {sink_size}.")


def _check_device():
    target = get_context("device_target")
    if target not in DEVICES:
        raise RuntimeError(
            f"Currently dataset sink mode is not supported when the device target is {target}, "
            "please set dataset_sink_mode to False in Model.train()"
        )


def data_sink(fn, dataset, sink_size=1, jit_config=None, input_signature=None) -> Callable:
    """A function without arguments that calls `fn(*batch)` with the next `sink_size` batches; it returns the last result.

    With a `jit_config` `fn` is compiled. Raises ValueError on a CPU.
    """
    of_kind(sink_size, int, "For 'Data sink', the type of 'sink_size' should be 'int', but got {value!r}.")
    if sink_size <= 0:
        raise ValueError(f"The 'sink_size' must be positive, but got sink_size {sink_size}.")
    target = get_context("device_target")
    if target not in DEVICES:
        raise ValueError(f"Data sinking supports ascend or gpu device target, but device target is {target}.")
    channel, step = Channel(dataset), fn if jit_config is None else jit(fn)

    @wraps(fn)
    def sink_process():
        return channel.launched(step, sink_size)

    return sink_process


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


class _Open(PerThread):
    counts: tuple = ()


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
    before, _open.counts = _open.counts, (*_open.counts, count)
    try:
        yield count
    finally:
        _open.counts = before


def note(row=(), **events):
    """Add `events` to every open count, with the bytes of `row`, a list of tensors."""
    for count in _open.counts:
        count.nbytes += sum(t.nbytes for t in row)
        for name, number in events.items():
            setattr(count, name, getattr(count, name) + number)


__getattr__ = attributes(__name__)
