"""`torch.profiler`: names for stretches of code; `labkit.show` and `labkit.memory_report` show what runs."""

from ..aliases import attributes
from .autograd.profiler import record_function

__all__ = ["record_function"]

__getattr__ = attributes(__name__)
