"""Reductions: sums, means, extremes, norms, softmax, running sums. A row is all that one needs, for both dialects.

The decorated function says what it computes, and which arguments a dialect's function takes behind the tensor; the row has the
derivative and what it does with the arriving g, and, for docstrings, what it is and an example.
"""

import math
from functools import partial

import autograd.numpy as anp
import numpy as np
from autograd.numpy import numpy_wrapper

from ..engine import dtype_of, sum_once
from .arithmetic import select, zero
from .moving import expand
from .signatures import Offered, entered
from .table import known, rule

__all__ = ["REDUCTIONS", "log_softmax", "logsumexp", "mean", "norm", "others", "prod",
           "softmax", "sum_", "var"]  # fmt: skip

_DIMS = "axis=None, keepdims=False"
_TYPED = _DIMS + ", *, dtype=None"


REDUCTIONS: dict[str, Offered] = {}
_reduction = partial(entered, REDUCTIONS)


def _by_axes(name):
    """PyTorch's node of a reduction: of all elements, or along axes, which it numbers 1."""
    return lambda args, kwargs: (
        f"{name}Backward{int(kwargs.get('axis', args[1] if len(args) > 1 else None) is not None)}"
    )


known(anp.sum, _by_axes("Sum"), others="axis keepdims", saves="", words="g for every element summed")
known(sum_once, "SumBackward1", others="dim", saves="", words="g for every element summed",
      text="np.sum({0}, axis={1}, keepdims=True, dtype=np.float32).astype({0}.dtype)")  # fmt: skip
known(getattr(numpy_wrapper, "_primitive_mean", anp.mean), _by_axes("Mean"), others="axis keepdims", saves="",
      words="g / n for every element")  # fmt: skip
known(anp.max, words="g to the largest element, shared among equals")
known(anp.min, words="g to the smallest element, shared among equals")
known(anp.cumsum, words="the running sum of g, from the end")


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


@_reduction("the sum", "[3. 6.]", lambda ans, x, axis=None, keepdims=False: _repeated(ans, x, axis), "total", _TYPED,
            text="np.sum", words="g for every element summed", rounds=False, node=_by_axes("Sum"))  # fmt: skip
def sum_(x, axis=None, keepdims=False) -> np.ndarray:
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=_sum_dtype(x))


@_reduction("the mean", "[1.5 3. ]", lambda ans, x, axis=None, keepdims=False: _repeated(ans, x, axis, mean=True), "mean", _TYPED,
            text="np.mean", words="g / n for every element", rounds=False, node=_by_axes("Mean"))  # fmt: skip
def mean(x, axis=None, keepdims=False) -> np.ndarray:
    return np.mean(x, axis=axis, keepdims=keepdims)


@rule(lambda ans, x, axis=None, keepdims=False, ddof=0: lambda g: _var_vjp(g, x, axis, ddof), text="np.var",
      words="2 g (x - mean) / n", rounds=False)  # fmt: skip
def var(x, axis=None, keepdims=False, ddof=0) -> np.ndarray:
    """Mean squared distance from the mean, over n - ddof."""
    return np.var(x, axis=axis, keepdims=keepdims, ddof=ddof)


def _var_vjp(g, x, axis, ddof):
    centre = mean(x, axis, True)
    count = anp.size(x) / max(anp.size(centre), 1) - ddof
    return _spread(g, x, axis) * (2 / count if count > 0 else np.nan) * (x - centre)


@_reduction("the product", "[2. 9.]", lambda ans, x, axis=None, keepdims=False: lambda g: _spread(g, x, axis) * others(x, axis),
            "total", _TYPED, text="np.prod", words="g times the product of the others", rounds=False)  # fmt: skip
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


def _top(x, axis):
    """The largest along `axis`, kept; of nothing, what is below all numbers."""
    return np.max(x, axis=axis, keepdims=True) if x.size else np.max(x, axis=axis, keepdims=True, initial=-np.inf)


@_reduction(
    "log(sum(exp(x))), without overflow", "[2.3133 3.6931]",
    lambda ans, x, axis=None, keepdims=False: lambda g: _spread(g, x, axis) * anp.exp(x - _spread(ans, x, axis)),
    "smooth", "axis, keepdims=False", words="g softmax(x)",
)  # fmt: skip
def logsumexp(x, axis=None, keepdims=False) -> np.ndarray:
    top = _top(x, axis)
    top = np.where(np.isfinite(top), top, zero(x))
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


@_reduction("exp(x) over its sum, without overflow", "[[0.2689 0.7311]\n [0.5    0.5   ]]",
            lambda ans, x, axis: lambda g: ans * (g - sum_(g * ans, axis, True)), words="s (g - sum(g s))",
            rounds=False)  # fmt: skip
def softmax(x, axis) -> np.ndarray:
    """exp(x) / sum(exp(x)) along axis"""
    z = np.exp(x - _top(x, axis))
    return z / np.sum(z, axis=axis, keepdims=True)


@_reduction("log(softmax(x)), without overflow", "[[-1.3133 -0.3133]\n [-0.6931 -0.6931]]",
            lambda ans, x, axis: lambda g: g - anp.exp(ans) * sum_(g, axis, True), words="g - softmax sum(g)")  # fmt: skip
def log_softmax(x, axis) -> np.ndarray:
    """x - log(sum(exp(x))) along axis"""
    shifted = x - _top(x, axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


# ---- rows of what autograd.numpy has ----


def _found(fun):
    def found(x, axis=None, keepdims=False):
        return fun(x, axis=axis if anp.ndim(x) else None, keepdims=keepdims)

    return found


def _count(x, axis=None, keepdims=False):
    return anp.sum(x != 0, axis=axis, keepdims=keepdims)


for _name, *_row in (
    ("amax", anp.max, "the largest", "[2. 3.]"),
    ("amin", anp.min, "the smallest", "[1. 3.]"),
    ("cumsum", anp.cumsum, "the running sum", "[[1. 3.]\n [3. 6.]]", "axis, *, dtype=None", "total"),
    ("any", _found(anp.any), "whether some element is not zero", "[ True  True]", _DIMS, "found"),
    ("all", _found(anp.all), "whether no element is zero", "[ True  True]", _DIMS, "found"),
    ("count_nonzero", _count, "how many are not zero", "[2 2]", _DIMS, "found"),
    ("argmax", _found(anp.argmax), "the index of the largest; of equals, the first", "[1 0]", _DIMS, "found"),
    ("argmin", _found(anp.argmin), "the index of the smallest; of equals, the first", "[0 0]", _DIMS, "found"),
):
    REDUCTIONS[_name] = Offered(*_row)
