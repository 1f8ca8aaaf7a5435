"""The call builder: see `CallBuilder`."""

from .calls import CallBuilder

__all__ = ["CallBuilder"]
