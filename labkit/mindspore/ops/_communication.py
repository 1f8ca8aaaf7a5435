"""Collective ops: each is called by all ranks together, and its output depends on what every one of them gave.

All are made of `exchange`, by which every rank gets the arrays of all. They are reduced in the order of ranks, so every rank
has the same bits. float16 and bfloat16 are added in float32 and rounded once.

The gradient is that of the sum of all ranks' outputs, and takes an exchange of its own: what one rank gave is in the outputs
of all. While a program is recorded nothing is exchanged; it is when the program runs.
"""

import threading
from collections.abc import Callable
from functools import reduce
from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ... import parallel
from ...engine import dtype_of, shape_of, stop_gradient
from ...layout import Placed
from ...program import recorded
from .._recording import current
from ..tensor import Tensor, wrap
from ._op import value_of
from ._primitives import CLASSES, Primitive

WORLD = ("hccl_world_group", "nccl_world_group", "mccl_world_group")  # the group of all ranks, by any of its names


class ReduceOp(metaclass=Placed):
    """How `AllReduce` makes one value of many."""

    SUM, MAX, MIN, PROD, AVG = "sum", "max", "min", "prod", "avg"


_REDUCED: dict[str, Callable] = {
    "sum": lambda parts: reduce(np.add, parts), "max": lambda parts: reduce(np.maximum, parts),
    "min": lambda parts: reduce(np.minimum, parts), "prod": lambda parts: reduce(np.multiply, parts),
    "avg": lambda parts: _REDUCED["sum"](parts) / len(parts),
}  # fmt: skip
_PULLED: dict[str, Callable] = {
    "sum": lambda ans, x, g: all_reduce(g, "sum"),
    "avg": lambda ans, x, g: all_reduce(g, "avg"),
    "max": lambda ans, x, g: all_reduce(g, "sum") * stop_gradient(ans == x),
    "min": lambda ans, x, g: all_reduce(g, "sum") * stop_gradient(ans == x),
    "prod": lambda ans, x, g: all_reduce(g * ans, "sum") / x,
}


class _Now(threading.local):
    recording = False


_now = _Now()


def _exchanged(what, x):
    """The arrays of all ranks; while a program is recorded, this rank's in place of each: of the right shape and dtype."""
    group = parallel.member()
    return [x] * group.size if _now.recording else group.exchange(what, x)


def _collective(op):
    """`op`, an op whose first argument is an array, as one that exchanges nothing while it is recorded."""

    def call(x, *options):
        outer, _now.recording = _now.recording, recorded(x) is not None
        try:
            return op(x, *options)
        finally:
            _now.recording = outer

    op.communicates = True  # its result is not this rank's alone: a program neither folds nor shares it
    return call


def _of(ans, g):
    """`g`, recorded whenever `ans` is: a constant that is exchanged depends on the other ranks."""
    return g * anp.ones_like(ans) if recorded(g) is None and recorded(ans) is not None else g


@_collective
@primitives.rule(lambda ans, x, op: lambda g: _PULLED[op](ans, x, _of(ans, g)))
def all_reduce(x, op):
    """the sum (max, min, prod, avg) of the arrays of all ranks"""
    dtype = x.dtype
    parts = _exchanged(f"AllReduce({op})", x)
    if dtype.itemsize < 4 and dtype.kind not in "iub":
        return _REDUCED[op]([p.astype(np.float32) for p in parts]).astype(dtype)
    return np.asarray(_REDUCED[op](parts)).astype(dtype, copy=False)[()]


@_collective
@primitives.rule(lambda ans, x: lambda g: _own_rows(all_reduce(_of(ans, g), "sum"), shape_of(x)[0]))
def all_gather(x):
    """the arrays of all ranks, one below the other"""
    return np.concatenate(_exchanged("AllGather", x))


def _own_rows(g, rows):
    start = parallel.member().rank * rows
    return g[start : start + rows]


@_collective
@primitives.rule(lambda ans, x, root: lambda g: all_reduce(_of(ans, g), "sum") * (parallel.member().rank == root))
def broadcast(x, root):
    """the array of rank `root`"""
    return _exchanged(f"Broadcast({root})", x)[root]


# ---- as ops of tensors ----


def _variable(value):
    """A value as it enters a collective op: recorded, if a program is, even where it is a constant of this rank."""
    recorder = current.recorder
    if recorder is None or recorded(value) is not None:
        return value
    return value * recorder.input(lambda: np.ones((), dtype_of(value)), "one")


class _Collective(Primitive):
    """The base of the ops of this module; they work on the group of all ranks."""

    _run: Callable[..., Any]

    def __init__(self, group=WORLD[0]):
        super().__init__()
        if not isinstance(group, str):
            raise TypeError(f"For '{self.name}', the 'group' must be str, but got {type(group).__name__}.")
        if group not in WORLD:
            raise ValueError(f"For '{self.name}', expected the group of all ranks, {WORLD[0]!r}, but got {group!r}.")
        self.group = group

    def __call__(self, x):
        value = value_of(x, self.name)
        if dtype_of(value).kind == "b":
            raise TypeError(f"For '{self.name}', the input must be a tensor of numbers, but got Bool.")
        with np.errstate(all="ignore"):
            return wrap(self._run(_variable(value)))


class AllReduce(_Collective):
    """Reduce the tensors of all ranks, elementwise; each gets the result. `op`: a `ReduceOp`, such as "sum".

    All ranks call it, with tensors of the same shape and type. In one process it gives the tensor itself.

    >>> from labkit.mindspore import Tensor
    >>> AllReduce(ReduceOp.SUM)(Tensor([1.0, 2.0]))
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """

    def __init__(self, op=ReduceOp.SUM, group=WORLD[0]):
        super().__init__(group)
        if not isinstance(op, str):
            raise TypeError(f"For '{self.name}', the 'op' must be str, but got {type(op).__name__}.")
        if op not in _REDUCED:
            raise ValueError(f"For '{self.name}', the 'op' must be one of {[*_REDUCED]}, but got {op!r}.")
        self.op = op

    def _run(self, value):
        return all_reduce(value, self.op)


class AllGather(_Collective):
    """The tensors of all ranks joined along the first axis, in the order of ranks; each gets the result."""

    def _run(self, value):
        if not shape_of(value):
            raise ValueError(f"For '{self.name}', the input must have at least one axis, but got a 0-d tensor.")
        return all_gather(value)


class Broadcast(_Collective):
    """A tuple with the tensors of rank `root_rank`, for every rank, from the tuple that each gives.

    The gradient goes to the root alone, the sum of all ranks'; the real op leaves each rank its own.
    """

    def __init__(self, root_rank, group=WORLD[0]):
        super().__init__(group)
        if not isinstance(root_rank, int) or isinstance(root_rank, bool):
            raise TypeError(
                f"For '{self.name}', the type of 'root_rank' must be int, but got {type(root_rank).__name__}."
            )
        self.root_rank = root_rank

    def __call__(self, tensors):
        size = parallel.member().size
        if not 0 <= self.root_rank < size:
            raise ValueError(f"For '{self.name}', the 'root_rank' must be below {size}, but got {self.root_rank}.")
        several = (tensors,) if isinstance(tensors, Tensor) else tensors
        return tuple(super(Broadcast, self).__call__(tensor) for tensor in several)

    def _run(self, value):
        return broadcast(value, self.root_rank)


CLASSES.update(AllReduce=AllReduce, AllGather=AllGather, Broadcast=Broadcast, ReduceOp=ReduceOp)
