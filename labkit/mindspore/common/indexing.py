"""Indices as a student writes them, and the errors of those that do not fit."""

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import dtype_of, getval, isbox, shape_of, unbroadcast_f
from ...engine import stop_gradient as constant
from ...program import recorded, refuse
from ..graph.recorder import current, numbers_of


def as_index(index):
    """An index with arrays for tensors (values of a program's tensors are not known yet), whole where it is a tuple."""
    if hasattr(index, "__engine_value__"):
        value = index.__engine_value__()
        if recorded(value) is None:
            return np.asarray(getval(value))
        return tuple(_places_in(value)) if dtype_of(value).kind == "b" else constant(value)
    if isinstance(index, tuple):
        found = [as_index(i) if not isinstance(i, tuple) else list(i) for i in index]
        return tuple(part for i, f in zip(index, found, strict=True) for part in (f if _is_mask(i) else (f,)))
    if index is None or index is Ellipsis or isinstance(index, (bool, int, slice, list, np.integer)):
        if isinstance(index, slice):
            return slice(*(i if i is None else int(i) for i in (index.start, index.stop, index.step)))
        return [_list_entry(i) for i in index] if isinstance(index, list) else index
    if isinstance(index, (float, np.ndarray)):
        raise IndexError(
            "Only support integers, slices(`:`), ellipsis(`...`), None, bool, tensor, int, list and tuple as index, "
            f"but got {index} with type {type(index)}"
        )
    raise unsupported(index)


def _is_mask(index):
    value = index.__engine_value__() if hasattr(index, "__engine_value__") else None
    return value is not None and recorded(value) and dtype_of(value).kind == "b"


def _places_in(mask):
    """Where a mask that is not known yet is true, an array of indices for each axis; their number is that of this program."""
    if current.recorder is None:
        refuse(mask, "use a mask as index, because the result's shape depends on values")
    current.recorder.decide(mask, np.count_nonzero)
    places = _true_places(constant(mask))
    return [places[axis] for axis in range(len(shape_of(mask)))]


@primitives.rule(argnums=())
def _true_places(mask):
    """The indices at which a mask is true, a row for each axis."""
    return np.array(np.nonzero(mask))


def _list_entry(index):
    found = as_index(index)
    return numbers_of(found, "use a tensor in a list of indices") if isbox(found) else found


def unsupported(index):
    return IndexError(
        f"Unsupported Python object type received: {type(index)}. Supported types for tensor indexing are: list, int, "
        f"float, tuple, slice, ellipsis, None, array, bool, or Tensor. Received value: {index!r}"
    )


@primitives.rule(
    lambda ans, x, *index: lambda g: _put(g, shape_of(x), *index), argnums=(0,), text="{}[...]", rounds=False
)
def _take(x, *index):
    """`x[i, j, ...]`, where tensors whose values are not known yet may be among the indices."""
    return x[index]


@primitives.rule(lambda ans, g, shape, *index: lambda h: _take(h, *index), argnums=(0,), rounds=False)
def _put(g, shape, *index):
    """Zeros of a shape, with g added at the index."""
    out = np.zeros(shape, g.dtype)
    np.add.at(out, index, g)
    return out


@primitives.rule(
    lambda ans, x, new, *index: lambda g: _with(g, anp.zeros((), dtype_of(g)), *index),
    lambda ans, x, new, *index: unbroadcast_f(new, lambda g: _take(g, *index)),
    argnums=(0, 1),
    rounds=False,
)
def _with(x, new, *index):
    """A copy of x with `new` at the index."""
    out = np.array(x)
    out[index] = new
    return out


def _unknown(index):
    return isinstance(index, tuple) and any(map(isbox, index))


def read(value, index):
    try:
        if _unknown(index):
            return _take(value, *index)
        found = value[index]
        if isinstance(found, np.generic):  # an element is a view, too
            return value[(*index, ...) if isinstance(index, tuple) else (index, ...)]
        return found
    except IndexError as error:
        if "too many indices" in str(error):
            raise IndexError(f"too many indices for tensor of dimension{np.ndim(getval(value))}") from None
        raise _out_of_range(error) from None


def _out_of_range(error, text="index {0} is out of bounds for dimension with size {2}"):
    """NumPy's error in the words of the real framework."""
    words = str(error).split()
    return IndexError(text.format(words[1], words[-4], words[-1])) if "bounds" in words else error


def write(value, index, new):
    """A copy of `value` with `new` at `index`."""
    try:
        return _with(value, new, *index) if _unknown(index) else primitives.set_item(value, index, new)
    except IndexError as error:
        raise _out_of_range(error, "Index {0} is out of bounds for axis {1} with size {2}") from None
