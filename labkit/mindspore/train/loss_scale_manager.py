"""The loss-scale managers under the name they had in release 1."""

from ...aliases import attributes
from ..amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]

__getattr__ = attributes(__name__)
