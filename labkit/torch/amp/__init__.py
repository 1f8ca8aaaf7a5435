"""Mixed precision: a scaled loss, and ops that compute in two-byte floats."""

from ...dialects.unsupported import attributes
from ...imports.lazy import load as _load
from ._autocast_mode import autocast

_missing = attributes(__name__)

__all__ = ["GradScaler", "autocast"]


def __getattr__(name):
    return _load(globals(), {"GradScaler": "_grad_scaler"}, name) if name == "GradScaler" else _missing(name)
