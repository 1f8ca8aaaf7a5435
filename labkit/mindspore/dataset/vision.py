"""Transforms of images: arrays (height, width, channels), of one channel perhaps (height, width)."""

import sys
from enum import Enum
from functools import lru_cache
from numbers import Number

import numpy as np

from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ..argument_checks import natural, required

__all__ = ["HWC2CHW", "Inter", "Normalize", "Rescale", "Resize"]


class Inter(Enum):
    """How pixels between pixels are found: the nearest one, or linearly between four."""

    NEAREST = 0
    BILINEAR = 2
    LINEAR = 2


@lru_cache(maxsize=64)
def taps(length, wanted):
    """For each of `wanted` positions along `length` pixels: the two pixels around it, and the weight of the second."""
    centre = ((np.arange(wanted) + 0.5) * (length / wanted) - 0.5).astype(np.float32)
    first = np.floor(centre).astype(int)
    weight = centre - first.astype(np.float32)
    return np.clip(first, 0, length - 1), np.clip(first + 1, 0, length - 1), weight


def bilinear(image, size):
    """`image` at `size`, linearly between four pixels; 8-bit images in fixed point, else in the image's type."""
    y, x = taps(image.shape[0], size[0]), taps(image.shape[1], size[1])
    return (_fixed if image.dtype == np.uint8 else _floating)(image, y, x)


def _floating(image, y, x):
    y0, y1, wy = y
    x0, x1, wx = x
    wy, wx = _along(0, wy, image.ndim), _along(1, wx, image.ndim)
    rows = image[:, x0] * (1 - wx) + image[:, x1] * wx
    return (rows[y0] * (1 - wy) + rows[y1] * wy).astype(image.dtype)


def _fixed(image, y, x):
    """Weights in 2048ths, cut to 16 bits between the two directions: the arithmetic of OpenCV."""
    y0, y1, wy = y
    x0, x1, wx = x
    (a0, a1), (b0, b1) = _in_2048ths(1, wx, image.ndim), _in_2048ths(0, wy, image.ndim)
    wide = image.astype(np.int64)
    rows = (wide[:, x0] * a0 + wide[:, x1] * a1) >> 4
    return (((rows[y0] * b0 >> 16) + (rows[y1] * b1 >> 16) + 2) >> 2).astype(np.uint8)


def _in_2048ths(axis, weight, ndim):
    return [_along(axis, np.rint(w * 2048).astype(np.int64), ndim) for w in (1 - weight, weight)]


def _along(axis, values, ndim):
    """A row of values, shaped to lie along an axis of an image."""
    return values.reshape([-1 if k == axis else 1 for k in range(ndim)])


def nearest(image, size):
    """`image` at `size`, each pixel the one it falls into."""
    y, x = (np.arange(wanted) * length // wanted for wanted, length in zip(size, image.shape))
    return image[y[:, None], x]


class Resize(metaclass=Placed):
    """To `size`: (height, width), or the shorter side of an image that keeps its proportions.

    `interpolation`: `Inter.LINEAR` or `Inter.NEAREST`. 8-bit images are computed with the fixed-point weights of
    OpenCV, so they equal the real framework's bit for bit.

    >>> import numpy as np
    >>> Resize((2, 4))(np.array([[0, 200], [0, 200]], np.uint8)).tolist()
    [[0, 50, 150, 200], [0, 50, 150, 200]]
    """

    def __init__(self, size, interpolation=Inter.LINEAR):
        if isinstance(size, int):
            size = [size]
        self.size = [natural(n, f"size at dim {k}", 1) for k, n in enumerate(size)]
        self.resized = bilinear if required(interpolation, "interpolation", (Inter,)) is Inter.LINEAR else nearest

    def __call__(self, image):
        image = np.asarray(image)
        return self.resized(image, self._size_for(*image.shape[:2]))

    def _size_for(self, height, width):
        if len(self.size) == 2:
            return tuple(self.size)
        shorter = self.size[0]
        return (shorter, width * shorter // height) if height < width else (height * shorter // width, shorter)


class Rescale(metaclass=Placed):
    """`image * rescale + shift`, in float32.

    `image`: an array of numbers, of any shape.

    >>> Rescale(1 / 255, 0.0)(np.array([[0, 255]], np.uint8))
    array([[0., 1.]], dtype=float32)
    """

    def __init__(self, rescale, shift):
        self.rescale = np.float32(required(rescale, "rescale", (Number,)))
        self.shift = np.float32(required(shift, "shift", (Number,)))

    def __call__(self, image):
        return np.asarray(image, np.float32) * self.rescale + self.shift


class Normalize(metaclass=Placed):
    """`(image - mean) / std` per channel, in float32; `is_hwc=False` for images with the channels first."""

    def __init__(self, mean, std, is_hwc=True):
        if len(mean) != len(std):
            raise ValueError("Length of mean and std must be equal.")
        self.mean, self.std = np.asarray(mean, np.float32), np.asarray(std, np.float32)
        self.is_hwc = required(is_hwc, "is_hwc", (bool,))

    def __call__(self, image):
        image = np.asarray(image, np.float32)
        if self.is_hwc:
            return (image - self.mean) / self.std
        return (image - self.mean[:, None, None]) / self.std[:, None, None]


class HWC2CHW(metaclass=Placed):
    """From (height, width, channels) to (channels, height, width).

    >>> HWC2CHW()(np.zeros((28, 28, 1))).shape
    (1, 28, 28)
    """

    def __call__(self, image):
        image = np.asarray(image)
        return image.transpose(2, 0, 1) if image.ndim == 3 else image


for _name in ("c_transforms", "utils"):  # the same under the names that older code imports
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = sys.modules[__name__]

__getattr__ = attributes(__name__)
