"""The convolution layer."""

import math

import autograd.numpy as anp
import numpy as np

from ...engine import shape_of
from ...kinds import of_kind
from ...layout import with_names
from ...ops import convolution
from .._initializer import HeUniform, Uniform, initializer
from ..dtype import float32
from ..ops import conv2d, conv3d
from ..ops._convolution import bias_add, check_pad_mode, four, pads, pair
from ..ops._op import value_of
from ..parameter import Parameter
from ..tensor import Tensor, wrap
from ._checks import check_positive_int
from .cell import Cell

__all__ = ["Conv1d", "Conv2d", "Conv2dTranspose", "Conv3d", "Conv3dTranspose"]


class Conv2d(Cell):
    """The convolution of images (batch, in_channels, height, width) with a trained kernel.

    `pad_mode`: "same" (the size stays, over the stride), "valid" (no padding) or "pad" (`padding` zeros: one number, or
    top, bottom, left, right). The weight (out, in / group, height, width) is drawn from U(-1/sqrt(n), 1/sqrt(n)), n being
    the inputs of one output, unless `weight_init` says otherwise; the same goes for the bias.

    >>> Conv2d(1, 6, 5, pad_mode="valid", weight_init="ones").weight
    Parameter (name=weight, shape=(6, 1, 5, 5), dtype=Float32, requires_grad=True)
    """

    dims, formats, function = 2, "NCHW", staticmethod(conv2d)

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1,
                 group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCHW", dtype=float32):  # fmt: skip
        super().__init__()
        self.in_channels = check_positive_int(in_channels, "in_channels", self.cls_name)
        self.out_channels = check_positive_int(out_channels, "out_channels", self.cls_name)
        sizes = {"kernel_size": kernel_size, "stride": stride, "dilation": dilation}
        self.kernel_size, self.stride, self.dilation = (_size(v, name, self.dims) for name, v in sizes.items())
        self.pad_mode, self.padding, self.group, self.has_bias = pad_mode, padding, group, has_bias
        self.data_format = data_format
        self._check()
        shape = self._weight_shape()
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        if has_bias and bias_init is None:
            bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
        self.bias_init = bias_init
        self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias") if has_bias else None

    def _weight_shape(self):
        return (self.out_channels, self.in_channels // self.group, *self.kernel_size)

    def _check(self):
        four(self.padding, f"Conv{self.dims}d", self.dims)
        check_pad_mode(self.pad_mode, self.padding, f"Conv{self.dims}D", self.dims)
        of_kind(self.has_bias, bool, "For 'Conv2d', the 'has_bias' must be a bool, but got {kind}.")
        if self.data_format != self.formats:
            raise ValueError(
                f"For 'Conv{self.dims}d', expected the 'data_format' {self.formats}, but got {self.data_format!r}."
            )
        if self.in_channels % check_positive_int(self.group, "group", "Conv2d") or self.out_channels % self.group:
            raise ValueError(
                "The argument 'group' should be divisible by 'in_channels' and 'out_channels', but got "
                f"group:{self.group}, in_channels:{self.in_channels}, out_channels:{self.out_channels}."
            )

    def construct(self, x) -> Tensor:
        geometry = self.stride, self.pad_mode, self.padding, self.dilation, self.group
        return self.function(x, self.weight, self.bias, *geometry)

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


def _size(value, name, dims):
    of_kind(
        value,
        (int, tuple),
        "When expanding an int number to tuple, input type must be integer or tuple[int], but got {type}",
    )
    return pair(value, name, f"Conv{dims}d", dims)


class Conv3d(Conv2d):
    """The convolution of volumes (batch, in_channels, depth, height, width); see `Conv2d`.

    >>> import labkit.mindspore as ms
    >>> Conv3d(1, 2, 2)(ms.ops.ones((1, 1, 3, 3, 3))).shape
    (1, 2, 3, 3, 3)
    """

    dims, formats, function = 3, "NCDHW", staticmethod(conv3d)

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1,
                 group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCDHW", dtype=float32):  # fmt: skip
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
                         weight_init, bias_init, data_format, dtype)  # fmt: skip


class Conv1d(Conv2d):
    """The convolution of sequences (batch, in_channels, length): `Conv2d` of images of height 1.

    >>> import labkit.mindspore as ms
    >>> Conv1d(2, 3, 5)(ms.ops.ones((1, 2, 7))).shape
    (1, 3, 7)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 has_bias=False, weight_init=None, bias_init=None, dtype=float32):  # fmt: skip
        for name, value in (
            ("kernel_size", kernel_size),
            ("stride", stride),
            ("padding", padding),
            ("dilation", dilation),
        ):
            of_kind(value, int, f"For 'Conv1d', the type of '{name}' should be 'int', but got type '{{kind}}'.")
        if isinstance(weight_init, Tensor):
            weight_init = weight_init.expand_dims(2)
        super().__init__(in_channels, out_channels, (1, kernel_size), (1, stride), pad_mode, padding, (1, dilation), group,
                         has_bias, weight_init, bias_init, dtype=dtype)  # fmt: skip
        self.padding = (0, 0, padding, padding)

    def construct(self, x) -> Tensor:
        return super().construct(x.expand_dims(2)).squeeze(2)


class Conv2dTranspose(Conv2d):
    """The transpose of `Conv2d`: (batch, in_channels, height, width) to the images of which `Conv2d` makes that size.

    The weight is (in, out / group, height, width). `pad_mode` and `padding` are those of `Conv2d`; in "pad" mode,
    `output_padding` adds zeros at the bottom and at the right.

    >>> import labkit.mindspore as ms
    >>> Conv2dTranspose(2, 3, 4, stride=2)(ms.ops.ones((1, 2, 5, 5))).shape
    (1, 3, 10, 10)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, output_padding=0,
                 dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, dtype=float32):  # fmt: skip
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
                         weight_init, bias_init, self.formats, dtype)  # fmt: skip
        self.output_padding = output_padding
        if output_padding and pad_mode != "pad":
            raise ValueError("when output_padding is not zero, pad_mode must be 'pad'")

    def _weight_shape(self):
        return (self.in_channels, self.out_channels // self.group, *self.kernel_size)

    def construct(self, x) -> Tensor:
        value, weight = value_of(x, f"Conv{self.dims}DTranspose"), self.weight._value
        size = self._size(shape_of(value)[2:])
        around = pads(self.pad_mode, self.padding, size, self.kernel_size, self.stride, self.dilation)
        shape = (shape_of(value)[0], self.out_channels, *size)
        with np.errstate(all="ignore"):
            made = wrap(convolution.conv2d_input(value, weight, shape, self.stride, around, self.dilation, self.group))
        early = self.has_bias and self.dims == 2  # the real one of volumes adds it to what was padded, too
        made = bias_add(made, self.bias) if early else made
        made = self._padded(made) if self.output_padding else made
        return bias_add(made, self.bias) if self.has_bias and not early else made

    def _padded(self, made):
        more = pair(self.output_padding, "output_padding", self.cls_name, self.dims)
        for axis, count in enumerate(more, 2):
            edge = (*made.shape[:axis], count, *made.shape[axis + 1 :])
            made = wrap(anp.concatenate([made._value, np.zeros(edge, made._value.dtype)], axis))
        return made

    def _size(self, size):
        sides = four(self.padding, self.cls_name, self.dims)
        around = [a + b for a, b in zip(sides[::2], sides[1::2], strict=True)]
        found = []
        for n, k, s, d, p in zip(size, self.kernel_size, self.stride, self.dilation, around, strict=True):
            reach = d * (k - 1) + 1
            found.append(
                n * s if self.pad_mode == "same" else n * s - s + max(reach, s if self.pad_mode == "valid" else 0) - p
            )
        return tuple(found)


class Conv3dTranspose(Conv2dTranspose):
    """The transpose of `Conv3d`: (batch, in_channels, depth, height, width) to the volumes of which it makes that size.

    >>> import labkit.mindspore as ms
    >>> Conv3dTranspose(2, 3, 2, stride=2)(ms.ops.ones((1, 2, 3, 3, 3))).shape
    (1, 3, 6, 6, 6)
    """

    dims, formats = 3, "NCDHW"

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 output_padding=0, has_bias=False, weight_init=None, bias_init=None, data_format="NCDHW",
                 dtype=float32):  # fmt: skip
        if data_format != self.formats:
            raise ValueError(f"For 'Conv3dTranspose', expected the 'data_format' NCDHW, but got {data_format!r}.")
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, output_padding, dilation, group,
                         has_bias, weight_init, bias_init, dtype)  # fmt: skip


class Conv1dTranspose(Conv2dTranspose):
    """The transpose of `Conv1d`: (batch, in_channels, length) to the sequences of which `Conv1d` makes that length.

    >>> import labkit.mindspore as ms
    >>> Conv1dTranspose(3, 4, 4, pad_mode="pad")(ms.ops.ones((1, 3, 50))).shape
    (1, 4, 53)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 has_bias=False, weight_init=None, bias_init=None, dtype=float32):  # fmt: skip
        if isinstance(weight_init, Tensor):
            weight_init = weight_init.expand_dims(2)
        super().__init__(in_channels, out_channels, (1, kernel_size), (1, stride), pad_mode, (0, 0, padding, padding), 0,
                         (1, dilation), group, has_bias, weight_init, bias_init, dtype)  # fmt: skip

    def construct(self, x) -> Tensor:
        return super().construct(x.expand_dims(2)).squeeze(2)
