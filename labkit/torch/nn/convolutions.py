"""Layers that convolve: of sequences, images and volumes, and their transposes."""

from typing import Any

from ...layout import with_names
from .._tensor import Tensor
from . import _convolutions as F
from . import init
from ._images import conv1d, conv2d, conv3d, several
from ._moving import pad
from .module import Module
from .parameter import add_weights

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Module):
    """What all of them have in common; `dims` is how many dimensions the kernel has."""

    dims = 2
    function: Any = staticmethod(conv2d)
    output_padding: tuple[int, ...] | None = None

    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, dtype
    ):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"{'in' if in_channels % groups else 'out'}_channels must be divisible by groups")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = (several(v, self.dims) for v in (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else several(padding, self.dims)
        self.padding_mode = padding_mode
        self._check_padding()
        add_weights(self, self._weight_shape(), bias, dtype, out_channels)

    def _weight_shape(self):
        return self.out_channels, self.in_channels // self.groups, *self.kernel_size

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
        geometry: tuple = (self.stride, self.padding, self.dilation, self.groups)
        if self.padding_mode != "zeros":
            input = pad(input, self._around(), mode=self.padding_mode)
            geometry = (self.stride, 0, self.dilation, self.groups)
        return self.function(input, self.weight, self.bias, *geometry)

    def _around(self):
        """The padding as `pad` takes it: pairs, the last dimension first."""
        if self.padding == "valid":
            return (0, 0) * self.dims
        if self.padding == "same":
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return tuple(n for total in totals[::-1] for n in (total // 2, total - total // 2))
        return tuple(n for p in self.padding[::-1] for n in (p, p))

    def extra_repr(self) -> str:
        none = (0,) * self.dims
        usual = {"padding": none, "dilation": (1,) * self.dims, "output_padding": none, "groups": 1}
        if self.output_padding is None:
            del usual["output_padding"]
        unusual = [name for name, value in usual.items() if getattr(self, name) != value]
        bias = ", bias=False" if self.bias is None else ""
        mode = f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else ""
        return f"{self.in_channels}, {self.out_channels}, {with_names(self, 'kernel_size', 'stride', *unusual)}{bias}{mode}"


class Conv2d(_Convolution):
    """The convolution of images (batch, in, height, width) with a trained kernel.

    `weight` (out, in / groups, height, width) and `bias` start uniform within 1 / sqrt(inputs of one output).

    >>> Conv2d(1, 6, 5)
    Conv2d(1, 6, kernel_size=(5, 5), stride=(1, 1))
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, dtype
        )


class Conv1d(Conv2d):
    """The convolution of sequences (batch, in, length) with a trained kernel `weight` (out, in / groups, length).

    >>> Conv1d(16, 33, 3, stride=2)
    Conv1d(16, 33, kernel_size=(3,), stride=(2,))
    """

    dims, function = 1, staticmethod(conv1d)


class Conv3d(Conv2d):
    """The convolution of volumes (batch, in, depth, height, width) with a trained kernel `weight` (out, in / groups, ...).

    >>> Conv3d(16, 33, 3, stride=2)
    Conv3d(16, 33, kernel_size=(3, 3, 3), stride=(2, 2, 2))
    """

    dims, function = 3, staticmethod(conv3d)


class ConvTranspose2d(_Convolution):
    """The transpose of a convolution: images (batch, in, height, width) are spread by a kernel, and become larger.

    `weight`: (in, out / groups, height, width). With a stride several sizes are possible: `output_padding` adds to the
    smallest, or the call names the `output_size`.

    >>> import labkit.torch as torch
    >>> ConvTranspose2d(4, 2, 3, stride=2)(torch.ones(1, 4, 5, 5)).shape
    torch.Size([1, 2, 11, 11])
    """

    function: Any = staticmethod(F.conv_transpose2d)

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self.__dict__["output_padding"] = several(output_padding, self.dims)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, dtype
        )

    def _weight_shape(self):
        return self.in_channels, self.out_channels // self.groups, *self.kernel_size

    def forward(self, input, output_size=None) -> Tensor:
        more = self.output_padding if output_size is None else self._more(input, list(output_size))
        return self.function(
            input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )  # fmt: skip

    def _more(self, input, wanted):
        """How much larger than the smallest possible size the wanted one is."""
        outer = input.ndim - self.dims
        if len(wanted) == outer + self.dims:
            wanted = wanted[outer:]
        if len(wanted) != self.dims:
            raise ValueError(
                f"ConvTranspose{self.dims}D: for {input.ndim}D input, output_size must have {self.dims} or "
                f"{outer + self.dims} elements (got {len(wanted)})"
            )
        none = (0,) * self.dims
        least = F.transposed_size(input.shape[outer:], self.kernel_size, self.stride, self.padding, none, self.dilation)
        most = [n + s - 1 for n, s in zip(least, self.stride, strict=True)]
        if any(not a <= n <= b for a, n, b in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {list(least)} to {most} (for an input "
                f"of {input.shape[2:]})"
            )
        return tuple(n - a for a, n in zip(least, wanted, strict=True))


class ConvTranspose1d(ConvTranspose2d):
    """The transpose of a convolution of sequences (batch, in, length); see `ConvTranspose2d`."""

    dims, function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose3d(ConvTranspose2d):
    """The transpose of a convolution of volumes (batch, in, depth, height, width); see `ConvTranspose2d`."""

    dims, function = 3, staticmethod(F.conv_transpose3d)
