"""`torch.autograd.profiler`: names for stretches of code, which run as they are; nothing is measured here."""

from ...aliases import attributes
from ..utils._contextlib import _DecoratorContextManager

__all__ = ["record_function"]


class record_function(_DecoratorContextManager):
    """A name for what runs under it, as a context manager or a decorator.

    >>> with record_function("forward"):
    ...     print("runs")
    runs
    """

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        return None

    def clone(self) -> "record_function":
        return type(self)(self.name, self.args)


__getattr__ = attributes(__name__)
