"""Pooling to a size: as many windows as are asked for, spread over the length."""

import autograd.numpy as anp

from ...engine import shape_of
from ...ops import pooling
from ..tensor import wrap
from ._joining import stack
from ._op import register, value_of


def sizes(input, output_size, count, owner) -> list[int]:
    """The lengths asked for, one for each of `count` axes; None keeps one. Raises ValueError for others."""
    given = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * count
    if len(given) != count or any(n is not None and (not isinstance(n, int) or n < 1) for n in given):
        raise ValueError(f"For '{owner}', expected an output_size of {count} positive numbers, but got {output_size}.")
    own = input.shape[input.ndim - count :]
    return [n if given_n is None else given_n for given_n, n in zip(given, own, strict=True)]


def adaptive_avg_pool1d(input, output_size):
    """The means of `output_size` windows over the last axis."""
    value, (count,) = value_of(input, "AdaptiveAvgPool1d"), sizes(input, output_size, 1, "adaptive_avg_pool1d")
    return wrap(anp.matmul(value, pooling.mean_matrix(shape_of(value)[-1], count).astype(value.dtype).T))


def adaptive_avg_pool2d(input, output_size):
    """The means of `output_size` windows, (height, width) or one number for both, over images; None keeps a length.

    >>> import labkit.mindspore as ms
    >>> adaptive_avg_pool2d(ms.Tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1).tolist()
    [[[2.5]]]
    """
    value, counts = value_of(input, "AdaptiveAvgPool2D"), sizes(input, output_size, 2, "adaptive_avg_pool2d")
    down, across = (
        pooling.mean_matrix(n, count).astype(value.dtype) for n, count in zip(shape_of(value)[-2:], counts, strict=True)
    )
    return wrap(anp.matmul(anp.matmul(down, value), across.T))


def adaptive_max_pool1d(input, output_size):
    """The largest elements of `output_size` windows over the last axis."""
    (count,) = sizes(input, output_size, 1, "adaptive_max_pool1d")
    windows = pooling.even_windows(input.shape[-1], count)
    return stack([input[..., a:b].amax(-1) for a, b in windows], -1)


for _fun in (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_max_pool1d):
    register(_fun, method=False)
