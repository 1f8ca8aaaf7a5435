"""Convolutions of sequences and of images, and their transposes; part of `torch.nn.functional`."""

from .._autocast import lowered
from .._dispatch import apply
from .._rules import layers as rules
from .._tensor import Tensor
from ._images import check_convolution, padding_of, several

__all__ = ["conv1d", "conv_transpose1d", "conv_transpose2d"]


def _batched(name, fun, input, dims, *rest):
    """Apply to a batch, or to one sequence or image as a batch of one."""
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return fun(input, *rest) if input.ndim == dims + 2 else fun(input.unsqueeze(0), *rest).squeeze(0)


@lowered
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """The convolution (cross-correlation) of sequences `input` (batch, in, length).

    `weight` (out, in / groups, length), `bias` (out,); `padding` a number, "same" or "valid". Raises RuntimeError for shapes
    or types that do not fit.

    >>> import labkit.torch as torch
    >>> conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2))
    tensor([[[2., 2., 2.]]])
    """
    return _batched("conv1d", _conv1d, input, 1, weight, bias, stride, padding, dilation, groups)


def _conv1d(input, weight, bias, stride, padding, dilation, groups):
    stride, dilation = several(stride, 1), several(dilation, 1)
    around = padding_of(padding, input.shape[2:], weight.shape[2:], stride, dilation)
    check_convolution(input, weight, bias, stride, around, dilation, groups)
    return apply(rules.conv1d, input, weight, bias, stride, around, dilation, groups)


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
    return _batched("conv_transpose1d", _transposed, input, 1, *rest)


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
    return _batched("conv_transpose2d", _transposed, input, 2, *rest)
