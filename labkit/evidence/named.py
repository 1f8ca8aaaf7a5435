"""What names stand for: in the list of things to look for, and in code of somebody's own, without running any of it."""

import dis
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from types import CodeType, ModuleType
from typing import Any

import numpy as np

_LOADS = ("LOAD_NAME", "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK", "LOAD_GLOBAL", "LOAD_DEREF")


def is_module(name: str) -> bool:
    """True for the name of a module that can be imported."""
    try:
        return isinstance(import_module(name), ModuleType)
    except ImportError:
        return False


def found(name: str) -> list[Any]:
    """The functions and classes that have this name, or that match it."""
    home, _, last = name.rpartition(".")
    try:
        owner = import_module(home)
    except ImportError:  # the name of a method
        home, _, kind = home.rpartition(".")
        owner = getattr(import_module(home), kind)
    names = [one for one in dir(owner) if fnmatchcase(one, last)] if "*" in last else [last]
    return [thing for one in names if callable(thing := getattr(owner, one)) and not isinstance(thing, ModuleType)]


def codes(names: tuple[str, ...]) -> Iterator[CodeType]:
    """The code of functions in modules that have been loaded; what is not loaded is not called."""
    for name in names:
        home = name.rpartition(".")[0]
        home = home if home in sys.modules else home.rpartition(".")[0]  # of a method
        if home in sys.modules:
            yield inspect.unwrap(attrgetter(name[len(home) + 1 :])(sys.modules[home])).__code__


def homes(thing: Any) -> tuple[str, ...]:
    """The modules that a callable is of: where its code stands, and where it says it is from."""
    if isinstance(thing, np.ufunc):
        return ("numpy",)
    try:
        said = thing.__module__
    except Exception:  # whatever an object of somebody's own does when it is asked
        said = None
    written = getattr(inspect.unwrap(thing), "__globals__", {}) if inspect.isfunction(thing) else {}
    return tuple(home for home in (said, written.get("__name__")) if isinstance(home, str))


def code_of(thing: Any) -> CodeType | None:
    """The code of a Python function; None for anything else."""
    return thing.__code__ if inspect.isfunction(thing) else None


def is_operator(thing: Any) -> bool:
    """True for a method such as `__add__`."""
    return inspect.isroutine(thing) and thing.__name__.startswith("__")


@lru_cache(maxsize=1024)
def loads(code: CodeType) -> tuple[tuple[int, tuple[str, ...], bool], ...]:
    """`(offset, names, called)` wherever names such as `("np", "tanh")` are loaded, on Python 3.11 also whether to be called."""
    found: list[tuple[int, tuple[str, ...], bool]] = []
    names: tuple[str, ...] = ()
    called, last, at = False, "", 0
    for step in dis.get_instructions(code):
        if names and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            names, called = (*names, step.argval), called or step.opname == "LOAD_METHOD"
        else:
            if names:
                found.append((at, names, called))
            names = (step.argval,) if step.opname in _LOADS else ()
            called = last == "PUSH_NULL" or (step.opname == "LOAD_GLOBAL" and bool((step.arg or 0) & 1))
        at, last = step.offset, step.opname
    return tuple(found)


def value_of(names: tuple[str, ...], *scopes: Mapping[str, Any]) -> Any:
    """What `names` stand for in the first of the scopes that has them; None for nothing."""
    first, *rest = names
    value = next((scope[first] for scope in scopes if first in scope), None)
    for name in rest:
        if value is None:
            return None
        look: Callable = getattr if isinstance(value, ModuleType) else inspect.getattr_static
        value = look(value, name, None)
    return value
