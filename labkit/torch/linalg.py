"""`torch.linalg`: norms, products, inverses, linear equations, determinants and singular values."""

from ..dialects.unsupported import attributes
from ._ops.function_table import METHODS
from ._ops.linear_algebra import LinAlgError, det, inv, matmul, solve, svd, svdvals
from ._ops.reductions import norm as _norm
from ._ops.reductions import vector_norm
from ._tensor.tensor import Tensor

__all__ = ["LinAlgError", "det", "inv", "matmul", "matrix_norm", "norm", "solve", "svd", "svdvals", "vector_norm"]


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The 2-norm of all elements; of order `ord` that of a vector or, for two dimensions, that of a matrix.

    >>> import labkit.torch as torch
    >>> torch.linalg.norm(torch.tensor([3.0, -4.0])), torch.linalg.norm(torch.tensor([3.0, -4.0]), 1)
    (tensor(5.), tensor(7.))
    """
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


__getattr__ = attributes(__name__)
