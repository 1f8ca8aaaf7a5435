"""Arithmetic of two operands, limits, maximum and minimum, where PyTorch's nodes or numbers differ."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import cast, dtype_of
from ...ops import select as where
from ...ops import zero
from .declaration import op

add, subtract, multiply, divide, negative = anp.add, anp.subtract, anp.multiply, anp.true_divide, anp.negative


# ---- by a number, which takes part as it is where the tensor has two bytes ----


@op("MulBackward1", lambda ans, x, c: lambda g: scale(g, c), name="multiply", others="other", text="{1} * {0}")
def scale(x, c):
    return x * c


@op("DivBackward1", lambda ans, x, c: lambda g: divide_by(g, c), name="divide", others="other", text="{} / {}")
def divide_by(x, c):
    return x / c


def times(x, c):
    """`c * x` in a derivative, for a number `c` that two-byte floats do not hold: theirs is rounded once."""
    return scale(x, c) if base.two_bytes(x.dtype) else c * x


@op("MulBackward0", lambda ans, x, c: lambda g: by_number(g, c), name="multiply", tensors="self other",
    saves="self<other other<self")  # fmt: skip
def by_number(x, c):
    return x * base.operand(c, x)


@op("DivBackward0", lambda ans, x, c: lambda g: over_number(g, c), name="divide", tensors="self other",
    saves="self<other other")  # fmt: skip
def over_number(x, c):
    return x / base.operand(c, x)


def _power(x, p):
    if p in (3, -2) and base.two_bytes(x.dtype) and x.dtype.name == "bfloat16":  # rounded in between
        return 1 / (x * x) if p == -2 else x * x * x
    return 1 / np.sqrt(x) if p == -0.5 else base.power.fun(x, p)


def _power_vjp(ans, x, p):
    if p == 0:
        return lambda g: anp.zeros_like(x)
    if p == 2 and type(x) is np.ndarray and not base.two_bytes(x.dtype):
        return lambda g: g * (x * p)
    return lambda g: g * scale(power(x, p - 1), p)


power = op("PowBackward0", _power_vjp, name="power", others="exponent", saves="self", text="{} ** {}", sign="pow",
    words="g p x^(p-1)", rounds=False)(_power)  # fmt: skip


def _no_derivative(ans, *args) -> Any:
    """The rule of a floor division, which has none in PyTorch."""
    raise RuntimeError("derivative for aten::floor_divide is not implemented")


@op("NotImplemented", _no_derivative, _no_derivative, tensors="self ?other")
def floor_divide(x, y):
    return np.floor_divide(x, _divisor(y))


def _divisor(y):
    if y.dtype.kind in "iu" and not y.all():
        raise RuntimeError("ZeroDivisionError")
    return y


@op("PowBackward1", lambda ans, x, p: lambda g: g * (p * anp.where(p == 0, anp.zeros_like(x), tensor_power(x, p - 1))),
    lambda ans, x, p: lambda g: g * anp.where((x == 0) & (p >= 0), zero(g), ans * anp.log(x)), broadcasts=True,
    tensors="self exponent", saves="self exponent result")  # fmt: skip
def tensor_power(x, p):
    return np.power(x, p)


def _number_power_vjp(ans, c, p):
    if c == 0:
        return lambda g: anp.where(p >= 0, zero(g), g * ans * -np.inf)
    return lambda g: g * times(ans, np.log(np.asarray(c, np.float64 if base.two_bytes(dtype_of(g)) else dtype_of(g))))


@op("PowBackward2", None, _number_power_vjp, tensors="-self exponent", saves="exponent result", operands=True)
def number_power(c, p):
    """`c ** p` for a number `c`."""
    return np.power(np.asarray(c, dtype_of(p)), p)


# ---- sums with a factor ----

BLOCK = 32  # elements that a processor with AVX2 takes at a time


def in_blocks(fun, *args):
    """What the real kernels make of arrays and numbers. Two-byte floats are taken in blocks, which round once; what is left over,
    and arrays that do not lie in memory alike, are computed number by number, and rounded by each operation."""
    if not base.two_bytes(args[0].dtype):
        return fun(*args)
    found = base.in_float32(fun)(*args)
    arrays = [a for a in args if np.ndim(a)]
    alike = all(a.shape == found.shape for a in arrays)
    if alike and found.ndim > 1 and all(a.flags.f_contiguous for a in arrays):
        return in_blocks(fun, *(a.T if np.ndim(a) else a for a in args)).T
    in_order = alike and all(a.flags.c_contiguous for a in arrays)
    rest = slice(found.size // BLOCK * BLOCK if in_order else 0, None)
    each = [np.broadcast_to(a, found.shape).ravel()[rest] if np.ndim(a) else a for a in args]
    return np.concatenate([found.ravel()[: rest.start], fun(*each).astype(found.dtype)]).reshape(found.shape)


def _sum_of(sign, name):
    @op(f"{name[:3].title()}Backward0", lambda ans, x, y, c: lambda g: g, lambda ans, x, y, c: lambda g: scale(g, sign * c),
        broadcasts=True, tensors="self other", others="alpha", name=name, rounds=False)  # fmt: skip
    def scaled(x, y, c):
        c = base.operand(c, x) if base.two_bytes(x.dtype) else c
        return in_blocks(lambda x, y, c: x + c * y if sign > 0 else x - c * y, x, y, c)

    return scaled


add_scaled, subtract_scaled = _sum_of(1, "add_scaled"), _sum_of(-1, "subtract_scaled")


def _extreme(node, kernel, loses):
    return op(node, lambda ans, x, y: lambda g: g * _share(x, y, loses),
        lambda ans, x, y: lambda g: g * _share(y, x, loses), name=kernel.__name__, broadcasts=True, tensors="self other",
        saves="self other")(kernel)  # fmt: skip


maximum, minimum = (_extreme("MaximumBackward0", np.maximum, anp.less),
    _extreme("MinimumBackward0", np.minimum, anp.greater))  # fmt: skip


def _share(x, y, loses):
    """1 where `x` is taken, and at nan; 1/2 at a tie."""
    half = np.asarray(0.5, dtype_of(x))
    return cast(anp.logical_not(loses(x, y)), dtype_of(x)) - half * cast(anp.equal(x, y), dtype_of(x))


def _over_squares(g, x, y, z):
    """`g x / (y^2 + z^2)`, and 0 at the origin, as PyTorch has it."""
    squares = y * y + z * z
    return g * x * anp.where(squares == 0, 0 * squares, 1 / anp.where(squares == 0, 1, squares))


atan2 = op("Atan2Backward0", lambda ans, y, x: lambda g: _over_squares(g, x, x, y),
    lambda ans, y, x: lambda g: _over_squares(g, -y, x, y), name="atan2", broadcasts=True, tensors="self other",
    saves="self other")(np.arctan2)  # fmt: skip


@op("RemainderBackward0", lambda ans, x, y: lambda g: g,
    lambda ans, x, y: lambda g: -g * anp.floor_divide(x, y),
    broadcasts=True, tensors="self ?other", saves="self<other other<other")  # fmt: skip
def remainder(x, y):
    return np.remainder(x, _divisor(y))


@op("ClampBackward0", lambda ans, x, low, high: lambda g: where(_inside(x, low, high), g, zero(g)),
    lambda ans, x, low, high: lambda g: where((x < low) & (True if high is None else low < high), g, zero(g)),
    lambda ans, x, low, high: lambda g: where((x > high) | (False if low is None else low > high), g, zero(g)),
    broadcasts=True, tensors="self min max", saves="self min max")  # fmt: skip
def clamp_between(x, low, high):
    """`x` limited by arrays (or None)."""
    return np.clip(x, low, high)


def _inside(x, low, high):
    inside = anp.ones(anp.shape(x), dtype=bool)
    return inside & (True if low is None else x >= low) & (True if high is None else x <= high)
