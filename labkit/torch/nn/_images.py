"""Convolution and pooling of sequences, images and volumes; they are part of `torch.nn.functional`."""

import math
from typing import Any

from ...ops import convolution
from .._autocast import lowered
from .._dispatch import apply
from .._linear import in_c
from .._rules import images as rules
from .._rules import layers
from .._table import function
from .._tensor import Tensor

__all__ = [
    "avg_pool2d", "avg_pool3d", "conv1d", "conv2d", "conv3d", "max_pool2d", "max_pool3d", "max_unpool1d", "max_unpool2d",
    "max_unpool3d",
]  # fmt: skip


def several(value, count) -> tuple[int, ...]:
    """A number for every dimension, or one for each, as a tuple of `count`."""
    found = (value,) if isinstance(value, int) else tuple(value)
    return found * count if len(found) == 1 else found


# ---- convolution ----


def batched(name, fun, input, dims, *rest) -> Tensor:
    """`fun` of a batch, or of one sequence, image or volume as a batch of one."""
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return fun(input, *rest) if input.ndim == dims + 2 else fun(input.unsqueeze(0), *rest).squeeze(0)


@function()
@lowered
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """The convolution of sequences `input` (batch, in, length), `weight` (out, in / groups, length); see `conv2d`.

    >>> import labkit.torch as torch
    >>> conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2))
    tensor([[[2., 2., 2.]]])
    """
    return batched("conv1d", _convolved, input, 1, weight, bias, stride, padding, dilation, groups)


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
    return batched("conv2d", _convolved, input, 2, weight, bias, stride, padding, dilation, groups)


@function()
@lowered
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """The convolution of volumes (batch, in, depth, height, width), `weight` (out, in / groups, ...); see `conv2d`.

    >>> import labkit.torch as torch
    >>> conv3d(torch.ones(1, 1, 2, 2, 3), torch.ones(1, 1, 2, 2, 2))
    tensor([[[[[8., 8.]]]]])
    """
    return batched("conv3d", _convolved, input, 3, weight, bias, stride, padding, dilation, groups)


def _convolved(input, weight, bias, stride, padding, dilation, groups):
    dims = input.ndim - 2
    stride, dilation = several(stride, dims), several(dilation, dims)
    if min(stride) < 1:
        raise RuntimeError("non-positive stride is not supported")
    around = _padding_of(padding, input.shape[2:], weight.shape[2:], stride, dilation)
    _check_convolution(input, weight, bias, stride, around, dilation, groups)
    return apply(rules.conv2d, input, weight, bias, stride, around, dilation, groups)


def _padding_of(padding, size, kernel, stride, dilation):
    """The padding of each dimension: a number, or (before, after) where the two ends differ."""
    if padding == "same":
        if max(stride) > 1:
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        found = convolution.same_padding(tuple(size), tuple(kernel), stride, dilation)
        return tuple(p[0] if p[0] == p[1] else p for p in found)
    if isinstance(padding, str):
        if padding != "valid":
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        return (0,) * len(kernel)
    around = several(padding, len(kernel))
    if min(around) < 0:
        raise RuntimeError("negative padding is not supported")
    return around


def _check_convolution(input, weight, bias, stride, padding, dilation, groups):
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
        if bias is None:
            raise RuntimeError(f"expected scalar type {input.dtype.legacy} but found {weight.dtype.legacy}")
        raise RuntimeError(f"Input type ({in_c(input)}) and bias type ({in_c(bias)}) should be the same")
    if min(rules.out_size(tuple(shape), tuple(kernel[2:]), stride, padding, dilation)) < 1:
        inside = [n + sum(p) for n, p in zip(shape[2:], rules.pairs(padding), strict=True)]
        sizes = [f"({' x '.join(map(str, size))})" for size in (inside, kernel[2:])]
        raise RuntimeError(
            f"Calculated padded input size per channel: {sizes[0]}. Kernel size: {sizes[1]}. Kernel size can't be "
            "greater than actual input size"
        )


# ---- pooling ----


def _pooled(rule, dims, input, kernel, stride, padding, dilation, *more):
    """A pooling primitive applied to a batch, or to a single image, after checks."""
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")
    if input.ndim == dims + 1:
        return _pooled(rule, dims, input.unsqueeze(0), kernel, stride, padding, dilation, *more).squeeze(0)
    dense = dilation or (1,) * dims
    for k, p, d in zip(kernel, padding, dense, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, "
                f"but got pad={p}, kernel_size={k} and dilation={d}"
            )
    size = rules.out_size(tuple(input.shape), kernel, stride, padding, dense, more[0])
    if min(size) < 1:
        given, made = (
            "x".join(map(str, (input.shape[1], *sizes))) for sizes in (input.shape[2:], [max(n, 0) for n in size])
        )
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")
    geometry = (kernel, stride, padding) if dilation is None else (kernel, stride, padding, dilation)
    return apply(rule, input, *geometry, *more)


def _window(dims, kernel_size, stride, padding):
    """Size, stride and padding of the windows; without a stride they stand side by side."""
    return [several(v, dims) for v in (kernel_size, kernel_size if stride is None else stride, padding)]


def _largest(dims, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices) -> Any:
    how = (*_window(dims, kernel_size, stride, padding), several(dilation, dims), ceil_mode)
    found = _pooled(rules.max_pool2d, dims, input, *how)
    if not return_indices:
        return found
    x, best = (t._array.reshape(-1, *t.shape[-dims - 1 :]) for t in (input, found))
    return found, Tensor._of(rules.max_places(x, best, *how).reshape(found.shape))


@function()
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest element of every window, `stride` apart (their own size by default).

    Of equal elements the first alone gets the gradient. With `return_indices` also where each stands in its image.
    """
    return _largest(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@function()
def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest element of every window of volumes (batch, channels, depth, height, width); see `max_pool2d`."""
    return _largest(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _mean(dims, input, kernel_size, stride, padding, *options):
    return _pooled(rules.avg_pool2d, dims, input, *_window(dims, kernel_size, stride, padding), None, *options)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):  # fmt: skip
    """The mean of every window; padding counts as zeros unless `count_include_pad` is False."""
    return _mean(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):  # fmt: skip
    """The mean of every window of volumes; see `avg_pool2d`."""
    return _mean(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _unpooled(dims, input, indices, kernel_size, stride, padding, output_size):
    window = _window(dims, kernel_size, stride, padding)
    size = tuple((n - 1) * s - 2 * p + k for n, k, s, p in zip(input.shape[-dims:], *window, strict=True))
    size = size if output_size is None else tuple(output_size)[-dims:]
    if indices.numel() and indices._array.max() >= math.prod(size):
        what = "volumes" if dims == 3 else "images"
        raise RuntimeError(
            f"Found an invalid max index: {indices._array.max()} (output {what} are of size {'x'.join(map(str, size))})"
        )
    return apply(layers.unpooled, input, indices._array, size, dims)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Zeros, with the elements of sequences where `indices`, from `max_pool1d`, says that they were."""
    stride = kernel_size if stride is None else stride
    size = None if output_size is None else (1, *tuple(output_size)[-1:])
    kernel, step, around = ((rest, *several(v, 1)) for v, rest in ((kernel_size, 1), (stride, 1), (padding, 0)))
    return _unpooled(2, input.unsqueeze(-2), indices.unsqueeze(-2), kernel, step, around, size).squeeze(-2)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Zeros, with the elements of images where `indices`, from `max_pool2d`, says that they were.

    >>> import labkit.torch as torch
    >>> found = max_pool2d(torch.tensor([[[1.0, 2.0], [4.0, 3.0]]]), 2, return_indices=True)
    >>> max_unpool2d(*found, 2)
    tensor([[[0., 0.],
             [4., 0.]]])
    """
    return _unpooled(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Zeros, with the elements of volumes where `indices`, from `max_pool3d`, says that they were."""
    return _unpooled(3, input, indices, kernel_size, stride, padding, output_size)
