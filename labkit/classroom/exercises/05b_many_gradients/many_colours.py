"""# A matrix from three pushes (2 points)

The Jacobian of a function is zero outside its diagonal and the two diagonals beside it. Three pushes were made: number `c`
along the direction that is 1 in the places `c`, `c + 3`, `c + 6`, ... and 0 elsewhere. Write `matrix(pushes)`: `pushes` has
shape `(3, n)`, with a push in each row. It returns the Jacobian, of shape `(n, n)`.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, wrong


def matrix(pushes):
    n = pushes.shape[1]
    i, j = np.indices((n, n))
    return np.where(abs(i - j) <= 1, pushes[j % 3, i], 0.0)


def _draw_pushes(rng, n):
    band = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1
    jacobian = np.where(band, rng.uniform(1, 9, (n, n)).round(1) * rng.choice([-1, 1], (n, n)), 0.0)
    directions = np.equal.outer(np.arange(3), np.arange(n) % 3).astype(float)
    return ((jacobian @ directions.T).T,)


draw = tuple(partial(_draw_pushes, n=n) for n in (3, 4, 5, 6, 8))


def _filled(pushes, entry, reach=1):
    n = pushes.shape[1]
    band = [(i, j) for i in range(n) for j in range(n) if abs(i - j) <= reach]
    found = np.zeros((n, n))
    for i, j in band:
        found[i, j] = entry(pushes, i, j)
    return found


@wrong("You took the colour of the row. A push belongs to columns: the slope in column j is in push j % 3.")
def colour_of_the_row(pushes):
    return _filled(pushes, lambda p, i, j: p[i % 3, i])


@wrong("That is the transpose. A push gives a column: its element i belongs to row i.")
def transposed(pushes):
    return _filled(pushes, lambda p, i, j: p[j % 3, i]).T


@wrong("You filled the whole rows. Only the diagonal and the two beside it are not zero.")
def whole_rows(pushes):
    return _filled(pushes, lambda p, i, j: p[j % 3, i], reach=pushes.shape[1])


@wrong("Only the diagonal is there. In each row the columns beside it have their slopes, too.")
def diagonal_only(pushes):
    return _filled(pushes, lambda p, i, j: p[j % 3, i], reach=0)


@wrong("The diagonal beside it is missing on one side: row i has slopes in i - 1, i and i + 1, as far as they exist.")
def one_side_only(pushes):
    return np.triu(_filled(pushes, lambda p, i, j: p[j % 3, i]))


@judged("one-side-only")
def other_side_only(pushes):
    return np.tril(_filled(pushes, lambda p, i, j: p[j % 3, i]))


@wrong("You took the element of the column from the push. Element i of a push is what output i does: take row i.")
def element_of_the_column(pushes):
    return _filled(pushes, lambda p, i, j: p[j % 3, j])


@wrong("You put the pushes into the first three columns. One push holds several columns: column j is in push j % 3.")
def first_columns(pushes):
    found = np.zeros((pushes.shape[1], pushes.shape[1]))
    found[:, :3] = pushes.T
    return found


hints = (
    "Row i has slopes in at most three columns: i - 1, i and i + 1. Each of them has another colour.",
    "The slope of output i along column j is element i of the push of the colour of j.",
    "found[i, j] = pushes[j % 3, i] wherever i and j differ by at most 1, and the rest is zero.",
)
