"""`torch._jit_internal`: what PyTorch's own files take to be compiled, and others take after them."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: UP035

from ..aliases import attributes
from .jit import export, ignore, interface, is_scripting, unused

__all__ = ["Any", "Dict", "Final", "List", "Optional", "Tuple", "Union", "boolean_dispatch", "export", "ignore", "interface",
           "is_scripting", "unused"]  # fmt: skip


def _overload(func) -> Callable:
    """A decorator that leaves a function as it is."""
    return func


_overload_method = _overload


def boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name) -> Callable:
    """One function of two: `if_true` where the argument of this name or place is true, else `if_false`.

    >>> boolean_dispatch("both", 1, False, lambda x, both: [x, x], lambda x, both: [x], "m", "f")(3, both=True)
    [3, 3]
    """

    @wraps(if_false)
    def fun(*args, **kwargs):
        chosen = kwargs[arg_name] if arg_name in kwargs else args[arg_index] if arg_index < len(args) else default
        if not (arg_name in kwargs or arg_index < len(args)):
            kwargs[arg_name] = default
        return (if_true if chosen else if_false)(*args, **kwargs)

    fun.__name__, fun.__module__ = func_name, module_name
    return fun


__getattr__ = attributes(__name__)
