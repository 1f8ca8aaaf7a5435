"""One batch cut into parts, and what their gradients make together."""

from .lab import BatchSplitter

__all__ = ["BatchSplitter"]
