"""Layers for images and sequences: pooling, padding, other sizes."""

from typing import Any

from ...layout import with_names
from .._tensor import Tensor
from . import functional as F
from ._fractional import shares
from ._images import several
from ._made import of_function
from .module import Layer

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "ChannelShuffle", "CircularPad1d", "CircularPad2d",
    "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Fold", "FractionalMaxPool2d",
    "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d",
    "LocalResponseNorm", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "PixelShuffle",
    "PixelUnshuffle", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "Unfold", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d",
    "ZeroPad3d",
]  # fmt: skip


class _MaxPoolNd(Layer):
    """What `MaxPool1d`, `MaxPool2d` and `MaxPool3d` have in common."""

    function: Any = None

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.ceil_mode = padding, dilation, ceil_mode
        self.return_indices = return_indices

    def forward(self, input) -> Any:
        window = self.kernel_size, self.stride, self.padding, self.dilation
        return self.function(input, *window, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        return with_names(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")


class FractionalMaxPool2d(Layer):
    """The largest elements of windows at random, `output_size` of them or this share of the image; see the function.

    Raises ValueError unless one of both is given, and for a share that is not between 0 and 1.
    """

    function, dims = staticmethod(F.fractional_max_pool2d), 2

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        super().__init__()
        name = type(self).__name__
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        self.kernel_size, self.return_indices = several(kernel_size, self.dims), return_indices
        self.output_size = None if output_size is None else several(output_size, self.dims)
        self.output_ratio = None if output_ratio is None else shares(output_ratio, self.dims)
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input) -> Any:
        how = self.kernel_size, self.output_size, self.output_ratio, self.return_indices
        return self.function(input, *how, _random_samples=self._random_samples)


class FractionalMaxPool3d(FractionalMaxPool2d):
    """The same of volumes."""

    function, dims = staticmethod(F.fractional_max_pool3d), 3


class MaxPool2d(_MaxPoolNd):
    """The largest element of every window, `stride` apart (their own size by default).

    >>> import labkit.torch as torch
    >>> torch.nn.MaxPool2d(2)(torch.arange(16.0).reshape(1, 1, 4, 4)).flatten()
    tensor([ 5.,  7., 13., 15.])
    """

    function = staticmethod(F.max_pool2d)


class _AvgPoolNd(Layer):
    """What `AvgPool1d`, `AvgPool2d` and `AvgPool3d` have in common."""

    def extra_repr(self) -> str:
        return with_names(self, "kernel_size", "stride", "padding")


class _OfWindows(_AvgPoolNd):
    function: Any = None

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input) -> Tensor:
        return self.function(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip


class AvgPool2d(_OfWindows):
    """The mean of every window; padding counts as zeros unless `count_include_pad` is False."""

    function = staticmethod(F.avg_pool2d)


class MaxPool1d(_MaxPoolNd):
    """The largest element of every window of sequences; see `MaxPool2d`."""

    function = staticmethod(F.max_pool1d)


class MaxPool3d(_MaxPoolNd):
    """The largest element of every window of volumes; see `MaxPool2d`."""

    function = staticmethod(F.max_pool3d)


class AvgPool3d(_OfWindows):
    """The mean of every window of volumes; see `AvgPool2d`."""

    function = staticmethod(F.avg_pool3d)


class AvgPool1d(_AvgPoolNd):
    """The mean of every window of sequences; see `AvgPool2d`."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size, self.padding = several(kernel_size, 1), several(padding, 1)
        self.stride = several(kernel_size if stride is None else stride, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input) -> Tensor:
        how = self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        return F.avg_pool1d(input, *how)


def _made(name, fun, shown, **more):
    return of_function(name, fun, __name__, 1, shown, **more)


def _of_sizes(name, functions, shown):
    """The class that those of 1 to 3 dimensions have in common, and these."""
    named = "{}{}d".format
    base = _made(named(f"_{name}", "N"), functions[1], shown)
    return base, *(_made(named(name, n), fun, shown, base=base) for n, fun in enumerate(functions, 1))


_AdaptiveAvgPoolNd, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = _of_sizes(
    "AdaptiveAvgPool", (F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d), "output_size"
)
_AdaptiveMaxPoolNd, AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = _of_sizes(
    "AdaptiveMaxPool", (F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d), "output_size"
)
_LPPoolNd, LPPool1d, LPPool2d, LPPool3d = _of_sizes(
    "LPPool", (F.lp_pool1d, F.lp_pool2d, F.lp_pool3d), "norm_type kernel_size stride ceil_mode"
)
PixelShuffle, PixelUnshuffle = (
    _made("PixelShuffle", F.pixel_shuffle, "upscale_factor"), _made("PixelUnshuffle", F.pixel_unshuffle, "downscale_factor"),
)  # fmt: skip
Unfold = _made("Unfold", F.unfold, "kernel_size dilation padding stride")
Fold = _made("Fold", F.fold, "output_size kernel_size dilation padding stride")
ChannelShuffle = _made("ChannelShuffle", F.channel_shuffle, "groups")


class LocalResponseNorm(Layer):
    """`torch.nn.functional.local_response_norm` as a module."""

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, {with_names(self, 'alpha', 'beta', 'k')}"


class _MaxUnpoolNd(Layer):
    """What `MaxUnpool1d`, `MaxUnpool2d` and `MaxUnpool3d` have in common."""

    dims, function = 2, staticmethod(F.max_unpool2d)

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        given = kernel_size, kernel_size if stride is None else stride, padding
        self.kernel_size, self.stride, self.padding = (several(v, self.dims) for v in given)

    def forward(self, input, indices, output_size=None) -> Tensor:
        return self.function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return with_names(self, "kernel_size", "stride", "padding")


class MaxUnpool2d(_MaxUnpoolNd):
    """`torch.nn.functional.max_unpool2d` as a module: called with what `MaxPool2d(..., return_indices=True)` gives."""


class MaxUnpool1d(_MaxUnpoolNd):
    """`torch.nn.functional.max_unpool1d` as a module; see `MaxUnpool2d`."""

    dims, function = 1, staticmethod(F.max_unpool1d)


class MaxUnpool3d(_MaxUnpoolNd):
    """`torch.nn.functional.max_unpool3d` as a module; see `MaxUnpool2d`."""

    dims, function = 3, staticmethod(F.max_unpool3d)


# ---- padding: a class for each mode and number of dimensions ----


class _Pad(Layer):
    mode, dims = "constant", 1
    padding: tuple[int, ...]
    value: float = 0.0

    def forward(self, input) -> Tensor:
        return F.pad(input, self.padding, self.mode, self.value if self.mode == "constant" else None)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_Pad):
    """What pads with `value` have in common; who derives from it sets `padding`."""

    def __init__(self, value):
        super().__init__()
        self.value = value

    def extra_repr(self) -> str:
        return with_names(self, "padding", "value")


class _ReflectionPadNd(_Pad):
    mode = "reflect"


class _ReplicationPadNd(_Pad):
    mode = "replicate"


class _CircularPadNd(_Pad):
    mode = "circular"


def _set_padding(self, padding):
    _Pad.__init__(self)
    self.padding = several(padding, 2 * self.dims)


def _set_constant(self, padding, value):
    _ConstantPadNd.__init__(self, value)
    self.padding = several(padding, 2 * self.dims)


def _set_zero(self, padding):
    _set_constant(self, padding, 0.0)


def _pads(name, bases, init: Any = _set_padding, **members):
    doc = "`torch.nn.functional.pad` with mode {!r} as a module: `padding` is a number, or pairs, the last dimension first."
    for dims, base in enumerate(bases, 1):
        own = {"dims": dims, "__init__": init, "__module__": __name__, "__doc__": doc.format(base.mode), **members}
        yield type(f"{name}Pad{dims}d", (base,), own)


ConstantPad1d, ConstantPad2d, ConstantPad3d = _pads("Constant", [_ConstantPadNd] * 3, _set_constant)
ZeroPad1d, ZeroPad2d, ZeroPad3d = _pads(
    "Zero", (ConstantPad1d, ConstantPad2d, ConstantPad3d), _set_zero, extra_repr=_Pad.extra_repr
)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _pads("Reflection", [_ReflectionPadNd] * 3)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _pads("Replication", [_ReplicationPadNd] * 3)
CircularPad1d, CircularPad2d, CircularPad3d = _pads("Circular", [_CircularPadNd] * 3)


# ---- other sizes ----


class Upsample(Layer):
    """`torch.nn.functional.interpolate` as a module."""

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        as_floats = lambda f: tuple(map(float, f)) if isinstance(f, tuple) else float(f) if f else None
        self.size, self.scale_factor, self.mode = size, as_floats(scale_factor), mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def forward(self, input) -> Tensor:
        how = self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        return F.interpolate(input, *how)

    def extra_repr(self) -> str:
        return f"{with_names(self, 'size' if self.scale_factor is None else 'scale_factor')}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """`Upsample` of images to the nearest pixel."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """`Upsample` of images in straight lines, the corners at their places."""

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "bilinear", True)
