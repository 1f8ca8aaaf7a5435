"""`torch.jit`: the words around functions and modules that PyTorch compiles; here Python runs them as they are."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any, Final

from ..aliases import attributes
from ..layout import Placed
from .futures import Future
from .nn import Module

__all__ = [
    "Attribute", "Final", "Future", "ScriptFunction",
    "ScriptModule", "annotate", "export", "fork", "freeze", "ignore", "interface",
    "is_scripting", "is_tracing", "optimize_for_inference", "script", "script_if_tracing", "script_method", "trace",
    "trace_module", "unused", "wait",
]  # fmt: skip


class ScriptModule(Module, metaclass=Placed):
    """A module whose methods may be compiled; here it is one as any other, and none is made of another."""


class ScriptFunction(metaclass=Placed):
    """A compiled function; there is none here."""


RecursiveScriptModule = TopLevelTracedModule = TracedModule = ScriptModule
Attribute = namedtuple("Attribute", ["value", "type"])


def script(obj=None, *args, **kwargs) -> Any:
    """`obj` itself, a function, a class or a module: nothing is compiled here.

    >>> import labkit.torch as torch
    >>> torch.jit.script(torch.sin) is torch.sin, torch.jit.is_scripting()
    (True, False)
    """
    return script if obj is None else obj


def trace(func=None, example_inputs=None, *args, **kwargs) -> Any:
    """`func` itself, a function or a module, which is not run: it also does what other inputs would have it do."""
    return func


def trace_module(mod, inputs=None, *args, **kwargs) -> Any:
    """`mod` itself."""
    return mod


def _unchanged(name, doc) -> Callable:
    def decorator(fn, *args, **kwargs):
        return fn

    decorator.__name__ = decorator.__qualname__ = name
    decorator.__doc__ = doc
    return decorator


export, unused, script_if_tracing, script_method, interface = (
    _unchanged(name, "A decorator that leaves a function or a class as it is.")
    for name in ("export", "unused", "script_if_tracing", "script_method", "interface")
)
freeze, optimize_for_inference = (
    _unchanged(name, "The module itself.") for name in ("freeze", "optimize_for_inference")
)


def ignore(drop=False, **kwargs) -> Callable:
    """A decorator, with or without options, that leaves a function as it is."""
    return drop if callable(drop) else lambda fn: fn


def is_scripting() -> bool:
    """Whether compiled code runs: no."""
    return False


def is_tracing() -> bool:
    """Whether a function runs to be traced: no."""
    return False


def annotate(the_type, the_value) -> Any:
    """`the_value`."""
    return the_value


def fork(func, *args, **kwargs) -> Future:
    """`func(*args, **kwargs)`, called at once.

    >>> wait(fork(max, 1, 2))
    2
    """
    future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future) -> Any:
    """The value of a future."""
    return future.wait()


__getattr__ = attributes(__name__)
