"""Functions of images: convolution, pooling; they are part of `torch.nn.functional`."""

from ...ops import convolution
from .._autocast import lowered
from .._dispatch import apply
from .._rules import images as rules
from .._table import function

__all__ = ["avg_pool2d", "conv2d", "max_pool2d"]


def several(value, count) -> tuple[int, ...]:
    """A number for every dimension, or one for each, as a tuple of `count`."""
    found = (value,) if isinstance(value, int) else tuple(value)
    return found * count if len(found) == 1 else found


def two(value) -> tuple[int, ...]:
    """A number for both dimensions, or two of them, as a pair."""
    return several(value, 2)


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
    padding = padding_of(padding, input.shape[2:], weight.shape[2:], stride, dilation)
    check_convolution(input, weight, bias, stride, padding, dilation, groups)
    return apply(rules.conv2d, input, weight, bias, stride, padding, dilation, groups)


def padding_of(padding, size, kernel, stride, dilation):
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
    around = several(padding, len(kernel))
    if min(around) < 0:
        raise RuntimeError("negative padding is not supported")
    return around


def check_convolution(input, weight, bias, stride, padding, dilation, groups):
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
        sizes = [f"({' x '.join(map(str, size))})" for size in (inside, kernel[2:])]
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
