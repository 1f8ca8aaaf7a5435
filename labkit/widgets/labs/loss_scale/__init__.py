"""The loss-scale lab: see `LossScaleLab`."""

from .lab import LossScaleLab

__all__ = ["LossScaleLab"]
