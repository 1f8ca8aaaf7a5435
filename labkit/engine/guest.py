"""labkit is a guest in autograd: what the engine needs of autograd's inside, for its own nodes alone.

A node class that inherits `Own` is the engine's. Values with such a node are in boxes of the engine's own class, which
may hold integers and round `**` as NumPy does. To nodes of other classes, so to all of autograd's own functions, nothing
changes; `tests/engine/test_guest.py` compares.
"""

import sys
from itertools import count
from types import FrameType

import autograd.numpy as anp
import numpy as np
from autograd import tracer
from autograd.core import VSpace
from autograd.numpy import numpy_boxes
from autograd.numpy.numpy_vspaces import ArrayVSpace
from autograd.tracer import Box


class ArrayBox(numpy_boxes.ArrayBox):
    """A box around an array or a number, with one of the engine's nodes."""

    __slots__ = ()

    if not hasattr(numpy_boxes.ArrayBox, "__array_ufunc__"):  # before autograd 1.9

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            own = getattr(anp, ufunc.__name__, None)
            return own(*inputs, **kwargs) if own and method == "__call__" and "out" not in kwargs else NotImplemented


Box.types.add(ArrayBox)
Box.type_mappings[ArrayBox] = numpy_boxes.ArrayBox  # around a box of ours, autograd's nodes have autograd's


def is_number(kind) -> bool:
    """Whether values of this type are numbers to the engine: NumPy's and ml_dtypes' scalars, and Python's own but bool."""
    return kind in (int, float, complex) or issubclass(kind, (np.number, np.bool_)) or kind.__module__ == "ml_dtypes"


class _Boxes(dict):
    """The class of the box around a value of each type."""

    def __missing__(self, kind):
        box = Box.type_mappings.get(kind)
        if box is None and not is_number(kind):
            raise TypeError(f"Can't differentiate w.r.t. type {kind}")
        self[kind] = ArrayBox if box is None or box is numpy_boxes.ArrayBox else box
        return self[kind]


class Own:
    """What the engine's node classes inherit.

    `boxes` is the class of the box around each type of value; a node that `sees_through` records an op that is made of
    ops as these.
    """

    __slots__ = ()
    boxes = _Boxes()
    sees_through = False


_autograds_box = tracer.new_box


def new_box(value, trace, node) -> Box:
    """A box around `value`: of the engine's class for the engine's nodes, as autograd makes it for any other.

    `value`: a number or an array, whose shape and dtype the box has. `trace`: the level. Raises TypeError for anything else.

    >>> from labkit.engine import Reverse, new_box
    >>> x = new_box(2.0, new_level(), Reverse.new_root(2.0))
    >>> float((x * x)._value)
    4.0
    """
    boxes = getattr(node, "boxes", None)
    return _autograds_box(value, trace, node) if boxes is None else boxes[type(value)](value, trace, node)


tracer.new_box = new_box


# ---- vector spaces ----


class _Spaces(dict):
    """autograd's table, in which integers are not found but by the rules that labkit runs."""

    def __missing__(self, kind):
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and _package(frame) == "autograd":
            frame = frame.f_back
        if frame is not None and _package(frame) == __name__.partition(".")[0] and is_number(kind):
            return ArrayVSpace
        raise KeyError(kind)


def _package(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0]


VSpace.mappings = _Spaces(VSpace.mappings)


# ---- levels ----

# autograd counts the traces that are open, from 0, in one number for all threads, which an exception leaves too high.
# The engine's levels begin far above, and none is used twice, so an exception has nothing to put back and threads cannot
# mix. While one of them is open, autograd draws from them, too, so that its derivative is above those it is inside of.
_levels = count(1 << 29)  # level 0 is left for a tape that never closes (the torch dialect)
_open: set[int] = set()
_autograds_trace = tracer.trace_stack.new_trace


def new_level() -> int:
    """A level above all that exist.

    An integer; each call gives a higher one, in any thread.

    >>> new_level() < new_level()
    True
    """
    return next(_levels)


class inside:
    """A block in which values are in boxes of `level`: the run of a function that is differentiated or recorded.

    >>> from labkit.engine import Reverse, inside, new_box, new_level
    >>> level = new_level()
    >>> with inside(level):
    ...     y = new_box(2.0, level, Reverse.new_root(2.0)) ** 2
    >>> len(y._node.parents)
    1
    """

    __slots__ = ("level",)

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        _open.add(self.level)
        return self.level

    def __exit__(self, *exc):
        _open.discard(self.level)


tracer.trace_stack.new_trace = lambda: inside(new_level()) if _open else _autograds_trace()
