"""Functions of `torch.special` that NumPy has not: Bessel's, the incomplete gamma functions, Hurwitz's zeta, scaled erfc."""

import math
from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import dtype_of, getval
from ...ops import exp, of_zeta, select, zero
from .core import op

_FAR, _ANGLES = 50.0, 128  # beyond, the asymptotic series is exact; before, the mean over so many angles is
_LIMIT = 3000  # steps of a series or fraction, at most


def _scaled_bessel(order, x):
    """exp(-|x|) I(|x|), of the modified Bessel function I of an order: a mean over angles, or the series far out."""
    x = np.abs(np.asarray(x, np.float64))
    turn = np.cos(np.arange(_ANGLES) * (2 * np.pi / _ANGLES))
    near = np.minimum(x, _FAR)[..., None]
    within = np.mean(np.exp(near * (turn - 1)) * (turn if order else 1.0), -1)
    far, term, found = np.maximum(x, _FAR), np.ones_like(x), np.ones_like(x)
    for k in range(1, 20):
        term = -term * (4 * order - (2 * k - 1) ** 2) / (k * 8 * far)
        found = found + term
    return np.where(x <= _FAR, within, found / np.sqrt(2 * np.pi * far))


def _in_kind(x, found):
    return found.astype(np.float64 if dtype_of(x).kind in "iub" else dtype_of(x))[()]


def _by(x, ans):
    """ans / x, and 1/2 at 0, where that is the limit."""
    there = select(x == 0, anp.ones_like(x), x)
    return select(x == 0, zero(x) + 0.5, ans / there)


@op("I0Backward0", lambda ans, x: lambda g: g * i1(x), saves="self")
def i0(x):
    return _in_kind(x, _scaled_bessel(0, x) * np.exp(np.abs(np.asarray(x, np.float64))))


@op("SpecialI0EBackward0", lambda ans, x: lambda g: g * (i1e(x) - np.sign(getval(x)) * ans), saves="self result")
def i0e(x):
    return _in_kind(x, _scaled_bessel(0, x))


@op("SpecialI1Backward0", lambda ans, x: lambda g: g * (i0(x) - _by(x, ans)), saves="self result")
def i1(x) -> Any:
    wide = np.asarray(x, np.float64)
    return _in_kind(x, np.sign(wide) * np.abs(_scaled_bessel(1, wide)) * np.exp(np.abs(wide)))


@op("SpecialI1EBackward0", lambda ans, x: lambda g: g * (i0e(x) - ans * np.sign(getval(x)) - _by(x, ans)),
    saves="self result")  # fmt: skip
def i1e(x) -> Any:
    wide = np.asarray(x, np.float64)
    return _in_kind(x, np.sign(wide) * np.abs(_scaled_bessel(1, wide)))


def _each(fun):
    """A function of Python floats for arrays that broadcast, in double precision."""
    return np.vectorize(fun, otypes=[np.float64])


def _erfcx(x):
    if x < 5:
        return math.exp(x * x) * math.erfc(x) if x > -26.6 else math.inf
    below = x
    for k in range(60, 0, -1):
        below = x + 0.5 * k / below
    return 1 / (math.sqrt(math.pi) * below)


@op("SpecialErfcxBackward0", lambda ans, x: lambda g: g * (2 * x * ans - 2 / math.sqrt(math.pi)), saves="self result")
def erfcx(x):
    return _in_kind(x, _each(_erfcx)(x))


def _lower_gamma(a, x):
    """The probability that a number of the gamma distribution of shape `a` is at most x, and that it is more."""
    if a < 0 or x < 0 or a != a or x != x or (a == 0 and x == 0):
        return math.nan, math.nan
    if a == 0 or x == math.inf:
        return 1.0, 0.0
    if x == 0 or a == math.inf:
        return 0.0, 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    return _by_series(a, x, front) if x < a + 1 else _by_fraction(a, x, front)


def _by_series(a, x, front):
    term = total = 1 / a
    for n in range(1, _LIMIT):
        term *= x / (a + n)
        total += term
        if term < total * 1e-17:
            break
    return front * total, 1 - front * total


def _by_fraction(a, x, front):
    """Lentz's way through the continued fraction."""
    tiny, b = 1e-300, x + 1 - a
    c, d = 1 / tiny, 1 / b
    total = d
    for n in range(1, _LIMIT):
        b, factor = b + 2, n * (a - n)
        d = 1 / (factor * d + b or tiny)
        c = b + factor / c or tiny
        total *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return 1 - front * total, front * total


def underived(name) -> Any:
    """The rule of an op that has none for this input."""

    def vjp(*args):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return vjp


def _density(a, x):
    return exp((a - 1) * base.log(x) - x - base.FUNCTIONS["lgamma"].fun(a))


_GAMMA = {"tensors": "self other", "saves": "other self", "broadcasts": True}


@op("IgammaBackward0", underived("igamma: input"), lambda ans, a, x: lambda g: g * _density(a, x), **_GAMMA)
def igamma(a, x):
    return _in_kind(a, _each(lambda a, x: _lower_gamma(a, x)[0])(a, x))


@op("IgammacBackward0", underived("igammac: input"), lambda ans, a, x: lambda g: -g * _density(a, x), **_GAMMA)
def igammac(a, x):
    return _in_kind(a, _each(lambda a, x: _lower_gamma(a, x)[1])(a, x))


def _zeta(s, x):
    if s != s or x != x or s < 1 or (x < 0 and x % 1 and s % 1):
        return math.nan
    return math.inf if s == 1 or (x <= 0 and not x % 1) else of_zeta(s, x)


@op("SpecialZetaBackward0", underived("zeta"), lambda ans, s, x: lambda g: g * -s * zeta(s + 1, x),
    tensors="self other", saves="other self", broadcasts=True)  # fmt: skip
def zeta(s, x) -> Any:
    return _in_kind(s, _each(_zeta)(s, x))
