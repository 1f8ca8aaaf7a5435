"""A difference quotient at every step, in three float formats."""

from .scene import StepSize

__all__ = ["StepSize"]
