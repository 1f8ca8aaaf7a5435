"""# From local derivatives to the derivative (2 points)

`slopes` is an array with a row for each path from `x` to `z`. A row holds the local derivatives of the edges
along that path. Write `derivative(slopes)`: it returns the derivative of `z` with respect to `x`, a
number.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, same, wrong


def derivative(slopes):
    return np.sum(np.prod(slopes, axis=1))


def _paths(rng, shape):
    return (np.round(rng.uniform(-2.0, 3.0, shape), 2),)


def reference(slopes):
    return float(np.sum(np.prod(slopes, axis=1)))


draw = tuple(partial(_paths, shape=shape) for shape in ((2, 3), (3, 2), (3, 4), (4, 1), (1, 3)))


@wrong("You added along a path and multiplied over paths. Along a path slopes multiply; the paths add up.")
def the_other_way_round(slopes):
    return np.prod(np.sum(slopes, axis=1))


@wrong("Along a path slopes multiply: three times as fast, then twice as fast again, is six times as fast.")
def everything_added(slopes):
    return np.sum(slopes)


@wrong("Each path moves z on its own, and the moves add up. You multiplied over the paths, too.")
def everything_multiplied(slopes):
    return np.prod(slopes)


@wrong(
    "That is one path alone. Each path moves z, and the moves add up.",
    when=lambda i, expected, got: any(same(float(p), got) for p in np.prod(i[0], axis=1)),
)
def one_path(slopes):
    return np.prod(slopes[0])


@wrong("A path is a row. You multiplied down the columns.")
def columns(slopes):
    return np.sum(np.prod(slopes, axis=0))


@wrong("These are the contributions of the paths. Add them up.")
def not_added_yet(slopes):
    return np.prod(slopes, axis=1)


@judged("one-path")
def largest_path(slopes):
    return np.max(np.prod(slopes, axis=1))


@judged("value")
def mean(slopes):
    return np.mean(np.prod(slopes, axis=1))


hints = (
    "There are two rules in this notebook: one for along a path, one for over paths.",
    "np.prod(slopes, axis=1) multiplies along each row.",
    "np.sum(np.prod(slopes, axis=1)).",
)
