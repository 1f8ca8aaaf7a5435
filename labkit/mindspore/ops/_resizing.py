"""Images at another size."""

import math
from collections.abc import Callable
from functools import partial

import autograd.numpy as anp

from ...ops import pooling, resizing
from ..tensor import Tensor, wrap
from ._op import register, value_of

_DIMS = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
    """Sequences, images or volumes (batch, channels, ...) at another `size`, or `scale_factor` times as large.

    `mode`: "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic" or "area"; `align_corners`: the corners keep
    their places. Raises ValueError where not one of size and factor is given, and for a mode that does not fit.

    >>> import labkit.mindspore as ms
    >>> print(interpolate(ms.Tensor([[[0.0, 1.0]]]), size=4))
    [[[0. 0. 1. 1.]]]
    """
    value, dims = value_of(input, "interpolate"), input.ndim - 2
    if (size is None) == (scale_factor is None):
        raise ValueError(
            "For 'interpolate', 'size' and 'scale_factor' cannot be set or be None at the same time, expected one of them."
        )
    if mode in _DIMS and _DIMS[mode] != dims:
        raise ValueError(f"For 'interpolate', the mode '{mode}' needs {_DIMS[mode] + 2} axes, but got {input.ndim}.")
    factors = _each(scale_factor, dims)
    wanted = _each(size, dims) if size is not None else [
        math.floor(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]  # fmt: skip
    kept = [None] * dims if recompute_scale_factor or size is not None else factors
    for axis, step in enumerate(zip(input.shape[2:], wanted, kept, strict=True), 2):
        value = _along(value, axis, step, mode, bool(align_corners))
    return wrap(value)


def _each(given, dims):
    return list(given) if isinstance(given, (tuple, list)) else [given] * dims


def _along(value, axis, step, mode, align_corners):
    """Resized along one axis: `step` is its length, the one wanted, and the factor."""
    length, wanted, factor = step
    if mode.startswith("nearest"):
        return value[(slice(None),) * axis + (resizing.nearest(length, wanted, factor, mode == "nearest-exact"),)]
    if mode == "area":
        matrix = pooling.mean_matrix(length, wanted)
    elif mode == "bicubic":
        matrix = resizing.cubic_weights(length, wanted, align_corners)
    elif mode in _DIMS:
        matrix = resizing.weights(length, wanted, factor, align_corners)
    else:
        raise ValueError(
            f"For 'interpolate', expected a mode among {[*_DIMS, 'nearest', 'nearest-exact', 'area']}, but got {mode}."
        )
    return _mixed_along(value, axis, matrix)


def _mixed_along(value, axis, matrix):
    mixed = anp.matmul(anp.swapaxes(value, axis, -1), matrix.astype(value.dtype).T)
    return anp.swapaxes(mixed, axis, -1)


register(interpolate, method=False)
register(interpolate, "upsample", method=False)


def _resized(mode, align_corners=False, middles=False):
    """What brings an image to the lengths `size`: by the nearest elements, or linearly between two, or along cubic curves."""

    def resize(x, size):
        value = value_of(x, "Resize")
        sizes = size.tolist() if isinstance(size, Tensor) else list(size)
        for axis, wanted in enumerate(sizes, x.ndim - len(sizes)):
            length = x.shape[axis]
            if mode == "nearest":
                places = resizing.nearest(length, wanted, None, middles, align_corners)
                value = value[(slice(None),) * axis + (places,)]
            else:
                weights = resizing.cubic_weights if mode == "cubic" else partial(resizing.weights, factor=None)
                matrix = weights(length, wanted, align_corners=align_corners, middles=middles)
                value = _mixed_along(value, axis, matrix)
        return wrap(value)

    return resize


def _volume(mode, options, x, output_size, scales):
    sizes = output_size if output_size is not None else [
        math.floor(n * f) for n, f in zip(x.shape[2:], scales, strict=True)]  # fmt: skip
    aligned = options.get("align_corners", False)
    return _resized(mode, aligned, mode == "linear" and not aligned)(x, sizes)


_PLACED = {"align_corners": False, "half_pixel_centers": False}
_HOW = {"align_corners": (True, False), "half_pixel": (False, True), "asymmetric": (False, False)}

OPTIONS: dict[str, tuple[dict, Callable]] = {
    "ResizeNearestNeighbor": (
        {"size": None, **_PLACED},
        lambda o, x: _resized("nearest", o["align_corners"], o["half_pixel_centers"])(x, o["size"]),
    ),
    "ResizeNearestNeighborV2": (
        _PLACED, lambda o, x, size: _resized("nearest", o["align_corners"], o["half_pixel_centers"])(x, size)
    ),
    "ResizeBilinearV2": (
        _PLACED, lambda o, x, size: _resized("linear", o["align_corners"], o["half_pixel_centers"])(x, size)
    ),
    "ResizeBicubic": (
        _PLACED, lambda o, x, size: _resized("cubic", o["align_corners"], o["half_pixel_centers"])(x, size)
    ),
    "ResizeLinear1D": (
        {"coordinate_transformation_mode": "align_corners"},
        lambda o, x, size: _resized("linear", *_HOW[o["coordinate_transformation_mode"]])(x, size),
    ),
    "UpsampleNearest3D": ({}, partial(_volume, "nearest")),
    "UpsampleTrilinear3D": ({"align_corners": False}, partial(_volume, "linear")),
}  # fmt: skip
