"""Windows of images side by side, and their sums, as ops of the graph; each is the transpose of the other.

Images (batch, channels, *size), windows (batch, channels x elements of the kernel, places); geometry as in `convolution`.
"""

import math

import autograd.numpy as anp
import numpy as np

from .convolution import output_size, places
from .table import rule

__all__ = ["col2im", "im2col"]


def _around(x, padding):
    return np.pad(x, ((0, 0), (0, 0), *padding)) if any(map(any, padding)) else x


@rule(lambda ans, x, kernel, *how: lambda g: col2im(g, anp.shape(x)[2:], kernel, *how), node="Im2ColBackward0",
      others="kernel_size dilation padding stride", saves="", words="g added up where the windows overlap")  # fmt: skip
def im2col(x, kernel, dilation, padding, stride) -> np.ndarray:
    """what a kernel of this size sees at each of its places, one column for each"""
    out = output_size(x.shape[2:], kernel, stride, padding, dilation)
    image = _around(x, padding)
    seen = [image[:, :, *where] for _, where in places(kernel, stride, dilation, out)]
    return np.stack(seen, 2).reshape(len(x), x.shape[1] * len(seen), math.prod(out))


@rule(lambda ans, x, size, *how: lambda g: im2col(g, *how), node="Col2ImBackward0",
      others="output_size kernel_size dilation padding stride", saves="", words="g seen through the windows")  # fmt: skip
def col2im(x, size, kernel, dilation, padding, stride) -> np.ndarray:
    """the columns of `im2col` added to where they came from in images of this size"""
    out, count = output_size(size, kernel, stride, padding, dilation), math.prod(kernel)
    columns = x.reshape(len(x), x.shape[1] // count, count, *out)
    made = np.zeros((*columns.shape[:2], *(n + sum(p) for n, p in zip(size, padding, strict=True))), x.dtype)
    for k, (_, where) in enumerate(places(kernel, stride, dilation, out)):
        made[:, :, *where] += columns[:, :, k]
    inside = [slice(p, n - q) for n, (p, q) in zip(made.shape[2:], padding, strict=True)]
    return np.ascontiguousarray(made[:, :, *inside])
