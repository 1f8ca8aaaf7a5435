"""Convolution of sequences, images and volumes, as ops of the graph: arrays of shape (batch, channels, *size).

A convolution is a matrix product: what each output element sees is laid out as a column, and the weight, one row per
output channel, multiplies the columns. `<conv2d(x, w), g>` is linear in x, in w and in g, so there are three ops, and the
derivatives of each are the other two.

Arrays made here have the batch last in memory, though not in their shape: then every inner loop runs over the whole batch,
which is several times as fast. Geometry has an entry for each dimension of `size`: of an image, `stride`, `padding` and
`dilation` are `(1, 1)`, `((top, bottom), (left, right))`, `(1, 1)`.
"""

import math
from itertools import product

import autograd.numpy as anp
import numpy as np

from .table import rule

__all__ = ["NO_PADDING", "conv2d", "conv2d_input", "conv2d_weight", "output_size", "same_padding"]

NO_PADDING = ((0, 0), (0, 0))
AT_ONCE = 1 << 22  # bytes of columns made at a time: larger images are done a few rows after the other

# A block of the largest size that counts, given back once: from then on glibc keeps such blocks for the next step instead of
# returning them to the system, whose fresh pages would take half of the time of a step.
np.empty((1 << 25) - (1 << 16), np.uint8)


def output_size(size, kernel, stride, padding, dilation) -> tuple[int, ...]:
    """The size of the result: at how many places a kernel fits into an image of `size`.

    >>> output_size((32, 32), (5, 5), (1, 1), ((0, 0), (0, 0)), (1, 1))
    (28, 28)
    """
    return tuple(
        (n + sum(p) - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True)
    )


def same_padding(size, kernel, stride, dilation) -> tuple[tuple[int, int], ...]:
    """The padding with which the result has size / stride elements, rounded up; an odd one is larger at the end."""
    pairs = []
    for n, k, s, d in zip(size, kernel, stride, dilation, strict=True):
        total = max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
        pairs.append((total // 2, total - total // 2))
    return tuple(pairs)


def places(kernel, stride, dilation, out, first=0):
    """`(index of an element of the kernel, what it meets, as slices of the padded image)`, for the whole kernel.

    `out` is the size of the part of the result that begins at `first` of the first dimension.
    """
    begins = (first, *(0 for _ in kernel[1:]))
    met = [
        [(i, slice(begin * s + i * d, begin * s + i * d + (o - 1) * s + 1, s)) for i in range(k)]
        for k, s, d, o, begin in zip(kernel, stride, dilation, out, begins, strict=True)
    ]
    return [tuple(zip(*element, strict=True)) for element in product(*met)]


def batch_last(x):
    """Axes (channels, *size, batch), in memory too."""
    return np.ascontiguousarray(np.moveaxis(x, 0, -1))


def batch_first(x):
    """The usual axes (batch, channels, *size) again; the memory stays as it is."""
    return np.moveaxis(x, -1, 0)


def padded(x, padding, fill=0):
    """`x`, of axes (channels, *size, batch), with `fill` around it."""
    if not any(map(any, padding)):
        return x
    c, *size, n = x.shape
    out = np.full((c, *(m + sum(p) for m, p in zip(size, padding, strict=True)), n), fill, x.dtype)
    out[_inside(out, padding)] = x
    return out


def unpadded(x, padding):
    """`x` without what `padded` put around it."""
    return x[_inside(x, padding)]


def _inside(x, padding):
    return (slice(None), *(slice(p, n - q) for n, (p, q) in zip(x.shape[1:-1], padding, strict=True)))


# ---- the matrix of a convolution ----


class _Matrix:
    """The geometry of one convolution; its matrix of columns is made some rows of the result at a time."""

    def __init__(self, x_shape, w_shape, dtype, stride, padding, dilation, groups):
        self.n, self.channels, *size = x_shape
        self.kernel, self.stride, self.dilation, self.groups = w_shape[2:], stride, dilation, groups
        self.out = output_size(size, self.kernel, stride, padding, dilation)
        self.size = [length + sum(p) for length, p in zip(size, padding, strict=True)]
        self.dtype = dtype
        row = self.channels * math.prod(self.kernel) * math.prod(self.out[1:]) * self.n * dtype.itemsize
        self.step = max(1, AT_ONCE // max(row, 1))

    def parts(self):
        """The rows of the result, some at a time."""
        return [slice(i, min(i + self.step, self.out[0])) for i in range(0, self.out[0], self.step)]

    def columns(self, image, rows):
        """What these rows of the result see of the padded image: (groups, channels x kernel, places x batch)."""
        made = np.empty(self._shape(rows), self.dtype)
        for at, where in self._where(rows):
            made[:, *at] = image[:, *where]
        return made.reshape(self.groups, -1, math.prod(made.shape[1 + len(self.kernel) :]))

    def add_back(self, columns, image, rows):
        """The transpose of `columns`: each element is added to where it came from in the padded image."""
        made = columns.reshape(self._shape(rows))
        for at, where in self._where(rows):
            image[:, *where] += made[:, *at]

    def _shape(self, rows):
        return self.channels, *self.kernel, rows.stop - rows.start, *self.out[1:], self.n

    def _where(self, rows):
        return places(self.kernel, self.stride, self.dilation, (rows.stop - rows.start, *self.out[1:]), rows.start)

    def grouped(self, channels, rows=slice(None)):
        """These rows of a result (channels, *size, batch), as one matrix per group."""
        part = channels[:, rows]
        return part.reshape(self.groups, len(part) // self.groups, math.prod(part.shape[1:]))


def _by_group(w, groups):
    """The weight as one matrix per group."""
    return w.reshape(groups, len(w) // groups, -1)


# ---- the three ops ----


def conv2d(x, w, stride=(1, 1), padding=NO_PADDING, dilation=(1, 1), groups=1) -> np.ndarray:
    """The convolution (cross-correlation) of images with a kernel; the geometry of other sizes has to be given.

    x (batch, in, height, width), w (out, in / groups, height, width), result (batch, out, height, width).

    >>> conv2d(np.ones((1, 1, 3, 3)), np.ones((1, 1, 2, 2)))[0, 0]
    array([[4., 4.],
           [4., 4.]])
    """
    return _conv2d(x, w, stride, padding, dilation, groups)


@rule(
    lambda ans, x, w, *how: lambda g: conv2d_input(g, w, anp.shape(x), *how),
    lambda ans, x, w, *how: lambda g: conv2d_weight(x, g, anp.shape(w), *how),
)
def _conv2d(x, w, stride, padding, dilation, groups):
    """the convolution of images with a kernel"""
    matrix = _Matrix(x.shape, w.shape, x.dtype, stride, padding, dilation, groups)
    image, rows_of_w = padded(batch_last(x), padding), _by_group(w, groups)
    made = np.empty((len(w), *matrix.out, len(x)), rows_of_w.dtype)
    for rows in matrix.parts():
        np.matmul(rows_of_w, matrix.columns(image, rows), out=matrix.grouped(made, rows))
    return batch_first(made.astype(x.dtype, copy=False))


@rule(
    lambda ans, g, w, shape, *how: lambda h: _conv2d(h, w, *how),
    lambda ans, g, w, shape, *how: lambda h: conv2d_weight(h, g, anp.shape(w), *how),
)
def conv2d_input(g, w, shape, stride, padding, dilation, groups) -> np.ndarray:
    """the gradient of a convolution for its images, of this shape"""
    matrix = _Matrix(shape, w.shape, g.dtype, stride, padding, dilation, groups)
    seen, columns_of_w = batch_last(g), np.swapaxes(_by_group(w, groups), 1, 2)
    image = np.zeros((shape[1], *matrix.size, shape[0]), seen.dtype)
    for rows in matrix.parts():
        matrix.add_back(np.matmul(columns_of_w, matrix.grouped(seen, rows)), image, rows)
    return batch_first(unpadded(image, padding).astype(g.dtype, copy=False))


@rule(
    lambda ans, x, g, shape, *how: lambda h: conv2d_input(g, h, anp.shape(x), *how),
    lambda ans, x, g, shape, *how: lambda h: _conv2d(x, h, *how),
)
def conv2d_weight(x, g, shape, stride, padding, dilation, groups) -> np.ndarray:
    """the gradient of a convolution for its kernel, of this shape"""
    matrix = _Matrix(x.shape, shape, x.dtype, stride, padding, dilation, groups)
    image, seen = padded(batch_last(x), padding), batch_last(g)
    total = np.zeros((groups, shape[0] // groups, math.prod(shape[1:])), seen.dtype)
    for rows in matrix.parts():
        total += np.matmul(matrix.grouped(seen, rows), np.swapaxes(matrix.columns(image, rows), 1, 2))
    return total.reshape(shape).astype(g.dtype, copy=False)


_conv2d.__name__ = "conv2d"
