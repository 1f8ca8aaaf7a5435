"""The arrays that a rule holds: in its closure, and in what that holds."""

from collections.abc import Callable, Container, Iterable
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ..engine import getval, isbox


def owner_of(value: Any) -> Any:
    """The array that owns the memory of a value: views share one."""
    array = getval(value)
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array if isinstance(array, (np.ndarray, np.generic)) else np.asarray(array)


def owners_of(values: Iterable[Any]) -> dict[int, Any]:
    """`{id: array}` of the arrays that own the memory of values."""
    return {id(owner): owner for owner in map(owner_of, values)}


def bytes_of(arrays: dict[int, Any], without: Container[int] = ()) -> int:
    return sum(array.nbytes for key, array in arrays.items() if key not in without)


def arrays_held(rule: Callable) -> dict[int, Any]:
    """`{id: array}` of every array that a function holds: in its closure, and in what that holds."""
    found, seen, stack = dict[int, Any](), set[int](), [rule]
    while stack:
        thing = stack.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isbox(thing) or isinstance(thing, (np.ndarray, np.generic)):
            found |= owners_of([thing])
        else:
            stack.extend(_inside(thing))
    return found


def _inside(thing):
    """What a function, a method or a container holds."""
    if isinstance(thing, FunctionType):
        cells = [held for cell in thing.__closure__ or () for held in _contents(cell)]
        return [*cells, *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
    if isinstance(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, MethodType):
        return [thing.__func__]
    if isinstance(thing, dict):
        return list(thing.values())
    return list(thing) if isinstance(thing, (tuple, list, set)) else []


def _contents(cell):
    try:
        return [cell.cell_contents]
    except ValueError:  # a variable that has no value yet
        return []
