"""Memory against time, with and without checkpoints."""

from .lab import MemoryCurve

__all__ = ["MemoryCurve"]
