"""The transposes of convolutions of sequences, images and volumes; part of `torch.nn.functional`."""

from .._autocast import lowered
from .._dispatch import apply
from .._rules import layers as rules
from .._tensor import Tensor
from ._images import batched, several

__all__ = ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]


def transposed_size(size, kernel, stride, padding, more, dilation) -> tuple[int, ...]:
    """The size of the result of a transposed convolution."""
    return tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + m + 1
        for n, k, s, p, m, d in zip(size, kernel, stride, padding, more, dilation, strict=True)
    )


def _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation):
    dims = weight.ndim - 2
    stride, padding, more, dilation = (several(v, dims) for v in (stride, padding, output_padding, dilation))
    if input.shape[1] != weight.shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{weight.shape[0]} channels, but got {input.shape[1]} channels instead"
        )
    if any(m >= s for m, s in zip(more, stride, strict=True)):
        raise RuntimeError(
            f"output padding must be smaller than the stride, but got output_padding={more} and stride={stride}"
        )
    size = transposed_size(input.shape[2:], weight.shape[2:], stride, padding, more, dilation)
    shape = (input.shape[0], weight.shape[1] * groups, *size)
    return apply(rules.conv_transpose, input, weight, bias, shape, stride, padding, dilation, groups)


@lowered
def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """The transpose of `conv1d`: `input` (batch, in, length), `weight` (in, out / groups, length)."""
    rest = weight, bias, stride, padding, output_padding, groups, dilation
    return batched("conv_transpose1d", _transposed, input, 1, *rest)


@lowered
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """The transpose of `conv2d`: `input` (batch, in, height, width), `weight` (in, out / groups, height, width).

    Raises RuntimeError for channels that do not fit, and for an `output_padding` that is not below the stride.

    >>> import labkit.torch as torch
    >>> conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2))
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
    rest = weight, bias, stride, padding, output_padding, groups, dilation
    return batched("conv_transpose2d", _transposed, input, 2, *rest)


@lowered
def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """The transpose of `conv3d`: `input` (batch, in, depth, height, width), `weight` (in, out / groups, ...)."""
    rest = weight, bias, stride, padding, output_padding, groups, dilation
    return batched("conv_transpose3d", _transposed, input, 3, *rest)
