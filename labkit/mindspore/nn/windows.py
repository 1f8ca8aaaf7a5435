"""Layers that go over images with a window: convolution and pooling."""

import math
from typing import Any

from ...dialects.class_paths import with_names
from ..argument_checks import check_format, check_positive_int, check_type, check_types
from ..common.dtype import float32
from ..common.initializer import HeUniform, Uniform, initializer
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from ..ops import adaptive_max_pool2d, conv2d
from ..ops.convolution import check_pad_mode, four, largest, mean_of_windows, pair
from .cell import Cell

__all__ = ["AdaptiveMaxPool2d", "AvgPool2d", "Conv1d", "Conv2d", "MaxPool2d"]
_NO_NCHW = "For 'Conv2d', expected the 'data_format' NCHW, but got {data_format!r}."


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
        sizes = {"kernel_size": kernel_size, "stride": stride, "dilation": dilation}
        self.kernel_size, self.stride, self.dilation = (pair(v, name, "Conv2d") for name, v in sizes.items())
        self.pad_mode, self.padding, self.group, self.has_bias = pad_mode, padding, group, has_bias
        self.data_format = data_format
        self._check()
        shape = (self.out_channels, self.in_channels // self.group, *self.kernel_size)
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        if has_bias and bias_init is None:
            bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
        self.bias_init = bias_init
        self.bias = Parameter(initializer(bias_init, (out_channels,), dtype), name="bias") if has_bias else None

    def _check(self):
        four(self.padding, "Conv2d")
        check_pad_mode(self.pad_mode, self.padding)
        if self.data_format != "NCHW":
            raise ValueError(_NO_NCHW.format(data_format=self.data_format))
        if self.in_channels % check_positive_int(self.group, "group", "Conv2d") or self.out_channels % self.group:
            raise ValueError(
                "The argument 'group' should be divisible by 'in_channels' and 'out_channels', but got "
                f"group:{self.group}, in_channels:{self.in_channels}, out_channels:{self.out_channels}."
            )

    def construct(self, x) -> Tensor:
        geometry = self.stride, self.pad_mode, self.padding, self.dilation, self.group
        return conv2d(x, self.weight, self.bias, *geometry)

    def extend_repr(self) -> str:
        names = ("kernel_size", "stride", "pad_mode", "padding", "dilation", "group", "has_bias", "weight_init",
                 "bias_init")  # fmt: skip
        channels = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        return f"{channels}, {with_names(self, *names)}, format={self.data_format}"


class Conv1d(Conv2d):
    """The convolution of sequences (batch, in_channels, length): `Conv2d` of images of height 1.

    >>> import labkit.mindspore as ms
    >>> Conv1d(2, 3, 5)(ms.ops.ones((1, 2, 7))).shape
    (1, 3, 7)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 has_bias=False, weight_init=None, bias_init=None, dtype=float32):  # fmt: skip
        check_types(int, "Conv1d", kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation)
        if isinstance(weight_init, Tensor):
            weight_init = weight_init.expand_dims(2)
        super().__init__(in_channels, out_channels, (1, kernel_size), (1, stride), pad_mode, padding, (1, dilation), group,
                         has_bias, weight_init, bias_init, dtype=dtype)  # fmt: skip
        self.padding = (0, 0, padding, padding)

    def construct(self, x) -> Tensor:
        return super().construct(x.expand_dims(2)).squeeze(2)


_MODES = ("VALID", "SAME", "PAD")


class _Pool(Cell):
    """What pooling layers have in common: window, step and padding."""

    def __init__(self, kernel_size, stride, pad_mode, padding):
        super().__init__()
        self.kernel_size, self.stride = self._size(kernel_size, "kernel_size"), self._size(stride, "stride")
        self.pad_mode, self.padding = str(pad_mode).upper(), padding
        if self.pad_mode not in _MODES:
            raise ValueError(
                f"For '{self.cls_name}', the 'pad_mode' must be str and must be in '['VALID', 'SAME', 'PAD']', "
                f"but got '{self.pad_mode}'."
            )
        four(padding, self.cls_name)

    def _size(self, value, name):
        check_type(value, name, (int, tuple), self.cls_name)
        if min((value,) if isinstance(value, int) else value) <= 0:
            raise ValueError(
                f"For '{self.cls_name}', the '{name}' must be an positive int number or a tuple, but got {value}"
            )
        return value

    def _only_padded(self, names, *changed):
        """Raise ValueError if options that belong to pad mode were changed in another."""
        if self.pad_mode != "PAD" and any(changed):
            raise ValueError(
                f"For {self.cls_name}, the parameter {names} can not be set to non-default value when pad_mode is not "
                f"'pad', but got pad_mode:{self.pad_mode.lower()}."
            )

    def extend_repr(self):
        return with_names(self, "kernel_size", "stride", "pad_mode")


class MaxPool2d(_Pool):
    """The largest element of every window of images (batch, channels, height, width), or of a single image.

    `pad_mode`: "valid" (windows inside the image), "same" or "pad" (`padding`, `dilation`, `ceil_mode` count only there).

    >>> from labkit.mindspore import Tensor
    >>> MaxPool2d(2, 2)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).tolist()
    [[[[4.0]]]]
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False, data_format="NCHW"):  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding)
        check_format(data_format, self.cls_name)
        self.dilation, self.ceil_mode, self.return_indices = dilation, ceil_mode, return_indices
        names = "'padding', 'dilation', 'return_indices', 'ceil_mode'"
        self._only_padded(names, padding != 0, dilation not in (1, (1, 1)), return_indices, ceil_mode)

    def construct(self, x) -> Any:
        mode = self.pad_mode.lower()
        how = mode, self.padding, self.dilation, self.ceil_mode, self.return_indices
        return largest(x, self.kernel_size, self.stride, *how)


class AvgPool2d(_Pool):
    """The mean of every window; in "pad" mode `padding` counts as zeros unless `count_include_pad` is False.

    `divisor_override`: a number to divide by instead.
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None, data_format="NCHW"):  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding)
        check_format(data_format, self.cls_name)
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override
        names = "'padding', 'ceil_mode', 'count_include_pad', 'divisor_override'"
        self._only_padded(names, padding != 0, ceil_mode, not count_include_pad, divisor_override is not None)

    def construct(self, x) -> Tensor:
        mode = self.pad_mode.lower()
        counted = self.count_include_pad and mode == "pad"
        how = mode, self.padding, self.ceil_mode, counted, self.divisor_override
        return mean_of_windows(x, self.kernel_size, self.stride, *how)


class AdaptiveMaxPool2d(Cell):
    """The largest elements of as many windows as `output_size` (a number or a pair) says, which cover an image.

    `return_indices`: also the places of these in the flattened image.

    >>> from labkit.mindspore import Tensor
    >>> AdaptiveMaxPool2d(1)(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).tolist()
    [[[[4.0]]]]
    """

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def construct(self, input) -> Any:
        return adaptive_max_pool2d(input, self.output_size, self.return_indices)
