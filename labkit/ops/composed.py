"""Ops that are made of others: each is written once, of the functions `of` the dialect that offers it, in NumPy's words.

One whose first argument is `input` is a method of tensors, too.
"""

from collections import ChainMap
from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
from itertools import combinations as subsets
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from .signatures import signed

COMPOSED: dict[str, Callable] = {}
TORCH_ONLY: set[str] = set()
AT_ONCE: set[Callable] = set()


def composed(fun) -> Callable:
    """Enter a function that is made of the functions `of` a dialect, under its name."""
    COMPOSED[fun.__name__.rstrip("_")] = fun
    return fun


def torch_only(fun) -> Callable:
    """Enter one that MindSpore has not, or with other arguments."""
    TORCH_ONLY.add(fun.__name__.rstrip("_"))
    return composed(fun)


def at_once(fun) -> Callable:
    """Mark one that PyTorch computes at once: two-byte floats in float32, rounded once."""
    AT_ONCE.add(fun)
    return fun


def compositions(of, room, checked, found, words=str, widened=None) -> Iterator[tuple[str, Callable, bool]]:
    """`(name, function, whether it is a method)` of all these ops for a `room`, made of its functions `of`, by their names.

    `checked(input, name)` raises where a method is called with no tensor; `found(fun, *args)` is what a NumPy function answers,
    a constant; `words` puts parameters in the words of the room; `widened` makes of a function one that computes at once.

    >>> {name: method for name, _, method in compositions({}, "numpy", print, print)}["fliplr"]
    True
    """
    of = ChainMap(of, {"found": found})
    for name, fun in COMPOSED.items():
        if name in TORCH_ONLY and "torch" not in room:
            continue
        takes = str(signature(fun)).removeprefix("(of, ").partition(") ->")[0]
        method = takes.startswith("input")
        answer = _of_tensor(name, fun, of, checked) if method else partial(fun, of)
        if takes.startswith("*"):
            answer = _of_many(fun, of)
        if widened and fun in AT_ONCE:
            answer = widened(answer)
        yield name, signed(name, words(takes), answer, room, fun.__doc__), method


def _of_many(fun, of):
    """A function of several tensors, or of a list of them."""
    return lambda given: fun(of, *given) if len(given) != 1 or hasattr(given[0], "ndim") else fun(of, *given[0])


def _of_tensor(name, fun, of, checked):
    def answer(input, **given):
        checked(input, name)
        return fun(of, input, **given)

    return answer


@composed
def nanmean(of, input, axis=None, keepdims=False, *, dtype=None) -> Any:
    """The mean of those that are not nan, of all elements or along an axis; nan where there are none."""
    total = of["nansum"](input, axis=axis, keepdims=keepdims, dtype=dtype)
    return total / of["sum"](of["eq"](input, input), axis=axis, keepdims=keepdims)


@composed
def ravel(of, input) -> Any:
    """All elements along one axis."""
    return input.reshape(-1)


@composed
def fliplr(of, input) -> Any:
    """The columns in reversed order."""
    return of["flip"](input, 1)


@composed
def flipud(of, input) -> Any:
    """The rows in reversed order."""
    return of["flip"](input, 0)


@composed
def vstack(of, tensors) -> Any:
    """Tensors one below the other; vectors become rows."""
    return of["cat"]([x if x.ndim > 1 else x.reshape(1, -1) for x in tensors], 0)


@composed
def hstack(of, tensors) -> Any:
    """Tensors side by side: along the second axis, and vectors along the first."""
    tensors = [x if x.ndim else x.reshape(1) for x in tensors]
    return of["cat"](tensors, 0 if tensors[0].ndim == 1 else 1)


@composed
def column_stack(of, tensors) -> Any:
    """Tensors side by side; vectors become columns."""
    return of["cat"]([x if x.ndim > 1 else x.reshape(-1, 1) for x in tensors], 1)


@composed
def dstack(of, tensors) -> Any:
    """Tensors along the third axis; matrices become (m, n, 1), and vectors (1, n, 1)."""
    rows = [x if x.ndim > 1 else x.reshape(1, -1) for x in tensors]
    return of["cat"]([x if x.ndim > 2 else x.reshape(*x.shape, 1) for x in rows], 2)


# ---- in other shapes ----


def _each(fun, tensors):
    return fun(tensors[0]) if len(tensors) == 1 else tuple(map(fun, tensors))


@composed
def atleast_1d(of, *tensors) -> Any:
    """Each tensor with one axis at least."""
    return _each(lambda x: x if x.ndim else x.reshape(1), tensors)


@composed
def atleast_2d(of, *tensors) -> Any:
    """Each tensor with two axes at least; a vector becomes a row."""
    return _each(lambda x: x if x.ndim > 1 else x.reshape(1, -1), tensors)


@composed
def atleast_3d(of, *tensors) -> Any:
    """Each tensor with three axes at least, as `dstack` joins them."""
    return _each(lambda x: x if x.ndim > 2 else x.reshape(*(x.shape if x.ndim == 2 else (1, -1)), 1), tensors)


def _cut(of, x, at, axis):
    return of["split"](x, [len(part) for part in np.array_split(np.arange(x.shape[axis]), at)], axis)


@composed
def tensor_split(of, input, indices_or_sections, axis=0) -> Any:
    """Parts along an axis: so many of nearly equal length, or cut at these places."""
    return _cut(of, input, indices_or_sections, axis)


@composed
def hsplit(of, input, indices_or_sections) -> Any:
    """Parts side by side: along the second axis, of a vector along the first."""
    return _cut(of, input, indices_or_sections, min(1, input.ndim - 1))


@composed
def vsplit(of, input, indices_or_sections) -> Any:
    """Parts along the first axis."""
    return _cut(of, input, indices_or_sections, 0)


@composed
def dsplit(of, input, indices_or_sections) -> Any:
    """Parts along the third axis."""
    return _cut(of, input, indices_or_sections, 2)


@composed
def block_diag(of, *inputs) -> Any:
    """The matrix with these matrices along its diagonal; vectors are rows."""
    blocks = [x if x.ndim > 1 else x.reshape(1, -1) for x in inputs]
    width, rows, at = sum(b.shape[1] for b in blocks), [], 0
    for block in blocks:
        height, own = block.shape
        before, behind = (of["zeros"]((height, n), dtype=block.dtype) for n in (at, width - at - own))
        rows.append(of["cat"]([before, block, behind], 1))
        at += own
    return of["cat"](rows, 0)


@composed
def combinations(of, input, r=2, with_replacement=False) -> Any:
    """The choices of `r` elements of a vector, one in each row."""
    choices = combinations_with_replacement if with_replacement else subsets
    places = list(choices(range(len(input)), r))
    if not places or not r:
        return input[:0].reshape(0, r)
    return of["stack"]([input[list(column)] for column in zip(*places, strict=True)], 1)


@composed
def cartesian_prod(of, *inputs) -> Any:
    """All choices of an element from each vector, one in each row."""
    if len(inputs) == 1:
        return inputs[0]
    places = list(product(*(range(len(x)) for x in inputs)))
    return of["stack"]([x[list(column)] for x, column in zip(inputs, zip(*places, strict=True), strict=True)], 1)


@composed
def diff(of, input, n=1, axis=-1, prepend=None, append=None) -> Any:
    """The differences of neighbours along an axis, `n` times; with what comes before and behind, if anything."""
    parts = [part for part in (prepend, input, append) if part is not None]
    x = of["cat"](parts, axis) if len(parts) > 1 else input
    for _ in range(n):
        x = of["narrow"](x, axis, 1, x.shape[axis] - 1) - of["narrow"](x, axis, 0, x.shape[axis] - 1)
    return x


@composed
def msort(of, input) -> Any:
    """Sorted along the first axis."""
    return of["sort"](input, 0)[0]


@torch_only
def argwhere(of, input) -> Any:
    """The places of the elements that are not 0, one in each row."""
    return of["nonzero"](input)
