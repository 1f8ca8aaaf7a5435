"""Resizing along one axis: which element is taken, or how much of each."""

import numpy as np


def _step(size, wanted, factor):
    """How far apart in the input two neighbours of the result are, in float32 as the frameworks have it."""
    return np.float32(1 / factor) if factor else np.float32(size) / np.float32(wanted)


def nearest(size, wanted, factor=None, exact=False, align_corners=False) -> np.ndarray:
    """The place of the input's element that is nearest to each of `wanted` ones; `exact`: to the middle of each.

    `align_corners`: the first and the last element keep their places.

    >>> nearest(2, 4)
    array([0, 0, 1, 1])
    """
    index = np.arange(wanted, dtype=np.float32) + np.float32(0.5 if exact else 0)
    if align_corners:
        return np.floor(_positions(size, wanted, None, True, False) + np.float32(0.5)).astype(int)
    return np.minimum(np.floor(index * _step(size, wanted, factor)).astype(int), size - 1)


def weights(size, wanted, factor=None, align_corners=False, *, cubic=False, middles=True) -> np.ndarray:
    """The matrix (wanted, size) that interpolates: linearly between two elements, or, `cubic`, of four.

    `align_corners`: the first and the last element keep their places. Without `middles` the first edges of elements are put
    into proportion, not their middles.

    >>> weights(2, 3, align_corners=True)
    array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 1. ]])
    """
    at = _positions(size, wanted, factor, align_corners, cubic)
    if not (middles or align_corners):
        at = np.arange(wanted, dtype=np.float32) * _step(size, wanted, factor)
    return (_cubic if cubic else _linear)(size, wanted, at)


def _positions(size, wanted, factor, align_corners, beyond):
    """Where in the input each element of the result is; only cubic interpolation goes `beyond` its first."""
    index = np.arange(wanted, dtype=np.float32)
    if align_corners:
        return index * (np.float32(size - 1) / np.float32(wanted - 1) if wanted > 1 else np.float32(0))
    found = _step(size, wanted, factor) * (index + np.float32(0.5)) - np.float32(0.5)
    return found if beyond else np.maximum(found, 0)


def _mixed(size, wanted, parts):
    """The matrix (wanted, size) that adds up `parts`: pairs of places and weights."""
    matrix = np.zeros((wanted, size))
    for place, weight in parts:
        np.add.at(matrix, (np.arange(wanted), np.clip(place, 0, size - 1)), weight)
    return matrix


def _linear(size, wanted, at):
    first = np.minimum(at.astype(int), size - 1)
    share = np.clip(at - first, 0, 1)
    return _mixed(size, wanted, [(first, 1 - share), (first + 1, share)])


def _cubic(size, wanted, at):
    first = np.floor(at).astype(int)
    shares = cubic_shares((at - first).astype(float))
    return _mixed(size, wanted, [(first + k, share) for k, share in zip((-1, 0, 1, 2), shares, strict=True)])


def cubic_weights(size, wanted, align_corners=False, middles=True) -> np.ndarray:
    """The matrix (wanted, size) of MindSpore's cubic interpolation, whose places are rounded to a table's 1024ths.

    Where `middles` are put into proportion, the curve is R. Keys's own, and what lies outside has no share.

    >>> cubic_weights(2, 3).round(3)
    array([[ 1.066, -0.066],
           [ 0.5  ,  0.5  ],
           [-0.066,  1.066]])
    """
    if align_corners or middles:
        at = _positions(size, wanted, None, align_corners, True)
    else:
        at = np.arange(wanted, dtype=np.float32) * _step(size, wanted, None)
    first = np.floor(at).astype(int)
    keys = middles and not align_corners
    shares = [*cubic_shares(np.round((at - first).astype(float) * 1024) / 1024, -0.5 if keys else -0.75)]
    places = [first + k for k in (-1, 0, 1, 2)]
    if keys:
        shares = [np.where((p >= 0) & (p < size), share, 0) for p, share in zip(places, shares, strict=True)]
        shares = [share / sum(shares) for share in shares]
    return _mixed(size, wanted, zip(places, shares, strict=True))


def cubic_shares(t, a=-0.75) -> tuple:
    """What the four pixels around a place share, which is `t` beyond the second (R. Keys, 1981)."""
    near = lambda x: ((a + 2) * x - (a + 3)) * x * x + 1
    far = lambda x: ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return far(t + 1), near(t), near(1 - t), far(2 - t)
