"""The call builder: see `CallBuilder`."""

from .lab import CallBuilder

__all__ = ["CallBuilder"]
