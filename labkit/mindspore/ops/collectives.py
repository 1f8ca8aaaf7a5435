"""Collective ops: each is called by all ranks together, and its output depends on what every one of them gave.

All are made of `exchange`, by which every rank gets the arrays of all. They are reduced in the order of ranks, so every rank
has the same bits. float16 and bfloat16 are added in float32 and rounded once.

The gradient is that of the sum of all ranks' outputs, and takes an exchange of its own: what one rank gave is in the outputs
of all. While a program is recorded nothing is exchanged; it is when the program runs.
"""

from collections.abc import Callable
from functools import reduce

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ... import parallel
from ...dialects.class_paths import Placed
from ...engine import PerThread, dtype_of, stop_gradient
from ...program import recorded
from ..common.tensor import wrap
from ..graph.recorder import current
from .op_table import value_of
from .primitives import Primitive

WORLD = ("hccl_world_group", "nccl_world_group", "mccl_world_group")  # the group of all ranks, by any of its names


_GROUP = "For '{name}', expected the group of all ranks, {world!r}, but got {group!r}."


class ReduceOp(metaclass=Placed):
    """How `AllReduce` makes one value of many."""

    SUM, MAX, MIN, PROD, AVG = "sum", "max", "min", "prod", "avg"


_REDUCED: dict[str, Callable] = {
    "sum": lambda parts: reduce(np.add, parts), "max": lambda parts: reduce(np.maximum, parts),
    "min": lambda parts: reduce(np.minimum, parts), "prod": lambda parts: reduce(np.multiply, parts),
    "avg": lambda parts: _REDUCED["sum"](parts) / len(parts),
}  # fmt: skip
_PULLED: dict[str, Callable] = {
    "sum": lambda ans, x, g: all_reduce(g, "sum"), "avg": lambda ans, x, g: all_reduce(g, "avg"),
    **dict.fromkeys(("max", "min"), lambda ans, x, g: all_reduce(g, "sum") * stop_gradient(ans == x)),
    "prod": lambda ans, x, g: all_reduce(g * ans, "sum") / x,
}  # fmt: skip


class _Now(PerThread):
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


# ---- as ops of tensors ----


def _variable(value):
    """A value as it enters a collective op: recorded, if a program is, even where it is a constant of this rank."""
    recorder = current.recorder
    if recorder is None or recorded(value) is not None:
        return value
    return value * recorder.input(lambda: np.ones((), dtype_of(value)), "one")


def check_group(name, group):
    """Raise ValueError for another group than that of all ranks."""
    if group not in WORLD:
        raise ValueError(_GROUP.format(name=name, world=WORLD[0], group=group))


class AllReduce(Primitive):
    """Reduce the tensors of all ranks, elementwise; each gets the result. `op`: a `ReduceOp`, such as "sum".

    All ranks call it, with tensors of the same shape and type. In one process it gives the tensor itself.

    >>> from labkit.mindspore import Tensor
    >>> AllReduce(ReduceOp.SUM)(Tensor([1.0, 2.0]))
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """

    def __init__(self, op=ReduceOp.SUM, group=WORLD[0]):
        super().__init__()
        check_group(self.name, group)
        if op not in _REDUCED:
            raise ValueError(f"For '{self.name}', the 'op' must be one of {[*_REDUCED]}, but got {op!r}.")
        self.op, self.group = op, group

    def __call__(self, x):
        value = value_of(x, self.name)
        if dtype_of(value).kind == "b":
            raise TypeError(f"For '{self.name}', the input must be a tensor of numbers, but got Bool.")
        with np.errstate(all="ignore"):
            return wrap(all_reduce(_variable(value), self.op))
