"""Why a gradient is None, zero, nan, small or healthy: `labkit.why`."""

from .answer import Place, Why
from .asking import ask as why

__all__ = ["Place", "Why", "why"]
