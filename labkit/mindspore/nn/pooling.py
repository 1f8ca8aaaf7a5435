"""Pooling layers: the largest or the mean element of every window of images."""

from typing import Any

from ...dialects.class_paths import with_names
from ..argument_checks import check_format, check_type
from ..common.tensor import Tensor
from ..ops import adaptive_max_pool2d
from ..ops.convolution import four, largest, mean_of_windows
from .cell import Cell

__all__ = ["AdaptiveMaxPool2d", "AvgPool2d", "MaxPool2d"]

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
