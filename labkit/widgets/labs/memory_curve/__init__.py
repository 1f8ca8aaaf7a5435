"""Memory against time, with and without checkpoints."""

from .scene import MemoryCurve

__all__ = ["MemoryCurve"]
