"""`torch.gradient`: slopes of what is known at some points only."""

from ._joining import cat
from ._table import both
from ._tensor import Tensor


@both("gradient")
def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """The slopes along each of `dim` by differences of neighbours, as a tuple.

    `spacing`: how far the points are apart, or where they stand, for all dimensions or one for each. `edge_order` 2: what is
    at the ends is computed of three points. Raises RuntimeError where there are fewer than `edge_order` + 1.

    >>> import labkit.torch as torch
    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
    (tensor([3., 4., 6., 7.]),)
    """
    dims = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    each = spacing if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if len(each) != len(dims):
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar or it's spacing argument to have a length equal to "
            f"{len(dims)}, but got a spacing argument of length {len(each)}"
        )
    return tuple(_slope(input, steps, d, edge_order) for steps, d in zip(each, dims, strict=True))


def _slope(x, spacing, dim, edge_order):
    size = x.shape[dim]
    if size < edge_order + 1:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    at = lambda start, many=1: x.narrow(dim, start, many)
    step = _steps(spacing, x, dim, size)
    first, last = (at(1) - at(0)) / step(0), (at(size - 1) - at(size - 2)) / step(size - 2)
    a, b = step(0, size - 2), step(1, size - 2)
    before, after = (at(1, size - 2) - at(0, size - 2)) / a, (at(2, size - 2) - at(1, size - 2)) / b
    inner = (b * before + a * after) / (a + b)
    if edge_order == 2:
        bend = (after - before) / (a + b)
        first = first - bend.narrow(dim, 0, 1) * step(0)
        last = last + bend.narrow(dim, size - 3, 1) * step(size - 2)
    return cat([first, inner, last], dim)


def _steps(spacing, x, dim, size):
    """The distances of points as a function of the first and of how many."""
    if not isinstance(spacing, Tensor) or spacing.ndim == 0:
        return lambda start, many=1: spacing
    apart = (spacing.narrow(0, 1, size - 1) - spacing.narrow(0, 0, size - 1)).to(x.dtype)
    apart = apart.reshape(*(-1 if d == dim % x.ndim else 1 for d in range(x.ndim)))
    return lambda start, many=1: apart.narrow(dim, start, many)
