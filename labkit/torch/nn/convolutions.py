"""Layers that convolve: of sequences, images and volumes, and their transposes."""

from typing import Any

from ...layout import with_names
from .._tensor import Tensor
from . import _convolutions as F
from . import init
from ._images import conv1d, conv2d, conv3d, several
from ._moving import pad
from .module import Layer
from .parameter import add_weights

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Layer):
    """What all of them have in common; `kernel_size`, `stride`, `dilation` are tuples, and `padding`, if no word, too."""

    dims = 2
    function: Any = staticmethod(conv2d)

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding,
                 groups, bias, padding_mode, device=None, dtype=None):  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"{'in' if in_channels % groups else 'out'}_channels must be divisible by groups")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.transposed, self.output_padding = transposed, output_padding
        self.padding, self.padding_mode = padding, padding_mode
        self._check_padding()
        self._reversed_padding_repeated_twice = self._around()
        ins, outs = (out_channels, in_channels) if transposed else (in_channels, out_channels)
        add_weights(self, (outs, ins // groups, *kernel_size), bias, dtype, out_channels)

    def _check_padding(self):
        if not isinstance(self.padding, str):
            return
        if self.padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {{'same', 'valid'}}")
        if self.padding == "same" and max(self.stride) > 1:
            raise ValueError("padding='same' is not supported for strided convolutions")

    def _around(self):
        """The padding as `pad` takes it: pairs, the last dimension first."""
        if not isinstance(self.padding, str):
            return tuple(n for p in self.padding[::-1] for n in (p, p))
        totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        if self.padding == "valid":
            totals = [0 for _ in totals]
        return [n for total in totals[::-1] for n in (total // 2, total - total // 2)]

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        init.as_layer(self.weight, self.bias)

    def extra_repr(self) -> str:
        none = (0,) * len(self.kernel_size)
        usual = {"padding": none, "dilation": (1,) * len(none), "output_padding": none, "groups": 1}
        unusual = [name for name, value in usual.items() if getattr(self, name) != value]
        bias = ", bias=False" if self.bias is None else ""
        mode = f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else ""
        return f"{self.in_channels}, {self.out_channels}, {with_names(self, 'kernel_size', 'stride', *unusual)}{bias}{mode}"


class _Forward(_ConvNd):
    """A convolution."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        kernel_size, stride, dilation, none = (several(v, self.dims) for v in (kernel_size, stride, dilation, 0))
        padding = padding if isinstance(padding, str) else several(padding, self.dims)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, False, none, groups, bias, padding_mode, None,
            dtype,
        )  # fmt: skip

    def _conv_forward(self, input, weight, bias):
        geometry: tuple = (self.stride, self.padding, self.dilation, self.groups)
        if self.padding_mode != "zeros":
            input = pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            geometry = (self.stride, 0, self.dilation, self.groups)
        return self.function(input, weight, bias, *geometry)

    def forward(self, input) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv2d(_Forward):
    """The convolution of images (batch, in, height, width) with a trained kernel.

    `weight` (out, in / groups, height, width) and `bias` start uniform within 1 / sqrt(inputs of one output).

    >>> Conv2d(1, 6, 5)
    Conv2d(1, 6, kernel_size=(5, 5), stride=(1, 1))
    """


class Conv1d(_Forward):
    """The convolution of sequences (batch, in, length) with a trained kernel `weight` (out, in / groups, length).

    >>> Conv1d(16, 33, 3, stride=2)
    Conv1d(16, 33, kernel_size=(3,), stride=(2,))
    """

    dims, function = 1, staticmethod(conv1d)


class Conv3d(_Forward):
    """The convolution of volumes (batch, in, depth, height, width) with a trained kernel `weight` (out, in / groups, ...).

    >>> Conv3d(16, 33, 3, stride=2)
    Conv3d(16, 33, kernel_size=(3, 3, 3), stride=(2, 2, 2))
    """

    dims, function = 3, staticmethod(conv3d)


class _ConvTransposeNd(_ConvNd):
    """What transposes have in common; `padding_mode` is "zeros"."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding,
                 groups, bias, padding_mode, device=None, dtype=None):  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(self, input, output_size, stride, padding, kernel_size, dims, dilation=None):
        """How much larger than the smallest possible size the wanted one is."""
        if output_size is None:
            return several(self.output_padding, dims)
        wanted, outer = list(output_size), input.ndim - dims
        if len(wanted) == outer + dims:
            wanted = wanted[outer:]
        if len(wanted) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.ndim}D input, output_size must have {dims} or "
                f"{outer + dims} elements (got {len(wanted)})"
            )
        geometry = (kernel_size, stride, padding, (0,) * dims, dilation or (1,) * dims)
        least = F.transposed_size(input.shape[outer:], *geometry)
        most = [n + s - 1 for n, s in zip(least, stride, strict=True)]
        if any(not a <= n <= b for a, n, b in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {list(least)} to {most} (for an input "
                f"of {input.shape[2:]})"
            )
        return [n - a for a, n in zip(least, wanted, strict=True)]


class _Transposed(_ConvTransposeNd):
    """A transpose."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        kernel_size, stride, padding, dilation, more = (
            several(v, self.dims) for v in (kernel_size, stride, padding, dilation, output_padding)
        )
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, True, more, groups, bias, padding_mode, None,
            dtype,
        )  # fmt: skip

    def forward(self, input, output_size=None) -> Tensor:
        geometry = self.stride, self.padding, self.kernel_size, self.dims, self.dilation
        more = self._output_padding(input, output_size, *geometry)
        return self.function(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )  # fmt: skip


class ConvTranspose2d(_Transposed):
    """The transpose of a convolution: images (batch, in, height, width) are spread by a kernel, and become larger.

    `weight`: (in, out / groups, height, width). With a stride several sizes are possible: `output_padding` adds to the
    smallest, or the call names the `output_size`.

    >>> import labkit.torch as torch
    >>> ConvTranspose2d(4, 2, 3, stride=2)(torch.ones(1, 4, 5, 5)).shape
    torch.Size([1, 2, 11, 11])
    """

    function: Any = staticmethod(F.conv_transpose2d)


class ConvTranspose1d(_Transposed):
    """The transpose of a convolution of sequences (batch, in, length); see `ConvTranspose2d`."""

    dims, function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose3d(_Transposed):
    """The transpose of a convolution of volumes (batch, in, depth, height, width); see `ConvTranspose2d`."""

    dims, function = 3, staticmethod(F.conv_transpose3d)
