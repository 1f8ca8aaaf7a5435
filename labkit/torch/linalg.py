"""`torch.linalg`: norms."""

from ..aliases import attributes
from ._linear import matmul
from ._reduce import norm as _norm
from ._reduce import vector_norm
from ._tensor import Tensor

__all__ = ["matmul", "norm", "vector_norm"]


def norm(A, ord=None, dim=None, keepdim=False, *, out=None, dtype=None) -> Tensor:
    """The 2-norm of all elements, or the vector norm of order `ord`."""
    return _norm(A, 2 if ord is None else ord, dim, keepdim)


__getattr__ = attributes(__name__)
