"""Pooling layers: the largest or the mean element of every window of an image."""

from ...layout import with_names
from ..ops._convolution import four, largest, mean_of_windows
from ..tensor import Tensor
from ._checks import check_type
from .cell import Cell

__all__ = ["AvgPool2d", "MaxPool2d"]

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

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, ceil_mode=False):
        super().__init__(kernel_size, stride, pad_mode, padding)
        self.dilation, self.ceil_mode = dilation, ceil_mode
        names = "'padding', 'dilation', 'return_indices', 'ceil_mode'"
        self._only_padded(names, padding != 0, dilation not in (1, (1, 1)), ceil_mode)

    def construct(self, x) -> Tensor:
        mode = self.pad_mode.lower()
        return largest(x, self.kernel_size, self.stride, mode, self.padding, self.dilation, self.ceil_mode)


class AvgPool2d(_Pool):
    """The mean of every window; in "pad" mode `padding` counts as zeros unless `count_include_pad` is False.

    `divisor_override`: a number to divide by instead.
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding)
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override
        names = "'padding', 'ceil_mode', 'count_include_pad', 'divisor_override'"
        self._only_padded(names, padding != 0, ceil_mode, not count_include_pad, divisor_override is not None)

    def construct(self, x) -> Tensor:
        mode = self.pad_mode.lower()
        counted = self.count_include_pad and mode == "pad"
        return mean_of_windows(
            x, self.kernel_size, self.stride, mode, self.padding, self.ceil_mode, counted, self.divisor_override
        )
