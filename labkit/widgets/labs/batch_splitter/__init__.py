"""One batch cut into parts, and the sum or mean of their gradients."""

from .lab import BatchSplitter

__all__ = ["BatchSplitter"]
