"""# Mend the pullback of batch norm (3 points)

Batch norm makes each column of a batch `x` have mean 0 and, but for `eps`, variance 1:
`y = (x - mean) / sqrt(var + eps)`, with the mean and the variance (`x.var(axis=0)`) of this batch. This pullback
looks right, and is wrong:

[[held_still as pull]]

Mend it: `pull(x, g, eps)` returns what goes on to `x` when `g` arrives at `y`.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, judged, wrong


def pull(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - g.mean(axis=0) - y * (g * y).mean(axis=0)) / std


def draw(rng):
    shape = (int(rng.integers(4, 8)), int(rng.integers(2, 4)))
    return (
        rng.normal(size=shape) * rng.uniform(0.3, 4.0) + rng.normal(),
        rng.normal(size=shape),
        float(rng.choice([1e-5, 0.5])),
    )


draws = 6


@wrong(
    "Mean and standard deviation are held still. Both are made of x: each element moves them, and through them the whole "
    "column."
)
def held_still(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    return g / std


@wrong("The mean is there. The standard deviation is still held still: it depends on x, too.")
def mean_only(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    return (g - g.mean(axis=0)) / std


@wrong("The standard deviation is there. The mean is still held still: it depends on x, too.")
def std_only(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - y * (g * y).mean(axis=0)) / std


@wrong("Sums where means belong: each element moves the mean by one part in n.")
def sums(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - g.sum(axis=0) - y * (g * y).sum(axis=0)) / std


@wrong("The mean was taken of the whole array. Each column is normalized for itself: axis=0.")
def over_everything(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    y = (x - x.mean(axis=0)) / std
    return (g - g.mean() - y * (g * y).mean()) / std


@wrong("The last term has x where the normalized y belongs.")
def x_for_y(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    return (g - g.mean(axis=0) - x * (g * x).mean(axis=0)) / std


@wrong("The division by the standard deviation is missing.")
def not_divided(x, g, eps):
    std = np.sqrt(x.var(axis=0) + eps)
    return pull(x, g, eps) * std


@wrong("eps is missing: here it can be as large as a variance.")
def without_eps(x, g, eps):
    return pull(x, g, 0.0)


@wrong("That is layer norm, along the rows. Batch norm takes mean and variance of each column: axis=0.")
def along_rows(x, g, eps):
    std = np.sqrt(x.var(axis=1, keepdims=True) + eps)
    y = (x - x.mean(axis=1, keepdims=True)) / std
    return (g - g.mean(axis=1, keepdims=True) - y * (g * y).mean(axis=1, keepdims=True)) / std


@judged("printed")
def nothing_returned(x, g, eps):
    pull(x, g, eps)


ways = (PLAIN,)
hints = (
    "Three ways lead from x to y: straight, through the mean, and through the standard deviation. What arrives on each adds up.",
    "Straight: g / std. Through the mean, every element gets -mean(g) / std. Through the standard deviation: "
    "-y * mean(g * y) / std.",
    "(g - g.mean(axis=0) - y * (g * y).mean(axis=0)) / std, with y = (x - x.mean(axis=0)) / std.",
)
