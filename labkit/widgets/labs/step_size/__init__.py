"""A difference quotient at every step, in three float formats."""

from .lab import StepSize

__all__ = ["StepSize"]
