"""Sums, means, extremes, norms and softmax."""

import math

import autograd.numpy as anp
import numpy as np

from ..engine import dtype_of
from .arithmetic import select, zero
from .moving import expand
from .table import known, rule

__all__ = ["log_softmax", "logsumexp", "mean", "norm", "others", "prod", "softmax", "sum_", "var"]

known(anp.sum, "SumBackward1", others="axis keepdims", saves="", words="g for every element summed")
known(anp.mean, words="g / n for every element")
known(anp.max, words="g to the largest, shared by equal ones")
known(anp.min, words="g to the smallest, shared by equal ones")


def _kept_shape(shape, axis):
    """`shape` with 1 for every axis that a reduction over `axis` (None: all of them) takes away."""
    axes = range(len(shape)) if axis is None else [a % len(shape) for a in ((axis,) if isinstance(axis, int) else axis)]
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def _spread(g, x, axis):
    """A reduced gradient `g`, ready to broadcast against `x`."""
    return anp.reshape(g, _kept_shape(anp.shape(x), axis))


def _sum_dtype(x):
    """Floats add up in their own dtype, integers and booleans in NumPy's default integer (None)."""
    return None if dtype_of(x).kind in "biu" else dtype_of(x)


def _repeated(ans, x, axis, mean=False):
    """The rule of a sum or mean: every element gets the gradient of its total. It keeps shapes, not `x`."""
    shape, kept, count = anp.shape(x), _kept_shape(anp.shape(x), axis), anp.size(x) / max(anp.size(ans), 1)
    return lambda g: expand(anp.reshape(g / count if mean else g, kept), shape)


@rule(lambda ans, x, axis=None, keepdims=False: _repeated(ans, x, axis), text="np.sum",
      words="g for every element summed")  # fmt: skip
def sum_(x, axis=None, keepdims=False) -> np.ndarray:
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=_sum_dtype(x))


@rule(lambda ans, x, axis=None, keepdims=False: _repeated(ans, x, axis, mean=True), text="np.mean",
      words="g / n for every element")  # fmt: skip
def mean(x, axis=None, keepdims=False) -> np.ndarray:
    return np.mean(x, axis=axis, keepdims=keepdims)


@rule(lambda ans, x, axis=None, keepdims=False, ddof=0: lambda g: _var_vjp(g, x, axis, ddof), text="np.var",
      words="2 g (x - mean) / n")  # fmt: skip
def var(x, axis=None, keepdims=False, ddof=0) -> np.ndarray:
    """Mean squared distance from the mean, over n - ddof."""
    return np.var(x, axis=axis, keepdims=keepdims, ddof=ddof)


def _var_vjp(g, x, axis, ddof):
    centre = mean(x, axis, True)
    count = anp.size(x) / max(anp.size(centre), 1) - ddof
    return _spread(g, x, axis) * (2 / count if count > 0 else np.nan) * (x - centre)


@rule(lambda ans, x, axis=None, keepdims=False: lambda g: _spread(g, x, axis) * others(x, axis), text="np.prod",
      words="g times the product of the others")  # fmt: skip
def prod(x, axis=None, keepdims=False) -> np.ndarray:
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=_sum_dtype(x))


def others(x, axis) -> np.ndarray:
    """For each element the product of all the others along `axis`, right also where some are zero."""
    axes = tuple(range(anp.ndim(x))) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    last = tuple(range(-len(axes), 0))
    moved = anp.moveaxis(x, axes, last)
    whole = anp.ndim(x) - len(axes)
    flat = anp.reshape(moved, (*anp.shape(moved)[:whole], math.prod(anp.shape(moved)[whole:])))
    itself = np.eye(anp.shape(flat)[-1], dtype=bool)
    rest = prod(select(itself, 1, flat[..., None, :]), -1)
    return anp.moveaxis(anp.reshape(rest, anp.shape(moved)), last, axes)


@rule(lambda ans, x, axis=None, keepdims=False: lambda g: _norm_vjp(g, ans, x, axis))
def norm(x, axis=None, keepdims=False) -> np.ndarray:
    """Euclidean norm; the gradient at zero is 0, the smallest subgradient."""
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims, dtype=dtype_of(x)))


def _norm_vjp(g, ans, x, axis):
    length = _spread(ans, x, axis)
    return _spread(g, x, axis) * x / anp.where(length == 0, anp.ones_like(length), length)


@rule(lambda ans, x, axis=None, keepdims=False: lambda g: _spread(g, x, axis) * anp.exp(x - _spread(ans, x, axis)))
def logsumexp(x, axis=None, keepdims=False) -> np.ndarray:
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, zero(x))
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


@rule(lambda ans, x, axis: lambda g: ans * (g - sum_(g * ans, axis, True)), words="s (g - sum(g s))")
def softmax(x, axis) -> np.ndarray:
    """exp(x) / sum(exp(x)) along axis"""
    z = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return z / np.sum(z, axis=axis, keepdims=True)


@rule(lambda ans, x, axis: lambda g: g - anp.exp(ans) * sum_(g, axis, True), words="g - softmax sum(g)")
def log_softmax(x, axis) -> np.ndarray:
    """x - log(sum(exp(x))) along axis"""
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
