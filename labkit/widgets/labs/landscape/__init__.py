"""The loss landscape: how optimizers go down the same slope."""

from .lab import Landscape

__all__ = ["Landscape"]
