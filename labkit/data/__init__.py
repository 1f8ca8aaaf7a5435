"""The data that come with labkit: handwritten digits, two moons of points, and the network of a guide.

The digits are 1,797 images of 8 x 8 pixels:
Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, 1998,
https://doi.org/10.24432/C50P49, licence CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). These are the images of
its test set, written by 13 people, in the order of that set; stored as whole numbers, otherwise unchanged.
"""

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from .guide import network
from .points import moons

__all__ = ["Digits", "Part", "digits", "moons", "network"]

TEST = 360  # images kept for testing


class Part(NamedTuple):
    """Images (n, 8, 8) of uint8 from 0 to 16, and labels (n,) of int64 from 0 to 9."""

    images: np.ndarray
    labels: np.ndarray


class Digits(NamedTuple):
    """All `images` and `labels`, and the same as a `train` and a `test` part, which share no image."""

    images: np.ndarray
    labels: np.ndarray
    train: Part
    test: Part


def digits() -> Digits:
    """The handwritten digits, with a fixed division: 1,437 images to learn from, 360 to test with.

    The division was drawn at random and is always the same.

    >>> found = digits()
    >>> found.images.shape, found.train.images.shape, found.test.images.shape, found.labels[:5]
    ((1797, 8, 8), (1437, 8, 8), (360, 8, 8), array([0, 1, 2, 3, 4]))
    """
    images, labels = (array.copy() for array in _stored())
    order = np.random.RandomState(0).permutation(len(images))
    train, test = order[TEST:], order[:TEST]
    return Digits(images, labels, Part(images[train], labels[train]), Part(images[test], labels[test]))


@lru_cache(maxsize=1)
def _stored():
    with files(__package__).joinpath("digits.npz").open("rb") as file, np.load(file) as stored:
        return stored["images"], stored["labels"].astype(np.int64)
