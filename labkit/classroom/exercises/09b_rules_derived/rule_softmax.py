"""# The pullback of softmax (2 points)

`z` has one row per example. `p = softmax(z)` along each row, and `g` of the same shape is what arrives at `p`. Write
`pull(z, g)`: it returns what goes on to `z`, in plain NumPy. Some numbers of `z` are near 1000 or above, where
`exp` gives infinity.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, judged, wrong


def _softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def pull(z, g):
    p = _softmax(z)
    return p * (g - (g * p).sum(axis=1, keepdims=True))


def _shape(rng):
    return int(rng.integers(2, 4)), int(rng.integers(4, 6))


def _ordinary(rng):
    shape = _shape(rng)
    return rng.normal(size=shape), rng.normal(size=shape)


def _rows_far_apart(rng):
    shape = _shape(rng)
    return rng.normal(size=shape) + 1000.0 * np.arange(shape[0])[:, None], rng.normal(size=shape)


def _one_far_above(rng):
    shape = _shape(rng)
    z = rng.normal(size=shape)
    z[:, :2] += 2000.0
    return z, rng.normal(size=shape)


draw = (_ordinary, _rows_far_apart, _one_far_above)
draws = 6


@wrong(
    "p * (1 - p) is only the diagonal of the Jacobian: each number of z moves the other elements of p, too, since they "
    "share one sum."
)
def diagonal_only(z, g):
    p = _softmax(z)
    return g * p * (1 - p)


@wrong("That is the rule of exp, with p as its value: the denominator depends on z, too.")
def sum_held_still(z, g):
    return g * _softmax(z)


@wrong("What is taken away is the mean of g, weighted by p, and not the plain sum of g.")
def sum_not_weighted(z, g):
    return _softmax(z) * (g - g.sum(axis=1, keepdims=True))


@wrong("Each row has its own sum: examples do not touch each other. Add along axis 1, and keep that axis.")
def over_all_rows(z, g):
    p = _softmax(z)
    return p * (g - (g * p).sum())


@wrong("One factor p is missing: p * (g - sum(g * p)).")
def factor_missing(z, g):
    p = _softmax(z)
    return g - (g * p).sum(axis=1, keepdims=True)


@wrong(
    "At 1000 your softmax is nan. Take the largest number of each row away first: that changes nothing in p.",
    when=lambda i, expected, got: bool(np.isnan(np.asarray(got, float)).any()),
)
def overflows(z, g):
    with np.errstate(all="ignore"):
        e = np.exp(z)
        p = e / e.sum(axis=1, keepdims=True)
    return p * (g - (g * p).sum(axis=1, keepdims=True))


@wrong("You returned softmax itself. Asked is what goes back to z.")
def the_value(z, g):
    return _softmax(z)


@wrong("Along the wrong axis: a row of z is one example, so softmax sums over axis 1.")
def along_columns(z, g):
    return pull(z.T, g.T).T


@wrong("That is the rule of log softmax. Asked is softmax: what arrives is multiplied by p, in the sum and outside.")
def of_the_log(z, g):
    return g - _softmax(z) * g.sum(axis=1, keepdims=True)


@judged("printed")
def nothing_returned(z, g):
    pull(z, g)


ways = (PLAIN,)
hints = (
    "dp[j] / dz[i] is p[j] * (1 if i == j else 0) - p[j] * p[i].",
    "So z[i] gets the sum over j of g[j] times that: g[i] * p[i] - p[i] * sum(g * p).",
    "p * (g - (g * p).sum(axis=1, keepdims=True)), with p from z minus its row's maximum.",
)
