"""`torch.fx`: what traces functions as graphs. Here nothing is: `wrap` leaves functions as they are, and of the classes there
are no instances, which code can ask; `labkit.show` draws what runs.
"""

from typing import Any

from ..aliases import attributes
from ..layout import Placed

__all__ = ["Graph", "GraphModule", "Node", "Proxy", "Tracer", "wrap"]


def wrap(fn_or_name) -> Any:
    """The function, or the name of one, itself: nothing is traced here."""
    return fn_or_name


class _Untraced(metaclass=Placed):
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            f"torch.fx.{type(self).__name__}: nothing is traced as a graph here. `labkit.show` draws what runs."
        )


class Graph(_Untraced):
    """A traced function; there is none here, and NotImplementedError for who makes one."""


class GraphModule(_Untraced):
    """A module with a traced `forward`; there is none here."""


class Node(_Untraced):
    """A call in a graph; there is none here."""


class Proxy(_Untraced):
    """What stands for a tensor while a function is traced; there is none here."""


class Tracer(_Untraced):
    """What traces a module; there is none here."""


__getattr__ = attributes(__name__)
