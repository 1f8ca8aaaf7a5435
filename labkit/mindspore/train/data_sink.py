"""`data_sink`: a function that takes its arguments from a data set on the (simulated) device."""

from collections.abc import Callable
from functools import wraps

from ...aliases import attributes
from ...kinds import of_kind
from ..context import get_context
from ..graph_mode import jit
from .dataset_helper import DEVICES, Channel

__all__ = ["data_sink"]


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


__getattr__ = attributes(__name__)
