"""The loss landscape: how optimizers go down the same slope."""

from .landscape import Landscape

__all__ = ["Landscape"]
