"""Pooling to a size: as many windows as are asked for, spread over the length."""

import autograd.numpy as anp

from ...engine import shape_of
from ...ops import pooling
from ..tensor import wrap
from ._joining import stack
from ._op import register, value_of


def _sizes(input, output_size, count, owner):
    given = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * count
    if len(given) != count or any(n is not None and (not isinstance(n, int) or n < 1) for n in given):
        raise ValueError(f"For '{owner}', expected an output_size of {count} positive numbers, but got {output_size}.")
    own = input.shape[input.ndim - count :]
    return [n if given_n is None else given_n for given_n, n in zip(given, own, strict=True)]


def adaptive_avg_pool1d(input, output_size):
    """The means of `output_size` windows over the last axis."""
    value, (count,) = value_of(input, "AdaptiveAvgPool1d"), _sizes(input, output_size, 1, "adaptive_avg_pool1d")
    return wrap(anp.matmul(value, pooling.mean_matrix(shape_of(value)[-1], count).astype(value.dtype).T))


def adaptive_avg_pool2d(input, output_size):
    """The means of `output_size` windows, (height, width) or one number for both, over images; None keeps a length.

    >>> import labkit.mindspore as ms
    >>> adaptive_avg_pool2d(ms.Tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1).tolist()
    [[[2.5]]]
    """
    value, sizes = value_of(input, "AdaptiveAvgPool2D"), _sizes(input, output_size, 2, "adaptive_avg_pool2d")
    down, across = (
        pooling.mean_matrix(n, count).astype(value.dtype) for n, count in zip(shape_of(value)[-2:], sizes, strict=True)
    )
    return wrap(anp.matmul(anp.matmul(down, value), across.T))


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest elements of `output_size` windows over images. Raises NotImplementedError with `return_indices`."""
    if return_indices:
        raise NotImplementedError("adaptive_max_pool2d: labkit has no return_indices; leave it out")
    sizes = _sizes(input, output_size, 2, "adaptive_max_pool2d")
    rows, columns = (pooling.even_windows(n, count) for n, count in zip(input.shape[-2:], sizes, strict=True))
    largest = lambda a, b, c, d: wrap(_first_largest(input._value[..., a:b, c:d]))
    return stack([stack([largest(*row, *column) for column in columns], -1) for row in rows], -2)


def adaptive_max_pool1d(input, output_size):
    """The largest elements of `output_size` windows over the last axis."""
    (count,) = _sizes(input, output_size, 1, "adaptive_max_pool1d")
    windows = pooling.even_windows(input.shape[-1], count)
    return stack([input[..., a:b].amax(-1) for a, b in windows], -1)


def _first_largest(part):
    flat = anp.reshape(part, (*shape_of(part)[:-2], -1))
    return anp.max(flat, -1)


for _fun in (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_max_pool1d, adaptive_max_pool2d):
    register(_fun, method=False)
