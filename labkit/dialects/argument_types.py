"""Checks of argument types, each in the words of its place, and several arguments as one."""

from typing import Any


def of_kind(value, kinds, text, error: type[Exception] = TypeError, **words) -> Any:
    """`value`, if it is one of `kinds`, as `isinstance` takes them; True and False are not numbers, unless `kinds` has bool.

    Otherwise raises `error` with `text`, in which `{value}`, `{type}`, `{kind}` (the type's bare name) and `words` stand.

    >>> of_kind(3, int, "expected an int, but got {kind}")
    3
    >>> of_kind("3", int | None, "{owner}: expected an int, but got {value!r}, of {type}", owner="take")
    Traceback (most recent call last):
    TypeError: take: expected an int, but got '3', of <class 'str'>
    """
    allowed = getattr(kinds, "__args__", as_tuple(kinds))
    if isinstance(value, kinds) and (bool in allowed or not isinstance(value, bool)):
        return value
    raise error(text.format(value=value, type=type(value), kind=type(value).__name__, **words))


def one_by_one(args) -> Any:
    """`f((2, 3))`, `f([2, 3])` and `f(2, 3)` alike: the values that `args` are, or that its only one, a tuple or list, holds.

    >>> one_by_one((2, 3)), one_by_one(([2, 3],)), one_by_one((2,))
    ((2, 3), [2, 3], (2,))
    """
    return args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args


def as_tuple(value, kinds=tuple) -> Any:
    """`value`, if it is one of `kinds`; else the tuple of it alone."""
    return value if isinstance(value, kinds) else (value,)
