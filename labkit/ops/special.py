"""Functions of one number and of two that NumPy has not, by formulas: of the gamma function, the inverse of erf, x log(y)."""

import math
from typing import Any

import autograd.numpy as anp
import numpy as np

from ..engine import dtype_of
from .arithmetic import _pair, power, select, zero
from .elementwise import _ALL, TWO_OVER_ROOT_PI, _elementwise, _function, cos, exp, log, sin
from .special_values import of_digamma, of_zeta
from .table import rule

__all__ = ["polygamma"]

_POLES = "all x but 0 and the negative integers; infinite at 0"


def _lgamma(x):
    return math.inf if math.isinf(x) or (x <= 0 and x % 1 == 0) else math.lgamma(x)


@rule(lambda ans, x, n: lambda g: g * polygamma(x, n + 1), others="n", saves="self", words="g polygamma(n + 1, x)")
def polygamma(x, n) -> np.ndarray:
    """The `n`-th derivative of `digamma`, for each element x."""
    if n == 0:
        return _elementwise(of_digamma)(x)
    sign = (-1) ** (n + 1) * math.factorial(n)
    return _elementwise(lambda v: sign * of_zeta(n + 1, v) if v == v else v)(x)


def _erfinv(x):
    if not -1 < x < 1:
        return math.copysign(math.inf, x) if abs(x) == 1 else math.nan
    rest = math.log1p(-x * x)
    half = 2 / (math.pi * 0.147) + rest / 2
    y = math.copysign(math.sqrt(math.sqrt(half * half - rest / 0.147) - half), x)
    for _ in range(3):  # each of Halley's steps triples the digits
        error = math.erf(y) - x if abs(x) < 0.5 else math.copysign(1.0, x) * (1 - abs(x) - math.erfc(abs(y)))
        step = error / (TWO_OVER_ROOT_PI * math.exp(-y * y))
        y -= step / (1 + y * step)
    return y


digamma = _function("digamma", _elementwise(of_digamma), lambda ans, x: lambda g: g * polygamma(x, 1), "self",
                    "g polygamma(1, x)", "the slope of lgamma", _POLES, "polygamma(1, x)",
                    (2.0, "0.4228", "0.6449"))  # fmt: skip
lgamma = _function("lgamma", _elementwise(_lgamma), lambda ans, x: lambda g: g * digamma(x), "self", "g digamma(x)",
                   "the logarithm of |gamma(x)|; gamma(x) is (x - 1)!", _POLES, "digamma(x)",
                   (3.0, "0.6931", "0.9228"))  # fmt: skip
erfinv: Any = _function("erfinv", _elementwise(_erfinv),
                   lambda ans, x: lambda g: g * (exp(power(erfinv(x), 2)) / TWO_OVER_ROOT_PI), "self",
                   "g sqrt(pi) exp(erfinv(x)^2) / 2", "the inverse of erf", "-1 < x < 1; infinite at the ends",
                   "sqrt(pi) / 2 * exp(erfinv(x)**2)", (0.5, "0.4769", "1.1126"))  # fmt: skip


def _sinc(x):
    return np.asarray(np.sinc(x)).astype(dtype_of(x))[()]


def _sinc_back(g, x):
    turn = x * math.pi
    there = select(x == 0, anp.ones_like(x), x)
    return select(x == 0, zero(g), g * ((cos(turn) * turn - sin(turn)) / (there * there * math.pi)))


sinc = _function("sinc", _sinc, lambda ans, x: lambda g: _sinc_back(g, x), "self",
                 "g (cos(pi x) pi x - sin(pi x)) / (pi x^2)", "sin(pi x) / (pi x), and 1 at 0", _ALL,
                 "where(x == 0, 0, (cos(pi * x) * pi * x - sin(pi * x)) / (pi * x**2))",
                 (0.5, "0.6366", "-1.2732"))  # fmt: skip


def _xlogy(x, y):
    return np.where((x == 0) & (y == y), np.zeros((), dtype_of(x)), x * np.log(y))


xlogy: Any = _pair(
    "xlogy", _xlogy,
    lambda ans, x, y: lambda g: select(anp.logical_and(x == 0, y <= 0), zero(g), g * log(y)),
    lambda ans, x, y: lambda g: g * x / y,
    "self<other other", "g log(y), g x / y", "input log(other), and 0 where input is 0",
)  # fmt: skip
