"""The most bytes allocated at once, as tracemalloc sees them."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import engine


@contextmanager
def garbage_left_alone() -> Iterator[None]:
    """No garbage collection inside: it would come at an unpredictable moment."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def measured(plain: Callable, values: Sequence[Any], alive: int, nodes: int) -> tuple[int, int, int]:
    """Peak bytes of a plain run, of a run with its backward pass, and bytes of bookkeeping per node."""
    forward = _peak(lambda: plain(*values))[0]
    both, held = _peak(lambda: _walked(plain, values))
    return forward, both, max(0, held - alive) // max(nodes, 1)


def _walked(plain, values):
    """Run the forward and the backward pass; returns the bytes that were allocated between the two."""
    before = tracemalloc.get_traced_memory()[0]
    _, pull = engine.vjp(plain, *values)
    between = tracemalloc.get_traced_memory()[0] - before
    pull()
    return between


def _peak(run):
    """`(the most bytes allocated at once during run(), its result)`."""
    running = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        result = run()
        return tracemalloc.get_traced_memory()[1] - before, result
    finally:
        if not running:
            tracemalloc.stop()
