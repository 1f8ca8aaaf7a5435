"""Pooling that says where what it took stood, and its way back: to a size, at windows placed by chance, and unpooling."""

import itertools
import math

import numpy as np

from ...engine import stop_gradient as constant
from ...ops import pooling
from ..tensor import Tensor, wrap
from . import _joining, _linear, _places, _random, _shape  # noqa: F401  (whose ops it asks for)
from ._adaptive import sizes
from ._convolution import pair
from ._op import OPS, register, value_of


def _largest_in(input, windows):
    """`(the largest element of each window, its place in the flat image)`; `windows`: for each image, in the last axes, and each
    of these axes where each begins and ends."""
    dims = len(windows[0])
    images = np.asarray(constant(value_of(input, "MaxPool"))).reshape(-1, *input.shape[-dims:])
    number = np.arange(images[0].size).reshape(images.shape[1:])
    places = []
    for image, own in zip(images, itertools.cycle(windows), strict=False):
        for at in itertools.product(*own):
            part = tuple(slice(*ends) for ends in at)
            places.append(number[part].ravel()[image[part].argmax()])
    lead, shape = input.shape[:-dims], [len(axis) for axis in windows[0]]
    flat = Tensor(np.array(places).reshape((*lead, math.prod(shape))))
    found = OPS["gather_elements"](input.reshape((*lead, -1)), len(lead), flat)
    return found.reshape((*lead, *shape)), flat.reshape((*lead, *shape))


def _to_size(dims):
    def adaptive(input, output_size, return_indices=False):
        wanted = sizes(input, output_size, dims, f"adaptive_max_pool{dims}d")
        windows = [pooling.even_windows(n, count) for n, count in zip(input.shape[-dims:], wanted, strict=True)]
        lead, number = input.shape[:-dims], np.arange(math.prod(input.shape[-dims:])).reshape(input.shape[-dims:])
        found, places = [], []
        for at in itertools.product(*windows):  # of ops alone, so that a program can be made of it
            part = tuple(slice(*ends) for ends in at)
            window = input[(..., *part)].reshape((*lead, -1))
            first = OPS["argmax"](window, -1, True)
            found.append(OPS["gather_elements"](window, -1, first))
            places.append(OPS["gather"](Tensor(number[part].ravel()), first, 0))
        joined = [OPS["cat"](parts, -1).reshape((*lead, *wanted)) for parts in (found, places)]
        return (joined[0], joined[1].astype("int32") if dims == 3 else joined[1]) if return_indices else joined[0]

    adaptive.__name__ = f"adaptive_max_pool{dims}d"
    adaptive.__doc__ = (
        f"The largest elements of `output_size` windows over the last {dims} axes; `return_indices`: their places, too."
    )
    return adaptive


def adaptive_avg_pool3d(input, output_size):
    """The means of `output_size` windows over volumes; None keeps a length.

    >>> import labkit.mindspore as ms
    >>> adaptive_avg_pool3d(ms.ops.ones((1, 4, 4, 4)), (2, None, 1)).shape
    (1, 2, 4, 1)
    """
    for axis, count in zip((-3, -2, -1), sizes(input, output_size, 3, "adaptive_avg_pool3d"), strict=True):
        means = wrap(pooling.mean_matrix(input.shape[axis], count).T.astype(input._value.dtype))
        input = OPS["moveaxis"](OPS["matmul"](OPS["moveaxis"](input, axis, -1), means), -1, axis)
    return input


# ---- windows placed by chance ----


def _begins(length, kernel, count, u):
    """Where `count` windows begin, by the random number `u`: the last one at the end."""
    step = (length - kernel) / (count - 1) if count > 1 else 0
    return [int((i + u) * step) - int(u * step) for i in range(count - 1)] + [length - kernel]


def _fractional(dims):
    def pool(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        length, kernel = input.shape[-dims:], pair(kernel_size, "kernel_size", "FractionalMaxPool", dims)
        if (output_size is None) == (output_ratio is None):
            raise ValueError(f"For 'fractional_max_pool{dims}d', expected one of 'output_size' and 'output_ratio'.")
        ratios = (output_ratio,) * dims if isinstance(output_ratio, float) else output_ratio
        given = output_size if output_size is not None else [int(n * r) for n, r in zip(length, ratios, strict=True)]
        count = pair(given if isinstance(given, int) else tuple(given), "output_size", "FractionalMaxPool", dims)
        lead = (1, 1, *input.shape[:-dims])[-2:]
        chance = OPS["rand"]((*lead, dims)) if _random_samples is None else _random_samples
        rows = np.asarray(constant(chance._value), np.float64).reshape(-1, dims)
        rows = rows[:, ::-1] if dims == 2 else rows  # of images the first is that of the width
        own = lambda row: [
            [(b, b + k) for b in _begins(n, k, c, u)] for n, k, c, u in zip(length, kernel, count, row, strict=True)
        ]
        found, places = _largest_in(input, [own(row) for row in rows])
        return (found, places) if return_indices else found

    pool.__name__ = f"fractional_max_pool{dims}d"
    pool.__doc__ = (
        "The largest elements of windows of `kernel_size`, so many as `output_size` says, or that share of the lengths that "
        "`output_ratio` says, placed by chance; with `return_indices` also their places in the flat image."
    )
    return pool


# ---- the way back ----


def _unpooling(dims):
    def unpool(x, indices, kernel_size, stride=None, padding=0, output_size=None):
        kernel = pair(kernel_size, "kernel_size", "MaxUnpool", dims)
        stride = kernel if stride in (None, 0) else pair(stride, "stride", "MaxUnpool", dims)
        around = (padding,) * dims if isinstance(padding, int) else padding
        own = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(x.shape[-dims:], stride, around, kernel, strict=True)]
        shape, lead = tuple(own if output_size in (None, ()) else output_size[-dims:]), x.shape[:-dims]
        empty = OPS["zeros"]((*lead, math.prod(shape)), dtype=x.dtype)
        flat = (t.reshape((*lead, -1)) for t in (indices, x))
        return OPS["tensor_scatter_elements"](empty, *flat, len(lead)).reshape((*lead, *shape))

    unpool.__name__ = f"max_unpool{dims}d"
    unpool.__doc__ = (
        "The elements put back to the places that max pooling found them at, zeros elsewhere; `kernel_size`, `stride`, `padding` "
        "are those of the pooling."
    )
    return unpool


for _fun in (
    *map(_to_size, (2, 3)), adaptive_avg_pool3d, *map(_fractional, (2, 3)), *map(_unpooling, (1, 2, 3)),
):  # fmt: skip
    register(_fun, method=False)
