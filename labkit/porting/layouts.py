"""Ways in which two frameworks lay out the same numbers: transposed, channels last, with axes of length 1."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Layout(NamedTuple):
    """How the numbers of one shape stand in another: `name` as it is said, "" where nothing changes."""

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
            found.append(Layout(name, lambda a, axes=axes: a.transpose(axes)))
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
    """The orders of axes, or the reshape of axes of length 1, in which `a` has the shape of `b`, where that is another."""
    if a.shape == b.shape or a.size != b.size:
        return []
    found = [Layout("", lambda v: v.reshape(b.shape))] if _long(a.shape) == _long(b.shape) else []
    if a.ndim == b.ndim:
        for i in range(a.ndim):
            for j in range(i + 1, a.ndim):
                axes = list(range(a.ndim))
                axes[i], axes[j] = j, i
                if tuple(a.shape[k] for k in axes) == b.shape:
                    found.append(Layout("", lambda v, axes=tuple(axes): v.transpose(axes)))
        for _, axes in _orders(a.ndim):
            for order in (axes, tuple(np.argsort(axes))):
                if tuple(a.shape[k] for k in order) == b.shape:
                    found.append(Layout("", lambda v, order=order: v.transpose(order)))
    return found
