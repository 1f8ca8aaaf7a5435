"""Images seen through windows, and at any place: part of `torch.nn.functional`."""

import math

import numpy as np

from ...ops import convolution, windows
from .._dispatch import apply
from .._rules import sampling as rules
from .._tensor import Tensor
from ._images import several

__all__ = ["affine_grid", "fold", "grid_sample", "unfold"]


def _geometry(kernel_size, dilation, padding, stride):
    kernel, dilation, around, stride = (several(v, 2) for v in (kernel_size, dilation, padding, stride))
    return kernel, dilation, tuple((p, p) for p in around), stride


def unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """What a kernel sees of images (batch, channels, height, width), one column for each place: (batch, seen, places).

    >>> import labkit.torch as torch
    >>> unfold(torch.arange(6.0).reshape(1, 1, 2, 3), 2)
    tensor([[[0., 1.],
             [1., 2.],
             [3., 4.],
             [4., 5.]]])
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but "
            f"got: {list(input.shape)}"
        )
    if input.ndim == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    return apply(windows.im2col, input, *_geometry(kernel_size, dilation, padding, stride))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """The columns of `unfold` added to where they came from in images of `output_size`.

    Raises RuntimeError for columns that do not fit the kernel or its places.
    """
    if input.ndim == 2:
        return fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride).squeeze(0)
    if input.ndim != 3:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but "
            f"got: {list(input.shape)}"
        )
    size, (kernel, dilation, around, stride) = (
        several(output_size, 2),
        _geometry(kernel_size, dilation, padding, stride),
    )
    out = convolution.output_size(size, kernel, stride, around, dilation)
    if input.shape[1] % math.prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={input.shape[1]} and kernel_size={kernel}."
        )
    if input.shape[2] != math.prod(out):
        shown = ", ".join(f"{name}={v}" for name, v in (
            ("output_size", size), ("kernel_size", kernel), ("dilation", dilation), ("padding", tuple(p for p, _ in around)),
            ("stride", stride)))  # fmt: skip
        raise RuntimeError(
            f"Given {shown}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{' * '.join(map(str, out))} = {math.prod(out)}, but got input.size(2)={input.shape[2]}."
        )
    return apply(windows.col2im, input, size, kernel, dilation, around, stride)


def affine_grid(theta, size, align_corners=None) -> Tensor:
    """The places that affine maps `theta` (batch, 2, 3), or (batch, 3, 4), give to the pixels of images of `size`.

    Places go from -1 to 1; the result (batch, *size, 2 or 3), with x first, is for `grid_sample`.

    >>> import labkit.torch as torch
    >>> affine_grid(torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2), align_corners=False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    dims = len(size) - 2
    if tuple(theta.shape) != (size[0], dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {tuple(size)}. Got "
            f"{theta.shape}."
        )
    lines = [_line(n, align_corners).astype(theta.dtype.np) for n in size[2:]]
    grid = np.meshgrid(*lines, indexing="ij")
    base = np.stack([*grid[::-1], np.ones_like(grid[0])], -1).reshape(1, -1, dims + 1)
    return apply(rules.affine_grid, theta, np.repeat(base, size[0], 0), tuple(size[2:]))


def _line(n, align_corners):
    line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
    return line if align_corners else line * (n - 1) / n


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None) -> Tensor:
    """Images, or volumes, at the places `grid` (batch, *size, 2 or 3), each from -1 to 1, x first.

    `mode`: "bilinear", "nearest" or, of images, "bicubic". Beyond the image are "zeros", its "border", or its "reflection".
    Differentiable by both. Raises ValueError for other modes, RuntimeError for shapes that do not fit.

    >>> import labkit.torch as torch
    >>> image, place = torch.tensor([[[[1.0, 2.0]]]]), torch.tensor([[[[0.0, 0.0]]]], requires_grad=True)
    >>> found = grid_sample(image, place, align_corners=True)
    >>> found.backward()
    >>> found.item(), place.grad.tolist()
    (1.5, [[[[0.5, 0.0]]]])
    """
    for name, given, known in (
        ("mode", mode, ("bilinear", "nearest", "bicubic")),
        ("padding_mode", padding_mode, ("zeros", "border", "reflection")),
    ):
        if given not in known:
            *first, last = (f"'{word}'" for word in known)
            raise ValueError(
                f"nn.functional.grid_sample(): expected {name} to be {', '.join(first)} or {last}, but got: '{given}'"
            )
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.shape[-1] != input.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    return apply(rules.grid_sample, input, grid, mode, padding_mode, bool(align_corners))
