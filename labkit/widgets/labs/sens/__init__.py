"""The seed of each output, to drag."""

from .lab import SensDial

__all__ = ["SensDial"]
