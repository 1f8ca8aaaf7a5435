"""`torch._dynamo`, as far as code that runs without being compiled asks for it."""

from types import SimpleNamespace

from ..aliases import attributes
from .compiler import allow_in_graph, assume_constant_result, disable, is_compiling, reset

__all__ = ["allow_in_graph", "assume_constant_result", "config", "disable", "graph_break", "is_compiling", "mark_dynamic",
           "mark_static", "reset"]  # fmt: skip

config = SimpleNamespace(
    cache_size_limit=8, capture_scalar_outputs=False, recompile_limit=8, suppress_errors=False, verbose=False
)


def graph_break(msg="") -> None:
    """There is no graph."""


def mark_dynamic(t, index, *args, **kwargs) -> None:
    """No dimension is taken for constant."""


mark_static = mark_dynamic

__getattr__ = attributes(__name__)
