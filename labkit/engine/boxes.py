"""The engine's box class. The engine puts it around its own nodes and leaves autograd's boxes unchanged.

autograd puts a value in a box, together with the node that made it. A primitive applied to a box makes a node of its parents'
class; primitives without a derivative, such as comparisons, make none. So the class of the first node decides what is
remembered: `Reverse` saves what the backward pass needs, `Forward` carries a tangent along, `Record` saves all that a picture
shows. Boxes of one run share a *level*. A derivative inside a derivative opens a higher level, and a primitive always works
on its highest boxes first; this rule makes nested derivatives correct.

Such a box may hold integers, rounds `**` as NumPy does, and raises an error that names what a loop cannot iterate over. A node
class that inherits `Own` is the engine's. To nodes of other classes, so to all of autograd's own functions, nothing changes;
`tests/engine/test_boxes.py` compares.
"""

import sys
from itertools import count
from types import FrameType

import autograd.numpy as anp
import numpy as np
from autograd import tracer
from autograd.core import VSpace, primitive_jvps, primitive_vjps
from autograd.extend import primitive
from autograd.numpy import numpy_boxes
from autograd.numpy.numpy_vspaces import ArrayVSpace
from autograd.tracer import Box

from .dtypes import Array


# NumPy's `x ** p` and `np.power(x, p)` round differently, and autograd takes the one for the other. So a gradient inside
# another, whose values are boxed, would differ in the last digit from the same gradient outside.
@primitive
def power(x, p) -> Array:
    """`x ** p`."""
    return x**p


primitive_vjps[power], primitive_jvps[power] = primitive_vjps[anp.power], primitive_jvps[anp.power]


class ArrayBox(numpy_boxes.ArrayBox):
    """A box around an array or a number, with one of the engine's nodes."""

    __slots__ = ()

    def __pow__(self, other):
        return power(self, other)

    def __rpow__(self, other):
        return power(other, self)

    def __iter__(self):
        """What a loop over a box meets. Over autograd's box of a single number it would find nothing and say nothing."""
        if anp.ndim(self) == 0:
            raise TypeError("expected an array to loop over, but got one number that is being differentiated")
        for place in count():
            try:
                element = self[place]
            except IndexError:
                return
            yield element

    if not hasattr(numpy_boxes.ArrayBox, "__array_ufunc__"):  # before autograd 1.9

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            own = getattr(anp, ufunc.__name__, None)
            return own(*inputs, **kwargs) if own and method == "__call__" and "out" not in kwargs else NotImplemented


Box.types.add(ArrayBox)
Box.type_mappings[ArrayBox] = numpy_boxes.ArrayBox  # around a box of ours, autograd's nodes have autograd's


def is_number(kind) -> bool:
    """Whether values of this type are numbers to the engine: NumPy's and ml_dtypes' scalars, and Python's own but bool."""
    if kind in (int, float, complex) or kind.__module__ == "ml_dtypes":
        return True
    return issubclass(kind, (np.number, np.bool_)) and kind is not np.timedelta64


class _Boxes(dict):
    """The class of the box around a value of each type."""

    def __missing__(self, kind):
        box = Box.type_mappings.get(kind)
        if box is None and not is_number(kind):
            raise TypeError("Can't differentiate w.r.t. type {kind}".format(kind=kind))
        self[kind] = ArrayBox if box is None or box is numpy_boxes.ArrayBox else box
        return self[kind]


class Own:
    """What the engine's node classes inherit.

    `boxes` is the class of the box around each type of value; a node class that `sees_through` records the ops that an op is
    made of, where it is made of ops, and not that one.
    """

    __slots__ = ()
    boxes = _Boxes()
    sees_through = False


_autograds_box = tracer.new_box


def new_box(value, trace, node) -> Box:
    """A box around `value`: of the engine's class for the engine's nodes, as autograd makes it for any other.

    `value`: a number or an array, whose shape and dtype the box has. `trace`: the level. Raises TypeError for
    what autograd has no box for.

    >>> from labkit.engine import Reverse, new_box
    >>> x = new_box(2.0, 1, Reverse.new_root(2.0))
    >>> float((x * x)._value)
    4.0
    """
    boxes = getattr(node, "boxes", None)
    return _autograds_box(value, trace, node) if boxes is None else boxes[type(value)](value, trace, node)


tracer.new_box = new_box


# ---- vector spaces ----


class _Spaces(dict):
    """autograd's table, in which integers are found only if the nearest caller outside autograd is labkit."""

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
