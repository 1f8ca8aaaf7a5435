"""Finds lines with equal values: `x * 1` and `x`, or two lines with the same op and arguments."""

from collections.abc import Hashable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd.core import SparseObject, VSpace
from autograd.numpy import numpy_wrapper

from ..engine import cast, shape_of, stop_gradient
from ..ops import spelling
from .line import Line

_TRANSPOSING = {anp.transpose, anp.swapaxes}
_BY_SHAPE = {anp.ones_like, anp.zeros_like}
_SHAPES = {
    anp.reshape,
    anp.squeeze,
    anp.expand_dims,
    anp.sum,
    anp.ravel,
    anp.broadcast_to,
}  # nothing where the shape stays
_SHAPE_WORDS = {"np.sum", "np.broadcast_to"}  # the same among labkit's own ops
_NEUTRAL = {  # op -> the constant that changes nothing, on the left and on the right (x + 0 is not -0.0 for x = -0.0)
    anp.multiply: (1, 1), anp.true_divide: (None, 1), anp.divide: (None, 1), anp.subtract: (None, 0), anp.power: (None, 1),
}  # fmt: skip


def same_value(line) -> Any:
    """An argument or a constant that has the line's value; the line itself where there is none."""
    fun, args = line.fun, line.args
    if fun in _BY_SHAPE or (type(line.value) is not SparseObject and not any(type(a) is Line for a in args)):
        return line.value
    if fun in _TRANSPOSING and (order := permutation(line)):
        return _original(args[0], order) or line
    if fun is stop_gradient:
        return args[0]
    if fun is numpy_wrapper._array_from_scalar_or_array and shape_of(line.value) and _alike(args[2], line):
        return args[2]
    text = spelling(fun)
    if (fun in _SHAPES or fun is cast or text in _SHAPE_WORDS) and _alike(args[0], line):
        return args[0]
    neutral = (None, 1) if text == "{} ** {}" else _NEUTRAL.get(fun)
    if neutral is None:
        return line
    for mine, other, constant in zip(args, args[::-1], neutral[::-1], strict=False):
        if constant is not None and type(other) is not Line and _all_are(constant, other) and _alike(mine, line):
            return mine
    return line


def _all_are(constant, value):
    return value == constant if type(value) in (int, float) else np.all(np.equal(value, constant))


def _alike(value, line):
    """Whether a line's value has the shape and dtype of another's; of no axes, its type: scalars round differently."""
    return (
        type(value) is Line
        and shape_of(value.value) == shape_of(line.value)
        and dtype_of_line(value) == dtype_of_line(line)
        and (shape_of(line.value) != () or type(value.value) is type(line.value))
    )


def _original(value, order):
    """The line that transposing `value` to `order` leads back to, if it was transposed before; else None."""
    while order != tuple(range(len(order))):
        before = permutation(value) if type(value) is Line else None
        if before is None:
            return None
        order, value = tuple(before[i] for i in order), value.args[0]
    return value


def permutation(line) -> tuple[int, ...] | None:
    """The order of axes that a transposing op gives, None for another op."""
    if line.fun not in _TRANSPOSING:
        return None
    n, args = len(shape_of(line.value)), line.args
    if line.fun is anp.transpose:
        axes = args[1] if len(args) > 1 else line.kwargs.get("axes")
        return tuple(range(n))[::-1] if axes is None else tuple(int(a) % n for a in axes)
    order = list(range(n))
    order[args[1]], order[args[2]] = order[args[2]], order[args[1]]
    return tuple(order)


def dtype_of_line(line) -> Any:
    """The dtype of a line's value, None where it has none."""
    return getattr(line.value, "dtype", None)


def identity(line) -> tuple:
    """What makes two lines equal."""
    return line.fun, frozen(line.args), frozen(tuple(sorted(line.kwargs.items()))) if line.kwargs else None


def frozen(value) -> Hashable:
    """What distinguishes an argument: lines and large arrays by what they are, all else by what it holds."""
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *[id(v) if type(v) is Line else frozen(v) for v in value])
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.str, value.shape, value.tobytes() if value.size < 1000 else id(value)
    if isinstance(value, VSpace):
        return type(value).__name__, frozen(value.shape), str(getattr(value, "dtype", ""))
    if isinstance(value, slice):
        return "slice", value.start, value.stop, value.step
    return (type(value), value) if isinstance(value, (int, float, str, type, type(None))) else id(value)
