"""`torch.linalg`: norms and products; inverses, roots and determinants; eigenvalues and least squares."""

from typing import Any

from ..aliases import attributes
from ._ex import cholesky_ex, inv_ex, solve_ex
from ._factored import lu, lu_factor, lu_solve
from ._linear import matmul
from ._reduce import norm as _norm
from ._reduce import vector_norm
from ._solving import (
    LinAlgError,
    cholesky,
    det,
    inv,
    slogdet,
    solve,
    solve_triangular,
    tensorinv,
    tensorsolve,
)  # fmt: skip
from ._spectral import (
    eigh,
    eigvalsh,
    householder_product,
    lstsq,
    matrix_exp,
    matrix_rank,
    pinv,
    qr,
    svd,
    svdvals,
)  # fmt: skip
from ._table import FUNCTIONS, METHODS
from ._tensor import Tensor

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eigh", "eigvalsh", "householder_product",
    "inv", "inv_ex", "lstsq", "lu", "lu_factor", "lu_solve", "matmul", "matrix_exp", "matrix_norm", "matrix_power",
    "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve", "solve_ex", "solve_triangular", "svd", "svdvals",
    "tensorinv", "tensorsolve", "vander", "vecdot", "vector_norm",
]  # fmt: skip


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The 2-norm of all elements; of order `ord` that of a vector or, for two dimensions, that of a matrix."""
    if ord is not None and ((isinstance(dim, (tuple, list)) and len(dim) == 2) or (dim is None and A.ndim == 2)):
        return matrix_norm(A, ord, dim or (-2, -1), keepdim, dtype=dtype)
    return _norm(A if dtype is None else A.to(dtype), 2 if ord is None else ord, dim, keepdim)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None) -> Tensor:
    """The norm of matrices: "fro" (of all elements), 1 or -1 (of columns), inf or -inf (of rows); 2, -2 or "nuc" of
    singular values: the largest, the smallest, their sum.

    >>> import labkit.torch as torch
    >>> torch.linalg.matrix_norm(torch.tensor([[1.0, -2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    A, (row, column) = A if dtype is None else A.to(dtype), (d % A.ndim for d in dim)
    if ord == "fro":
        return _norm(A, 2, (row, column), keepdim)
    if ord in (2, -2, "nuc"):
        values = svdvals(A.movedim((row, column), (-2, -1)))
        found = values.sum(-1) if ord == "nuc" else METHODS["amax" if ord > 0 else "amin"](values, -1)
        return found.unsqueeze(min(row, column)).unsqueeze(max(row, column)) if keepdim else found
    if ord not in (1, -1, float("inf"), -float("inf")):
        raise ValueError(f"linalg.matrix_norm: Order {ord} not supported.")
    along, other = (row, column) if abs(ord) == 1 else (column, row)
    sums = _norm(A, 1, along, True)
    found = METHODS["amax" if ord > 0 else "amin"](sums, other, True)
    return found if keepdim else found.squeeze((row, column))


def cond(A, p=None) -> Tensor:
    """How many times a relative error can grow where A @ x = b is solved: the norms of A and of its inverse, multiplied.

    >>> import labkit.torch as torch
    >>> torch.linalg.cond(torch.tensor([[4.0, 0.0], [0.0, 2.0]]))
    tensor(2.)
    """
    if p in (None, 2, -2):
        values: Any = svdvals(A)
        return values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    size: Any = matrix_norm(A, p)
    return size * matrix_norm(inv(A), p)


def vander(x, *, N=None) -> Tensor:
    """The powers 0 to N - 1 of each element, as rows."""
    return FUNCTIONS["vander"](x, N, True)


def multi_dot(tensors) -> Tensor:
    """The product of matrices, of which the first and the last may be vectors.

    >>> import labkit.torch as torch
    >>> multi_dot([torch.ones(2), torch.eye(2), torch.ones(2, 2)])
    tensor([2., 2.])
    """
    found, *others = tensors
    for other in others:
        found = matmul(found, other)
    return found


def matrix_power(A, n) -> Tensor:
    """The product of `n` times the same matrix; of none, the identity; below 0 that of its inverse."""
    if n < 0:
        return matrix_power(inv(A), -n)
    if n == 0:
        return FUNCTIONS["eye"](A.shape[-1], dtype=A.dtype).expand(*A.shape)
    return multi_dot([A] * n)


def vecdot(x, y, *, dim=-1) -> Tensor:
    """The sums of the products of two tensors along a dimension."""
    return (x * y).sum(dim)


def cross(input, other, *, dim=-1) -> Tensor:
    """The cross product of vectors of length 3 along `dim`."""
    return FUNCTIONS["cross"](input, other, dim)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1) -> Tensor:
    """The diagonals of matrices: a view."""
    return FUNCTIONS["diagonal"](A, offset, dim1, dim2)


__getattr__ = attributes(__name__)
