"""The convolution layer."""

import math

from ...kinds import of_kind
from ...layout import with_names
from .._initializer import HeUniform, Uniform, initializer
from ..dtype import float32
from ..ops import conv2d
from ..ops._convolution import check_pad_mode, four, pair
from ..parameter import Parameter
from ..tensor import Tensor
from ._checks import check_positive_int
from .cell import Cell

__all__ = ["Conv2d"]


class Conv2d(Cell):
    """The convolution of images (batch, in_channels, height, width) with a trained kernel.

    `pad_mode`: "same" (the size stays, over the stride), "valid" (no padding) or "pad" (`padding` zeros: one number, or
    top, bottom, left, right). The weight (out, in / group, height, width) is drawn from U(-1/sqrt(n), 1/sqrt(n)), n being
    the inputs of one output, unless `weight_init` says otherwise; the same goes for the bias.

    >>> Conv2d(1, 6, 5, pad_mode="valid", weight_init="ones").weight
    Parameter (name=weight, shape=(6, 1, 5, 5), dtype=Float32, requires_grad=True)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1,
                 group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCHW", dtype=float32):  # fmt: skip
        super().__init__()
        self.in_channels = check_positive_int(in_channels, "in_channels", self.cls_name)
        self.out_channels = check_positive_int(out_channels, "out_channels", self.cls_name)
        self.kernel_size = _size(kernel_size, "kernel_size")
        self.stride, self.dilation = _size(stride, "stride"), _size(dilation, "dilation")
        self.pad_mode, self.padding, self.group, self.has_bias = pad_mode, padding, group, has_bias
        self.data_format = data_format
        self._check()
        shape = (out_channels, in_channels // group, *self.kernel_size)
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        if has_bias and bias_init is None:
            bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
        self.bias_init = bias_init
        self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias") if has_bias else None

    def _check(self):
        four(self.padding, "Conv2d")
        check_pad_mode(self.pad_mode, self.padding)
        of_kind(self.has_bias, bool, "For 'Conv2d', the 'has_bias' must be a bool, but got {kind}.")
        if self.data_format != "NCHW":
            raise ValueError(f"For 'Conv2d', expected the 'data_format' NCHW, but got {self.data_format!r}.")
        if self.in_channels % check_positive_int(self.group, "group", "Conv2d") or self.out_channels % self.group:
            raise ValueError(
                "The argument 'group' should be divisible by 'in_channels' and 'out_channels', but got "
                f"group:{self.group}, in_channels:{self.in_channels}, out_channels:{self.out_channels}."
            )

    def construct(self, x) -> Tensor:
        return conv2d(x, self.weight, self.bias, self.stride, self.pad_mode, self.padding, self.dilation, self.group)

    def extend_repr(self) -> str:
        names = [
            "kernel_size",
            "stride",
            "pad_mode",
            "padding",
            "dilation",
            "group",
            "has_bias",
            "weight_init",
            "bias_init",
        ]
        channels = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        return f"{channels}, {with_names(self, *names)}, format={self.data_format}"


def _size(value, name):
    of_kind(
        value,
        (int, tuple),
        "When expanding an int number to tuple, input type must be integer or tuple[int], but got {type}",
    )
    return pair(value, name, "Conv2d")
