"""Pooling to a given size and of sequences, and resizing: part of `torch.nn.functional`."""

import math
from itertools import product
from typing import Any

import numpy as np

from ...ops import pooling, resizing
from .. import _rules
from .._dispatch import apply
from .._rules import layers as rules
from .._table import METHODS
from .._tensor import Tensor
from ._images import avg_pool2d, avg_pool3d, max_pool2d, several

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "avg_pool1d", "interpolate", "local_response_norm", "lp_pool1d", "lp_pool2d", "lp_pool3d",
    "max_pool1d", "upsample",
]  # fmt: skip


def _as_rows(pool, input, *how):
    """A pooling of images, of sequences as images of one row."""
    found = pool(input.unsqueeze(-2), *how)
    return tuple(part.squeeze(-2) for part in found) if isinstance(found, tuple) else found.squeeze(-2)


def _row(value, rest):
    return None if value is None else (rest, *several(value, 1))


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False) -> Any:
    """The largest element of every window of sequences (batch, channels, length); with `return_indices` also where it is."""
    stride = kernel_size if stride is None else stride
    window = _row(kernel_size, 1), _row(stride, 1), _row(padding, 0), _row(dilation, 1)
    return _as_rows(max_pool2d, input, *window, ceil_mode, return_indices)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> Tensor:
    """The mean of every window of sequences (batch, channels, length)."""
    stride = kernel_size if stride is None else stride
    window = _row(kernel_size, 1), _row(stride, 1), _row(padding, 0)
    return _as_rows(avg_pool2d, input, *window, ceil_mode, count_include_pad)


def _lp(pool, dims, input, norm_type, kernel_size, stride, ceil_mode):
    mean = pool(METHODS["pow"](input, norm_type), kernel_size, stride, 0, ceil_mode)
    size = METHODS["sign"](mean) * METHODS["relu"](METHODS["abs"](mean))
    return METHODS["pow"](size * math.prod(several(kernel_size, dims)), 1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    """The `norm_type`-norm of every window of sequences."""
    return _lp(avg_pool1d, 1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    """The `norm_type`-norm of every window."""
    return _lp(avg_pool2d, 2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    """The `norm_type`-norm of every window of volumes."""
    return _lp(avg_pool3d, 3, input, norm_type, kernel_size, stride, ceil_mode)


# ---- windows that give a result of a given size ----


def _wanted(input, output_size, dims):
    given = several(output_size, dims) if output_size is not None else (None,) * dims
    return tuple(n if g is None else g for n, g in zip(input.shape[-dims:], given, strict=True))


def _adaptive_mean(dims, input, output_size):
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"adaptive_avg_pool{dims}d(): Expected {dims + 1}D or {dims + 2}D tensor, but got {list(input.shape)}"
        )
    wanted = _wanted(input, output_size, dims)
    if wanted == (1,) * dims:
        return METHODS["mean"](input, tuple(range(-1, -dims - 1, -1)), keepdim=True)
    matrices = tuple(pooling.mean_matrix(n, m) for n, m in zip(input.shape[-dims:], wanted, strict=True))
    return apply(rules.resampled, input, matrices, f"AdaptiveAvgPool{dims}DBackward0")


def adaptive_avg_pool2d(input, output_size) -> Tensor:
    """The means of windows that give images (..., height, width) of `output_size`: a number, or two; None keeps a size."""
    return _adaptive_mean(2, input, output_size)


def adaptive_avg_pool3d(input, output_size) -> Tensor:
    """The means of windows that give volumes of `output_size`; see `adaptive_avg_pool2d`."""
    return _adaptive_mean(3, input, output_size)


def adaptive_avg_pool1d(input, output_size) -> Tensor:
    """The means of windows that give sequences (..., length) of `output_size`."""
    matrices = (np.ones((1, 1)), pooling.mean_matrix(input.shape[-1], several(output_size, 1)[0]))
    pool = lambda x: apply(rules.resampled, x, matrices, "AdaptiveAvgPool2DBackward0")
    return _as_rows(pool, input)


def _adaptive_largest(dims, input, output_size, return_indices) -> Any:
    size, wanted, array = input.shape[-dims:], _wanted(input, output_size, dims), input._array
    place = np.empty((*input.shape[:-dims], *wanted), np.int64)
    for window in product(*(list(enumerate(pooling.even_windows(n, m))) for n, m in zip(size, wanted, strict=True))):
        at, bounds = zip(*window, strict=True)
        part = array[..., *(slice(*bound) for bound in bounds)]
        inside = np.unravel_index(part.reshape(*part.shape[:-dims], -1).argmax(-1), part.shape[-dims:])
        corner = [i + begin for i, (begin, _) in zip(inside, bounds, strict=True)]
        place[..., *at] = np.ravel_multi_index(corner, size)
    found = apply(rules.picked, input, place, f"AdaptiveMaxPool{dims}DBackward0", dims)
    return (found, Tensor._of(place)) if return_indices else found


def adaptive_max_pool2d(input, output_size, return_indices=False) -> Any:
    """The largest elements of windows that give images of `output_size`; with `return_indices` also where they are."""
    return _adaptive_largest(2, input, output_size, return_indices)


def adaptive_max_pool3d(input, output_size, return_indices=False) -> Any:
    """The largest elements of windows that give volumes of `output_size`; with `return_indices` also where they are."""
    return _adaptive_largest(3, input, output_size, return_indices)


def adaptive_max_pool1d(input, output_size, return_indices=False) -> Any:
    """The largest elements of windows that give sequences of `output_size`; with `return_indices` also where they are."""
    return _as_rows(adaptive_max_pool2d, input, (1, *several(output_size, 1)), return_indices)


# ---- resizing ----

_LINEAR = {
    "linear": (1, "Linear1D"),
    "bilinear": (2, "Bilinear2D"),
    "trilinear": (3, "Trilinear3D"),
    "bicubic": (2, "Bicubic2D"),
}


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False) -> Tensor:  # fmt: skip
    """Sequences, images or volumes (batch, channels, ...) at another `size`, or `scale_factor` times as large.

    `mode`: "nearest", "nearest-exact", "linear", "bilinear", "trilinear" or "bicubic"; `align_corners`: the corners keep their
    places. Raises ValueError where not one of size and factor is given, NotImplementedError for a mode that does not fit.

    >>> import labkit.torch as torch
    >>> interpolate(torch.tensor([[[0.0, 1.0]]]), scale_factor=2)
    tensor([[[0., 0., 1., 1.]]])
    """
    dims = input.ndim - 2
    if (size is None) == (scale_factor is None):
        which = "either" if size is None else "only one of"
        raise ValueError(f"{which} size or scale_factor should be defined")
    if antialias:
        raise NotImplementedError("labkit.torch has no antialias: leave it out, or blur the image first")
    if mode.startswith("nearest") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    factors = (None,) * dims if scale_factor is None else _factors(scale_factor, dims)
    wanted = _sizes(input.shape[2:], size, factors)
    if recompute_scale_factor:
        factors = (None,) * dims
    steps = list(zip(input.shape[2:], wanted, factors, strict=True))
    if mode in ("nearest", "nearest-exact"):
        places = [resizing.nearest(*step, mode == "nearest-exact") for step in steps]
        name = f"UpsampleNearest{'Exact' if '-' in mode else ''}{dims}DBackward0"
        return apply(_rules.fancy, input, (..., *np.ix_(*places)), name)
    if mode in _LINEAR and _LINEAR[mode][0] != dims:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {_LINEAR[mode][0] + 2}D input")
    if mode not in _LINEAR:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: nearest | linear | "
            f"bilinear | bicubic | trilinear | area | nearest-exact (got {mode})"
        )
    matrices = tuple(resizing.weights(*step, align_corners, cubic=mode == "bicubic") for step in steps)
    return apply(rules.resampled, input, matrices, f"Upsample{_LINEAR[mode][1]}Backward0")


upsample = interpolate


def _factors(factor, dims):
    return (factor,) * dims if isinstance(factor, (int, float)) else tuple(factor)


def _sizes(sizes, wanted, factors):
    if wanted is not None:
        return several(wanted, len(sizes))
    return tuple(math.floor(n * f) for n, f in zip(sizes, factors, strict=True))


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0) -> Tensor:
    """`input` divided by (k + alpha times the mean square over `size` neighbouring channels) to the power of `beta`."""
    squares = METHODS["flatten"](input * input, 2).unsqueeze(1)
    padded = apply(_rules.pad, squares, ((0, 0), (0, 0), (size // 2, (size - 1) // 2), (0, 0)), 0.0)
    mean = avg_pool2d(padded, (size, 1), stride=1).squeeze(1).view(input.shape)
    return input / METHODS["pow"](mean * alpha + k, beta)
