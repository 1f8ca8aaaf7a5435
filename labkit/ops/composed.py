"""Ops that are made of others: each is written once, of the functions `of` the dialect that offers it, in NumPy's words.

One whose first argument is `input` is a method of tensors, too.
"""

from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
from typing import Any

from .signatures import signed

COMPOSED: dict[str, Callable] = {}


def _composed(fun) -> Callable:
    COMPOSED[fun.__name__] = fun
    return fun


def compositions(of, room, checked, words=str) -> Iterator[tuple[str, Callable, bool]]:
    """`(name, function, whether it is a method)` of all these ops for a `room`, made of its functions `of`, by their names.

    `checked(input, name)` raises where a method is called with no tensor; `words` puts parameters in the words of the room.

    >>> {name: method for name, _, method in compositions({}, "numpy", print)}["fliplr"]
    True
    """
    for name, fun in COMPOSED.items():
        takes = str(signature(fun)).removeprefix("(of, ").partition(") ->")[0]
        method = takes.startswith("input")
        answer = _of_tensor(name, fun, of, checked) if method else partial(fun, of)
        yield name, signed(name, words(takes), answer, room, fun.__doc__), method


def _of_tensor(name, fun, of, checked):
    def answer(input, **given):
        checked(input, name)
        return fun(of, input, **given)

    return answer


@_composed
def nanmean(of, input, axis=None, keepdims=False, *, dtype=None) -> Any:
    """The mean of those that are not nan, of all elements or along an axis; nan where there are none."""
    total = of["nansum"](input, axis=axis, keepdims=keepdims, dtype=dtype)
    return total / of["sum"](of["eq"](input, input), axis=axis, keepdims=keepdims)


@_composed
def ravel(of, input) -> Any:
    """All elements along one axis."""
    return input.reshape(-1)


@_composed
def fliplr(of, input) -> Any:
    """The columns in reversed order."""
    return of["flip"](input, 1)


@_composed
def flipud(of, input) -> Any:
    """The rows in reversed order."""
    return of["flip"](input, 0)


@_composed
def vstack(of, tensors) -> Any:
    """Tensors one below the other; vectors become rows."""
    return of["cat"]([x if x.ndim > 1 else x.reshape(1, -1) for x in tensors], 0)


@_composed
def hstack(of, tensors) -> Any:
    """Tensors side by side: along the second axis, and vectors along the first."""
    tensors = [x if x.ndim else x.reshape(1) for x in tensors]
    return of["cat"](tensors, 0 if tensors[0].ndim == 1 else 1)


@_composed
def column_stack(of, tensors) -> Any:
    """Tensors side by side; vectors become columns."""
    return of["cat"]([x if x.ndim > 1 else x.reshape(-1, 1) for x in tensors], 1)


@_composed
def dstack(of, tensors) -> Any:
    """Tensors along the third axis; matrices become (m, n, 1), and vectors (1, n, 1)."""
    rows = [x if x.ndim > 1 else x.reshape(1, -1) for x in tensors]
    return of["cat"]([x if x.ndim > 2 else x.reshape(*x.shape, 1) for x in rows], 2)
