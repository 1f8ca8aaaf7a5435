"""Data sinking: the steps that are made, the data that they see, how often the host waits."""

from .scene import SinkCalculator

__all__ = ["SinkCalculator"]
