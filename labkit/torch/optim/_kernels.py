"""The arithmetic of a step, by the kernels that the real methods are made of: two-byte floats are rounded after each of them.

All take and return arrays, and numbers; float32 and float64 are computed as the formula says.
"""

import numpy as np

from ...ops import operand, two_bytes
from .. import _rules

added = _rules.add_scaled.fun  # x + c y
times = _rules.by_number.fun  # x c
addcmul, addcdiv = _rules.addcmul.fun, _rules.addcdiv.fun  # x + c a b, x + c a / b
over = _rules.over_number.fun  # x / c
towards = _rules.lerp.fun  # x + c (y - x)


def mean_square(s, g, rho) -> np.ndarray:
    """rho s + (1 - rho) g^2.

    >>> mean_square(np.ones(2), np.array([1.0, 3.0]), 0.5)
    array([1., 5.])
    """
    if two_bytes(s.dtype):
        return addcmul(times(s, rho), g, g, 1 - rho)
    return rho * s + (1 - rho) * (g * g)


def root(s, eps, by=None) -> np.ndarray:
    """sqrt(s) / by + eps."""
    return raised(np.sqrt(s) if by is None else over(np.sqrt(s), by), eps)


def raised(x, eps) -> np.ndarray:
    """x + eps."""
    return x + (operand(eps, x) if two_bytes(x.dtype) else eps)


def stepped(x, size, a, b) -> np.ndarray:
    """x - size (a / b)."""
    return addcdiv(x, a, b, -size) if two_bytes(x.dtype) else x - size * (a / b)
