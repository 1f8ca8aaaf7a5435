"""Functions of `torch.special` that NumPy has not: Bessel's, the incomplete gamma functions, Hurwitz's zeta, scaled erfc."""

import math
from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import dtype_of, getval
from ...ops import exp, gamma_shares, hurwitz, scaled_bessel, select, zero
from .core import op


def _in_kind(x, found):
    return found.astype(np.float64 if dtype_of(x).kind in "iub" else dtype_of(x))[()]


def _by(x, ans):
    """ans / x, and 1/2 at 0, where that is the limit."""
    there = select(x == 0, anp.ones_like(x), x)
    return select(x == 0, zero(x) + 0.5, ans / there)


@op("I0Backward0", lambda ans, x: lambda g: g * i1(x), saves="self")
def i0(x):
    return _in_kind(x, scaled_bessel(0, x) * np.exp(np.abs(np.asarray(x, np.float64))))


@op("SpecialI0EBackward0", lambda ans, x: lambda g: g * (i1e(x) - np.sign(getval(x)) * ans), saves="self result")
def i0e(x):
    return _in_kind(x, scaled_bessel(0, x))


@op("SpecialI1Backward0", lambda ans, x: lambda g: g * (i0(x) - _by(x, ans)), saves="self result")
def i1(x) -> Any:
    wide = np.asarray(x, np.float64)
    return _in_kind(x, np.sign(wide) * np.abs(scaled_bessel(1, wide)) * np.exp(np.abs(wide)))


@op("SpecialI1EBackward0", lambda ans, x: lambda g: g * (i0e(x) - ans * np.sign(getval(x)) - _by(x, ans)),
    saves="self result")  # fmt: skip
def i1e(x) -> Any:
    wide = np.asarray(x, np.float64)
    return _in_kind(x, np.sign(wide) * np.abs(scaled_bessel(1, wide)))


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
    return _in_kind(a, _each(lambda a, x: gamma_shares(a, x)[0])(a, x))


@op("IgammacBackward0", underived("igammac: input"), lambda ans, a, x: lambda g: -g * _density(a, x), **_GAMMA)
def igammac(a, x):
    return _in_kind(a, _each(lambda a, x: gamma_shares(a, x)[1])(a, x))


@op("SpecialZetaBackward0", underived("zeta"), lambda ans, s, x: lambda g: g * -s * zeta(s + 1, x),
    tensors="self other", saves="other self", broadcasts=True)  # fmt: skip
def zeta(s, x) -> Any:
    return _in_kind(s, _each(hurwitz)(s, x))
