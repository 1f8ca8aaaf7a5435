"""Arrays of initial values: each has a seed of its own, from NumPy's generator, and is float32 of numbers in float64."""

import math
from statistics import NormalDist

import numpy as np

from ._engines import words_of
from ._seed import initial_seed

_PI, _ROOT_2, _LEAST = (float(np.float32(x)) for x in (3.1415926, 1.4142135, 1e-7))  # as MindSpore writes them


def uniform(shape, low, high):
    """Numbers in [low, high)."""
    low, high = _single(low, high)
    return _shaped((high - low) * _units(math.prod(shape)) + low, shape)


def normal(shape, mean, sigma):
    """Normal numbers, by pairs (G. Box and M. Muller, 1958). Raises ValueError for a negative deviation."""
    if sigma < 0:
        raise ValueError("sigma < 0")
    mean, sigma = _single(mean, sigma)
    count = math.prod(shape)
    fractions = (words_of(initial_seed(), count + count % 2) & np.uint64(2**23 - 1)) * 2.0**-23
    first, second = np.maximum(fractions, _LEAST).reshape(-1, 2).T
    radius, angle = np.sqrt(-2 * np.log(first)) * sigma, 2 * _PI * second
    pairs = np.stack([mean + radius * np.cos(angle), mean + radius * np.sin(angle)], 1)
    return _shaped(pairs.reshape(-1)[:count], shape)


def truncated_normal(shape, mean, sigma, low, high):
    """Normal numbers between `low` and `high`, by the inverse of the distribution function."""
    if sigma < 0:
        raise ValueError("sigma < 0")
    mean, sigma, low, high = _single(mean, sigma, low, high)
    least, most = (math.erfc(-(bound - mean) / sigma / _ROOT_2) / 2 for bound in (low, high))
    inverse, stretch = NormalDist().inv_cdf, _ROOT_2 / math.sqrt(2)
    within = least + _units(math.prod(shape)) * (most - least)
    within = np.clip(within, np.finfo(float).tiny, np.nextafter(1, 0))
    return _shaped(mean + sigma * stretch * np.array([inverse(p) for p in within.tolist()]), shape)


def _units(count):
    return words_of(initial_seed(), count) * 2.0**-32


def _single(*numbers):
    """The numbers, rounded to float32."""
    return [float(np.float32(n)) for n in numbers]


def _shaped(values, shape):
    return values.astype(np.float32).reshape(shape)
