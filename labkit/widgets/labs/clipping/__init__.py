"""The clipping lab: a gradient and a path over a cliff; and the order of the steps around a clip."""

from .lab import ClippingLab
from .order import ORDERS, faults, right

__all__ = ["ORDERS", "ClippingLab", "faults", "right"]
