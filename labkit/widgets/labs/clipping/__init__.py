"""The clipping lab: a gradient and a path over a cliff; and the order of the steps around a clip."""

from .order import ORDERS, faults, right
from .scene import ClippingLab

__all__ = ["ORDERS", "ClippingLab", "faults", "right"]
