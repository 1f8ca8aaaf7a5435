"""The Jacobian of a function as a heat map, built by VJPs and JVPs."""

from .lab import JacobianMap

__all__ = ["JacobianMap"]
