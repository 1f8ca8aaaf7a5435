"""The upstream gradient of each output, to drag."""

from .lab import UpstreamGradientLab

__all__ = ["UpstreamGradientLab"]
