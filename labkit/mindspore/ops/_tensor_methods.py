"""Methods of tensors that are no ops of their own: what a tensor is stored as, and elements written by their places."""

from typing import Any

import numpy as np

from ...engine import stop_gradient as constant
from ..dtype import as_numpy
from ..tensor import Tensor, wrap
from . import _composed, _further, _places  # noqa: F401  (whose ops it asks for)
from ._of_numpy import derived
from ._op import METHODS, OPS

# ---- in memory ----


def stride(self, dim=None):
    """How many elements to step along each axis, or along `dim`."""
    steps = [n // self.itemsize for n in self.strides]
    return steps if dim is None else steps[dim]


def storage_offset(self):
    """How many elements stand before the first one in its memory."""
    return 0


def is_signed(self):
    """Whether the elements may be below 0."""
    return self._value.dtype.kind in "ifV"


def get_bytes(self):
    """The elements as `bytes`, in order."""
    return self.asnumpy().tobytes()


def convert_bytes_to_tensor(bytes_data, shape, dtype):
    """The tensor of a shape and type whose elements are these `bytes`; see `get_bytes`."""
    return Tensor(np.frombuffer(bytes_data, as_numpy(dtype)).reshape(shape).copy())


def data_ptr(self):
    """The address of the first element."""
    return self.asnumpy().ctypes.data


def view(self, *shape):
    """The same elements in another shape; with a type in its place, their bytes as elements of this type."""
    from ..dtype import DType

    if len(shape) == 1 and isinstance(shape[0], DType):
        return wrap(np.ascontiguousarray(constant(self._value)).view(as_numpy(shape[0])))
    return OPS["reshape"](self, *shape)


def _itself(name, told):
    def method(self, *args, **kwargs):
        return self

    method.__name__, method.__doc__ = name, f"The tensor itself: {told}."
    return method


def _never(name, told):
    def method(self):
        return False

    method.__name__, method.__doc__ = name, f"Whether {told}; here it is not."
    return method


# ---- in other shapes, types and orders ----


def resize(self, *new_shape):
    """The elements in another shape: without the last ones, or with zeros behind them."""
    shape = tuple(new_shape[0]) if isinstance(new_shape[0], (tuple, list)) else new_shape
    size, flat = int(np.prod(shape)), self.reshape((-1,))
    more = OPS["zeros"]((max(size - self.size, 0),), dtype=self.dtype)
    return OPS["concat"]((flat[:size], more), 0).reshape(shape)


def new_full(self, size, fill_value, *, dtype=None):
    """A tensor of a shape, all `fill_value`, of this one's type."""
    return OPS["full"](size, fill_value, dtype=dtype or self.dtype)


def new_empty(self, size, *, dtype=None, device=None):
    """A tensor of a shape, of this one's type; of zeros."""
    return OPS["zeros"](size, dtype=dtype or self.dtype)


def bfloat16(self):
    """The elements as bfloat16."""
    from ..dtype import bfloat16

    return self.astype(bfloat16)


def flatten(self, *args, order="C", start_dim=0, end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one; all by default."""
    if args and isinstance(args[0], str):
        order, args = args[0], args[1:]
    start_dim, end_dim = (*args, *(start_dim, end_dim)[len(args) :])
    return OPS["flatten"](self, order, start_dim=start_dim, end_dim=end_dim)


def _extreme(name):
    def method(self, axis=0, keep_dims=False):
        if axis is None:  # the real one gives 0 as its place
            return OPS[f"a{name}"](self), Tensor(0)
        value, place = OPS[name](self, axis, keep_dims)
        return value, place.astype("int64")

    method.__name__ = f"arg{name}_with_value"
    method.__doc__ = f"`(the {name}imum along an axis, where it stands)`; for None of all elements."
    return method


# ---- elements written by their places ----


def _elementwise_source(self, index, src):
    return src if isinstance(src, Tensor) else OPS["full"](index.shape, src, dtype=self.dtype)


def scatter(self, axis, index, src, reduce=None):
    """The tensor with each of `src` at the place that `index` has for it along an axis; `reduce`: "add" adds it."""
    return OPS["tensor_scatter_elements"](self, index, _elementwise_source(self, index, src), axis, reduce or "none")


def scatter_add(self, indices, updates):
    """The tensor with `updates` added at the places along the last axis of `indices`."""
    return OPS["tensor_scatter_add"](self, indices, updates)


def masked_scatter(self, mask, source):
    """The tensor with the first elements of `source`, in their order, where `mask` is True."""
    where = np.flatnonzero(np.broadcast_to(constant(mask._value), self.shape))
    flat = OPS["tensor_scatter_update"](
        self.reshape((-1,)), Tensor(where[:, None]), source.reshape((-1,))[: len(where)]
    )
    return flat.reshape(self.shape)


def fill_diagonal(self, fill_value, wrap=False):
    """The tensor with `fill_value` on its diagonal; `wrap`: of a tall matrix it begins anew below."""
    at = np.zeros(self.shape, bool)
    np.fill_diagonal(at, True, wrap)
    return OPS["masked_fill"](self, Tensor(at), fill_value)


def itemset(self, *args):
    """A copy with an element set: `itemset(value)` of a tensor of one, or `itemset(place, value)`."""
    *place, value = args
    found = self.copy()
    found[
        np.unravel_index(place[0], self.shape) if place and isinstance(place[0], int) else place[0] if place else ...
    ] = value
    return found


def assign_value(self, value):
    """Take over the elements of another tensor, with its shape and type. Returns this one."""
    self._value = value._value
    return self


for _method in (
    stride, storage_offset, is_signed, get_bytes, data_ptr, view, resize, new_full, new_empty, bfloat16, flatten, scatter,
    scatter_add, masked_scatter, fill_diagonal, itemset, assign_value, _extreme("max"), _extreme("min"),
):  # fmt: skip
    METHODS[_method.__name__] = _method
_OTHERS: dict[str, Any] = {
    "H": property(lambda self: self.swapaxes(0, 1), doc="A matrix with its axes exchanged."),
    "mH": property(lambda self: self.swapaxes(-1, -2), doc="With the last two axes exchanged."),
    "device": property(lambda self: "CPU", doc="Where the elements are."),
    "convert_bytes_to_tensor": staticmethod(convert_bytes_to_tensor),
    "set_const_arg": _itself("set_const_arg", "it changes nothing whether an argument is noted as constant"),
    "move_to": _itself("move_to", "there is the CPU alone"),
    "is_pinned": _never("is_pinned", "the memory is locked"),
    "is_shared": _never("is_shared", "the memory is shared between processes"),
    "choose": derived("choose"),
    "bitwise_not": OPS["invert"],
}
METHODS.update(_OTHERS)
