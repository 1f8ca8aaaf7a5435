"""Pooling of images, as ops of the graph: the largest or the mean element of every window.

Arrays have shape (batch, channels, height, width); geometry is given as in `convolution`.
"""

from functools import lru_cache

import autograd.numpy as anp
import numpy as np

from .convolution import batch_first, batch_last, output_size, padded, places, unpadded
from .table import rule

__all__ = [
    "avg_pool2d", "avg_pool2d_input", "divisors", "max_pool2d", "max_pool2d_input", "max_pool2d_pick",
    "rounded_up",
]  # fmt: skip


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

    A number if it is the same for all, else an array (height, width).
    """
    (top, bottom), (left, right) = counted
    seen = np.ones((1, 1, size[0] + top + bottom, size[1] + left + right))
    rest = tuple((p - c, q - d) for (p, q), (c, d) in zip(padding, counted, strict=True))
    found = avg_pool2d(seen, kernel, stride, rest, 1)[0, 0]
    return int(found.flat[0]) if found.size and np.all(found == found.flat[0]) else found


# ---- the largest ----


def _lowest(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _windows(x, kernel, stride, padding, dilation):
    """For each element of the kernel `(rows, columns, what it meets)`, the axes being (channels, height, width, batch)."""
    out = output_size(x.shape[2:], kernel, stride, padding, dilation)
    image = padded(np.transpose(x, (1, 2, 3, 0)), padding, _lowest(x.dtype))
    return [(rows, cols, image[:, rows, cols]) for _, _, rows, cols in places(kernel, stride, dilation, out)]


@rule(lambda ans, x, *how: lambda g: max_pool2d_input(g, x, ans, *how))
def max_pool2d(x, kernel, stride, padding, dilation) -> np.ndarray:
    """the largest element of every window; of equal ones the first, which alone gets the gradient"""
    _, _, first = (windows := _windows(x, kernel, stride, padding, dilation))[0]
    best = np.array(first)
    for _, _, seen in windows[1:]:
        np.maximum(best, seen, out=best)
    return batch_first(best)


def _first_largest(x, ans, *how):
    """For each element of the kernel `(rows, columns, where it is the first that is largest)`; nan counts as largest."""
    best = np.transpose(ans, (1, 2, 3, 0))
    free = np.ones_like(best, bool)
    for rows, cols, seen in _windows(x, *how):
        less = seen < best
        yield rows, cols, free & ~less
        free &= less


def _chosen(x, where):
    """`x` where chosen, else 0, also for inf and nan: its bits multiplied by 1 or 0, which is faster than choosing."""
    bits = np.dtype(f"i{x.dtype.itemsize}")
    return np.multiply(x.view(bits), where, dtype=bits).view(x.dtype)


@rule(lambda ans, g, x, best, *how: lambda h: max_pool2d_pick(h, x, best, *how), None, None)
def max_pool2d_input(g, x, best, kernel, stride, padding, dilation) -> np.ndarray:
    """the gradient of max pooling: each element of g goes to where the largest was"""
    n, c, h, w = x.shape
    made = np.zeros((c, h + sum(padding[0]), w + sum(padding[1]), n), g.dtype)
    g = batch_last(g)
    apart = all(s >= d * (k - 1) + 1 for k, s, d in zip(kernel, stride, dilation, strict=True))
    for rows, cols, chosen in _first_largest(x, best, kernel, stride, padding, dilation):
        if apart:
            made[:, rows, cols] = _chosen(g, chosen)
        else:
            made[:, rows, cols] += _chosen(g, chosen)
    return batch_first(unpadded(made, padding))


@rule(lambda ans, h, x, best, *how: lambda g: max_pool2d_input(g, x, best, *how), None, None)
def max_pool2d_pick(h, x, best, kernel, stride, padding, dilation) -> np.ndarray:
    """the transpose of max_pool2d_input: the elements of h where the largest of x were"""
    image = padded(np.transpose(h, (1, 2, 3, 0)), padding)
    made = np.empty_like(np.transpose(best, (1, 2, 3, 0)), h.dtype)
    for rows, cols, chosen in _first_largest(x, best, kernel, stride, padding, dilation):
        np.copyto(made, image[:, rows, cols], where=chosen)
    return batch_first(made)


# ---- the mean ----


@rule(lambda ans, x, *how: lambda g: avg_pool2d_input(g, anp.shape(x), *how))
def avg_pool2d(x, kernel, stride, padding, divisor) -> np.ndarray:
    """the sum of every window over divisor: a number or an array (height, width)"""
    out = output_size(x.shape[2:], kernel, stride, padding, (1, 1))
    image = padded(np.transpose(x, (1, 2, 3, 0)), padding)
    total = 0
    for _, _, rows, cols in places(kernel, stride, (1, 1), out):
        total = total + image[:, rows, cols]
    return batch_first(_divided(total, divisor)).astype(x.dtype, copy=False)


@rule(lambda ans, g, shape, *how: lambda h: avg_pool2d(h, *how))
def avg_pool2d_input(g, shape, kernel, stride, padding, divisor) -> np.ndarray:
    """the gradient of average pooling: every element of a window gets its share of g"""
    n, c, h, w = shape
    share = _divided(np.transpose(g, (1, 2, 3, 0)), divisor)
    made = np.zeros((c, h + sum(padding[0]), w + sum(padding[1]), n), share.dtype)
    for _, _, rows, cols in places(kernel, stride, (1, 1), g.shape[2:]):
        made[:, rows, cols] += share
    return batch_first(unpadded(made, padding)).astype(g.dtype, copy=False)


def _divided(total, divisor):
    return total / np.asarray(divisor, total.dtype)[..., None]
