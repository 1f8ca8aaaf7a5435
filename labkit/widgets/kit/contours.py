"""Contour lines of a function known on a grid, by marching squares."""

from itertools import pairwise

import numpy as np

Place = tuple[float, float]


def contour(values: np.ndarray, xs: np.ndarray, ys: np.ndarray, level: float) -> list[tuple[Place, Place]]:
    """Line segments along which `values` (rows at `ys`, columns at `xs`) equals `level`: marching squares.

    >>> contour(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0.0, 1.0]), np.array([0.0, 1.0]), 0.5)
    [((0.5, 0.0), (0.5, 1.0))]
    """
    above = values >= level
    corner = above[:-1, :-1]
    mixed = (corner != above[:-1, 1:]) | (corner != above[1:, 1:]) | (corner != above[1:, :-1])
    finite = np.isfinite(values)
    mixed &= finite[:-1, :-1] & finite[:-1, 1:] & finite[1:, 1:] & finite[1:, :-1]
    segments = []
    for i, j in np.argwhere(mixed):
        corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j)]
        found = []
        for (r, c), (r2, c2) in pairwise(corners):
            if above[r, c] != above[r2, c2]:
                t = (level - values[r, c]) / (values[r2, c2] - values[r, c])
                found.append((float(xs[c] + t * (xs[c2] - xs[c])), float(ys[r] + t * (ys[r2] - ys[r]))))
        segments += list(zip(found[::2], found[1::2]))
    return segments
