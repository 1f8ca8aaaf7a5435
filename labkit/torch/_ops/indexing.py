"""`x[...]` and `x[...] = v`: a chain of views for integers and slices, a copy for positions and masks; tiles, diagonals."""

import numpy as np

from .. import _rules
from .._error_texts import error
from .._tape import tensor_provenance
from .._tensor.tensor import Tensor
from .dispatch import apply, check_inplace, converted, inplace, overwrite, placed, view, whole_dim
from .function_table import METHODS, both, method
from .shape import expand, flat_sizes, selected


def _parts(tensor, index):
    """The index as a list of parts, Ellipsis spelled out as full slices."""
    parts = list(index) if isinstance(index, tuple) else [index]
    used = 0
    for place, p in enumerate(parts):
        if isinstance(p, (list, np.ndarray, range)):
            p = parts[place] = Tensor._of(np.asarray(p))
        used += 1 if type(p) is int else _consumed(p)
    if used > tensor._array.ndim:
        if tensor.ndim == 0:
            raise error("index_of_0d")
        raise IndexError(f"too many indices for tensor of dimension {tensor.ndim}")
    for place, p in enumerate(parts):
        if p is Ellipsis:
            parts[place : place + 1] = [slice(None)] * (tensor.ndim - used)
            break
    return parts


def _consumed(part):
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part.dtype.name in ("bool", "uint8"):
        return part.ndim
    return 1


def _is_integer(part):
    return isinstance(part, (int, np.integer)) and not isinstance(part, bool)


def _looked(tensor, parts):
    """The basic parts applied, one view each; and what is left for advanced indexing (None if nothing)."""
    dim = 0
    advanced: list = []
    for part in parts:
        if isinstance(part, Tensor) and part.ndim == 0 and part.dtype.rank == 1:
            part = tensor_provenance.left(part, "int", int(part._array))
        if type(part) is int or _is_integer(part):
            tensor = selected(tensor, dim, int(part))
        elif isinstance(part, slice):
            tensor, dim = _sliced(tensor, dim, part), dim + 1
            advanced.append(slice(None))
        elif part is None or part is True or part is False:
            tensor, dim = METHODS["unsqueeze"](tensor, dim), dim + 1
            advanced.append(slice(None) if part is None else np.asarray([0] if part else [], dtype=np.int64))
        elif isinstance(part, Tensor):
            _check_positions(tensor, dim, part)
            advanced.append(part._array)
            dim += _consumed(part)
        else:
            if isinstance(part, str):
                raise TypeError("new(): invalid data type 'str'")
            raise error("index_type", kind=type(part).__name__)
    has_arrays = bool(advanced) and any(isinstance(a, np.ndarray) for a in advanced)
    return tensor, tuple(advanced) if has_arrays else None


def _sliced(tensor, dim, part):
    if part.step is not None and part.step <= 0:
        raise ValueError("step must be greater than zero")
    if part.indices(tensor.shape[dim]) == (0, tensor.shape[dim], 1):  # raises for bounds that are no integers
        return tensor
    bounds = slice(*(None if b is None else int(b) for b in (part.start, part.stop, part.step)))
    return view(tensor, _rules.basic, (slice(None),) * dim + (bounds,), "SliceBackward0")


def _check_positions(tensor, dim, part):
    array = part._array
    if array.dtype == bool:
        for k, n in enumerate(array.shape):
            if n != tensor.shape[dim + k]:
                raise error("mask_shape", mask=list(array.shape), k=k, shape=list(tensor.shape), dim=dim + k)
        return
    n = tensor.shape[dim]
    wrong = array[(array < -n) | (array >= n)]
    if wrong.size:
        raise IndexError(f"index {int(wrong.flat[0])} is out of bounds for dimension {dim} with size {n}")


@method("__getitem__")
def getitem(self, index):
    parts = _parts(self, index)
    looked, advanced = _looked(self, parts)
    if advanced is not None:
        return placed(apply(_rules.fancy, looked, advanced), *parts)
    return view(self, _rules.alias if index is Ellipsis else _rules.whole_slice) if looked is self else looked


@method("__setitem__")
def setitem(self, index, value):
    looked, advanced = _looked(self, _parts(self, index))
    check_inplace("index_put_" if advanced is not None else "copy_", looked, value)
    if not isinstance(value, Tensor) and advanced is None and np.ndim(value) == 0:
        METHODS["fill_"](looked, Tensor._of(np.asarray(value).astype(self.dtype.np)))
        return
    if not isinstance(value, Tensor):
        value = Tensor._of(np.asarray(value).astype(self.dtype.np))
    if advanced is not None:
        value = converted(value, self.dtype)
        inplace(looked, apply(_rules.index_put, looked, value, advanced))
        return
    _check_fits(looked, value)
    overwrite(looked, apply(_rules.copy, looked, value))


def _check_fits(looked, value):
    """Raise as `expand` does where a value does not broadcast to the part of a tensor that it is written into."""
    given = value.shape
    while len(given) > looked.ndim and given[0] == 1:
        given = given[1:]
    expand(Tensor._of(value._array.reshape(given)), *looked.shape)


@method()
def repeat(self, *repeats):
    """The tensor tiled `repeats` times."""
    sizes = flat_sizes(repeats)
    if len(sizes) < self.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return apply(_rules.tile, self, sizes)


@both()
def index_add(input, dim, index, source, *, alpha=1):
    """`input` with `alpha * source` added at the positions `index` of `dim`."""
    place = (slice(None),) * whole_dim(dim, input.ndim) + (index._array,)
    return placed(apply(_rules.added_at, input, source, place, alpha), index)


@both()
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of two dimensions: a view."""
    return view(input, _rules.diagonal, offset, whole_dim(dim1, input.ndim), whole_dim(dim2, input.ndim))


@both()
def diag(input, diagonal=0):
    """The diagonal of a matrix, or the matrix with this diagonal."""
    if input.ndim == 2:
        return apply(_rules.diagonal_copy, input, diagonal, 0, 1)
    n = input.shape[-1] + abs(diagonal)
    return apply(_rules.diag_embed, input, (n, n), diagonal, 0, 1)
