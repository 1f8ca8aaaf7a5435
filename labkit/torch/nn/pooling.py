"""Pooling of images: functions, part of `torch.nn.functional`, and modules."""

from ...ops import pooling
from .._error_texts import error
from .._ops.dispatch import apply, tensor_of
from .._ops.function_table import METHODS, function
from .._rules import conv_and_pool as rules
from .._rules import nn_layers as layers
from .._tensor.tensor import Tensor
from ._function_modules import of_function
from .convolutions import several

__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d"]


def _pooled(rule, input, kernel, stride, padding, dilation, *more):
    """A pooling primitive applied to a batch, or to a single image, after checks."""
    if tensor_of(input, rule.__name__).ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if input.ndim == 3:
        return _pooled(rule, input.unsqueeze(0), kernel, stride, padding, dilation, *more).squeeze(0)
    dense = dilation or (1, 1)
    for k, p, d in zip(kernel, padding, dense, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise error("pool_padding", p=p, k=k, d=d)
    size = rules.out_size(tuple(input.shape), kernel, stride, padding, dense, more[0])
    if min(size) < 1:
        given, made = (
            "x".join(map(str, (input.shape[1], *sizes))) for sizes in (input.shape[2:], [max(n, 0) for n in size])
        )
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")
    geometry = (kernel, stride, padding) if dilation is None else (kernel, stride, padding, dilation)
    return apply(rule, input, *geometry, *more)


def _window(kernel_size, stride, padding):
    """Size, stride and padding of the windows; without a stride they are side by side."""
    return [several(v, 2) for v in (kernel_size, kernel_size if stride is None else stride, padding)]


@function()
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest element of every window, `stride` apart (their own size by default).

    Of equal elements the first alone gets the gradient. With `return_indices` also the place of each in its image.
    """
    how = (*_window(kernel_size, stride, padding), several(dilation, 2), ceil_mode)
    found = _pooled(rules.max_pool2d, input, *how)
    if not return_indices:
        return found
    x, best = (t._array.reshape(-1, *t.shape[-3:]) for t in (input, found))
    return found, Tensor._of(rules.max_places(x, best, *how).reshape(found.shape))


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):  # fmt: skip
    """The mean of every window; padding counts as zeros unless `count_include_pad` is False."""
    options = ceil_mode, count_include_pad, divisor_override
    return _pooled(rules.avg_pool2d, input, *_window(kernel_size, stride, padding), None, *options)


def adaptive_avg_pool2d(input, output_size) -> Tensor:
    """The means of windows that give images (..., height, width) of `output_size`: a number, or two; None keeps a size."""
    given = several(output_size, 2) if output_size is not None else (None, None)
    wanted = tuple(n if g is None else g for n, g in zip(input.shape[-2:], given, strict=True))
    if wanted == (1, 1):
        return METHODS["mean"](input, (-1, -2), keepdim=True)
    matrices = tuple(pooling.mean_matrix(n, m) for n, m in zip(input.shape[-2:], wanted, strict=True))
    return apply(layers.resampled, input, matrices, "AdaptiveAvgPool2DBackward0")


_WINDOW = "kernel_size, stride=None, padding=0"
MaxPool2d = of_function(
    "MaxPool2d", max_pool2d, __name__, f"{_WINDOW}, dilation=1, return_indices=False, ceil_mode=False",
    "kernel_size stride padding dilation ceil_mode", "2",
)  # fmt: skip
AvgPool2d = of_function(
    "AvgPool2d", avg_pool2d, __name__, f"{_WINDOW}, ceil_mode=False, count_include_pad=True, divisor_override=None",
    "kernel_size stride padding", "2",
)  # fmt: skip
AdaptiveAvgPool2d = of_function("AdaptiveAvgPool2d", adaptive_avg_pool2d, __name__, "output_size", "output_size", "2")
