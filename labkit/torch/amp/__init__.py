"""Mixed precision: a scaled loss, and ops that compute in two-byte floats."""

from ...aliases import attributes
from .._autocast import autocast
from ._grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast"]


__getattr__ = attributes(__name__)
