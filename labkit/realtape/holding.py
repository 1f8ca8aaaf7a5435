"""The objects that an object holds or a function can reach: inspected, never called."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ..engine import is_own
from .kinds import is_real_module, is_real_tensor

CONTAINERS = dict, list, set, deque
DEEP = 5  # containers in containers
INNER = "torch._"  # what is in PyTorch's own workings, such as compiled code, is left alone
LONG = 10_000  # things in one container: in a longer one nothing is looked for


def containers(roots: Iterable[Any]) -> Iterator[Any]:
    """The dicts, lists, sets and deques that change when what is in one of `roots` changes: the attributes of objects, too, but
    not those of tensors, modules and functions."""
    seen: set[int] = set()
    waiting = [(root, 0) for root in roots]
    while waiting:
        one, depth = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, CONTAINERS) and type(one).__module__ in ("builtins", "collections"):
            yield one
        if depth < DEEP:
            waiting += [(part, depth + 1) for part in _parts(one)]


def _parts(value: Any) -> list[Any]:
    """What is in a container, or the attributes of an object of a class of its own."""
    if isinstance(value, CONTAINERS):
        inside = value.values() if isinstance(value, dict) else value
        return [part for part in inside if _may_hold(part)] if len(value) <= LONG else []
    if isinstance(value, tuple):
        return [part for part in value if _may_hold(part)]
    own = getattr(value, "__dict__", None)
    return [own] if type(own) is dict and not type(value).__module__.startswith(INNER) else []


def _may_hold(value: Any) -> bool:
    plain = isinstance(value, int | float | str | bytes | type | ModuleType | FunctionType | MethodType | None)
    return not (plain or is_real_tensor(value) or is_real_module(value))


def reached(fun: Any) -> dict[str, Any]:
    """The tensors and modules of the installed PyTorch that a function can use, by what they are called there: in its closure,
    among its defaults and the globals that it names, in what it is bound to; also those of the user's functions that it uses."""
    found: dict[str, Any] = {}
    for name, one in _walked(fun):
        if is_real_tensor(one) or is_real_module(one):
            found.setdefault(name, one)
    return found


def touched(fun: Any) -> list[Any]:
    """The containers, and the attributes of objects, that a function can change by what it can use."""
    every = [one for _, one in _walked(fun)]
    own = [vars(one) for one in every if _is_of_the_user(one) and type(getattr(one, "__dict__", None)) is dict]
    return [*own, *(one for one in every if isinstance(one, CONTAINERS))]


def _walked(fun: Any) -> Iterator[tuple[str, Any]]:
    seen: set[int] = set()
    waiting = [("", fun, 0)]
    while waiting:
        name, one, depth = waiting.pop()
        if id(one) not in seen and depth <= DEEP:
            seen.add(id(one))
            yield name, one
            waiting += [(inside, value, depth + 1) for inside, value in _used_by(name, one)]


def _used_by(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if is_real_tensor(value) or is_real_module(value):
        return
    if isinstance(value, FunctionType):
        if is_own(value.__code__.co_filename):
            yield from _used_by_function(value)
    elif isinstance(value, MethodType):
        yield from (("self", value.__self__), ("", value.__func__))
    elif isinstance(value, partial):
        yield from (("", value.func), *((f"{name}[{i}]", a) for i, a in enumerate(value.args)), *value.keywords.items())
    elif isinstance(value, Mapping) and len(value) <= LONG:
        yield from ((f"{name}[{key!r}]", value[key]) for key in value)
    elif isinstance(value, list | tuple) and len(value) <= LONG:
        yield from ((f"{name}[{i}]", part) for i, part in enumerate(value))
    elif _is_of_the_user(value):
        own = getattr(value, "__dict__", {})
        yield from ((f"{name}.{key}".lstrip("."), part) for key, part in own.items())


def _is_of_the_user(value: Any) -> bool:
    """Whether it is an object of a class of the user's, and no module."""
    plain = isinstance(value, type | FunctionType | MethodType) or is_real_module(value) or is_real_tensor(value)
    return not plain and is_own(_file_of(type(value)))


def _file_of(kind: type) -> str:
    """The file of a class; "<cell>" of one that was written in a notebook, and that of Python for its own."""
    module = sys.modules.get(kind.__module__)
    return getattr(module, "__file__", None) or (
        "<frozen>" if kind.__module__ in sys.builtin_module_names else "<cell>"
    )


def _used_by_function(fun: FunctionType) -> Iterator[tuple[str, Any]]:
    """Its free variables, its defaults, and the globals that it, or a function in it, names."""
    for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not yet assigned
            continue
    yield from (("", value) for value in fun.__defaults__ or ())
    yield from (fun.__kwdefaults__ or {}).items()
    names = dict.fromkeys(_global_names(fun.__code__))
    yield from ((name, fun.__globals__[name]) for name in names if name in fun.__globals__)


def _global_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _global_names(inner)
