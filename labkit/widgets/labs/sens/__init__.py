"""The seed of each output on a dial."""

from .scene import SensDial

__all__ = ["SensDial"]
