"""The clipping lab: a gradient, all of them, a path over a cliff, and the order of the steps around it."""

from .order import ORDERS, faults, right
from .scene import ClippingLab

__all__ = ["ORDERS", "ClippingLab", "faults", "right"]
