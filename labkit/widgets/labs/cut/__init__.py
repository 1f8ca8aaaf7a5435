"""Cut an edge: `stop_gradient` at one use of a value."""

from .lab import CutEdge

__all__ = ["CutEdge"]
