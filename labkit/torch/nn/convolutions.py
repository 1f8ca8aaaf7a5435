"""Padding, convolutions and their transposes: functions, part of `torch.nn.functional`, and modules."""

from typing import Any

import numpy as np

from ...dialects.class_paths import with_names
from ...ops import convolution
from .. import _rules
from .._error_texts import error
from .._ops.dispatch import apply, tensor_of
from .._ops.function_table import function
from .._ops.linear_algebra import in_c
from .._rules import conv_and_pool as rules
from .._rules import nn_layers as layers
from .._tensor.tensor import Tensor
from ..amp._autocast_mode import lowered
from . import init
from .module import Layer
from .parameter import add_weights

__all__ = ["Conv1d", "Conv2d"]


def _reflected(n, before, after):
    place = np.arange(-before, n + after)
    return np.abs(np.where(place >= n, 2 * (n - 1) - place, place))


_PLACES = {  # which elements of a dimension of n stand in the padded one
    "reflect": _reflected,
    "replicate": lambda n, before, after: np.clip(np.arange(-before, n + after), 0, n - 1),
    "circular": lambda n, before, after: np.arange(-before, n + after) % n,
}


_NODES = {"reflect": "ReflectionPad{}DBackward0", "replicate": "ReplicationPad{}DBackward0", "circular": "CopySlices"}


def pad(input, pad, mode="constant", value=None) -> Tensor:
    """Padding by pairs of widths, the last dimension first; negative ones cut.

    `mode`: "constant" (with `value`, 0 by default), "reflect" (without the edge), "replicate" (the edge) or "circular"; all but
    the first pad the last one, two or three dimensions of an input that has one or two more.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([[1.0, 2.0, 3.0]])
    >>> torch.nn.functional.pad(x, (1, 1), "reflect"), torch.nn.functional.pad(x, (0, 1))
    (tensor([[2., 1., 2., 3., 2.]]), tensor([[1., 2., 3., 0.]]))
    """
    pairs = list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    if len(pairs) > input.ndim:
        raise error("padding_length", pad=len(pad), ndim=input.ndim)
    if mode == "constant":
        return _constant(input, pairs, 0 if value is None else value)
    sizes = input.shape[input.ndim - len(pairs) :]
    _check_room(mode, input, sizes, pairs, pad)
    places = [_PLACES[mode](n, *pair) for n, pair in zip(sizes, pairs, strict=True)]
    return apply(_rules.fancy, input, (..., *np.ix_(*places)), _NODES[mode].format(len(pairs)))


def _check_room(mode, input, sizes, pairs, pad):
    for back, (n, pair) in enumerate(zip(sizes[::-1], pairs[::-1], strict=True)):
        if mode == "reflect" and max(pair) >= n:
            raise error(
                "reflect_size", argument=4 + 2 * back, pair=pair, ndim=input.ndim - 1 - back, shape=list(input.shape)
            )


def _constant(input, pairs, value):
    cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(input.shape[input.ndim - len(pairs) :], pairs))
    if any(a < 0 or b < 0 for a, b in pairs):
        input = input[(..., *cut)]
    widths = [(0, 0)] * (input.ndim - len(pairs)) + [(max(a, 0), max(b, 0)) for a, b in pairs]
    return apply(_rules.pad, input, tuple(widths), value)


def several(value, count) -> tuple[int, ...]:
    """A number for every dimension, or one for each, as a tuple of `count`."""
    found = (value,) if isinstance(value, int) else tuple(value)
    return found * count if len(found) == 1 else found


def batched(name, fun, input, dims, *rest) -> Tensor:
    """`fun` of a batch, or of one sequence, image or volume as a batch of one."""
    if tensor_of(input, name).ndim not in (dims + 1, dims + 2):
        raise error("batch_dims", single=dims + 1, several=dims + 2, op=name, shape=list(input.shape))
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
        raise error("channels", groups=groups, kernel=kernel, shape=shape, channels=kernel[1] * groups, given=shape[1])
    if bias is not None and list(bias.shape) != kernel[:1]:
        raise error("bias_size", kernel=kernel, outputs=kernel[0], shape=list(bias.shape))
    if input.dtype is not weight.dtype:
        if bias is None:
            raise RuntimeError(f"expected scalar type {input.dtype.legacy} but found {weight.dtype.legacy}")
        raise RuntimeError(f"Input type ({in_c(input)}) and bias type ({in_c(bias)}) should be the same")
    if min(rules.out_size(tuple(shape), tuple(kernel[2:]), stride, padding, dilation)) < 1:
        inside = [n + sum(p) for n, p in zip(shape[2:], rules.pairs(padding), strict=True)]
        sizes = [f"({' x '.join(map(str, size))})" for size in (inside, kernel[2:])]
        raise error("kernel_size", size=sizes[0], kernel=sizes[1])


def _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation):
    dims = weight.ndim - 2
    stride, padding, more, dilation = (several(v, dims) for v in (stride, padding, output_padding, dilation))
    pairs = zip(input.shape[2:], weight.shape[2:], strict=True)
    size = [
        (n - 1) * stride[i] - 2 * padding[i] + dilation[i] * (k - 1) + more[i] + 1 for i, (n, k) in enumerate(pairs)
    ]
    shape = (input.shape[0], weight.shape[1] * groups, *size)
    return apply(layers.conv_transpose, input, weight, bias, shape, stride, padding, dilation, groups)


@lowered
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """The transpose of `conv1d`: `input` (batch, in, length), `weight` (in, out / groups, length)."""
    rest = weight, bias, stride, padding, output_padding, groups, dilation
    return batched("conv_transpose1d", _transposed, input, 1, *rest)


@lowered
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """The transpose of `conv2d`: `input` (batch, in, height, width), `weight` (in, out / groups, height, width).

    >>> import labkit.torch as torch
    >>> conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2))
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
    rest = weight, bias, stride, padding, output_padding, groups, dilation
    return batched("conv_transpose2d", _transposed, input, 2, *rest)


class _ConvNd(Layer):
    """What all of them have in common; `kernel_size`, `stride`, `dilation` are tuples, and `padding`, if no word, too."""

    dims = 2
    function: Any = staticmethod(conv2d)

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        super().__init__()
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"{'in' if in_channels % groups else 'out'}_channels must be divisible by groups")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = (several(v, self.dims) for v in (kernel_size, stride, dilation))
        self.padding_mode, self.padding = padding_mode, padding
        if not isinstance(padding, str):
            self.padding = several(padding, self.dims)
        elif padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
        add_weights(self, (out_channels, in_channels // groups, *self.kernel_size), bias, dtype)

    def reset_parameters(self) -> None:
        """Initialize the weight and the bias again."""
        init.as_layer(self.weight, self.bias)

    def extra_repr(self) -> str:
        none = (0,) * len(self.kernel_size)
        usual = {"padding": none, "dilation": (1,) * len(none), "groups": 1}
        unusual = [name for name, value in usual.items() if getattr(self, name) != value]
        bias = ", bias=False" if self.bias is None else ""
        mode = f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else ""
        return f"{self.in_channels}, {self.out_channels}, {with_names(self, 'kernel_size', 'stride', *unusual)}{bias}{mode}"

    def forward(self, input) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            around = _padding_of(padding, input.shape[-self.dims :], self.kernel_size, self.stride, self.dilation)
            input, padding = pad(input, [n for pair in rules.pairs(around)[::-1] for n in pair], self.padding_mode), 0
        return self.function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(_ConvNd):
    """The convolution of images (batch, in, height, width) with a trained kernel.

    `weight` (out, in / groups, height, width) and `bias` start uniform within 1 / sqrt(inputs of one output).

    >>> Conv2d(1, 6, 5)
    Conv2d(1, 6, kernel_size=(5, 5), stride=(1, 1))
    """


class Conv1d(_ConvNd):
    """The convolution of sequences (batch, in, length) with a trained kernel `weight` (out, in / groups, length).

    >>> Conv1d(16, 33, 3, stride=2)
    Conv1d(16, 33, kernel_size=(3,), stride=(2,))
    """

    dims, function = 1, staticmethod(conv1d)
