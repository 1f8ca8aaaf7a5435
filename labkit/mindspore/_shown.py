"""A function that is run to be shown: its branches and loops are told apart, and stand in its program."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..engine import current as shown
from ..program import Recording, recorded
from ._recording import Recorder, busy
from ._source import rewritten_code, run_as
from ._watching import functions_of, surroundings
from .tensor import Tensor


@contextmanager
def flow(fun, values) -> Iterator[None]:
    """While open, the functions that `fun` uses run as rewritten, if a graph or a program is recorded of these values."""
    box = next((value for value in values if recorded(value) is not None), None)
    if busy() or (box is None and shown.scopes is None):
        yield
        return
    with run_as(rewritten_code, functions_of(surroundings(fun))):
        if box is None:
            yield
            return
        recorder = Recorder(Recording.of(box))
        recorder.in_order = True
        with recorder.active():
            yield


setattr(Tensor, "__engine_flow__", staticmethod(flow))  # noqa: B010
