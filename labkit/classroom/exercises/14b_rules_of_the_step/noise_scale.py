"""# The noise scale (2 points)

Row `k` of `gradients` is the gradient of sample `k` alone. Write `noise_scale(gradients)`, with NumPy: the sum of the
variances of all columns (their mean squared distance from the column's mean), divided by the squared length of the mean
gradient. That is the batch size at which signal and noise are equally long.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, wrong


def noise_scale(gradients):
    mean = gradients.mean(axis=0)
    noise = ((gradients - mean) ** 2).mean(axis=0).sum()
    return noise / (mean**2).sum()


def _samples(rng, count, size, shift):
    return (shift * rng.uniform(1, 2, size) * rng.choice([-1, 1], size) + rng.normal(size=(count, size)),)


draw = (
    partial(_samples, count=6, size=3, shift=0.3), partial(_samples, count=4, size=5, shift=2.0),
    partial(_samples, count=3, size=1, shift=1.0), partial(_samples, count=2, size=4, shift=0.7),
)  # fmt: skip


def reference(gradients):
    return float(
        np.trace(np.cov(gradients.T, bias=True).reshape(gradients.shape[1], -1)) / np.sum(gradients.mean(0) ** 2)
    )


@wrong("It is upside down: noise divided by signal is asked for.")
def upside_down(gradients):
    return 1 / noise_scale(gradients)


@wrong("You took the mean of the variances. Their sum is the squared length of the noise.")
def mean_of_the_variances(gradients):
    return noise_scale(gradients) / gradients.shape[1]


@wrong("You divided by the length of the mean gradient, not by its square. The noise is a square, too.")
def not_squared(gradients):
    mean = gradients.mean(axis=0)
    return gradients.var(axis=0).sum() / np.sqrt((mean**2).sum())


@wrong(
    "You divided by the mean squared length of the samples' gradients. The signal is the squared length of their mean."
)
def mean_of_the_squares(gradients):
    return gradients.var(axis=0).sum() / (gradients**2).sum(axis=1).mean()


@wrong("You took the standard deviations. The noise is the sum of the variances, their squares.")
def deviations(gradients):
    return gradients.std(axis=0).sum() / (gradients.mean(axis=0) ** 2).sum()


@wrong("You took squares from 0, not from the mean: the signal is counted as noise.")
def from_zero(gradients):
    return (gradients**2).mean(axis=0).sum() / (gradients.mean(axis=0) ** 2).sum()


@judged("value")
def noise_alone(gradients):
    return gradients.var(axis=0).sum()


hints = (
    "mean = gradients.mean(axis=0) is the gradient of the batch, the signal.",
    "gradients.var(axis=0) has the variance of each column. Add them up.",
    "gradients.var(axis=0).sum() / (mean**2).sum()",
)
