"""The loss-scale lab: see `LossScaleLab`."""

from .scene import LossScaleLab

__all__ = ["LossScaleLab"]
