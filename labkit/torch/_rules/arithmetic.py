"""Arithmetic of two operands, limits and choices, as far as PyTorch has nodes or numbers of its own."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ...engine import cast, dtype_of
from ...ops import select as where
from ...ops import zero
from .core import op

add, subtract, multiply, divide, negative = anp.add, anp.subtract, anp.multiply, anp.true_divide, anp.negative


@op(
    "LerpBackward0",
    lambda ans, x, y, w: lambda g: g * (1 - w),
    lambda ans, x, y, w: lambda g: g * w,
    broadcasts=True,
    tensors="self end",
    others="weight",
)
def lerp(x, end, weight):
    return x + weight * (end - x)


@op(
    "AddcmulBackward0",
    lambda ans, x, a, b, c: lambda g: g,
    lambda ans, x, a, b, c: lambda g: g * (b * c),
    lambda ans, x, a, b, c: lambda g: g * (a * c),
    broadcasts=True,
    tensors="self tensor1 tensor2",
    others="value",
    saves="tensor1<tensor2 tensor2<tensor1",
)
def addcmul(x, a, b, c):
    return x + c * a * b


@op(
    "AddcdivBackward0",
    lambda ans, x, a, b, c: lambda g: g,
    lambda ans, x, a, b, c: lambda g: g * (c / b),
    lambda ans, x, a, b, c: lambda g: -g * (c * a / (b * b)),
    broadcasts=True,
    tensors="self tensor1 tensor2",
    others="value",
    saves="tensor1<tensor2 tensor2",
)
def addcdiv(x, a, b, c):
    return x + c * a / b


def no_derivative(name) -> Any:
    """The rule of an op that has none in PyTorch."""

    def vjp(*args):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return vjp


@op("NotImplemented", no_derivative("floor_divide"), no_derivative("floor_divide"), tensors="self ?other")
def floor_divide(x, y):
    return np.floor_divide(x, y)


@op(
    "PowBackward1",
    lambda ans, x, p: lambda g: g * (p * anp.where(p == 0, anp.zeros_like(x), tensor_power(x, p - 1))),
    lambda ans, x, p: lambda g: g * anp.where((x == 0) & (p >= 0), zero(g), ans * anp.log(x)),
    broadcasts=True,
    tensors="self exponent",
    saves="self exponent result",
)
def tensor_power(x, p):
    return np.power(x, p)


@op(
    "PowBackward2",
    None,
    lambda ans, c, p: (
        lambda g: (
            anp.where(p >= 0, zero(g), g * ans * -np.inf) if c == 0 else g * (ans * np.log(np.asarray(c, dtype_of(g))))
        )
    ),
    tensors="-self exponent",
    saves="exponent result",
)
def number_power(c, p):
    """`c ** p` for a number `c`."""
    return np.power(np.asarray(c, dtype_of(p)), p)


def _extreme(node, kernel, wins):
    return op(
        node,
        lambda ans, x, y: lambda g: g * _share(x, y, wins),
        lambda ans, x, y: lambda g: g * _share(y, x, wins),
        name=kernel.__name__, broadcasts=True, tensors="self other", saves="self other",
    )(kernel)  # fmt: skip


maximum, minimum = (
    _extreme("MaximumBackward0", np.maximum, anp.greater),
    _extreme("MinimumBackward0", np.minimum, anp.less),
)


def _share(x, y, wins):
    """1 where `x` is taken, 1/2 at a tie."""
    half = np.asarray(0.5, dtype_of(x))
    return cast(wins(x, y), dtype_of(x)) + half * cast(anp.equal(x, y), dtype_of(x))


@op("RemainderBackward0", lambda ans, x, y: lambda g: g,
    lambda ans, x, y: lambda g: -g * anp.floor(anp.true_divide(x, y)),
    broadcasts=True, tensors="self ?other", saves="self<other other<other")  # fmt: skip
def remainder(x, y):
    return np.remainder(x, y)


@op("FmodBackward0", lambda ans, x, y: lambda g: g,
    lambda ans, x, y: lambda g: -g * anp.trunc(anp.true_divide(x, y)),
    broadcasts=True, tensors="self ?other", saves="self<other other<other")  # fmt: skip
def fmod(x, y):
    return np.fmod(x, y)


@op("ClampMinBackward0", lambda ans, x, low: lambda g: where(x >= low, g, zero(g)), others="min", saves="self")
def clamp_min(x, low):
    return np.maximum(x, low).astype(x.dtype)


@op("ClampMaxBackward0", lambda ans, x, high: lambda g: where(x <= high, g, zero(g)), others="max", saves="self")
def clamp_max(x, high):
    return np.minimum(x, high).astype(x.dtype)


@op(
    "ClampBackward0",
    lambda ans, x, low, high: lambda g: where(_inside(x, low, high), g, zero(g)),
    lambda ans, x, low, high: lambda g: where((x < low) & (True if high is None else low <= high), g, zero(g)),
    lambda ans, x, low, high: lambda g: where((x > high) | (False if low is None else low > high), g, zero(g)),
    broadcasts=True,
    tensors="self min max",
    saves="self min max",
)
def clamp_between(x, low, high):
    """`x` limited by arrays (or None)."""
    return np.clip(x, low, high)


def _inside(x, low, high):
    inside = anp.ones(anp.shape(x), dtype=bool)
    return inside & (True if low is None else x >= low) & (True if high is None else x <= high)
