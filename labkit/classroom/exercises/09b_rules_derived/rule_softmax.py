"""# The pullback of a soft argmax (2 points)

At which place of a row stands the largest number? `argmax` answers with a whole number: it stands still, or it jumps. The
*soft argmax* moves: each place counts with its share, `y[i] = sum(j * p[i, j])` over the places `j = 0, 1, 2, ...`, where `p`
is the softmax of each row of `z`. Write `pull(z, g)`: `z` has one row per example, `g` has one number for each row, and
arrives at `y`. It returns what goes on to `z`, in plain NumPy. Some numbers of `z` are near 1000 or above, where `exp` gives
infinity.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, judged, wrong


def _softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def pull(z, g):
    p = _softmax(z)
    places = np.arange(z.shape[1])
    y = (p * places).sum(axis=1, keepdims=True)
    return g[:, None] * p * (places - y)


def _shape(rng):
    return int(rng.integers(2, 4)), int(rng.integers(4, 6))


def _ordinary(rng):
    shape = _shape(rng)
    return rng.normal(size=shape), rng.normal(size=shape[0])


def _rows_far_apart(rng):
    shape = _shape(rng)
    return rng.normal(size=shape) + 1000.0 * np.arange(shape[0])[:, None], rng.normal(size=shape[0])


def _two_far_above(rng):
    shape = _shape(rng)
    z = rng.normal(size=shape)
    z[:, 1:3] += 2000.0
    return z, rng.normal(size=shape[0])


draw = (_ordinary, _rows_far_apart, _two_far_above)
draws = 6


def _arriving(z, g):
    """What arrives at p: every place of a row gets g times its number."""
    return g[:, None] * np.arange(z.shape[1])


@wrong(
    "p * (1 - p) is only the diagonal of the Jacobian: each number of z moves the other shares, too, since they share one "
    "sum."
)
def diagonal_only(z, g):
    p = _softmax(z)
    return _arriving(z, g) * p * (1 - p)


@wrong("That is the rule of exp, with p as its value: the denominator depends on z, too. Take the average place away.")
def sum_held_still(z, g):
    return _arriving(z, g) * _softmax(z)


@wrong("What is taken away is the average place, weighted by p, and not the plain sum of the places.")
def sum_not_weighted(z, g):
    d = _arriving(z, g)
    return _softmax(z) * (d - d.sum(axis=1, keepdims=True))


@wrong("What is taken away is the average place, weighted by p, and not the middle of the row.")
def middle_of_the_row(z, g):
    d = _arriving(z, g)
    return _softmax(z) * (d - d.mean(axis=1, keepdims=True))


@wrong("Each row has its own average place: examples do not touch each other. Add along axis 1, and keep that axis.")
def over_all_rows(z, g):
    p, places = _softmax(z), np.arange(z.shape[1])
    return g[:, None] * p * (places - (p * places).sum())


@wrong("One factor p is missing: a share that is nearly 0 hardly moves.")
def factor_missing(z, g):
    p, places = _softmax(z), np.arange(z.shape[1])
    return g[:, None] * (places - (p * places).sum(axis=1, keepdims=True))


@wrong("What arrives is missing: multiply each row by its g.")
def without_g(z, g):
    return pull(z, np.ones_like(g))


@wrong(
    "At 1000 your softmax is nan. Take the largest number of each row away first: that changes nothing in p.",
    when=lambda i, expected, got: bool(np.isnan(np.asarray(got, float)).any()),
)
def overflows(z, g):
    with np.errstate(all="ignore"):
        e = np.exp(z)
        p = e / e.sum(axis=1, keepdims=True)
    d = _arriving(z, g)
    return p * (d - (d * p).sum(axis=1, keepdims=True))


@wrong("You returned the soft argmax itself. Asked is what goes back to z.")
def the_value(z, g):
    return _softmax(z) @ np.arange(z.shape[1])


@wrong("Along the wrong axis: a row of z is one example, so the shares of a row add up to 1, along axis 1.")
def along_columns(z, g):
    p, places = _softmax(z.T).T, np.arange(z.shape[1])
    return g[:, None] * p * (places - (p * places).sum(axis=1, keepdims=True))


@wrong(
    "That is the rule of log softmax. Here y is made of the shares: what arrives is multiplied by p, in the sum and outside."
)
def of_the_log(z, g):
    d = _arriving(z, g)
    return d - _softmax(z) * d.sum(axis=1, keepdims=True)


@wrong(
    "All zeros: that is what comes of the pullback of softmax when the same g arrives at each share of a row. g arrives at "
    "y: to p goes g times the place."
)
def places_forgotten(z, g):
    p, d = _softmax(z), np.broadcast_to(g[:, None], z.shape)
    return p * (d - (d * p).sum(axis=1, keepdims=True))


@judged("printed")
def nothing_returned(z, g):
    pull(z, g)


ways = (PLAIN,)
hints = (
    "Two steps: from y back to p, and from p back to z. To p[i, j] goes g[i] * j.",
    "Put that into the pullback of softmax, p * (d - sum(d * p)), with d = g * j. The sum is g times y.",
    "g[:, None] * p * (places - y), with y the soft argmax of each row, and p from z minus its row's maximum.",
)
