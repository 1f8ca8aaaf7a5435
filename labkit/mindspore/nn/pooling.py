"""Pooling layers: the largest or the mean element of every window of a sequence, an image or a volume."""

from typing import Any

from ...layout import with_names
from ..ops._convolution import four, largest, mean_of_windows
from ..tensor import Tensor
from ._checks import check_format, check_type
from .cell import Cell

__all__ = ["AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"]

_MODES = ("VALID", "SAME", "PAD")


class _Pool(Cell):
    """What pooling layers have in common: window, step and padding."""

    dims = 2

    def __init__(self, kernel_size, stride, pad_mode, padding):
        super().__init__()
        self.kernel_size, self.stride = self._size(kernel_size, "kernel_size"), self._size(stride, "stride")
        self.pad_mode, self.padding = str(pad_mode).upper(), padding
        if self.pad_mode not in _MODES:
            raise ValueError(
                f"For '{self.cls_name}', the 'pad_mode' must be str and must be in '['VALID', 'SAME', 'PAD']', "
                f"but got '{self.pad_mode}'."
            )
        four(padding, self.cls_name, self.dims)

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


def _of_images(pool):
    """What the real pools of sequences show: those of images of height 1, which they are there."""
    size, stride = ((1, n) if isinstance(n, int) else n for n in (pool.kernel_size, pool.stride))
    return f"kernel_size={size}, stride={stride}, pad_mode={pool.pad_mode}"


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
        dense = 1, (1,) * self.dims
        self._only_padded(names, padding != 0, dilation not in dense, return_indices, ceil_mode)

    def construct(self, x) -> Any:
        mode = self.pad_mode.lower()
        how = mode, self.padding, self.dilation, self.ceil_mode, self.return_indices, self.dims
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
        how = mode, self.padding, self.ceil_mode, counted, self.divisor_override, self.dims
        return mean_of_windows(x, self.kernel_size, self.stride, *how)


class MaxPool1d(MaxPool2d):
    """The largest element of every window of sequences; see `MaxPool2d`."""

    dims, extend_repr = 1, _of_images


class MaxPool3d(MaxPool2d):
    """The largest element of every window of volumes; see `MaxPool2d`."""

    dims = 3


class AvgPool1d(AvgPool2d):
    """The mean of every window of sequences; see `AvgPool2d`."""

    dims, extend_repr = 1, _of_images


class AvgPool3d(AvgPool2d):
    """The mean of every window of volumes; see `AvgPool2d`."""

    dims = 3
