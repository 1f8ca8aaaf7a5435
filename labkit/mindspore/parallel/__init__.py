"""Data parallel training: what the settings of `set_auto_parallel_context` mean."""

from ...aliases import attributes

__getattr__ = attributes(__name__)
