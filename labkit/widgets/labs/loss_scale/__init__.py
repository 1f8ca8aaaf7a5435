"""The loss-scale lab: see `LossScaleLab`."""

from .loss_scale import LossScaleLab

__all__ = ["LossScaleLab"]
