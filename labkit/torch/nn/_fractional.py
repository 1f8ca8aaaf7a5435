"""The largest elements of windows whose places are drawn at random, so that images shrink by any factor."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ...ops import gather
from .._dispatch import apply
from .._rules import fused
from .._table import FUNCTIONS
from .._tensor import Tensor
from ._images import several

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]

_AXES = ("time", "height", "width")  # as PyTorch calls those of volumes


def _picked(dims):
    @fused(
        f"FractionalMaxPool{dims}DBackward0",
        "self",
        "indices",
        saves="indices self",
        name=f"fractional_max_pool{dims}d",
    )
    def picked(x, indices):
        flat = anp.reshape(x, (*x.shape[:-dims], -1))
        return anp.reshape(gather(flat, indices.reshape(*x.shape[:-dims], -1), -1), indices.shape)

    return picked


_PICKED = {dims: _picked(dims) for dims in (2, 3)}


def _starts(samples, size, count, window):
    """Where the windows begin along one axis, for each of the random numbers; the last ends where the axis does."""
    if count == 1:
        return np.full((*samples.shape, 1), size - window)
    step = samples.dtype.type((size - window) / (count - 1))
    first = np.arange(count, dtype=samples.dtype) + samples[..., None]
    found = (first * step).astype(np.int64) - (samples * step).astype(np.int64)[..., None]
    found[..., -1] = size - window
    return found


def _places(x, kernel, output, samples):
    """Where in its image the largest element of each window is."""
    dims, at = len(kernel), np.zeros((), np.int64)
    order = range(dims) if dims == 3 else reversed(range(dims))  # of two random numbers, the first is for the width
    for k, number in enumerate(order):
        starts = _starts(samples[..., number], x.shape[2 + k], output[k], kernel[k])
        along = starts[..., None] + np.arange(kernel[k])
        shape = [*along.shape[:2], *(n if j == k else 1 for part in (output, kernel) for j, n in enumerate(part))]
        at = at * x.shape[2 + k] + along.reshape(shape)
    at = np.broadcast_to(at, (*x.shape[:2], *output, *kernel)).reshape(*x.shape[:2], int(np.prod(output)), -1)
    values = np.take_along_axis(x.reshape(*x.shape[:2], 1, -1), at, -1)
    best = np.argmax(values, -1)[..., None]
    return np.take_along_axis(at, best, -1).reshape(*x.shape[:2], *output)


def shares(ratio, dims) -> tuple[float, ...]:
    """The share of each axis, where one may be given for all."""
    return (ratio,) * dims if isinstance(ratio, (int, float)) else tuple(ratio)


def _pooled(dims, input, kernel_size, output_size, output_ratio, return_indices, samples) -> Any:
    name, shape = f"fractional_max_pool{dims}d", input.shape[-dims:]
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    ratio = None if output_ratio is None else shares(output_ratio, dims)
    output = (
        several(output_size, dims) if ratio is None else tuple(int(n * r) for n, r in zip(shape, ratio, strict=True))
    )
    kernel = several(kernel_size, dims)
    single = input.ndim == dims + 1
    if samples is None:
        batch = 1 if single else input.shape[0]
        samples = FUNCTIONS["rand"](batch, input.shape[-dims - 1], dims, dtype=input.dtype)
    for axis, n, k, count in zip(_AXES[-dims:], shape, kernel, output, strict=True):
        if count + k - 1 > n:
            raise RuntimeError(f"{name}(): pool {axis} {k} too large relative to input {axis} {n}")
    found = _places(input._array[None] if single else input._array, kernel, output, samples._array)
    found = found[0] if single else found
    made = apply(_PICKED[dims], input, found)
    return (made, Tensor._of(found)) if return_indices else made


def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
) -> Any:
    """The largest element of each of `output_size` windows (or of this share of the image's size), which are drawn at random.

    `input` (batch, channels, height, width). With `return_indices` also where each stands in its image. Raises ValueError
    without a size, RuntimeError for windows too large for the image.
    """
    return _pooled(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
) -> Any:
    """The same of volumes (batch, channels, depth, height, width)."""
    return _pooled(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
