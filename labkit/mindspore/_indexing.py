"""Indices as a student writes them, and the errors of those that do not fit."""

import numpy as np

from .. import primitives
from ..engine import getval
from ..engine import stop_gradient as constant
from ..program import recorded
from ._recording import concrete


def as_index(index):
    """An index with arrays for tensors, whole where it is a tuple."""
    if hasattr(index, "__engine_value__") and recorded(index.__engine_value__()) is not None:
        return constant(index.__engine_value__())
    if isinstance(index, tuple):
        return tuple(as_index(i) if not isinstance(i, tuple) else list(i) for i in index)
    if hasattr(index, "__engine_value__"):
        return np.asarray(concrete(index.__engine_value__(), "use a tensor among several indices"))
    if index is None or index is Ellipsis or isinstance(index, (bool, int, slice, list, np.integer)):
        if isinstance(index, slice):
            return slice(*(i if i is None else int(i) for i in (index.start, index.stop, index.step)))
        return [as_index(i) for i in index] if isinstance(index, list) else index
    if isinstance(index, (float, np.ndarray)):
        raise IndexError(
            "Only support integers, slices(`:`), ellipsis(`...`), None, bool, tensor, int, list and tuple as index, "
            f"but got {index} with type {type(index)}"
        )
    raise unsupported(index)


def unsupported(index):
    return IndexError(
        f"Unsupported Python object type received: {type(index)}. Supported types for tensor indexing are: list, int, "
        f"float, tuple, slice, ellipsis, None, array, bool, or Tensor. Received value: {index!r}"
    )


def read(value, index):
    try:
        return value[index]
    except IndexError as error:
        if "too many indices" in str(error):
            raise IndexError(f"too many indices for tensor of dimension{np.ndim(getval(value))}") from None
        raise _out_of_range(error) from None


def _out_of_range(error):
    words = str(error).split()
    if "bounds" in words:
        return IndexError(f"index {words[1]} is out of bounds for dimension with size {words[-1]}")
    return error


def write(value, index, new):
    """A copy of `value` with `new` at `index`."""
    try:
        return primitives.set_item(value, index, new)
    except IndexError as error:
        words = str(error).split()
        if "bounds" not in words:
            raise
        raise IndexError(f"Index {words[1]} is out of bounds for axis {words[-4]} with size {words[-1]}") from None
