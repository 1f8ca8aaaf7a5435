"""Products with a sum and functions of each element that are made of other ops; see `composed`."""

import math
from functools import reduce
from typing import Any

import numpy as np

from .composed import at_once, composed, torch_only

# ---- products with a sum ----


@composed
@at_once
def addmv(of, input, mat, vec, *, beta=1, alpha=1) -> Any:
    """beta * input + alpha * (mat @ vec)."""
    return beta * input + alpha * (mat @ vec)


@composed
@at_once
def baddbmm(of, input, batch1, batch2, beta=1, alpha=1) -> Any:
    """beta * input + alpha * (batch1 @ batch2), matrix by matrix."""
    return beta * input + alpha * (batch1 @ batch2)


@composed
@at_once
def addbmm(of, input, batch1, batch2, *, beta=1, alpha=1) -> Any:
    """beta * input + alpha * the sum of the products of matrices."""
    return beta * input + alpha * (batch1 @ batch2).sum(0)


@composed
def addr(of, input, vec1, vec2, *, beta=1, alpha=1) -> Any:
    """beta * input + alpha * the outer product of two vectors."""
    return beta * input + alpha * (vec1.reshape(-1, 1) * vec2.reshape(1, -1))


@composed
def kron(of, input, other) -> Any:
    """Each element of `input` times the whole of `other`, in its place."""
    ndim = max(input.ndim, other.ndim)
    one, two = ((1,) * (ndim - x.ndim) + tuple(x.shape) for x in (input, other))
    apart = input.reshape([n for size in one for n in (size, 1)]) * other.reshape(
        [n for size in two for n in (1, size)]
    )
    return apart.reshape([a * b for a, b in zip(one, two, strict=True)])


@composed
def cross(of, input, other, axis=None) -> Any:
    """The cross product of vectors of length 3 along `axis`; by default the first of that length."""
    shape = np.broadcast_shapes(tuple(input.shape), tuple(other.shape))
    axis = (shape.index(3) if axis is None else axis % len(shape)) - len(shape)
    turned = lambda x, k: of["roll"](x, -k, axis)
    return turned(input, 1) * turned(other, 2) - turned(input, 2) * turned(other, 1)


@torch_only
def tensordot(of, a, b, dims=2) -> Any:
    """The sums of products over the last `dims` axes of `a` and the first of `b`, or over two lists of axes."""
    ours, theirs = (range(a.ndim - dims, a.ndim), range(dims)) if isinstance(dims, int) else dims
    ours, theirs = [i % a.ndim for i in ours], [i % b.ndim for i in theirs]
    rows, columns = ([i for i in range(x.ndim) if i not in axes] for x, axes in ((a, ours), (b, theirs)))
    count = math.prod(a.shape[i] for i in ours)
    product = a.permute(rows + ours).reshape(-1, count) @ b.permute(theirs + columns).reshape(count, -1)
    return product.reshape([*(a.shape[i] for i in rows), *(b.shape[i] for i in columns)])


@composed
def inner(of, input, other) -> Any:
    """The sums of products along the last axes of both; a product where one has no axis."""
    if not input.ndim or not other.ndim:
        return input * other
    rows, columns = (x.reshape(-1, x.shape[-1]) for x in (input, other))
    return (rows @ columns.T).reshape([*input.shape[:-1], *other.shape[:-1]])


@torch_only
def chain_matmul(of, *matrices) -> Any:
    """The product of matrices."""
    return reduce(lambda x, y: x @ y, matrices)


@composed
def cov(of, input, *, correction=1, fweights=None, aweights=None) -> Any:
    """The covariances of the rows, each a variable with an observation in each column.

    `fweights` says how often each observation was made, `aweights` what it counts.
    """
    x = input.reshape(1, -1) if input.ndim < 2 else input
    x = x if "float" in str(x.dtype).lower() else x.float()
    if fweights is None and aweights is None:
        centred = x - of["mean"](x, 1, True)
        return ((centred @ centred.T) / (x.shape[1] - correction)).squeeze()
    counts = (1 if fweights is None else fweights) * (1 if aweights is None else aweights) + 0 * x[0]
    total = of["sum"](counts)
    each = 1 if aweights is None else of["sum"](counts * aweights) / total
    centred = x - of["sum"](x * counts, 1, True) / total
    return ((centred * counts) @ centred.T / (total - correction * each)).squeeze()


@torch_only
def corrcoef(of, input) -> Any:
    """The correlations of the rows, each a variable with an observation in each column."""
    found = cov(of, input)
    if not found.ndim:
        return found / found
    spread = of["sqrt"](of["diagonal"](found, 0, 0, 1))
    return (found / spread.reshape(-1, 1) / spread).clip(-1, 1)


@torch_only
def trapezoid(of, y, x=None, *, dx=1, axis=-1) -> Any:
    """The integral along an axis of a function that is linear between the points."""
    return _trapezoids(of, y, x, dx, axis).sum(axis)


@torch_only
def cumulative_trapezoid(of, y, x=None, *, dx=1, axis=-1) -> Any:
    """The running integral along an axis of a function that is linear between the points."""
    return of["cumsum"](_trapezoids(of, y, x, dx, axis), axis)


def _trapezoids(of, y, x, dx, axis):
    n = y.shape[axis] - 1
    left, right = of["narrow"](y, axis, 0, n), of["narrow"](y, axis, 1, n)
    if x is None:
        return (left + right) / 2 * dx
    steps = of["diff"](x) if x.ndim == 1 else of["diff"](x, 1, axis)
    if x.ndim == 1:
        steps = steps.reshape([-1 if i == axis % y.ndim else 1 for i in range(y.ndim)])
    return (left + right) / 2 * steps


@composed
def renorm(of, input, p, axis, maxnorm) -> Any:
    """The slices along an axis, those whose p-norm is above `maxnorm` scaled to it."""
    others = tuple(i for i in range(input.ndim) if i != axis % input.ndim)
    norms = of["sum"](input.abs() ** p, others, True) ** (1 / p) if others else input.abs()
    return input * of["where"](norms > maxnorm, maxnorm / (norms + 1e-7), norms * 0 + 1)


@torch_only
def dist(of, input, other, p=2) -> Any:
    """The p-norm of the difference."""
    return of["norm"](input - other, p)


@torch_only
def cdist(of, x1, x2, p=2.0, compute_mode=None) -> Any:
    """The p-norms of the differences of each row of one and each row of the other."""
    return of["norm"](of["unsqueeze"](x1, -2) - of["unsqueeze"](x2, -3), p, -1)


@torch_only
def pdist(of, input, p=2.0) -> Any:
    """The p-norms of the differences of each row and each row behind it."""
    first, second = np.triu_indices(len(input), 1)
    return of["norm"](input[first] - input[second], p, -1)


@torch_only
def vander(of, x, N=None, increasing=False) -> Any:
    """The powers of a vector's elements, side by side: from N - 1 down to 0, or up."""
    powers = range(len(x) if N is None else N)
    return of["stack"]([x**k for k in (powers if increasing else reversed(powers))], 1)


@torch_only
def range_(of, start=0, end=None, step=1) -> Any:
    """Numbers from `start` to `end`, which is one of them."""
    start, end = (0, start) if end is None else (start, end)
    return of["arange"](int((end - start) / step) + 1) * float(step) + float(start)


# ---- of each element ----


@composed
def deg2rad(of, input) -> Any:
    """Degrees as radians."""
    return input * (math.pi / 180)


@composed
def rad2deg(of, input) -> Any:
    """Radians as degrees."""
    return input * (180 / math.pi)


@composed
@at_once
def logaddexp(of, input, other) -> Any:
    """log(exp(x) + exp(y)), without overflow.

    Two tensors whose shapes broadcast. With 0 it is softplus, whose slope is the sigmoid.

    >>> import labkit.mindspore as ms
    >>> value, slope = ms.value_and_grad(ms.ops.logaddexp)(ms.Tensor(0.0), ms.Tensor(100.0))
    >>> print(value.item(), f"{slope.item():.4f}")
    100.0 0.0000
    """
    return of["maximum"](input, other) + of["log1p"](of["exp"](-(input - other).abs()))


@composed
@at_once
def logaddexp2(of, input, other) -> Any:
    """log2(2^x + 2^y), without overflow."""
    return of["maximum"](input, other) + of["log2"](1 + of["exp2"](-(input - other).abs()))


@composed
def fmax(of, input, other) -> Any:
    """The larger of each pair; a number is taken rather than nan."""
    return of["where"](input != input, other, of["where"](other != other, input, of["maximum"](input, other)))


@composed
def fmin(of, input, other) -> Any:
    """The smaller of each pair; a number is taken rather than nan."""
    return of["where"](input != input, other, of["where"](other != other, input, of["minimum"](input, other)))


@composed
def float_power(of, input, exponent) -> Any:
    """Powers in double precision."""
    return input.double() ** (exponent.double() if hasattr(exponent, "dtype") else float(exponent))


@composed
def ldexp(of, input, other) -> Any:
    """input * 2^other."""
    return input * 2.0**other


@composed
def copysign(of, input, other) -> Any:
    """|x| with the sign of `other`."""
    sign = of["found"](
        lambda x, y: np.copysign(np.ones_like(y if np.ndim(y) else x, float), y).astype(np.float32), input, other
    )
    return input.abs() * sign
