"""Functions of `torch.special` that are made of others."""

import math

from ._comparing import where
from ._dispatch import tensor_of
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
    """x log(1 + y), 0 where x is 0."""
    input, other = tensor_of(input, "xlog1py"), tensor_of(other, "xlog1py")
    return where((input == 0) & (other == other), 0.0, input * where(input == 0, 0.0, other).log1p())


def multigammaln(input, p) -> Tensor:
    """The logarithm of the gamma function of `p` dimensions."""
    return p * (p - 1) / 4 * math.log(math.pi) + sum((input - 0.5 * k).lgamma() for k in range(p))


SPECIAL = {fun.__name__: fun for fun in (entr, ndtr, log_ndtr, ndtri, xlog1py, multigammaln)}
FUNCTIONS["mvlgamma"] = METHODS["mvlgamma"] = multigammaln
