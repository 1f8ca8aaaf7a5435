"""Special functions. Bessel's are integrals; of the gamma function are made the incomplete ones, beta's, and zeta."""

import math
from functools import partial

import numpy as np

from ...engine import stop_gradient as constant
from ...ops import FUNCTIONS, exp, gamma_shares, hurwitz, of_digamma, polygamma, rule, scaled_bessel
from ..tensor import Tensor, wrap
from . import _elementwise  # noqa: F401  (whose ops it asks for)
from ._op import OPS, PRIMITIVES, floating, op, register, value_of

# ---- Bessel's functions ----

_AT, _WEIGHTS = np.polynomial.legendre.leggauss(240)
_AT, _WEIGHTS = (_AT + 1) / 2, _WEIGHTS / 2
_GONE = 700.0  # what is integrated has vanished at this exponent


def _integral(integrand, upper, n, x):
    """The integral of `integrand(n, t, x)` over t from 0 to `upper(x)`, for each element x."""
    wide = np.asarray(x, np.float64)[..., None]
    with np.errstate(all="ignore"):
        end = np.broadcast_to(upper(wide), wide.shape)
        return (integrand(n, _AT * end, wide) * _WEIGHTS).sum(-1) * end[..., 0]


def _to_pi(x):
    return np.pi


def _far(inverse, near):
    return lambda x: np.where(x > 0, inverse(near + _GONE / np.abs(x)), 0)


def _second(n, x):
    """Of the second kind: the part of an integral from 0 to pi, less one that goes on."""
    near = _integral(lambda n, t, x: np.sin(x * np.sin(t) - n * t), _to_pi, n, x)
    beyond = lambda n, t, x: (np.exp(n * t) + (-1) ** n * np.exp(-n * t)) * np.exp(-x * np.sinh(t))
    return (near - _integral(beyond, _far(np.arcsinh, 0.0), n, x)) / np.pi


def _edge(compute, limit):
    """Of positive numbers; `limit` at 0, nan below."""
    return lambda n, x: np.where(x > 0, compute(n, x), np.where(x == 0, limit, np.nan))


_COSH = _far(np.arccosh, 1.0)
_J = partial(_integral, lambda n, t, x: np.cos(n * t - x * np.sin(t)) / np.pi, _to_pi)
_K = partial(_integral, lambda n, t, x: np.exp(-x * np.cosh(t)) * np.cosh(n * t), _COSH)
_KE = partial(_integral, lambda n, t, x: np.exp(x - x * np.cosh(t)) * np.cosh(n * t), _COSH)


def _share(b, x):
    """b / x, of a function of order 1 that is x / 2 near 0."""
    none = (constant(x) == 0).astype(x.dtype)
    return b / (x + none) + 0.5 * none


def _sign(x):
    return np.sign(constant(x))


def _i(n, x):
    return np.where(x < 0, (-1.0) ** n, 1.0) * scaled_bessel(n, x)


_BESSEL = {  # what each computes of its order; the slopes of orders 0 and 1, of both their values and x
    "i{}": (lambda n, x: _i(n, x) * np.exp(np.abs(x)), lambda a, b, x: b, lambda a, b, x: a - _share(b, x)),
    "i{}e": (_i, lambda a, b, x: b - _sign(x) * a, lambda a, b, x: a - _share(b, x) - _sign(x) * b),
    "j{}": (_J, lambda a, b, x: -b, lambda a, b, x: a - _share(b, x)),
    "k{}": (_edge(_K, np.inf), lambda a, b, x: -b, lambda a, b, x: -a - b / x),
    "k{}e": (_edge(_KE, np.inf), lambda a, b, x: a - b, lambda a, b, x: b - a - b / x),
    "y{}": (_edge(_second, -np.inf), lambda a, b, x: -b, lambda a, b, x: a - b / x),
}  # fmt: skip


def _of_order(n, compute, both, slope):
    @rule(lambda ans, x: lambda g: g * slope(both[0](x), both[1](x), x))
    def bessel(x):
        return compute(n, x).astype(x.dtype)

    return bessel


def _declared(name, fun):
    def raw(x):
        return fun(floating(x))

    raw.__name__ = raw.__qualname__ = f"bessel_{name}"
    raw.__doc__ = f"Bessel's function {name[0].upper()} of order {name[1]}" + (
        f", times {'exp(-|x|)' if name[0] == 'i' else 'exp(x)'}." if name[2:] else "."
    )
    op(method=False, primitive=f"Bessel{name[0].upper()}{name[1:]}")(raw)


for _name, (_compute, *_slopes) in _BESSEL.items():
    _both: list = []
    for _n, _slope in enumerate(_slopes):
        _both.append(_of_order(_n, _compute, _both, _slope))
        _declared(_name.format(_n), _both[_n])


# ---- of the gamma function ----


def _each(fun, *arrays):
    """`fun` of numbers, for each element of arrays that broadcast."""
    dtype = np.result_type(*arrays)
    return np.vectorize(fun, otypes=[np.float64])(*arrays).astype(dtype)


def _terms(a, x):
    """The terms of the lower incomplete gamma function's series, with their number."""
    log, n = a * math.log(x) - x - math.lgamma(a + 1), 0
    while True:
        yield n, math.exp(log)
        n += 1
        log += math.log(x) - math.log(a + n)
        if n > x - a and log < -745:
            return


def _lower_by_a(a, x):
    return math.fsum(t * (math.log(x) - of_digamma(a + n + 1)) for n, t in _terms(a, x)) if x > 0 else 0.0


def _lower_by_a_twice(a, x):
    if x <= 0:
        return 0.0
    slope = lambda n: math.log(x) - of_digamma(a + n + 1)
    bend = lambda n: float(polygamma(np.array(a + n + 1.0), 1))
    return math.fsum(t * (slope(n) ** 2 - bend(n)) for n, t in _terms(a, x))


_log, _lgamma, _digamma = (FUNCTIONS[name].fun for name in ("log", "lgamma", "digamma"))


def _density(a, x):
    """Of the gamma distribution of shape a."""
    return exp((a - 1) * _log(x) - x - _lgamma(a))


@rule(lambda ans, a, x: lambda g: g * _each(_lower_by_a_twice, constant(a), constant(x)),
      lambda ans, a, x: lambda g: g * _density(a, x) * (_log(x) - _digamma(a)), broadcasts=True)  # fmt: skip
def _slope_by_a(a, x):
    return _each(_lower_by_a, a, x)


@rule(
    lambda ans, a, x: lambda g: g * _slope_by_a(a, x), lambda ans, a, x: lambda g: g * _density(a, x), broadcasts=True
)
def _gamma_p(a, x):
    return _each(lambda a, x: gamma_shares(a, x)[0], a, x)


def igamma(input, other):
    """The share below `other` of the gamma distribution of shape `input`: the lower incomplete gamma function, regularised."""
    return wrap(_gamma_p(value_of(input, "Igamma"), value_of(other, "Igamma")))


def igammac(input, other):
    """1 less `igamma`: the share above."""
    return 1 - igamma(input, other)


@rule(None, lambda ans, x, q: lambda g: g * -x * _zeta(x + 1, q), broadcasts=True)
def _zeta(x, q):
    return _each(hurwitz, x, q)


def zeta(input, other):
    """The sum of (other + k) ** -input over all k from 0."""
    if not any(isinstance(t, Tensor) for t in (input, other)):
        raise TypeError("For 'zeta', at least one of the inputs must be a Tensor.")
    like = input if isinstance(input, Tensor) else other
    return wrap(_zeta(*(t._value if isinstance(t, Tensor) else np.array(t, like._value.dtype) for t in (input, other))))


def _polygamma(n, input):
    """The `n`-th derivative of `digamma`, for each element of `input`; `n`, a number or a tensor of one."""
    return wrap(polygamma(floating(value_of(input, "Polygamma")), int(n)))


def mvlgamma(input, p):
    """The logarithm of the gamma function of `p` dimensions."""
    return p * (p - 1) / 4 * math.log(math.pi) + sum(OPS["lgamma"](input - 0.5 * k) for k in range(p))


def _share_below(a, b, x):
    """The share below x of the beta distribution: the continued fraction of the incomplete beta function (Lentz)."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _share_below(b, a, 1 - x)
    if x <= 0:
        return 0.0
    c, d, found, m = 1.0, 1 / (1 - (a + b) * x / (a + 1)), 0.0, 0
    made = d
    while abs(found - made) > 1e-16 * made and m < 500:
        found, m = made, m + 1
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):  # fmt: skip
            c, d = 1 + step / c, 1 / (1 + step * d)
            made *= c * d
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log) * made / a


@rule(
    lambda ans, x, a, b: (
        lambda g: g * exp((a - 1) * _log(x) + (b - 1) * _log(1 - x) + _lgamma(a + b) - _lgamma(a) - _lgamma(b))
    )
)
def _beta_i(x, a, b):
    return _each(_share_below, a, b, x)


def betainc(a, b, x):
    """The share below `x` of the beta distribution of `a` and `b`: the incomplete beta function, regularised."""
    return wrap(_beta_i(value_of(x, "Betainc"), constant(value_of(a, "Betainc")), constant(value_of(b, "Betainc"))))


_polygamma.__name__ = "polygamma"
for _fun, _class in ((igamma, "Igamma"), (igammac, "Igammac"), (zeta, "Zeta"), (_polygamma, "Polygamma")):
    register(_fun, _fun.__name__, method=_fun in (igamma, igammac), primitive=_class)
register(mvlgamma, method=False)
PRIMITIVES["Betainc"] = betainc
