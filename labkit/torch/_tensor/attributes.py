"""A tensor's array and place on the tape, and the attributes that follow: shape, dtype, memory layout.

`_data` is a NumPy array (or, inside `torch.func` and `labkit.trace`, a box of theirs around one); `_node_edge` says
which output of which node it is. Memory is shared where NumPy shares it, and so is the version counter that in-place
changes advance. A view remembers its base and how to look at it, so that both stay right when either is changed.
"""

from collections.abc import Callable
from math import prod
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import getval
from .._tape import grad_mode
from .device import device
from .dtype import of_numpy


class Version:
    """How often a piece of memory was changed in place; one counter for all that share it."""

    number = 0
    place: Any = None  # where the last change was asked for


class Fields:
    """What every part of `Tensor` finds there. A part is a class of methods on one subject, in a file of its own."""

    _data: Any
    _version_counter: Version
    _grad: Any = None
    _requires = False
    _node_edge: Any = None
    _base: Any = None
    _view: Callable | None = None
    _seen = 0  # the version of the memory when this view last looked at its base's history
    _origin: str | None = None  # of a view: why it may not be changed in place (a key of `tape_position.REFUSED`)
    _traced_views: tuple = ()  # of a base inside a transform
    _primal: Any = None  # inside a transform: the caller's tensor that this one stands for
    _level = 0  # the transform it was made in
    _inference = False
    _retains = False
    _trail: Any = None  # off the tape: the note of what it was made of (see `tensor_provenance`)
    _leaf_trail: Any = None  # of a leaf: its own
    _forgotten: Any = None  # where its gradient was let go
    _accumulator: Callable | None = None

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # the other parts, and the operations, entered from the table

    def _set_up(self, data):
        self._data, self._version_counter = data, Version()
        birth = grad_mode.state.birth
        if birth is not None:
            self._inference, self._level = birth

    @property
    def _array(self):
        data = self._data
        return data if type(data) is np.ndarray else getval(data)


def part(cls):
    """Declare a class of methods as a part of `Tensor`: errors call them by the tensor's name."""
    for value in vars(cls).values():
        if isinstance(value, FunctionType):
            value.__qualname__ = f"Tensor.{value.__name__}"
    return cls


@part
class Described(Fields):
    """The part of `Tensor` that says what its array is like."""

    @property
    def shape(self):
        return Size(self._array.shape)

    def size(self, dim=None):
        """The shape, or its entry `dim`."""
        return self.shape if dim is None else self.shape[dim]

    @property
    def dtype(self):
        return of_numpy(self._array.dtype)

    @property
    def ndim(self):
        return self._array.ndim

    def dim(self):
        return self._array.ndim

    def numel(self):
        """How many elements there are."""
        return int(self._array.size)

    itemsize = property(lambda self: self._array.itemsize)
    nbytes = property(lambda self: self._array.nbytes)

    @property
    def device(self):
        return device("cpu")

    def stride(self, dim=None):
        """Elements from one entry to the next, per dimension."""
        strides = tuple(s // self._array.itemsize for s in self._array.strides)
        return strides if dim is None else strides[dim]

    def is_contiguous(self):
        """Whether the elements lie in memory row by row, without gaps."""
        return bool(self._array.flags.c_contiguous)

    def is_floating_point(self):
        return self.dtype.is_floating_point


class Size(tuple):
    """A shape. It behaves as a tuple of ints; `numel()` is their product."""

    __slots__ = ()

    def numel(self):
        """How many elements a tensor of this shape has."""
        return prod(self)

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found
