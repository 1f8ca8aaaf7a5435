"""Mixed precision: a scaled loss, and ops that compute in two-byte floats."""

from ...aliases import attributes
from .._autocast import autocast
from ._functions import custom_bwd, custom_fwd
from ._grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


__getattr__ = attributes(__name__)
