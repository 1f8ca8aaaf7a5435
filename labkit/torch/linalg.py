"""`torch.linalg`: products, inverses, linear equations, determinants and singular values."""

from ..dialects.unsupported import attributes
from ._ops.linear_algebra import LinAlgError, det, inv, matmul, solve, svd

__all__ = ["LinAlgError", "det", "inv", "matmul", "solve", "svd"]

__getattr__ = attributes(__name__)
