"""Picking and placing: by position, by mask, along diagonals; copies in another order."""

from typing import Any

import numpy as np

from .. import ops as base
from ..ops import MOVERS
from . import _rules
from ._autocast import widened
from ._dispatch import apply, off_tape, placed, tensor_of, view, whole_dim
from ._shaping import flat_sizes, reshape
from ._table import METHODS, both, method, of_row
from ._tensor import Tensor


@method()
def repeat(self, *repeats):
    """The tensor tiled `repeats` times."""
    sizes = flat_sizes(repeats)
    if len(sizes) < self.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return apply(_rules.tile, self, sizes)


@both()
def tile(input, *dims):
    """The tensor repeated `dims` times along each dimension."""
    sizes = tuple(flat_sizes(dims))
    return repeat(input, *((1,) * (input.ndim - len(sizes)) + sizes))


@both()
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Each element repeated, or of `input` alone its places, as often as its elements say; `output_size` changes nothing."""
    if repeats is None:
        return off_tape(np.repeat(np.arange(input.numel()), input._array), "repeat_interleave", input)
    source = reshape(input, (-1,)) if dim is None else input
    dim = 0 if dim is None else whole_dim(dim, input.ndim)
    index = np.repeat(np.arange(source.shape[dim]), repeats._array if isinstance(repeats, Tensor) else repeats)
    return index_select(source, dim, Tensor._of(index))


@both()
def index_select(input, dim, index):
    """The entries of `dim` at the positions in `index`."""
    dim = whole_dim(dim, input.ndim)
    if index.numel() and not 0 <= index._array.min() <= index._array.max() < (*input.shape, 1)[dim]:
        raise IndexError("index out of range in self")
    place = (slice(None),) * dim + (index._array,)
    return placed(apply(_rules.fancy, input, place, "IndexSelectBackward0"), index)


def _check_index(input, dim, index):
    """Raise RuntimeError for positions that `dim` has not; no number counts from the end."""
    if index.numel() and input.ndim != index.ndim and input.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    size, found = (*input.shape, 1)[dim], index._array
    wrong = found[(found < 0) | (found >= size)]
    if wrong.size:
        raise RuntimeError(f"index {wrong[0]} is out of bounds for dimension {dim} with size {size}")


@both()
def gather(input, dim, index):
    """`out[i][j] = input[index[i][j]][j]` for dim 0, and likewise."""
    dim, where = whole_dim(dim, input.ndim), index._array
    if where.ndim != input.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    _check_index(input, dim, index)
    trimmed = tuple(slice(None) if i == dim else slice(0, n) for i, n in enumerate(where.shape))
    whole = all(i == dim or n == input.shape[i] for i, n in enumerate(where.shape))
    return placed(apply(base.gather, input if whole else input[trimmed], where, dim), index)


@both()
def scatter_add(input, dim, index, src):
    """`input` with `src` added at the positions in `index` along `dim`."""
    _check_index(input, whole_dim(dim, input.ndim), index)
    added = apply(_rules.scatter_add, input, _as_index(src, index), index._array, whole_dim(dim, input.ndim))
    return placed(added, index)


def _as_index(src, index) -> Any:
    """The part of `src` for which there are places in `index`."""
    if src.shape == index.shape or any(n < m for n, m in zip(src.shape, index.shape, strict=False)):
        return src
    return METHODS["__getitem__"](src, tuple(slice(0, n) for n in index.shape))


@both()
def scatter(input, dim, index, src, *, reduce=None):
    """`input` with `src` (or a number) written at the positions in `index` along `dim`; `reduce`: "add" or "multiply"."""
    if reduce is not None:
        source = src if isinstance(src, Tensor) else input.new_full(index.shape, src)
        return METHODS["scatter_reduce"](input, dim, index, source, {"add": "sum", "multiply": "prod"}[reduce])
    dim, where = whole_dim(dim, input.ndim), index._array
    _check_index(input, dim, index)
    place = [np.broadcast_to(i, where.shape) for i in np.indices(where.shape, sparse=True)]
    place[dim] = where
    known = isinstance(src, Tensor)
    given = _as_index(src, index) if known else Tensor._of(np.asarray(src, input.dtype.np))
    return placed(apply(_rules.index_put, input, given, tuple(place), f"ScatterBackward{int(not known)}"), index)


@both()
def index_put(input, indices, values, accumulate=False):
    """`input` with `values` at the places that a tuple of tensors tells, or with `accumulate` added there."""
    places = tuple(i._array for i in indices)
    if not accumulate:
        return placed(apply(_rules.index_put, input, values, places), *indices)
    spread = values.expand(np.empty(input.shape, bool)[places].shape)
    return input + placed(apply(_rules.index_add, spread, places, tuple(input.shape)), *indices)


@both()
def take(input, index):
    """Elements of the flattened tensor."""
    place = np.unravel_index(index._array % input.numel(), tuple(input.shape))
    return placed(apply(_rules.fancy, input, place, "TakeBackward0"), index)


@both()
def masked_select(input, mask):
    """The elements where `mask` is True, as a vector."""
    if mask.dtype.name != "bool":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    return placed(apply(_rules.fancy, input, (mask._array,), "MaskedSelectBackward0"), mask)


@both()
def nonzero(input, *, as_tuple=False):
    """The indices of the elements that are not 0."""
    found = np.nonzero(np.atleast_1d(input._array))[: input.ndim or None]
    if not as_tuple and not input.ndim:
        return off_tape(np.zeros((len(found[0]), 0), np.int64), "nonzero", input)
    if as_tuple:
        return tuple(off_tape(i, "nonzero", input) for i in found)
    return off_tape(np.stack(found, -1), "nonzero", input)


@both()
def nonzero_static(input, *, size, fill_value=-1):
    """The first `size` places of `nonzero`, and `fill_value` in the rows that are left."""
    found = np.argwhere(input._array)[:size]
    rest = np.full((size - len(found), input.ndim), fill_value, np.int64)
    return off_tape(np.concatenate([found, rest]), "nonzero_static", input)


@both()
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of two dimensions: a view."""
    return view(input, _rules.diagonal, offset, whole_dim(dim1, input.ndim), whole_dim(dim2, input.ndim))


@both()
def diag(input, diagonal=0):
    """The diagonal of a matrix, or the matrix with this diagonal."""
    if input.ndim == 2:
        return apply(_rules.diagonal_copy, input, diagonal, 0, 1)
    return diag_embed(input, diagonal)


@both()
def diagflat(input, offset=0):
    """The matrix with all elements of `input`, one after the other, on its diagonal."""
    return diag_embed(input.reshape(-1), offset)


@both()
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices, of two dimensions of the result, with the last dimension on their diagonal."""
    n, ndim = input.shape[-1] + abs(offset), input.ndim
    shape, (dim1, dim2) = list(input.shape[:-1]), (whole_dim(d, ndim + 1) for d in (dim1, dim2))
    for d in sorted((dim1, dim2)):
        shape.insert(d, n)
    return apply(_rules.diag_embed, input, tuple(shape), offset, dim1, dim2)


@both()
@widened
def trace(input):
    """The sum of a matrix's diagonal."""
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return apply(_rules.trace, input)


# ---- what the rows say ----


def _moved(name, row):
    def answer(input, **given):
        ndim = tensor_of(input, name).ndim
        if name in ("tril", "triu") and ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return apply(_rules.MOVING[name], input, *(_option(word, value, ndim) for word, value in given.items()))

    return answer


def _option(word, value, ndim):
    """An option as the op has it: dims are in range, and several shifts a tuple."""
    if word != "dims" or value is None:
        return tuple(value) if isinstance(value, list) else value
    return tuple(whole_dim(d, ndim) for d in flat_sizes(value if isinstance(value, (tuple, list)) else (value,)))


for _name, _row in MOVERS.items():
    of_row(_name, _row, _moved(_name, _row))
