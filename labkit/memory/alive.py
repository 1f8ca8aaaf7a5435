"""The bytes of all arrays alive, op by op: a run on boxes whose nodes are gauges."""

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from autograd import tracer
from autograd.core import VJPNode

from .. import engine
from ..engine import Own, inside, leaves, new_box, new_level, ones_like
from .held import owner_of


@dataclass(frozen=True)
class MemoryMoment:
    """The bytes of all arrays alive when `op` had just run; `phase` is "forward" or "backward"."""

    phase: str
    op: str
    bytes: int


class _Gauge(Own, VJPNode):
    """A node that keeps nothing: it notes how many bytes of arrays are alive when its op has run."""

    __slots__ = ("log",)

    def __init__(self, value, fun, args, kwargs, argnums, parents) -> None:
        self.log = parents[0].log
        self.log.note(value, getattr(fun, "__name__", "op").strip("_"))

    def initialize_root(self, value, log):
        self.log = log
        log.note(value, "input")


tracer.notrace_primitives[_Gauge] = tracer.notrace_primitives[VJPNode]


@dataclass
class _Log:
    """The arrays alive, found by weak references, and the moments noted so far."""

    bytes: int = 0
    known: dict[int, weakref.ref] = field(default_factory=dict)
    moments: list[MemoryMoment] = field(default_factory=list)
    phase: str = "forward"

    def note(self, value, op):
        owner = owner_of(value)
        if isinstance(owner, np.ndarray) and id(owner) not in self.known:
            self.known[id(owner)] = weakref.ref(owner, partial(self._gone, id(owner), owner.nbytes))
            self.bytes += owner.nbytes
        self.moments.append(MemoryMoment(self.phase, op, self.bytes))

    def _gone(self, key, size, ref):
        del self.known[key]
        self.bytes -= size


def timeline(plain: Callable, values: Sequence[Any]) -> tuple[MemoryMoment, ...]:
    """The timeline: the derivative runs as usual, on boxes whose nodes are gauges, so that every op is seen."""
    log, level = _Log(), new_level()
    boxes = [new_box(value, level, _Gauge.new_root(value, log)) for value in values]
    with inside(level):
        output, pull = engine.vjp(plain, *boxes)
        log.phase = "backward"
        seeds = [ones_like(leaf) for leaf in leaves(output)]
        gradients = pull(seeds)
    del output, pull, seeds
    log.moments.append(MemoryMoment("backward", "end", log.bytes))
    del gradients
    return tuple(log.moments)
