"""Pooling of sequences, images and volumes, as ops of the graph: the largest or the mean element of every window.

Arrays have shape (batch, channels, *size); geometry is given as in `convolution`.
"""

import math
from functools import lru_cache

import autograd.numpy as anp
import numpy as np

from .convolution import batch_first, batch_last, output_size, padded, places, unpadded
from .table import rule

__all__ = ["avg_pool2d", "avg_pool2d_input", "divisors", "even_windows", "max_places", "max_pool2d", "max_pool2d_input",
    "max_pool2d_pick", "mean_matrix", "rounded_up"]  # fmt: skip


def rounded_up(size, kernel, stride, padding, dilation) -> tuple[tuple[int, int], ...]:
    """`padding` with enough at the end for a last window that begins inside the image (the "ceil mode")."""
    pairs = []
    for n, k, s, (before, after), d in zip(size, kernel, stride, padding, dilation, strict=True):
        reach = d * (k - 1) + 1
        count = -(-(n + before + after - reach) // s) + 1
        if (count - 1) * s >= n + before:
            count -= 1
        pairs.append((before, max(after, (count - 1) * s + reach - n - before)))
    return tuple(pairs)


@lru_cache(maxsize=64)
def divisors(size, kernel, stride, padding, counted) -> int | np.ndarray:
    """How many elements every window has of the image and of `counted`, the part of the padding that counts.

    A number if it is the same for all, else an array of the size of the result.
    """
    seen = np.ones((1, 1, *(n + sum(c) for n, c in zip(size, counted, strict=True))))
    rest = tuple((p - c, q - d) for (p, q), (c, d) in zip(padding, counted, strict=True))
    found = avg_pool2d(seen, kernel, stride, rest, 1)[0, 0]
    return int(found.flat[0]) if found.size and np.all(found == found.flat[0]) else found


def even_windows(length, count) -> list[tuple[int, int]]:
    """Where each of `count` windows begins and ends that are spread over `length` elements, for a result of a given size.

    >>> even_windows(5, 2)
    [(0, 3), (2, 5)]
    """
    return [(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]


def mean_matrix(length, count) -> np.ndarray:
    """A matrix whose rows are the means over `even_windows`."""
    rows = np.zeros((count, length))
    for row, (begin, end) in zip(rows, even_windows(length, count), strict=True):
        row[begin:end] = 1 / (end - begin)
    return rows


# ---- the largest ----


def _lowest(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _windows(x, kernel, stride, padding, dilation):
    """For each element of the kernel `(where it is, what it meets)`, the axes being (channels, *size, batch)."""
    out = output_size(x.shape[2:], kernel, stride, padding, dilation)
    image = padded(np.moveaxis(x, 0, -1), padding, _lowest(x.dtype))
    return [(where, image[:, *where]) for _, where in places(kernel, stride, dilation, out)]


@rule(lambda ans, x, *how: lambda g: max_pool2d_input(g, x, ans, *how))
def max_pool2d(x, kernel, stride, padding, dilation) -> np.ndarray:
    """the largest element of every window; of equal ones the first, which alone gets the gradient"""
    (_, first), *windows = _windows(x, kernel, stride, padding, dilation)
    best = np.array(first)
    for _, seen in windows:
        np.maximum(best, seen, out=best)
    return batch_first(best)


def _first_largest(x, ans, *how):
    """For each element of the kernel `(where it is, where it is the first that is largest)`; nan counts as largest."""
    best = np.moveaxis(ans, 0, -1)
    free = np.ones_like(best, bool)
    for where, seen in _windows(x, *how):
        less = seen < best
        yield where, free & ~less
        free &= less


def _room(shape, padding, dtype):
    """Zeros for padded images of this shape, the batch last."""
    n, c, *size = shape
    return np.zeros((c, *(m + sum(p) for m, p in zip(size, padding, strict=True)), n), dtype)


def _chosen(x, where):
    """`x` where chosen, else 0, also for inf and nan: its bits multiplied by 1 or 0, which is faster than choosing."""
    bits = np.dtype(f"i{x.dtype.itemsize}")
    return np.multiply(x.view(bits), where, dtype=bits).view(x.dtype)


@rule(lambda ans, g, x, best, *how: lambda h: max_pool2d_pick(h, x, best, *how), None, None)
def max_pool2d_input(g, x, best, kernel, stride, padding, dilation) -> np.ndarray:
    """the gradient of max pooling: each element of g goes to where the largest was"""
    made, g = _room(x.shape, padding, g.dtype), batch_last(g)
    apart = all(s >= d * (k - 1) + 1 for k, s, d in zip(kernel, stride, dilation, strict=True))
    for where, chosen in _first_largest(x, best, kernel, stride, padding, dilation):
        if apart:
            made[:, *where] = _chosen(g, chosen)
        else:
            made[:, *where] += _chosen(g, chosen)
    return batch_first(unpadded(made, padding))


@rule(lambda ans, h, x, best, *how: lambda g: max_pool2d_input(g, x, best, *how), None, None)
def max_pool2d_pick(h, x, best, kernel, stride, padding, dilation) -> np.ndarray:
    """the transpose of max_pool2d_input: the elements of h where the largest of x were"""
    image = padded(np.moveaxis(h, 0, -1), padding)
    made = np.empty_like(np.moveaxis(best, 0, -1), h.dtype)
    for where, chosen in _first_largest(x, best, kernel, stride, padding, dilation):
        np.copyto(made, image[:, *where], where=chosen)
    return batch_first(made)


def max_places(x, best, *how) -> np.ndarray:
    """The position of the largest element of every window, counted over all dimensions of the image together."""
    size, padding = x.shape[2:], how[2]
    places_of = padded(np.arange(math.prod(size)).reshape(1, *size, 1), padding)
    made = np.zeros_like(np.moveaxis(best, 0, -1), np.int64)
    for where, chosen in _first_largest(x, best, *how):
        np.copyto(made, places_of[:, *where], where=chosen)
    return batch_first(made)


# ---- the mean ----


@rule(lambda ans, x, *how: lambda g: avg_pool2d_input(g, anp.shape(x), *how))
def avg_pool2d(x, kernel, stride, padding, divisor) -> np.ndarray:
    """the sum of every window over divisor: a number, or an array of the size of the result"""
    dense = (1,) * len(kernel)
    out = output_size(x.shape[2:], kernel, stride, padding, dense)
    image = padded(np.moveaxis(x, 0, -1), padding)
    total = 0
    for _, where in places(kernel, stride, dense, out):
        total = total + image[:, *where]
    return batch_first(_divided(total, divisor)).astype(x.dtype, copy=False)


@rule(lambda ans, g, shape, *how: lambda h: avg_pool2d(h, *how))
def avg_pool2d_input(g, shape, kernel, stride, padding, divisor) -> np.ndarray:
    """the gradient of average pooling: every element of a window gets its share of g"""
    share = _divided(np.moveaxis(g, 0, -1), divisor)
    made = _room(shape, padding, share.dtype)
    for _, where in places(kernel, stride, (1,) * len(kernel), g.shape[2:]):
        made[:, *where] += share
    return batch_first(unpadded(made, padding)).astype(g.dtype, copy=False)


def _divided(total, divisor):
    return total / np.asarray(divisor, total.dtype)[..., None]
