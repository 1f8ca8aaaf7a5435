"""Mixed precision: a scaled loss, and ops that compute in two-byte floats."""

from .._autocast import autocast
from ._grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast"]
