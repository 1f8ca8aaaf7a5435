"""Functions of `torch.special` that are made of others."""

import math

import numpy as np

from . import _rules
from ._comparing import where
from ._dispatch import NUMBERS, apply, binary, common_dtype, floating
from ._dtype import get_default_dtype
from ._table import FUNCTIONS, METHODS
from ._tensor import Tensor

_HALF = math.sqrt(0.5)
_FAR = -20.0  # below, erfc comes near the smallest float64
_LOG_ROOT = math.log(2 * math.pi) / 2


def entr(input) -> Tensor:
    """-x log(x), 0 at 0 and -inf below."""
    inside = -input * where(input > 0, input, 1.0).log()
    return where(input > 0, inside, where(input == 0, 0.0, -math.inf).to(input.dtype))


def ndtr(input) -> Tensor:
    """How probable it is that a standard normal number is at most x."""
    return (-input * _HALF).erfc() * 0.5


def log_ndtr(input) -> Tensor:
    """log(ndtr(x)), exact far below 0, too."""
    far, below = where(input < _FAR, input, _FAR).double(), where(input < 0, input, 0.0).clamp(min=_FAR).double()
    above = (where(input < 0, 0.0, input) * _HALF).erfc()
    small = where(input < _FAR, _log_tail(far), ((-below * _HALF).erfc() / 2).log()).to(input.dtype)
    return where(input < 0, small, (-above / 2).log1p())


def _log_tail(x):
    """The first terms of its series far below 0."""
    inverse = x**-2
    series = inverse * (-1 + inverse * (3 + inverse * (-15 + inverse * 105)))
    return -(x**2) / 2 - (-x).log() - _LOG_ROOT + series.log1p()


def ndtri(input) -> Tensor:
    """The inverse of `ndtr`."""
    return math.sqrt(2) * (2 * input - 1).erfinv()


def xlog1py(input, other) -> Tensor:
    """x log(1 + y), 0 where x is 0, but for a y that is nan."""
    input, other = (floating(Tensor._of(np.asarray(x)) if isinstance(x, NUMBERS) else x) for x in (input, other))
    none = (input == 0) & (other == other)
    return where(none, 0.0, input * where(none, 0.0, other).log1p())


def _pair(rule, words):
    """A function of two tensors, one of which may be a number."""

    def fun(input, other) -> Tensor:
        dtype = common_dtype(input, other)
        return binary(rule, input, other, dtype if dtype.is_floating_point else get_default_dtype())

    fun.__name__, fun.__doc__ = rule.__name__, f"Elementwise: {words}."
    return fun


def _single(rule, words):
    """A function of one tensor."""

    def fun(input) -> Tensor:
        return apply(rule, floating(input))

    fun.__name__, fun.__doc__ = rule.__name__, f"Elementwise: {words}."
    return fun


i0 = _single(_rules.i0, "the modified Bessel function of the first kind, of order 0")
i1 = _single(_rules.i1, "the modified Bessel function of the first kind, of order 1")
i0e = _single(_rules.i0e, "exp(-|x|) i0(x)")
i1e = _single(_rules.i1e, "exp(-|x|) i1(x)")
erfcx = _single(_rules.erfcx, "exp(x^2) erfc(x)")
gammainc = _pair(
    _rules.igamma, "how probable it is that a number of the gamma distribution of shape `input` is at most `other`"
)
gammaincc = _pair(_rules.igammac, "1 - gammainc(input, other)")
zeta = _pair(_rules.zeta, "the sum of (other + k)^-input over all k from 0")


def multigammaln(input, p) -> Tensor:
    """The logarithm of the gamma function of `p` dimensions."""
    return p * (p - 1) / 4 * math.log(math.pi) + sum((input - 0.5 * k).lgamma() for k in range(p))


SPECIAL = {
    "entr": entr, "ndtr": ndtr, "log_ndtr": log_ndtr, "ndtri": ndtri, "xlog1py": xlog1py, "multigammaln": multigammaln,
    "i0": i0, "i0e": i0e, "i1": i1, "i1e": i1e, "erfcx": erfcx, "gammainc": gammainc, "gammaincc": gammaincc, "zeta": zeta,
}  # fmt: skip
for _name, _fun in {"mvlgamma": multigammaln, "i0": i0, "igamma": gammainc, "igammac": gammaincc}.items():
    FUNCTIONS[_name] = METHODS[_name] = _fun
