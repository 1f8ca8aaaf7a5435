"""Checks of values, functions and what they return; each error says what to write instead."""

import inspect
from types import FunctionType
from typing import Any

import numpy as np
from autograd.extend import Box

from .boxes import is_number
from .dtypes import isbox, shape_of
from .trees import leaves

_NO_NUMBERS = "OSUmM"  # kinds of dtypes: objects, text, dates
VALUE = "a value that is being differentiated"
_UNUSUAL = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_NOT_NUMERIC = "{argument}: expected a number or a NumPy array, but got {kind}"
_LARGE = "{argument}: the integer {value:.3g} is too large for NumPy. Write a float"
_CLASS = "{caller}: expected {expected}, but got the class {name}. Create an instance: {name}(...)"
_CALLED = "{caller}: expected {expected}, but got {kind}. Write {usage}, not {caller}(f(x))"
_OUTSIDE = "{name}: its result was computed by plain NumPy, which loses the gradient. Use autograd.numpy instead"
_TANGENT = "jvp: expected a tangent of its argument's shape {expected}, but got {shape}"
_CONTAINERS = (list, tuple, dict)  # autograd differentiates them too, where it is asked to


def numeric(value, *what) -> Any:
    """`value` as NumPy's, an array or a box as it is; raises TypeError for what is not a number and for an array of objects,
    text or dates, with the words `what` that say which value this is. Complex and two-byte numbers pass.

    A Python number becomes NumPy's: Python raises at 1/0 and answers with a complex number for (-1.0)**0.5, where an array
    of the same numbers gives inf and nan. So there is one answer, whichever way a number came in.
    """
    kind = type(value)
    if kind is np.ndarray:
        if value.dtype.kind not in _NO_NUMBERS:
            return value
    elif kind is float:
        return np.float64(value)
    elif kind is int or kind is bool:
        return _integer(value, *what)
    elif kind is complex:
        return np.complex128(value)
    elif is_number(kind) or (kind in Box.type_mappings and kind not in _CONTAINERS):
        return value
    raise TypeError(_NOT_NUMERIC.format(argument=" ".join(map(str, what)), kind=described(value)))


def _integer(value, *what):
    raw = np.asarray(value)[()]
    if raw is value:  # beyond 64 bits NumPy keeps Python's
        text = (
            _LARGE
            if int(value).bit_length() < 1024
            else "{argument}: expected a number, but got an integer larger than any float"
        )
        raise TypeError(text.format(argument=" ".join(map(str, what)), value=value))
    return raw


def described(value) -> str:
    """What `value` is, in the words of an error: its type, and what to do with it where that is known."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        if value.dtype.kind in _NO_NUMBERS:
            return "an array of {dtype} (convert it to numbers: x.astype(float))".format(dtype=value.dtype)
        return "{kind} (convert it to a plain array with np.asarray)".format(kind=kind)
    if isinstance(value, _CONTAINERS):
        return "{kind} (convert a list to an array with np.array)".format(kind=kind)
    if hasattr(value, "__engine_value__"):
        return "{kind} (for tensors of a dialect, use that dialect's function of this name)".format(kind=kind)
    return kind


def check_function(usage, fun, expected="a function") -> None:
    """Raise TypeError, which says how to write it (`usage`, such as "grad(f)(x)"), if `fun` cannot be a function that returns
    numbers."""
    if type(fun) is FunctionType and not fun.__code__.co_flags & _UNUSUAL:
        return
    caller = usage.partition("(")[0]
    if isinstance(fun, type):
        raise TypeError(_CLASS.format(caller=caller, expected=expected, name=fun.__name__))
    if not callable(fun) or isbox(fun):
        came = VALUE if isbox(fun) else type(fun).__name__
        raise TypeError(_CALLED.format(caller=caller, expected=expected, kind=came, usage=usage))
    for body in (fun, type(fun).__call__, getattr(fun, "construct", None), getattr(fun, "forward", None)):
        flags = getattr(getattr(body, "__code__", None), "co_flags", 0) & _UNUSUAL
        if flags:
            name = getattr(fun, "__name__", type(fun).__name__)
            raise TypeError(_NOT_RUN[flags].format(caller=caller, name=name))


_NOT_RUN = {
    inspect.CO_GENERATOR: "{caller}: expected a function, but got a generator, {name}. Return the numbers, do not yield them",
    inspect.CO_COROUTINE: "{caller}: expected a function, but got a coroutine, {name}. Write def, not async def",
    inspect.CO_ASYNC_GENERATOR: "{caller}: expected a function, but got an async generator, {name}. Write def, and return them",
}


def with_tangents(args, tangents) -> list[tuple[Any, Any]]:
    """Each of a function's arguments with its tangent, as NumPy's.

    Raises TypeError unless there is one for each, and ValueError for one of another shape than its argument.
    """
    if not (isinstance(args, (tuple, list)) and isinstance(tangents, (tuple, list)) and len(args) == len(tangents)):
        raise TypeError("jvp: expected as many tangents as arguments, both in tuples. Write labkit.jvp(f, (x,), (v,))")
    pairs = []
    for value, tangent in zip(args, tangents, strict=True):
        tangent = numeric(tangent, "jvp: the tangent")
        if shape_of(value) != shape_of(tangent):
            raise ValueError(_TANGENT.format(expected=shape_of(value), shape=shape_of(tangent)))
        pairs.append((numeric(value, "jvp: the argument"), tangent))
    return pairs


def _has_numbers(leaf):
    dtype = getattr(leaf, "dtype", None)
    return isinstance(leaf, (int, float, complex)) if dtype is None else getattr(dtype, "kind", "f") not in _NO_NUMBERS


def check_output(fun, output) -> Any:
    """`output`, if it contains numbers or is empty. Raises TypeError if all of it is None or text, for example after a forgotten
    `return`, and for an array of boxes, which plain NumPy's `stack` or `where` make because they do not see through a box."""
    if isbox(output):
        return output
    found, name = leaves(output), getattr(fun, "__name__", "the function")
    if any(type(leaf) is np.ndarray and leaf.dtype == object and any(map(isbox, leaf.flat)) for leaf in found):
        raise TypeError(_OUTSIDE.format(name=name))
    if found and not any(isbox(leaf) or _has_numbers(leaf) for leaf in found):
        raise TypeError("{name}: expected numbers as the result, but got {output!r}".format(name=name, output=output))
    return output
