"""Matrices as products of a permutation, a lower and an upper triangular one."""

import numpy as np

from . import _rules
from ._dispatch import apply, off_tape
from ._reduce import PAIRS
from ._solving import solve_triangular
from ._table import both, function
from ._tensor import Tensor


def _pivots(matrix):
    """The order of rows in which each has the largest element left below the diagonal, and the exchanges that lead to it."""
    left, steps = np.array(matrix, np.float64), min(matrix.shape)
    order, swaps = np.arange(len(matrix)), np.arange(1, steps + 1, dtype=np.int32)
    for k in range(steps):
        best = k + int(np.abs(left[k:, k]).argmax())
        swaps[k] = best + 1
        for rows in (left, order):
            rows[[k, best]] = rows[[best, k]]
        if left[k, k]:
            left[k + 1 :] -= np.outer(left[k + 1 :, k] / left[k, k], left[k])
    return order, swaps


def _order(A, pivot):
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    if A.ndim < 2:
        raise RuntimeError("linalg.lu: The input tensor A must have at least 2 dimensions.")
    stack = A._array.reshape(-1, *A.shape[-2:])
    orders, swaps = zip(*(_pivots(matrix) for matrix in stack))
    return tuple(np.stack(rows).reshape(*A.shape[:-2], -1) for rows in (orders, swaps))


def lu_factor(A, *, pivot=True) -> tuple[Tensor, Tensor]:
    """`(LU, pivots)` of matrices: L below the diagonal and U above it in one, and the row each was exchanged with.

    >>> import labkit.torch as torch
    >>> torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [2.0, 6.0]])).pivots
    tensor([2, 2], dtype=torch.int32)
    """
    order, swaps = _order(A, pivot)
    return PAIRS["linalg_lu_factor"](apply(_rules.factors, A, order), off_tape(swaps, "lu_factor", A))


def lu(A, *, pivot=True) -> tuple[Tensor, ...]:
    """`(P, L, U)` of matrices (..., m, n), whose product is `A`.

    >>> import labkit.torch as torch
    >>> torch.linalg.lu(torch.tensor([[1.0, 2.0], [2.0, 6.0]])).U
    tensor([[ 2.,  6.],
            [ 0., -1.]])
    """
    order, _ = _order(A, pivot)
    rows = np.swapaxes(np.eye(A.shape[-2], dtype=A._array.dtype)[order], -1, -2)
    factors = (apply(rule, A, order) for rule in (_rules.lower_factor, _rules.upper_factor))
    return PAIRS["linalg_lu"](off_tape(rows, "lu", A), *factors)


def _rows_of(pivots, size, dtype):
    """The matrices that put rows in the order to which the exchanges `pivots` lead."""
    order = np.broadcast_to(np.arange(size), (*pivots.shape[:-1], size)).copy()
    for place in np.ndindex(pivots.shape[:-1]):
        for k, other in enumerate(pivots._array[place] - 1):
            order[place][[k, other]] = order[place][[other, k]]
    return np.eye(size, dtype=dtype)[order]


def lu_solve(LU, pivots, B, *, left=True, adjoint=False) -> Tensor:
    """x with A @ x = B (`adjoint`: A.mT @ x = B; without `left`: x @ A = B), of what `lu_factor` gave for A."""
    if not left:
        return lu_solve(LU, pivots, B.mT, adjoint=not adjoint).mT
    rows = Tensor._of(_rows_of(pivots, LU.shape[-1], LU._array.dtype))
    if adjoint:
        half = solve_triangular(LU.mT, B, upper=False)
        return rows.mT @ solve_triangular(LU.mT, half, upper=True, unitriangular=True)
    return solve_triangular(LU, solve_triangular(LU, rows @ B, upper=False, unitriangular=True), upper=True)


@both("lu_solve")
def _lu_solve(b, LU_data, LU_pivots):
    """`torch.linalg.lu_solve`, under its older name."""
    return lu_solve(LU_data, LU_pivots, b)


@function()
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """`(P, L, U)` of what `lu_factor` gave; empty what is not asked for."""
    dtype = LU_data._array.dtype
    rows = np.swapaxes(_rows_of(LU_pivots, LU_data.shape[-2], dtype), -1, -2) if unpack_pivots else np.zeros(0, dtype)
    rules = (_rules.unpacked_lower, _rules.unpacked_upper) if unpack_data else (_rules.not_unpacked,) * 2
    return PAIRS["lu_unpack"](off_tape(rows, "lu_unpack", LU_data), *(apply(rule, LU_data) for rule in rules))


@both("lu")
def _lu(A, pivot=True, get_infos=False):
    """`torch.linalg.lu_factor`, under its older name; with `get_infos` also where each matrix is singular, 0 where it is not."""
    LU, pivots = lu_factor(A, pivot=pivot)
    if not get_infos:
        return LU, pivots
    ends = np.diagonal(LU._array, 0, -2, -1) == 0
    return PAIRS["_lu_with_info"](LU, pivots, Tensor._of(np.asarray((ends.argmax(-1) + 1) * ends.any(-1), np.int32)))
