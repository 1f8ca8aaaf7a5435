"""Functions of the gamma, normal and Bessel kind that PyTorch has beside those of `labkit.ops`: by series, and made of others."""

import math

import numpy as np

from .. import ops as base
from ..ops.special import hurwitz_zeta, lgamma
from ._comparing import where
from ._dispatch import apply, tensor_of
from ._rules import op
from ._table import FUNCTIONS, METHODS
from ._tensor import Tensor

_TINY = 1e-17


def _by_series(first, ratio):
    """The sum of terms of which the first and the ratio of each to the one before are given."""
    total = term = first
    for k in range(1, 2000):
        term *= ratio(k)
        total += term
        if abs(term) <= _TINY * abs(total):
            break
    return total


def _bessel(order, x):
    """exp(-|x|) I_order(x): the series in x / 2, or, far out, that in 1 / x."""
    size = abs(x)
    if size < 30:
        found = _by_series((size / 2) ** order, lambda k: (size / 2) ** 2 / (k * (k + order))) * math.exp(-size)
    else:
        steps = (lambda k: ((2 * k - 1) ** 2 - 4 * order) / (8 * size * k))
        term = total = 1.0
        for k in range(1, 12):
            term *= steps(k)
            total += term
        found = total / math.sqrt(2 * math.pi * size)
    return -found if order and x < 0 else found


def _lower_gamma(a, x):
    """The share of the gamma distribution of shape `a` below x, and the one above."""
    if x <= 0 or a <= 0:
        return (0.0, 1.0) if a > 0 else (1.0, 0.0)
    if math.isinf(x):
        return 1.0, 0.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        found = scale * _by_series(1 / a, lambda k: x / (a + k))
        return found, 1 - found
    b, c = x + 1 - a, 1e300
    d = h = 1 / b
    for k in range(1, 2000):
        b += 2
        d = 1 / (k * (a - k) * d + b)
        c = b + k * (a - k) / c
        h *= d * c
        if abs(d * c - 1) < _TINY * 10:
            break
    return 1 - scale * h, scale * h


def _each(fun, *arrays):
    kind = np.result_type(*(a for a in arrays if isinstance(a, np.ndarray)))
    kind = kind if kind.kind == "f" else np.dtype(np.float32)
    rows = np.broadcast_arrays(*arrays)
    found = [fun(*(float(v) for v in row)) for row in zip(*(r.ravel().tolist() for r in rows), strict=True)]
    return np.array(found, kind).reshape(rows[0].shape)


def _one(name, fun, slope):
    """Enter a function of one number, with its derivative `slope(x, ans)` in terms of recorded functions."""

    node = "I0Backward0" if name == "i0" else f"Special{name.upper() if name[0] == 'i' else name.title()}Backward0"

    @op(node, lambda ans, x: lambda g: g * slope(x, ans), name=name, saves="self")
    def rule(x):
        return _each(fun, np.asarray(x))

    SPECIAL[name] = lambda input: apply(rule, input)
    SPECIAL[name].__name__, SPECIAL[name].__doc__ = name, f"`{name}`, element by element."
    return rule


SPECIAL: dict = {}  # the functions of `torch.special` that are made here
_i1e = _one("i1e", lambda x: _bessel(1, x), lambda x, ans: _i0e(x) - ans * (base.sign(x) + 1 / x))
_i0e = _one("i0e", lambda x: _bessel(0, x), lambda x, ans: _i1e(x) - base.sign(x) * ans)
_i1 = _one("i1", lambda x: _bessel(1, x) * math.exp(abs(x)), lambda x, ans: _i0(x) - ans / x)
_i0 = _one("i0", lambda x: _bessel(0, x) * math.exp(abs(x)), lambda x, ans: _i1(x))
_erfcx = _one("erfcx", lambda x: _scaled_erfc(x), lambda x, ans: 2 * x * ans - 2 / math.sqrt(math.pi))


def _scaled_erfc(x):
    """exp(x^2) erfc(x)."""
    if x < 20:
        return math.exp(min(x * x, 700.0)) * math.erfc(x)
    return (1 - 0.5 / (x * x) + 0.75 / x**4) / (x * math.sqrt(math.pi))


def _of_two(name, node, side, sign):
    """Enter a share of the gamma distribution; its derivative in the shape is not had, there as here."""

    @op(node, None, lambda ans, a, x: lambda g: g * sign * _gamma_density(a, x), name=name, tensors="self other", saves="other self")
    def rule(a, x):
        return _each(lambda a, x: _lower_gamma(a, x)[side], np.asarray(a), np.asarray(x))

    def shares(input, other):
        if input.requires_grad:
            raise NotImplementedError(f"the derivative for '{name}: input' is not implemented.")
        return apply(rule, *FUNCTIONS["broadcast_tensors"](input, tensor_of(other, name)))

    shares.__name__, shares.__doc__ = name, f"The share of the gamma distribution of shape `input` {('below', 'above')[side]} `other`."
    FUNCTIONS[name] = METHODS[name] = shares


def _gamma_density(a, x):
    return base.exp(-x + (a - 1) * base.log(x) - lgamma(a))


_of_two("igamma", "IgammaBackward0", 0, 1)
_of_two("igammac", "IgammacBackward0", 1, -1)


def _entered(fun):
    SPECIAL[fun.__name__] = fun
    return fun


@_entered
def entr(input) -> Tensor:
    """-x log(x), 0 at 0 and -inf below."""
    return where(input > 0, -input * where(input > 0, input, 1.0).log(), where(input == 0, 0.0, -math.inf).to(input.dtype))


@_entered
def ndtr(input) -> Tensor:
    """How probable it is that a standard normal number is at most x."""
    return (-input * math.sqrt(0.5)).erfc() * 0.5


@_entered
def log_ndtr(input) -> Tensor:
    """log(ndtr(x)), exact far below 0, too."""
    low = where(input < -1, input, -1.0)
    far = (SPECIAL["erfcx"](-low * math.sqrt(0.5)) / 2).log() - low * low / 2
    return where(input < -1, far, (-(where(input < -1, 0.0, input) * math.sqrt(0.5)).erfc() / 2).log1p())


@_entered
def ndtri(input) -> Tensor:
    """The inverse of `ndtr`."""
    return math.sqrt(2) * (2 * input - 1).erfinv()


@_entered
def xlog1py(input, other) -> Tensor:
    """x log(1 + y), 0 where x is 0."""
    input, other = tensor_of(input, "xlog1py"), tensor_of(other, "xlog1py")
    return where((input == 0) & (other == other), 0.0, input * where(input == 0, 0.0, other).log1p())


@_entered
def zeta(input, other) -> Tensor:
    """The sum of (other + k)^-input over all k from 0."""
    found = _each(lambda s, q: hurwitz_zeta(s, q) if s > 1 else math.nan if s < 1 else math.inf, input._array, tensor_of(other, "zeta")._array)
    return Tensor._of(found)


@_entered
def multigammaln(input, p) -> Tensor:
    """The logarithm of the gamma function of `p` dimensions."""
    return p * (p - 1) / 4 * math.log(math.pi) + sum((input - 0.5 * k).lgamma() for k in range(p))


FUNCTIONS["mvlgamma"] = METHODS["mvlgamma"] = multigammaln
FUNCTIONS["i0"] = METHODS["i0"] = SPECIAL["i0"]
