"""Random numbers of the gamma and Poisson distributions, with PyTorch's numbers; of the first also how they depend on it.

Gamma: G. Marsaglia and W. Tsang (2000). Poisson: transformed rejection, W. Hormann (1993). The slope of a number in
its parameter is -(dF/da) / (dF/dx), of F, the probability to be at most x: by the series of F, term by term.
"""

import math

import numpy as np

from ..ops import of_digamma as digamma
from ._dispatch import apply
from ._draws import unit
from ._generator import default_generator
from ._normal import normal
from ._rules import drawing, op
from ._table import function
from ._tensor import Tensor

_TERMS = 20000  # of a series, at most


def _uniform(generator):
    return float(unit(generator, 1, np.float64)[0])


def _gamma(generator, a, kind):
    """One number of the gamma distribution of shape `a`, computed as in `kind`."""
    scale = 1.0
    if a < 1:
        if a == 0:
            return 0.0
        scale = (1 - _uniform(generator)) ** float(kind(1) / kind(a))
        a = kind(a) + kind(1)
    d = float(kind(a) - kind(np.float32(1) / np.float32(3)))
    c = 1 / math.sqrt(9 * d)
    while True:
        x = float(normal(generator, 1, np.dtype(np.float64), 0.0, 1.0, False)[0])
        if 1 + c * x <= 0:
            continue
        v, u, square = (1 + c * x) ** 3, 1 - _uniform(generator), x * x
        if u < 1 - float(np.float32(0.0331)) * square * square or math.log(u) < 0.5 * square + d * (
            1 - v + math.log(v)
        ):
            return scale * d * v


def each(draw, dtype, *parameters):
    arrays = np.broadcast_arrays(*parameters)
    found = [draw(*row) for row in zip(*(a.ravel().tolist() for a in arrays), strict=True)]
    return np.array(found, dtype).reshape(arrays[0].shape)


def _slope_of_gamma(a, x):
    """-(dF/da) / (dF/dx) of the gamma distribution at x."""
    term, found, log = x / a, 0.0, math.log(x)
    for n in range(1, _TERMS):
        found -= term * (log - digamma(a + n))
        term *= x / (a + n)
        if term < 1e-17 * abs(found) and n > x - a:
            break
    return found


def _slope_of_beta(a, b, x):
    """The same of the beta distribution of `a` and `b`, in `a`; from the end that is nearer."""
    y = 1 - x
    found = 0.0
    if x <= 0.5:
        term, log = x * y / a, math.log(x)
        for n in range(_TERMS):
            found -= term * (log + digamma(a + b + n) - digamma(a + n + 1))
            term *= x * (a + b + n) / (a + n + 1)
            if term < 1e-17 * abs(found):
                break
        return found
    term, log, own = x * y / b, math.log(x), digamma(a)
    for n in range(_TERMS):
        found += term * (log + digamma(a + b + n) - own)
        term *= y * (a + b + n) / (b + n + 1)
        if term < 1e-17 * abs(found):
            break
    return found


@op("StandardGammaBackward0", lambda ans, a, drawn: lambda g: g * each(_slope_of_gamma, ans.dtype, a, ans), others="drawn",
    saves="result self")  # fmt: skip
def _drawn_gamma(a, drawn):
    return drawn


@op("_DirichletBackward", lambda ans, a, drawn: lambda g: _dirichlet_back(ans, a, g), tensors="concentration", others="drawn",
    saves="concentration result")  # fmt: skip
def _drawn_dirichlet(a, drawn):
    return drawn


def _dirichlet_back(x, a, g):
    total = np.broadcast_to(a.sum(-1, keepdims=True), a.shape)
    slopes = each(lambda v, own, whole: _slope_of_beta(own, whole - own, v) / (1 - v), x.dtype, x, a, total)
    return slopes * (g - (x * g).sum(-1, keepdims=True))


@function("_standard_gamma")
def standard_gamma(input, generator=None) -> Tensor:
    """Numbers of gamma distributions, for each shape; gradients come to these."""
    kind = input._array.dtype.type
    drawn = each(lambda a: _gamma(generator or default_generator, a, kind), kind, input._array)
    return apply(_drawn_gamma, input, np.maximum(drawn, np.finfo(kind).tiny))


def dirichlet(input, generator=None) -> Tensor:
    """Shares that add up to 1, along the last dimension, of the concentrations `input`; gradients come to these."""
    source, kind = generator or default_generator, input._array.dtype.type
    parts = each(lambda a: max(_gamma(source, a, np.float64), np.finfo(np.float64).tiny), np.float64, input._array)
    shares = (parts / parts.sum(-1, keepdims=True)).astype(kind)
    return apply(_drawn_dirichlet, input, shares.clip(np.finfo(kind).tiny, np.nextafter(kind(1), kind(0))))


def _one_poisson(generator, rate):
    if rate < 10:
        count, product = -1, 1.0
        while product > math.exp(-rate) or count < 0:
            count, product = count + 1, product * _uniform(generator) if rate else 0.0
        return count
    root = math.sqrt(rate)
    b = 0.931 + 2.53 * root
    a, inverse, least = -0.059 + 0.02483 * b, 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = _uniform(generator) - 0.5, _uniform(generator)
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= least:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if math.log(v) + math.log(inverse) - math.log(a / (us * us) + b) <= -rate + k * math.log(rate) - math.lgamma(
            k + 1
        ):
            return k


@function()
def poisson(input, generator=None) -> Tensor:
    """How often what happens `input` times on average happens: random counts, as floats."""
    if (input._array < 0).any():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    drawn = each(lambda rate: _one_poisson(generator or default_generator, rate), input._array.dtype, input._array)
    return apply(drawing.drawn_for, input, drawn, "PoissonBackward0")
