"""The loss landscape: how optimizers walk down the same slope."""

from .scene import Landscape

__all__ = ["Landscape"]
