"""Values of special functions, without derivatives: digamma, zeta, shares of the gamma distribution, Bessel's I."""

import math

import numpy as np

__all__ = ["gamma_shares", "hurwitz", "of_digamma", "of_zeta", "scaled_bessel"]

_FAR = 10.0  # from here on the asymptotic series of digamma and zeta are exact to the last digits
_ASYMPTOTIC, _ANGLES = 50.0, 128  # beyond, the asymptotic series is exact; before, the mean over so many angles is
_LIMIT = 3000  # steps of a series or fraction, at most


def of_digamma(x) -> float:
    """`digamma` of one number."""
    if x == 0:
        return math.copysign(math.inf, -x)
    if x < 0:
        return math.nan if math.isinf(x) or x % 1 == 0 else of_digamma(1 - x) - math.pi / math.tan(math.pi * (x % 1))
    if math.isinf(x):
        return x
    found = 0.0
    while x < _FAR:
        found, x = found - 1 / x, x + 1
    square = 1 / (x * x)
    terms = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
    return found + math.log(x) - 0.5 / x - sum(c * square ** (k + 1) for k, c in enumerate(terms))


def of_zeta(s, x) -> float:
    """The sum of (x + k)^-s over all k from 0, by Euler and Maclaurin."""
    found = 0.0
    while x < _FAR:
        if x == 0:
            return math.inf
        found, x = found + x**-s, x + 1
    found += x ** (1 - s) / (s - 1) + 0.5 * x**-s
    factor = s * x ** (-s - 1)
    for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)):
        found += bernoulli / math.factorial(2 * k + 2) * factor
        factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (x * x)
    return found


def scaled_bessel(order, x) -> np.ndarray:
    """exp(-|x|) I(|x|), of the modified Bessel function I of an order: a mean over angles, or the series far out."""
    x = np.abs(np.asarray(x, np.float64))
    turn = np.cos(np.arange(_ANGLES) * (2 * np.pi / _ANGLES))
    near = np.minimum(x, _ASYMPTOTIC)[..., None]
    within = np.mean(np.exp(near * (turn - 1)) * (turn if order else 1.0), -1)
    far, term, found = np.maximum(x, _ASYMPTOTIC), np.ones_like(x), np.ones_like(x)
    for k in range(1, 20):
        term = -term * (4 * order - (2 * k - 1) ** 2) / (k * 8 * far)
        found = found + term
    return np.where(x <= _ASYMPTOTIC, within, found / np.sqrt(2 * np.pi * far))


def gamma_shares(a, x) -> tuple[float, float]:
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


def hurwitz(s, x) -> float:
    """Hurwitz's zeta function, the sum of (x + k)^-s over all k from 0: infinite at its poles, nan where it is no real number."""
    if s != s or x != x or s < 1 or (x < 0 and x % 1 and s % 1):
        return math.nan
    return math.inf if s == 1 or (x <= 0 and not x % 1) else of_zeta(s, x)
