"""Images of another size. An output pixel's centre lies between input pixels' centres, which are its taps."""

from functools import lru_cache

import numpy as np

__all__ = ["bilinear", "nearest"]


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
