"""Ways in which two frameworks lay out the same numbers: transposed, channels last, with axes of length 1."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Layout(NamedTuple):
    """How the numbers of one shape are arranged in another: `name` as it is said, "" where nothing changes."""

    name: str
    carry: Callable[[np.ndarray], np.ndarray]


def layouts(source: tuple[int, ...], target: tuple[int, ...]) -> list[Layout]:
    """The known ways from one shape to another, the plain one first.

    >>> [way.name for way in layouts((3, 2), (2, 3))], [way.name for way in layouts((2, 2), (2, 2))]
    (['transposed'], ['', 'transposed'])
    """
    found = [Layout("", lambda a: a)] if source == target else []
    for name, axes in _orders(len(source)):
        if tuple(source[axis] for axis in axes) == target:
            found.append(_turned(axes, name))
    if source != target and _long(source) == _long(target):
        found.append(Layout(f"{source} as {target}", lambda a: a.reshape(target)))
    return found


def _orders(axes):
    """Orders of axes that frameworks use, by name."""
    rest = tuple(range(2, axes))
    if axes >= 2:
        yield "transposed", (1, 0, *rest)
    if axes >= 3:
        yield "channels last", (0, *rest, 1)
        yield "input and output channels last", (*rest, 1, 0)


def _long(shape):
    return [n for n in shape if n != 1]


def same_numbers(a: np.ndarray, b: np.ndarray) -> list[Layout]:
    """The ways in which `a` has the shape of `b`, where that is another: two axes exchanged, channels last, length 1 left out."""
    if a.shape == b.shape or a.size != b.size:
        return []
    exchanged = [_exchanged(a.ndim, i, j) for i in range(a.ndim) for j in range(i + 1, a.ndim)]
    known = [axes for _, axes in _orders(a.ndim)]
    found = [
        _turned(axes)
        for axes in (*exchanged, *known, *(tuple(np.argsort(axes)) for axes in known))
        if tuple(a.shape[k] for k in axes) == b.shape
    ]
    return found + ([Layout("", lambda v: v.reshape(b.shape))] if _long(a.shape) == _long(b.shape) else [])


def _exchanged(axes, i, j):
    return tuple(j if k == i else i if k == j else k for k in range(axes))


def _turned(axes, name=""):
    return Layout(name, lambda a: a.transpose(axes))
