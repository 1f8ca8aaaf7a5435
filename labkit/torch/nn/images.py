"""Layers for images: convolution, pooling, batch normalisation."""

from ...layout import with_names
from .. import _creation
from .._tensor import Tensor
from . import _images as F
from . import init
from ._images import two
from .module import Module
from .parameter import Parameter, add_weights

__all__ = ["AvgPool2d", "BatchNorm1d", "BatchNorm2d", "Conv2d", "MaxPool2d"]


class Conv2d(Module):
    """The convolution of images (batch, in, height, width) with a trained kernel.

    `weight` (out, in / groups, height, width) and `bias` start uniform within 1 / sqrt(inputs of one output).

    >>> Conv2d(1, 6, 5)
    Conv2d(1, 6, kernel_size=(5, 5), stride=(1, 1))
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 device=None, dtype=None):  # fmt: skip
        super().__init__()
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"{'in' if in_channels % groups else 'out'}_channels must be divisible by groups")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = two(kernel_size), two(stride), two(dilation)
        self.padding = padding if isinstance(padding, str) else two(padding)
        self._check_padding()
        add_weights(self, (out_channels, in_channels // groups, *self.kernel_size), bias, dtype)

    def _check_padding(self):
        if not isinstance(self.padding, str):
            return
        if self.padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'same', 'valid'}}")
        if self.padding == "same" and max(self.stride) > 1:
            raise ValueError("padding='same' is not supported for strided convolutions")

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        init.as_layer(self.weight, self.bias)

    def forward(self, input) -> Tensor:
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        usual = {"padding": (0, 0), "dilation": (1, 1), "groups": 1}
        unusual = [name for name, value in usual.items() if getattr(self, name) != value]
        bias = ", bias=False" if self.bias is None else ""
        return f"{self.in_channels}, {self.out_channels}, {with_names(self, 'kernel_size', 'stride', *unusual)}{bias}"


class MaxPool2d(Module):
    """The largest element of every window, `stride` apart (their own size by default)."""

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.ceil_mode = padding, dilation, ceil_mode

    def forward(self, input) -> Tensor:
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)

    def extra_repr(self) -> str:
        return with_names(self, "kernel_size", "stride", "padding", "dilation", "ceil_mode")


class AvgPool2d(Module):
    """The mean of every window; padding counts as zeros unless `count_include_pad` is False."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input) -> Tensor:
        return F.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return with_names(self, "kernel_size", "stride", "padding")


class BatchNorm2d(Module):
    """(x - mean) / sqrt(variance + eps) * weight + bias for every channel of images (batch, channels, height, width).

    While training, mean and variance are those of the batch, and `running_mean`, `running_var` move towards them by
    `momentum` (None: they are the mean of all batches); in `eval` mode the running ones are used.
    """

    dims: tuple[int, ...] = (4,)

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, make in (("weight", _creation.ones), ("bias", _creation.zeros)):
            self.register_parameter(name, Parameter(make(num_features, dtype=dtype)) if affine else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", _creation.zeros(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", _creation.ones(num_features, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", _creation.tensor(0) if tracked else None)

    def forward(self, input) -> Tensor:
        if input.ndim not in self.dims:
            expected = " or ".join(f"{n}D" for n in self.dims)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            momentum = 1 / self.num_batches_tracked.item() if momentum is None else momentum
        own = self.training or not self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if self.training or not own else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, own, momentum, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(BatchNorm2d):
    """`BatchNorm2d` for inputs (batch, channels) or (batch, channels, length)."""

    dims = (2, 3)
