"""Matrices as products of a permutation, a lower and an upper triangular one."""

import numpy as np

from . import _rules
from ._dispatch import apply, off_tape
from ._reduce import PAIRS
from ._solving import solve_triangular
from ._tensor import Tensor


def _pivots(matrix, pivot):
    """The order of rows in which each has the largest element left below the diagonal, and the exchanges that lead to it."""
    left, steps = np.array(matrix, np.float64), min(matrix.shape)
    order, swaps = np.arange(len(matrix)), np.arange(1, steps + 1, dtype=np.int32)
    for k in range(steps):
        best = k + int(np.abs(left[k:, k]).argmax()) if pivot else k
        swaps[k] = best + 1
        for rows in (left, order):
            rows[[k, best]] = rows[[best, k]]
        if left[k, k]:
            left[k + 1 :] -= np.outer(left[k + 1 :, k] / left[k, k], left[k])
    return order, swaps


def _order(A, pivot):
    if A.ndim < 2:
        raise RuntimeError("linalg.lu: The input tensor A must have at least 2 dimensions.")
    stack = A._array.reshape(-1, *A.shape[-2:])
    orders, swaps = zip(*(_pivots(matrix, pivot) for matrix in stack))
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


def lu_solve(LU, pivots, B, *, left=True, adjoint=False) -> Tensor:
    """x with A @ x = B (`adjoint`: A.mT @ x = B; without `left`: x @ A = B), of what `lu_factor` gave for A."""
    if not left:
        return lu_solve(LU, pivots, B.mT, adjoint=not adjoint).mT
    order = np.broadcast_to(np.arange(LU.shape[-1]), pivots.shape).copy()
    for place in np.ndindex(pivots.shape[:-1]):
        for k, other in enumerate(pivots._array[place] - 1):
            order[place][[k, other]] = order[place][[other, k]]
    rows = Tensor._of(np.eye(LU.shape[-1], dtype=LU._array.dtype)[order])
    if adjoint:
        half = solve_triangular(LU.mT, B, upper=False)
        return rows.mT @ solve_triangular(LU.mT, half, upper=True, unitriangular=True)
    return solve_triangular(LU, solve_triangular(LU, rows @ B, upper=False, unitriangular=True), upper=True)
