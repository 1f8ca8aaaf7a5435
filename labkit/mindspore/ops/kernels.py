"""Kernels of ops that differ from `labkit.ops`: fused ones, and MindSpore's treatment of nan on the CPU."""

import math
from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import dtype_of, getval, shape_of
from ...ops import FUNCTIONS, rule, select, variant, zero
from ...program import recorded


@primitives.rule(
    lambda ans, x, weight: lambda g: anp.matmul(g, weight),
    lambda ans, x, weight: lambda g: anp.matmul(anp.transpose(g), x),
    text="{} @ {}.T",
    words="g @ w, g.T @ x",
)
def dense(x, weight):
    """`x @ weight.T`: x (n, in), weight (out, in), output (n, out)."""
    return np.matmul(x, weight.T)


def mean(x):
    """The mean of all elements; nan where there are none."""
    return _mean(x) if size(x) else sum_all(x) * np.nan


@primitives.rule(lambda ans, x: lambda g: spread(g / size(x), shape_of(x)), text="np.mean")
def _mean(x):
    return np.mean(x)


@primitives.rule(lambda ans, x: lambda g: spread(g, shape_of(x)), text="np.sum", name="sum")
def sum_all(x):
    """The sum of all elements."""
    return np.sum(x)


def size(x):
    """The number of elements."""
    return math.prod(shape_of(x))


def spread(g, shape):
    """A 0-d gradient given to every element of `shape`."""
    return primitives.expand(g, shape) if shape else g


def _at_nan(name, value, slope=None):
    """The function of a row with this value at nan, and this slope (see `variant`)."""
    fun = FUNCTIONS[name].fun

    def kernel(x):
        y = fun(x)
        return y if x.dtype.kind != "f" else np.where(np.isnan(x), np.asarray(value, x.dtype), y)[()]

    return variant(fun, kernel, slope)


def _flat(passed, x):
    """No slope at nan."""
    return select(x == x, passed, zero(passed)) if _has_nan(x) else passed


OF_ONE = {
    "relu": _at_nan("relu", 0), "softplus": _at_nan("softplus", np.inf, _flat),
}  # fmt: skip


def _clamp(x, low, high):
    at_nan = np.asarray(min(bound for bound in (low, high) if bound is not None)).astype(x.dtype)
    return np.where(np.isnan(x), at_nan, primitives.clamp(x, low, high))[()]


clamp: Any = variant(primitives.clamp, _clamp)
OF_ONE["relu6"] = lambda x: clamp(OF_ONE["relu"](x), None, 6)
OF_ONE["acosh"] = rule(lambda ans, x: lambda g: g / anp.sinh(ans), name="acosh")(np.arccosh)


def _has_nan(x):
    """Whether there is a nan in it; while it is recorded for a program, whether there may be one."""
    return dtype_of(x).kind == "f" and (recorded(x) is not None or bool(np.isnan(getval(x)).any()))


def _exp(x, axis):
    """exp(x - max(x)), infinite for nan; and x - max(x), where the largest is found by comparing."""
    shifted = x - np.max(np.where(np.isnan(x), -np.inf, x), axis=axis, keepdims=True)
    return np.where(np.isnan(shifted), np.inf, np.exp(shifted)), shifted


def _softmax(x, axis):
    if not _has_nan(x):
        return primitives.softmax(x, axis)
    z, _ = _exp(x, axis)
    return np.where(np.isnan(x), x, z / np.sum(z, axis=axis, keepdims=True)).astype(x.dtype)


def _log_softmax(x, axis):
    if not _has_nan(x):
        return primitives.log_softmax(x, axis)
    z, shifted = _exp(x, axis)
    return (shifted - np.log(np.sum(z, axis=axis, keepdims=True))).astype(x.dtype)


def _logsumexp(x, axis=None, keepdims=False):
    """As the real one computes it: nan where the largest is infinite."""
    found = primitives.logsumexp(x, axis, keepdims)
    return np.where(np.isinf(found), np.asarray(np.nan, found.dtype), found)[()]


logsumexp = variant(primitives.logsumexp, _logsumexp)
softmax, log_softmax = variant(primitives.softmax, _softmax), variant(primitives.log_softmax, _log_softmax)


# ---- the largest, the smallest, the order ----


@rule(lambda ans, x, axis, last: lambda g: g)
def _counted(x, axis, last):
    axes = range(x.ndim) if axis is None else [a % x.ndim for a in np.atleast_1d(axis)]
    first = x[tuple(slice(0, 1) if i in axes else slice(None) for i in range(x.ndim))]
    return np.where(np.isnan(x) & ~np.isnan(first), np.asarray(last, x.dtype), x)


def compared(x, axis, last):
    """`x` for a search along `axis` (None: through all) that takes the first, then whatever beats it: a nan that is not the
    first becomes `last`, infinite."""
    return _counted(x, axis, last) if _has_nan(x) else x
