"""Cut an edge: `stop_gradient` at one use of a value."""

from .scene import CutEdge

__all__ = ["CutEdge"]
