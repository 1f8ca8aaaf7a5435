"""Arithmetic of two operands, limits, maximum and minimum."""

from typing import Any, NamedTuple

import autograd.numpy as anp
import numpy as np
from autograd.core import VSpace, primitive_vjps

from ..engine import cast, dtype_of
from ..engine import power as box_power
from .kernels import two_bytes
from .table import known, rule

__all__ = [
    "PAIRS", "Pair", "add_scaled", "clamp", "divide_by", "operand", "power", "rsub", "scale", "select", "subtract_scaled",
    "zero",
]  # fmt: skip


def zero(g) -> np.ndarray:
    """A 0-d zero of the dtype of `g`."""
    return np.zeros((), dtype_of(g))


# ---- what the engine and autograd.numpy have ----

_BOTH, _OTHER = {"tensors": "self other"}, {"tensors": "self other", "saves": "self<other other<self"}
known(anp.add, "AddBackward0", **_BOTH, saves="", text="{} + {}", sign="+", words="g to both")
known(anp.subtract, "SubBackward0", **_BOTH, saves="", text="{} - {}", sign="−", words="g, -g")
known(anp.multiply, "MulBackward0", **_OTHER, text="{} * {}", sign="×", words="g times the other factor")
known(anp.matmul, "MmBackward0", "self mat2", saves="self<mat2 mat2<self", text="{} @ {}", sign="@",
      words="g @ y.T, x.T @ g")  # fmt: skip
known(anp.negative, "NegBackward0", saves="", text="-{}", sign="neg", words="-g")
known(anp.absolute, "AbsBackward0", saves="self result", words="g sign(x)")
known(anp.square, "PowBackward0", saves="self", sign="pow 2", words="2 g x")
_QUOTIENT = {"text": "{} / {}", "sign": "÷", "words": "g / y, -g x / y^2"}
for _fun in (anp.true_divide, anp.divide):
    known(_fun, "DivBackward0", tensors="self other", saves="self<other other", **_QUOTIENT)
known(anp.power, "PowBackward0", sign="pow", words="g p x^(p-1)")
known(box_power, "PowBackward0", "self ?exponent", saves="self exponent result<exponent", text="{} ** {}", sign="pow",
      words="g p x^(p-1)")  # fmt: skip
known(cast, "ToCopyBackward0", others="dtype", saves="", text="np.asarray({}).astype({})", words="g cast back")
known(anp.maximum, words="g to the larger, halves in a tie")
known(anp.minimum, words="g to the smaller, halves in a tie")
for _where in {anp.where, next(op for op in primitive_vjps if op.__name__ == "where")}:  # the first may wrap the second
    known(_where, "WhereBackward0", "-condition self other", saves="condition", words="g to the one chosen")
known(VSpace.add, text="{} + {}")
for _fun, _text in {
    anp.mod: "{} % {}", anp.floor_divide: "{} // {}", anp.greater: "{} > {}", anp.greater_equal: "{} >= {}",
    anp.less: "{} < {}", anp.less_equal: "{} <= {}", anp.equal: "{} == {}", anp.not_equal: "{} != {}",
}.items():  # fmt: skip
    known(_fun, text=_text)


# ---- by a number that is part of an op, not an operand ----


@rule(lambda ans, x, p: lambda g: g * scale(power(x, p - 1), p) if p != 0 else anp.zeros_like(x),
      node="PowBackward0", others="exponent", saves="self", text="{} ** {}", sign="pow", words="g p x^(p-1)",
      operands=True)  # fmt: skip
def power(x, p) -> np.ndarray:
    """`x ** p` for a number `p`: d/dx = p x^(p-1), and 0 for p = 0, also at x = 0."""
    return x**p


@rule(lambda ans, x, c: lambda g: scale(g, c), name="multiply", node="MulBackward1", others="other", saves="",
      text="{1} * {0}", operands=True)  # fmt: skip
def scale(x, c) -> np.ndarray:
    """`x * c` for a number `c`."""
    return x * c


@rule(lambda ans, x, c: lambda g: divide_by(g, c), name="divide", node="DivBackward1", others="other", saves="",
      text="{} / {}", operands=True)  # fmt: skip
def divide_by(x, c) -> np.ndarray:
    """`x / c` for a number `c`."""
    return x / c


def operand(c, x) -> np.ndarray:
    """A number as a 0-d array of the dtype of `x`."""
    return np.asarray(c, dtype_of(x))


@rule(lambda ans, x, c: lambda g: -g, node="RsubBackward1", others="other", saves="", text="{1} - {0}", operands=True)
def rsub(x, c) -> np.ndarray:
    """`c - x` for a number `c`."""
    return c - x


def _sum_of(node, name, sign):
    @rule(lambda ans, x, y, c: lambda g: g, lambda ans, x, y, c: lambda g: scale(g, sign * c), broadcasts=True,
          node=node, tensors="self other", others="alpha", saves="", name=name, operands=True)  # fmt: skip
    def scaled(x, y, c):
        """`x + c y`, or `x - c y`, for a number `c`."""
        return x + c * y if sign > 0 else x - c * y

    return scaled


add_scaled, subtract_scaled = _sum_of("AddBackward0", "add_scaled", 1), _sum_of("SubBackward0", "subtract_scaled", -1)


@rule(lambda ans, x, low, high: lambda g: select(_inside(x, low, high), g, zero(g)), node="ClampBackward1", others="min max",
      saves="self", words="g where inside the limits")  # fmt: skip
def clamp(x, low, high) -> np.ndarray:
    """`x` limited to [low, high] (None: no limit); an element at a limit passes its gradient, one beyond it does not."""
    return np.clip(x, low, high).astype(dtype_of(x))


def _inside(x, low, high):
    low, high = (None if limit is None else operand(limit, x) for limit in (low, high))
    if low is None or high is None:
        return x <= high if low is None else x >= low
    return anp.logical_and(x >= low, x <= high)


@rule(None, lambda ans, c, x, y: lambda g: select(c, g, zero(g)), lambda ans, c, x, y: lambda g: select(c, zero(g), g),
      broadcasts=True, name="where", node="WhereBackward0", tensors="-condition self other", saves="condition", text="np.where",
      words="g to the one chosen", rounds=False)  # fmt: skip
def select(condition, x, y) -> np.ndarray:
    """`x` where `condition` holds, else `y`; all three broadcast."""
    return np.where(condition, x, y)


# ---- functions of two numbers ----


class Pair(NamedTuple):
    """A function of two numbers, as both dialects offer it: `fun` is the op, `meaning` are words, `also` further names."""

    fun: Any
    meaning: str
    also: str = ""


PAIRS: dict[str, Pair] = {}


def _pair(name, kernel, first, second, saves, does, *row):
    """Enter a function of two numbers, which broadcast, by the rules for its first and its second."""
    fun = rule(first, second, broadcasts=True, name=name, tensors="self other", saves=saves, words=does)(kernel)
    PAIRS[name] = Pair(fun, *row)
    return fun


def _over(g, x, y):
    return g * x * (1 / y) if two_bytes(y.dtype) else g * (x / y)


_pair("atan2", np.arctan2,
              lambda ans, x, y: lambda g: _over(g, y, x * x + y * y), lambda ans, x, y: lambda g: _over(g, -x, x * x + y * y),
              "self other", "g y / (x^2 + y^2), -g x / (x^2 + y^2)",
      "the angle of the vector (other, input)", "arctan2")  # fmt: skip
_pair("hypot", np.hypot, lambda ans, x, y: lambda g: g * x / ans, lambda ans, x, y: lambda g: g * y / ans,
              "self other result", "g x / ans, g y / ans", "the length of the vector (input, other)")  # fmt: skip
