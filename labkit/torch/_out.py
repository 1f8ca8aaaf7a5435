"""`out=`: a function of `torch` computes, and writes what it found into a tensor that is there."""

import warnings
from functools import wraps
from inspect import signature
from pathlib import Path

import numpy as np

from ..kinds import one_by_one
from ._dispatch import check_inplace, converted, overwrite
from ._modes import grad_enabled, no_grad
from ._table import method
from ._tensor import Tensor
from ._tree import flatten

NO_GRADIENT = (
    "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
    "grad."
)
RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output shape "
    "{}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero "
    "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
)
C_NAMES = {"int64": "long int", "float32": "float", "float64": "double", "int32": "int", "int16": "short int",
           "int8": "signed char", "uint8": "unsigned char", "float16": "c10::Half", "bfloat16": "c10::BFloat16"}  # fmt: skip

TAKES = frozenset(Path(__file__).with_name("outs.txt").read_text(encoding="utf-8").split())  # what takes `out` there


def with_out(name, fun):
    """The function `name` of `torch`: `fun`, which also takes a tensor, or a tuple of them, to write its results into.

    One that does not take it in PyTorch stays as it is.
    """
    if name not in TAKES:
        return fun

    @wraps(fun)
    def computed(*args, out=None, **kwargs):
        return fun(*args, **kwargs) if out is None else _written(name, fun, args, kwargs, out)

    computed.__module__, computed.__qualname__ = "labkit.torch", name
    return computed


def _written(name, fun, args, kwargs, out):
    given, outs = flatten([args, kwargs])[0], out if isinstance(out, (tuple, list)) else (out,)
    if not all(isinstance(o, Tensor) for o in outs):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if grad_enabled() and any(isinstance(t, Tensor) and t.requires_grad for t in (*given, *outs)):
        raise RuntimeError(NO_GRADIENT.format(name))
    if "dtype" in signature(fun).parameters and kwargs.setdefault("dtype", outs[0].dtype) is not outs[0].dtype:
        ours, theirs = kwargs["dtype"].legacy, outs[0].dtype.legacy
        raise RuntimeError(f"dtype {ours} does not match dtype of out parameter ({theirs})")
    with no_grad():
        found = fun(*args, **kwargs)
        several = found if isinstance(found, tuple) else (found,)
        for new, old in zip(several, outs, strict=True):
            _check_dtype(new.dtype, old.dtype, len(several) > 1)
            _write(new, old)
    return type(found)(*outs) if isinstance(found, tuple) and type(found) is not tuple else out


def _check_dtype(new, old, exactly):
    if exactly and new is not old:
        ours, theirs = (C_NAMES.get(dtype.name, dtype.name) for dtype in (new, old))
        raise RuntimeError(f"Expected out tensor to have dtype {ours}, but got {theirs} instead")
    if new.rank > old.rank:
        raise RuntimeError(f"result type {new.legacy} can't be cast to the desired output type {old.legacy}")


def _write(new, old):
    if new.shape != old.shape:
        if old.numel():
            warnings.warn(RESIZED.format(list(old.shape), list(new.shape)), UserWarning, stacklevel=4)
        resize_(old, *new.shape)
    overwrite(old, converted(new, old.dtype))


@method("resize_")
def resize_(self, *size, memory_format=None):
    """Another shape, in place: of the first elements in memory, and behind them of anything."""
    if grad_enabled() and self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    check_inplace("resize_", self)
    shape = tuple(one_by_one(size))
    made = np.zeros(shape, self._array.dtype)
    count = min(made.size, self.numel())
    made.reshape(-1)[:count] = self._array.reshape(-1)[:count]
    self._data = made if made.size > self.numel() else self._array.reshape(-1)[: made.size].reshape(shape)
    return self


@method("resize_as_")
def resize_as_(self, the_template):
    """`resize_` to the shape of another tensor."""
    return resize_(self, *the_template.shape)
