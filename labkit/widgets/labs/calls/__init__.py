"""A call of MindSpore's `grad`, put together by dials."""

from .scene import CallBuilder

__all__ = ["CallBuilder"]
