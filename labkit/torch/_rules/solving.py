"""Systems of linear equations: inverses, roots and determinants of matrices, by NumPy."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ...ops import zero
from .core import fused, op
from .moving import transpose, tril, triu
from .products import bmm


def _turned(x):
    return transpose(x, -1, -2)


@op(
    "LinalgInvExBackward0",
    lambda ans, a: lambda g: -bmm(_turned(ans), bmm(g, _turned(ans))),
    saves="result",
    tensors="A",
)
def inv(a):
    return np.linalg.inv(a)


@op("LinalgSolveExBackward0", lambda ans, a, b: lambda g: -bmm(solve(_turned(a), g), _turned(ans)),
    lambda ans, a, b: lambda g: solve(_turned(a), g), tensors="A B", saves="A result")  # fmt: skip
def solve(a, b):
    """The matrix x with a @ x = b, for batches of one shape."""
    return np.linalg.solve(a, b)


@op("LinalgSolveTriangularBackward0", lambda ans, a, b, upper: lambda g: -_kept(upper)(bmm(_back(g, a, upper), _turned(ans)), 0),
    lambda ans, a, b, upper: lambda g: _back(g, a, upper), tensors="self B", others="upper", saves="self result")  # fmt: skip
def solve_triangular(a, b, upper):
    """The same of a triangular matrix, row by row; what stands in its other half does not count."""
    x, rows = np.array(b), range(a.shape[-1])
    for k in reversed(rows) if upper else rows:
        known = slice(k + 1, None) if upper else slice(k)
        x[..., k, :] -= np.matmul(a[..., k, None, known], x[..., known, :])[..., 0, :]
        x[..., k, :] /= a[..., k, k, None]
    return x


def _back(g, a, upper):
    return solve_triangular(_turned(a), g, not upper)


def _kept(upper) -> Any:
    return triu if upper else tril


@op("LinalgCholeskyExBackward0", lambda ans, a: lambda g: _root_back(g, ans), tensors="self", saves="result")
def cholesky(a):
    return np.linalg.cholesky(a)


def _root_back(g, root):
    half = bmm(_turned(root), g)
    half = tril(half, 0) - half * np.eye(half.shape[-1], dtype=root.dtype) / 2
    half = solve_triangular(_turned(root), half + _turned(half), True) / 2
    return _turned(solve_triangular(_turned(root), _turned(half), True))


@op("LinalgDetBackward0", lambda ans, a: lambda g: _wide(g * ans) * _turned(inv(a)), tensors="A", saves="A result")
def det(a):
    return np.linalg.det(a)


@op("LinalgSlogdetBackward0", lambda ans, a: lambda g: _wide(g) * _turned(inv(a)), tensors="A", saves="A")
def logabsdet(a):
    return np.linalg.slogdet(a)[1]


def _wide(g):
    return anp.reshape(g, (*anp.shape(g), 1, 1))


@op(
    "LinalgLuFactorExBackward0",
    lambda ans, a, order: lambda g: _factors_back(ans, order, _lower(g), _upper(g)),
    others="order",
    saves="LU",
)
def factors(a, order):
    """L below the diagonal and U above, of the rows of `a` in this `order`: L has ones on its diagonal."""
    found = np.take_along_axis(a, order[..., None], -2).copy()
    for k in range(min(found.shape[-2:])):
        found[..., k + 1 :, k] /= found[..., k, k, None]
        found[..., k + 1 :, k + 1 :] -= found[..., k + 1 :, k, None] * found[..., k, None, k + 1 :]
    return found


def _lower(packed):
    return tril(packed, -1)[..., : min(packed.shape[-2:])]


def _upper(packed):
    return triu(packed, 0)[..., : min(packed.shape[-2:]), :]


@op("LinalgLuBackward0", lambda ans, a, order: lambda g: _factors_back(factors(a, order), order, tril(g, -1), _upper(a) * 0),
    others="order", saves="L U")  # fmt: skip
def lower_factor(a, order):
    return _with_ones(_lower(factors(a, order)))


@op("LinalgLuBackward0", lambda ans, a, order: lambda g: _factors_back(factors(a, order), order, _lower(a) * 0, triu(g, 0)),
    others="order", saves="L U")  # fmt: skip
def upper_factor(a, order):
    return _upper(factors(a, order))


@fused("LuUnpackBackward0", "LU_data", saves="", name="lu_unpack")
def unpacked_lower(packed):
    return _with_ones(_lower(packed))


@fused("LuUnpackBackward0", "LU_data", saves="", name="lu_unpack")
def unpacked_upper(packed):
    return _upper(packed)


@op("LuUnpackBackward0", lambda ans, a: lambda g: zero(a), tensors="LU_data", name="lu_unpack")
def not_unpacked(packed):
    return np.zeros(0, packed.dtype)


def _with_ones(lower):
    return lower + np.eye(*lower.shape[-2:], dtype=lower.dtype)


def _factors_back(packed, order, lower, upper):
    """What gradients of both factors send back: to the square that both cover, and to the rows or columns beside it."""
    size, below, above = min(packed.shape[-2:]), _with_ones(_lower(packed)), _upper(packed)
    top, left = _turned(below[..., :size, :]), above[..., :size]
    over = lambda x: _turned(solve_triangular(left, _turned(x), True))
    of_lower = bmm(top, lower[..., :size, :]) - bmm(upper[..., size:], _turned(above[..., size:]))
    of_upper = bmm(upper[..., :size], _turned(left)) - bmm(_turned(below[..., size:, :]), lower[..., size:, :])
    square = over(solve_triangular(top, tril(of_lower, -1) + triu(of_upper, 0), True))
    if packed.shape[-2] > size:
        sent = anp.concatenate([square, over(lower[..., size:, :])], -2)
    else:
        sent = anp.concatenate([square, solve_triangular(top, upper[..., size:], True)], -1)
    return bmm(_rows(np.argsort(order), packed.dtype), sent)


def _rows(order, dtype):
    """The matrices that put rows into this order."""
    return np.eye(order.shape[-1], dtype=dtype)[order]
