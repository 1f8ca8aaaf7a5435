"""`torch.linalg`: norms, products, inverses, linear equations, determinants and singular values."""

from ..dialects.unsupported import attributes
from ._ops.dispatch import converted
from ._ops.linear_algebra import LinAlgError, det, inv, matmul, solve, svd
from ._ops.reductions import norm as _norm
from ._tensor.tensor import Tensor

__all__ = ["LinAlgError", "det", "inv", "matmul", "norm", "solve", "svd", "vector_norm"]
_NO_ORDER = "labkit does not implement the norm of order {ord} of a matrix; PyTorch has it."


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The norm of order `ord` of all elements, or along `dim`.

    >>> import labkit.torch as torch
    >>> torch.linalg.vector_norm(torch.tensor([3.0, -4.0])), torch.linalg.vector_norm(torch.tensor([3.0, -4.0]), 1)
    (tensor(5.), tensor(7.))
    """
    return _norm(converted(x, dtype) if dtype else x, ord, dim, keepdim)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The 2-norm of all elements, or the norm of order `ord` of a vector. Raises NotImplementedError for others of matrices."""
    axes = A.ndim if dim is None else len(dim) if isinstance(dim, (tuple, list)) else 1
    if ord not in (None, "fro") and axes != 1:
        raise NotImplementedError(_NO_ORDER.format(ord=ord))
    return vector_norm(A, 2 if ord in (None, "fro") else ord, dim, keepdim, dtype=dtype)


__getattr__ = attributes(__name__)
