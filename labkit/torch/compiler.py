"""`torch.compiler`: what is said about code that PyTorch compiles; here Python runs it as it is."""

from collections.abc import Callable
from typing import Any

from ..aliases import attributes

__all__ = [
    "allow_in_graph", "assume_constant_result", "cudagraph_mark_step_begin", "disable", "is_compiling", "is_dynamo_compiling",
    "is_exporting", "reset",
]  # fmt: skip


def is_compiling() -> bool:
    """Whether a function is being compiled: no.

    >>> import labkit.torch as torch
    >>> torch.compiler.is_compiling()
    False
    """
    return False


is_dynamo_compiling = is_exporting = is_compiling


def disable(fn=None, recursive=True, *, reason=None) -> Callable:
    """`fn` itself; without it, a decorator."""
    return fn if fn is not None else lambda fn: fn


def allow_in_graph(fn) -> Any:
    """`fn` itself."""
    return fn


assume_constant_result = allow_in_graph


def reset() -> None:
    """Nothing was compiled, so nothing is forgotten."""


def cudagraph_mark_step_begin() -> None:
    """There are no graphs of kernels."""


__getattr__ = attributes(__name__)
