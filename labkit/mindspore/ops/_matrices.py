"""Matrices: factored, solved with, measured, and taken apart by their diagonals."""

import autograd.numpy as anp
import numpy as np

from ...engine import getval
from ...engine import stop_gradient as constant
from ...ops import rule
from ..dtype import as_numpy
from ..tensor import Tensor, wrap
from . import _further, _places, _reduction  # noqa: F401  (whose ops it asks for)
from ._op import OPS, op, register, value_of


def _turned(x):
    return anp.swapaxes(x, -1, -2)


# ---- solved with ----


@op(method=False)
def cholesky_inverse(input_x, upper=False):
    """The inverse of the matrix whose Cholesky factor this is, the lower triangular one unless `upper`."""
    root = _turned(anp.triu(input_x)) if upper else anp.tril(input_x)
    return anp.linalg.inv(anp.matmul(root, _turned(root)))


@op(method=False)
def cholesky_solve(input, input2, upper=False):
    """X of A @ X = input, for the A whose Cholesky factor is `input2`, the lower triangular one unless `upper`."""
    factor = value_of(input2, "CholeskySolve")
    root = _turned(factor) if upper else factor
    return anp.linalg.solve(anp.matmul(root, _turned(root)), input)


def matrix_solve(matrix, rhs, adjoint=False):
    """X of matrix @ X = rhs; `adjoint`: of the matrix with its axes exchanged."""
    a = value_of(matrix, "MatrixSolve")
    return wrap(anp.linalg.solve(_turned(a) if adjoint else a, value_of(rhs, "MatrixSolve")))


@op(method=False)
def lstsq(input, A):
    """X with the least squares of input @ X - A."""
    return anp.matmul(anp.linalg.pinv(input), value_of(A, "Lstsq"))


def lu_solve(b, LU_data, LU_pivots):
    """X of A @ X = b, for the A whose factors are `LU_data`, below and above the diagonal, with rows exchanged by `LU_pivots`."""
    places, lower, upper = lu_unpack(LU_data, LU_pivots)
    return OPS["matrix_solve"](OPS["matmul"](places, OPS["matmul"](lower, upper)), b)


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """`(P, L, U)` with A = P @ L @ U, of the factors in one matrix and the rows that were exchanged, counted from 1."""
    rows, columns = LU_data.shape[-2:]
    size = min(rows, columns)
    value = value_of(LU_data, "LuUnpack")
    lower = anp.tril(value[..., :size], -1) + np.eye(rows, size, dtype=value.dtype)
    order = np.apply_along_axis(_order, -1, np.asarray(constant(LU_pivots._value)), rows)
    places = np.swapaxes(np.eye(rows, dtype=value.dtype)[order], -1, -2)
    return wrap(places), wrap(lower), wrap(anp.triu(value[..., :size, :]))


def _order(pivots, count):
    order = np.arange(count)
    for row, other in enumerate(pivots - 1):
        order[[row, other]] = order[[other, row]]
    return order


# ---- factored ----


@rule(lambda ans, x: lambda g: _back_to_matrix(ans, x, g), text="np.linalg.qr({})[1]")
def _right(x):
    return np.linalg.qr(x)[1]


def _back_to_matrix(r, x, g):
    """How R depends on X = Q R."""
    inverse = anp.linalg.inv(r)
    m = anp.matmul(r, _turned(g))
    return anp.matmul(anp.matmul(anp.matmul(x, inverse), anp.tril(m) + _turned(anp.tril(m, -1))), _turned(inverse))


def qr(input, mode="reduced"):
    """`(Q, R)`, an orthogonal and an upper triangular matrix, with input = Q @ R; `mode`: "reduced" or "complete".

    Derivatives are those of matrices that are not wider than high; those of "complete" are 0.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"For 'qr', the 'mode' must be 'reduced' or 'complete', but got {mode}.")
    value = value_of(input, "Qr")
    if mode == "complete" or np.shape(getval(value))[-1] > np.shape(getval(value))[-2]:
        return tuple(map(wrap, np.linalg.qr(constant(value), mode)))
    right = _right(value)
    return wrap(anp.matmul(value, anp.linalg.inv(right))), wrap(right)


def svd(input, full_matrices=False, compute_uv=True):
    """`(s, u, v)` with input = u @ diag(s) @ v.T, s from the largest; s alone without `compute_uv`."""
    value = value_of(input, "Svd")
    if not compute_uv:
        return wrap(anp.linalg.svd(value, compute_uv=False))
    if full_matrices:
        u, _, vt = np.linalg.svd(constant(value), full_matrices=True)
        return svd(input, compute_uv=False), wrap(u), wrap(_turned(vt))
    found = anp.linalg.svd(value, full_matrices=False)
    return wrap(found[1]), wrap(found[0]), wrap(_turned(found[2]))


def geqrf(input):
    """`(R with the reflections of the QR factorization below it, their factors)`, as LAPACK stores them."""
    value = np.asarray(constant(value_of(input, "Geqrf")))
    batch = value.reshape(-1, *value.shape[-2:])
    raw = [np.linalg.qr(x, "raw") for x in batch]
    stored, factors = np.stack([np.swapaxes(h, 0, 1) for h, _ in raw]), np.stack([tau for _, tau in raw])
    kind = value.dtype
    return wrap(stored.reshape(value.shape).astype(kind)), wrap(factors.reshape(*value.shape[:-2], -1).astype(kind))


def orgqr(input, input2):
    """The first columns of Q, of the reflections and factors of `geqrf`."""
    reflections, factors = value_of(input, "Orgqr"), value_of(input2, "Orgqr")
    rows, columns = input.shape[-2:]
    found = np.eye(rows, dtype=constant(reflections).dtype)
    below = anp.tril(reflections, -1) + np.eye(rows, columns, dtype=found.dtype)
    for k in range(input2.shape[-1]):
        v = below[..., :, k : k + 1]
        turn = np.eye(rows, dtype=found.dtype) - factors[..., k, None, None] * anp.matmul(v, _turned(v))
        found = anp.matmul(found, turn)
    return wrap(found[..., :columns])


# ---- measured ----


def matrix_norm(A, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None):
    """The norm of matrices: "fro", "nuc", or by a number the largest, or with a minus the smallest, column sum (1), row sum (inf)
    or singular value (2)."""
    x = A if dtype is None else A.astype(dtype)
    moved = OPS["moveaxis"](x, axis, (-2, -1))
    if ord == "fro":
        found = (moved * moved).sum((-2, -1)).sqrt()
    elif ord == "nuc":
        found = svd(moved, compute_uv=False).sum(-1)
    elif abs(ord) == 2:
        found = OPS["amax" if ord > 0 else "amin"](svd(moved, compute_uv=False), -1)
    elif abs(ord) in (1, float("inf")):
        found = OPS["amax" if ord > 0 else "amin"](OPS["abs"](moved).sum(-2 if abs(ord) == 1 else -1), -1)
    else:
        raise ValueError(
            f"For 'matrix_norm', the 'ord' must be 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2, but got {ord}."
        )
    return OPS["expand_dims"](OPS["expand_dims"](found, min(axis)), max(axis)) if keepdims else found


def cond(A, p=None):
    """How much solving with A may spread an error: its norm times that of its inverse, by `p` as in `matrix_norm`, else 2."""
    if p in (None, 2, -2):
        sizes = svd(A, compute_uv=False)
        return sizes[..., -1] / sizes[..., 0] if p == -2 else sizes[..., 0] / sizes[..., -1]
    return matrix_norm(A, p) * matrix_norm(OPS["inverse"](A), p)


def pdist(input, p=2.0):
    """The distances between each two rows, those of the first with all behind it, then those of the second."""
    count = input.shape[-2]
    first, second = (Tensor(places) for places in np.triu_indices(count, 1))
    apart = OPS["abs"](
        OPS["index_select"](input, -2 % input.ndim, first) - OPS["index_select"](input, -2 % input.ndim, second)
    )
    if p == 0:
        return OPS["not_equal"](apart, 0).astype(input.dtype).sum(-1)
    return apart.amax(-1) if p == float("inf") else OPS["norm"](apart, p, -1)


# ---- diagonals ----


def _diagonals(k, shape, align):
    """Where each element of the diagonals from k[1] down to k[0], a row for each, stands in the flat matrix; -1 for padding."""
    low, high = (int(n) for n in (np.ravel(constant(getattr(k, "_value", k))).tolist() * 2)[:2])
    rows, columns = shape
    length = lambda d: min(rows + min(d, 0), columns - max(d, 0))
    width = max(length(d) for d in range(low, high + 1))
    above, below = align.split("_")
    found = np.full((high - low + 1, width), -1)
    for row, d in enumerate(range(high, low - 1, -1)):
        start = width - length(d) if (above if d >= 0 else below) == "RIGHT" else 0
        along = np.arange(length(d))
        found[row, start : start + len(along)] = (along + max(-d, 0)) * columns + along + max(d, 0)
    return found[0] if low == high else found


def _picked(x, places, last, padding):
    """The elements of the last `last` axes of `x` at these places of them, with `padding` where there is none (-1)."""
    flat = x.reshape((*x.shape[: x.ndim - last], -1))
    found = flat[..., Tensor(np.maximum(places, 0).ravel())].reshape((*x.shape[: x.ndim - last], *places.shape))
    return OPS["where"](Tensor(places >= 0), found, padding)


def _inverse_of(places, rows, columns):
    """For each element of the matrix, which of the diagonals' elements stands there; -1 for none."""
    found, at = np.full(rows * columns, -1), places.ravel()
    found[at[at >= 0]] = np.flatnonzero(at >= 0)
    return found.reshape(rows, columns)


def _padding(value, like):
    return Tensor(0 if value is None else getattr(value, "_value", value), like.dtype)


def matrix_diag_part(x, k, padding_value, align="RIGHT_LEFT"):
    """The diagonals of matrices from k[1] down to k[0], a row for each (`k` may be one), with `padding_value` where one is short.

    `align`: at which end those above (with the main one) and those below are flush.
    """
    return _picked(x, _diagonals(k, x.shape[-2:], align), 2, _padding(padding_value, x))


def matrix_diag(x, k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with these diagonals, as `matrix_diag_part` gives them, and `padding_value` elsewhere."""
    low, high = (int(n) for n in (np.ravel(constant(getattr(k, "_value", k))).tolist() * 2)[:2])
    width, (rows, columns) = x.shape[-1], (int(n) for n in (num_rows, num_cols))
    if rows < 0:
        rows = (
            width - min(high, 0) if columns < 0 else max(width - min(high, 0), min(columns - low, width - min(high, 0)))
        )
    columns = width + max(low, 0) if columns < 0 else columns
    places = _diagonals(k, (rows, columns), align)
    return _picked(x, _inverse_of(places, rows, columns), places.ndim, _padding(padding_value, x))


def matrix_set_diag(x, diagonal, k=0, align="RIGHT_LEFT"):
    """Matrices `x` with other diagonals, as `matrix_diag_part` gives them."""
    places = _diagonals(k, x.shape[-2:], align)
    there = _inverse_of(places, *x.shape[-2:])
    return OPS["where"](Tensor(there >= 0), _picked(diagonal, there, places.ndim, _padding(0, x)), x)


def eps(x):
    """The distance from 1 to the next number of the type, in the shape of `x`."""
    return OPS["full"](x.shape, float(np.finfo(as_numpy(x.dtype)).eps), dtype=x.dtype)


for _fun in (
    matrix_solve, lu_solve, lu_unpack, qr, svd, geqrf, orgqr, matrix_norm, cond, pdist, matrix_diag_part, matrix_diag,
    matrix_set_diag, eps,
):  # fmt: skip
    register(_fun, method=_fun in (qr, svd, geqrf, orgqr, lu_solve))
