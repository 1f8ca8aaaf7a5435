"""One batch cut into parts, and what their gradients make together."""

from .scene import BatchSplitter

__all__ = ["BatchSplitter"]
