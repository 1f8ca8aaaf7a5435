"""The Jacobian of a function as a heat map, built by pulls and pushes."""

from .scene import JacobianMap

__all__ = ["JacobianMap"]
