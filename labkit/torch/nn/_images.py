"""Functions of images: convolution, pooling, batch normalisation; they are part of `torch.nn.functional`."""

import numpy as np

from ...ops import convolution
from .. import _modes
from .._autocast import lowered
from .._dispatch import apply
from .._rules import images as rules
from .._table import function

__all__ = ["avg_pool2d", "batch_norm", "conv2d", "max_pool2d"]


def two(value):
    """A number for both dimensions, or two of them, as a pair."""
    pair = (value, value) if isinstance(value, int) else tuple(value)
    return pair * 2 if len(pair) == 1 else pair


@function()
@lowered
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """The convolution (cross-correlation) of images `input` (batch, in, height, width).

    `weight` (out, in / groups, height, width), `bias` (out,); `padding` a number, two, "same" or "valid". Raises
    RuntimeError for shapes or types that do not fit.

    >>> import labkit.torch as torch
    >>> conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2))
    tensor([[[[4., 4.],
              [4., 4.]]]])
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(
            f"Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: {list(input.shape)}"
        )
    if input.ndim == 3:
        return conv2d(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    stride, dilation = two(stride), two(dilation)
    if min(stride) < 1:
        raise RuntimeError("non-positive stride is not supported")
    padding = _padding(padding, input.shape[2:], weight.shape[2:], stride, dilation)
    _check(input, weight, bias, stride, padding, dilation, groups)
    return apply(rules.conv2d, input, weight, bias, stride, padding, dilation, groups)


def _padding(padding, size, kernel, stride, dilation):
    """The padding of both dimensions: numbers, or (before, after) where the two ends differ."""
    if padding == "same":
        if max(stride) > 1:
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        found = convolution.same_padding(tuple(size), tuple(kernel), stride, dilation)
        return tuple(p[0] if p[0] == p[1] else p for p in found)
    if isinstance(padding, str):
        if padding != "valid":
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        return 0, 0
    if min(two(padding)) < 0:
        raise RuntimeError("negative padding is not supported")
    return two(padding)


def _check(input, weight, bias, stride, padding, dilation, groups):
    shape, kernel = list(input.shape), list(weight.shape)
    if shape[1] != kernel[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {kernel}, expected input{shape} to have {kernel[1] * groups} "
            f"channels, but got {shape[1]} channels instead"
        )
    if bias is not None and list(bias.shape) != kernel[:1]:
        raise RuntimeError(
            f"Given weight of size {kernel}, expected bias to be 1-dimensional with {kernel[0]} elements, "
            f"but got bias of size {list(bias.shape)} instead"
        )
    if input.dtype is not weight.dtype:
        kinds = f"Input type (torch.{input.dtype.legacy}Tensor) and weight type (torch.{weight.dtype.legacy}Tensor)"
        raise RuntimeError(
            f"{kinds} should be the same or input should be a MKLDNN tensor and weight is a dense tensor"
        )
    if min(rules.out_size(tuple(shape), tuple(kernel[2:]), stride, padding, dilation)) < 1:
        inside = [n + sum(p) for n, p in zip(shape[2:], rules.pairs(padding), strict=True)]
        sizes = [f"({a} x {b})" for a, b in (inside, kernel[2:])]
        raise RuntimeError(
            f"Calculated padded input size per channel: {sizes[0]}. Kernel size: {sizes[1]}. Kernel size can't be "
            "greater than actual input size"
        )


def _pooled(rule, input, kernel, stride, padding, dilation, *more):
    """A pooling primitive applied to a stack of images or to a single one, after checks."""
    if input.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if input.ndim == 3:
        return _pooled(rule, input.unsqueeze(0), kernel, stride, padding, dilation, *more).squeeze(0)
    for k, p, d in zip(kernel, padding, dilation or (1, 1), strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, "
                f"but got pad={p}, kernel_size={k} and dilation={d}"
            )
    _, c, h, w = input.shape
    rows, cols = rules.out_size(tuple(input.shape), kernel, stride, padding, dilation or (1, 1), more[0])
    if min(rows, cols) < 1:
        raise RuntimeError(
            f"Given input size: ({c}x{h}x{w}). Calculated output size: ({c}x{max(rows, 0)}x{max(cols, 0)}). "
            "Output size is too small"
        )
    geometry = (kernel, stride, padding) if dilation is None else (kernel, stride, padding, dilation)
    return apply(rule, input, *geometry, *more)


@function()
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest element of every window, `stride` apart (their own size by default).

    Of equal elements the first alone gets the gradient.
    """
    kernel, stride = two(kernel_size), two(kernel_size if stride is None else stride)
    return _pooled(rules.max_pool2d, input, kernel, stride, two(padding), two(dilation), ceil_mode)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):  # fmt: skip
    """The mean of every window; padding counts as zeros unless `count_include_pad` is False."""
    kernel, stride = two(kernel_size), two(kernel_size if stride is None else stride)
    options = ceil_mode, count_include_pad, divisor_override
    return _pooled(rules.avg_pool2d, input, kernel, stride, two(padding), None, *options)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """Every channel shifted and scaled to mean 0 and variance 1, then times `weight` plus `bias`.

    While training the statistics are those of the batch, and the running ones move towards them by `momentum`.
    """
    if running_mean is not None and running_mean.shape[0] != input.shape[1]:
        raise RuntimeError(f"running_mean should contain {input.shape[1]} elements not {running_mean.shape[0]}")
    if training and input.numel() == input.shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if training and running_mean is not None:
        _move(running_mean, running_var, input, momentum)
    mean, var = (None, None) if training else (running_mean._array, running_var._array)
    with np.errstate(all="ignore"):
        return apply(rules.batch_norm, input, weight, bias, mean, var, eps)


def _move(running_mean, running_var, input, momentum):
    """Let the running statistics go a little towards those of this batch."""
    with _modes.no_grad():
        for running, new in zip((running_mean, running_var), rules.batch_statistics(input._array), strict=True):
            running._data[...] = (1 - momentum) * running._data + momentum * new
