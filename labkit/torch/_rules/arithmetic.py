"""Arithmetic of two operands, limits and choices."""

import autograd.numpy as anp
import numpy as np

from ...engine import cast, dtype_of, unbroadcast_f
from ...engine import power as engine_power
from ..declared import declare
from .core import op, zero

add = declare(anp.add, "AddBackward0", "self other")
subtract = declare(anp.subtract, "SubBackward0", "self other")
multiply = declare(anp.multiply, "MulBackward0", "self other", saves="self<other other<self")
declare(cast, "ToCopyBackward0", others="dtype")
declare(anp.negative, "NegBackward0")
declare(anp.where, "WhereBackward0", "-condition self other", saves="condition")
declare(engine_power, "PowBackward0", "self ?exponent", saves="self exponent result<exponent")
declare(anp.true_divide, "DivBackward0", "self other", saves="self<other other")


@op("PowBackward0", lambda ans, x, p: lambda g: g * scale(power(x, p - 1), p) if p != 0 else anp.zeros_like(x),
    others="exponent", saves="self")  # fmt: skip
def power(x, p):
    """`x ** p` for a number `p`; the derivative at p = 0 is 0, also where x is."""
    return x**p


@op("MulBackward1", lambda ans, x, c: lambda g: scale(g, c), others="other")
def scale(x, c):
    """`x * c` for a number `c` that is part of an op, not an operand."""
    return x * c


@op("DivBackward1", lambda ans, x, c: lambda g: divide_by(g, c), others="other")
def divide_by(x, c):
    """`x / c` for a number `c` that is part of an op, not an operand."""
    return x / c


@op(
    "AddBackward0",
    lambda ans, x, y, c: unbroadcast_f(x, lambda g: g),
    lambda ans, x, y, c: unbroadcast_f(y, lambda g: scale(g, c)),
    tensors="self other",
    others="alpha",
)
def add_scaled(x, y, c):
    """`x + c y` for a number `c`."""
    return x + c * y


@op(
    "SubBackward0",
    lambda ans, x, y, c: unbroadcast_f(x, lambda g: g),
    lambda ans, x, y, c: unbroadcast_f(y, lambda g: scale(g, -c)),
    tensors="self other",
    others="alpha",
)
def subtract_scaled(x, y, c):
    """`x - c y` for a number `c`."""
    return x - c * y


@op(
    "LerpBackward0",
    lambda ans, x, y, w: unbroadcast_f(x, lambda g: g * (1 - w)),
    lambda ans, x, y, w: unbroadcast_f(y, lambda g: g * w),
    tensors="self end",
    others="weight",
)
def lerp(x, end, weight):
    return x + weight * (end - x)


@op(
    "AddcmulBackward0",
    lambda ans, x, a, b, c: unbroadcast_f(x, lambda g: g),
    lambda ans, x, a, b, c: unbroadcast_f(a, lambda g: g * (b * c)),
    lambda ans, x, a, b, c: unbroadcast_f(b, lambda g: g * (a * c)),
    tensors="self tensor1 tensor2",
    others="value",
    saves="tensor1<tensor2 tensor2<tensor1",
)
def addcmul(x, a, b, c):
    return x + c * a * b


@op(
    "AddcdivBackward0",
    lambda ans, x, a, b, c: unbroadcast_f(x, lambda g: g),
    lambda ans, x, a, b, c: unbroadcast_f(a, lambda g: g * (c / b)),
    lambda ans, x, a, b, c: unbroadcast_f(b, lambda g: -g * (c * a / (b * b))),
    tensors="self tensor1 tensor2",
    others="value",
    saves="tensor1<tensor2 tensor2",
)
def addcdiv(x, a, b, c):
    return x + c * a / b


def _no_derivative(name):
    def vjp(*args):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return vjp


@op("NotImplemented", _no_derivative("floor_divide"), _no_derivative("floor_divide"), tensors="self ?other")
def floor_divide(x, y):
    return np.floor_divide(x, y)


@op("RsubBackward1", lambda ans, x, c: lambda g: -g, others="other")
def rsub(x, c):
    """`c - x` for a number `c`."""
    return c - x


@op(
    "DivBackward0",
    lambda ans, x, y: unbroadcast_f(x, lambda g: anp.true_divide(g, y)),
    lambda ans, x, y: unbroadcast_f(y, lambda g: -g * anp.true_divide(anp.true_divide(x, y), y)),
    tensors="self other",
    saves="self<other other",
)
def divide(x, y):
    return np.true_divide(x, y)


@op(
    "PowBackward1",
    lambda ans, x, p: unbroadcast_f(
        x, lambda g: g * (p * anp.where(p == 0, anp.zeros_like(x), tensor_power(x, p - 1)))
    ),
    lambda ans, x, p: unbroadcast_f(p, lambda g: g * anp.where((x == 0) & (p >= 0), zero(g), ans * anp.log(x))),
    tensors="self exponent",
    saves="self exponent result<exponent",
)
def tensor_power(x, p):
    return np.power(x, p)


@op(
    "PowBackward2",
    None,
    lambda ans, c, p: lambda g: g * (ans * np.log(np.asarray(c, dtype_of(g)))),
    tensors="-self exponent",
    saves="exponent result",
)
def number_power(c, p):
    """`c ** p` for a number `c`."""
    return np.power(np.asarray(c, dtype_of(p)), p)


@op(
    lambda args, kwargs: "MaximumBackward0",
    lambda ans, x, y: unbroadcast_f(x, lambda g: g * _share(x, y, anp.greater)),
    lambda ans, x, y: unbroadcast_f(y, lambda g: g * _share(y, x, anp.greater)),
    tensors="self other",
    saves="self other",
)
def maximum(x, y):
    return np.maximum(x, y)


@op(
    "MinimumBackward0",
    lambda ans, x, y: unbroadcast_f(x, lambda g: g * _share(x, y, anp.less)),
    lambda ans, x, y: unbroadcast_f(y, lambda g: g * _share(y, x, anp.less)),
    tensors="self other",
    saves="self other",
)
def minimum(x, y):
    return np.minimum(x, y)


def _share(x, y, wins):
    """1 where `x` is taken, 1/2 at a tie."""
    half = np.asarray(0.5, dtype_of(x))
    return cast(wins(x, y), dtype_of(x)) + half * cast(anp.equal(x, y), dtype_of(x))


@op("RemainderBackward0", lambda ans, x, y: unbroadcast_f(x, lambda g: g),
    lambda ans, x, y: unbroadcast_f(y, lambda g: -g * anp.floor(anp.true_divide(x, y))),
    tensors="self ?other", saves="self<other other<other")  # fmt: skip
def remainder(x, y):
    return np.remainder(x, y)


@op("FmodBackward0", lambda ans, x, y: unbroadcast_f(x, lambda g: g),
    lambda ans, x, y: unbroadcast_f(y, lambda g: -g * anp.trunc(anp.true_divide(x, y))),
    tensors="self ?other", saves="self<other other<other")  # fmt: skip
def fmod(x, y):
    return np.fmod(x, y)


@op("Atan2Backward0",
    lambda ans, x, y: unbroadcast_f(x, lambda g: g * (y / (x * x + y * y))),
    lambda ans, x, y: unbroadcast_f(y, lambda g: g * (-x / (x * x + y * y))),
    tensors="self other", saves="self other")  # fmt: skip
def atan2(x, y):
    return np.arctan2(x, y)


@op(
    "ClampBackward1",
    lambda ans, x, low, high: lambda g: anp.where(_inside(x, low, high), g, zero(g)),
    others="min max",
    saves="self",
)
def clamp(x, low, high):
    """`x` limited to [low, high]; an element at a limit passes its gradient."""
    return np.clip(x, low, high).astype(x.dtype)


@op("ClampMinBackward0", lambda ans, x, low: lambda g: where(x >= low, g, zero(g)), others="min", saves="self")
def clamp_min(x, low):
    return np.maximum(x, low).astype(x.dtype)


@op("ClampMaxBackward0", lambda ans, x, high: lambda g: where(x <= high, g, zero(g)), others="max", saves="self")
def clamp_max(x, high):
    return np.minimum(x, high).astype(x.dtype)


@op(
    "ClampBackward0",
    lambda ans, x, low, high: unbroadcast_f(x, lambda g: where(_inside(x, low, high), g, zero(g))),
    lambda ans, x, low, high: unbroadcast_f(
        low, lambda g: where((x < low) & (True if high is None else low <= high), g, zero(g))
    ),
    lambda ans, x, low, high: unbroadcast_f(
        high, lambda g: where((x > high) | (False if low is None else low > high), g, zero(g))
    ),
    tensors="self min max",
    saves="self min max",
)
def clamp_between(x, low, high):
    """`x` limited by arrays (or None)."""
    return np.clip(x, low, high)


def _inside(x, low, high):
    inside = anp.ones(anp.shape(x), dtype=bool)
    return inside & (True if low is None else x >= low) & (True if high is None else x <= high)


@op("WhereBackward0", None,
    lambda ans, c, x, y: unbroadcast_f(x, lambda g: where(c, g, zero(g))),
    lambda ans, c, x, y: unbroadcast_f(y, lambda g: where(c, zero(g), g)),
    tensors="-condition self other", saves="condition")  # fmt: skip
def where(condition, x, y):
    return np.where(condition, x, y)
