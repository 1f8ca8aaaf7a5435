"""Images at any place, as compositions of recorded functions under one node."""

from itertools import product

import autograd.numpy as anp
import numpy as np

from ...engine import getval
from ...ops import resizing
from .core import fused, op


def _affine_back(g, base):
    rows = anp.reshape(g, (len(base), -1, base.shape[-1] - 1))
    return anp.matmul(anp.swapaxes(rows, 1, 2), base)


@op("AffineGridGeneratorBackward0", lambda ans, theta, base, size: lambda g: _affine_back(g, base), others="base size",
    saves="base")  # fmt: skip
def affine_grid(theta, base, size):
    """The places `base` (batch, pixels, dims + 1), mapped by `theta`, in images of `size`."""
    return np.matmul(base, np.swapaxes(theta, 1, 2)).reshape(len(base), *size, -1)


@fused(lambda args, kwargs: f"GridSampler{args[0].ndim - 2}DBackward0", "input grid",
       "interpolation_mode padding_mode align_corners", "input grid", name="grid_sample")  # fmt: skip
def grid_sample(x, grid, mode, beyond, align):
    """The sum over the pixels around each place, or the nearest one; `taps` has them and their weights, by dimension."""
    size, total = x.shape[2:], 0
    taps = [
        _taps(_unscaled(grid[..., len(size) - 1 - k], n, align), n, mode, beyond, align) for k, n in enumerate(size)
    ]
    batch = np.arange(x.shape[0]).reshape(-1, *(1,) * len(size))
    for corner in product(*taps):
        places = [place for place, _ in corner]
        there = np.logical_and.reduce([(p >= 0) & (p < n) for p, n in zip(places, size, strict=True)])
        clipped = [np.clip(p, 0, n - 1).astype(int) for p, n in zip(places, size, strict=True)]
        weight = there.astype(x.dtype)
        for _, share in corner[::-1]:
            weight = weight if share is None else weight * share
        total = total + x[(batch, slice(None), *clipped)] * weight[..., None]
    return anp.moveaxis(total, -1, 1)


def _unscaled(at, n, align):
    """Places from -1 to 1 as those of pixels, from 0 to n - 1."""
    return (at + 1) / 2 * (n - 1) if align else ((at + 1) * n - 1) / 2


def _taps(at, n, mode, beyond, align):
    """`[(places of pixels, weights)]` along a dimension of length `n`; a weight None is 1."""
    if mode == "bicubic":
        first = np.floor(getval(at))
        t = at - first
        return [
            (np.floor(_inside(first + k, n, beyond, align)), share)
            for k, share in zip((-1, 0, 1, 2), resizing.cubic_shares(t))
        ]
    at = _inside(at, n, beyond, align)
    if mode == "nearest":
        return [(np.rint(getval(at)), None)]
    low = np.floor(getval(at))
    return [(low, low + 1 - at), (low + 1, at - low)]


def _inside(at, n, beyond, align):
    """The places moved to those that a pixel is read from; one that is moved to an end no longer depends on where it was."""
    if beyond == "zeros":
        return at
    if beyond == "reflection":
        at = _reflected(at, 0 if align else -0.5, n - 1 if align else n)
    here = getval(at)
    return anp.where((here > 0) & (here < n - 1), at, np.clip(here, 0, n - 1))


def _reflected(at, low, span):
    if span == 0:
        return at * 0
    apart = anp.where(getval(at) < low, low - at, at - low)
    flips = np.floor(getval(apart) / span)
    extra = apart - flips * span
    return anp.where(flips % 2 == 0, extra + low, span - extra + low)
