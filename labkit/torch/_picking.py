"""Picking and placing: by position, by mask, along diagonals; copies in another order."""

from collections import ChainMap
from functools import wraps

import numpy as np

from .. import ops as base
from ..ops import MOVERS, compositions, two_bytes
from . import _rules
from ._autocast import widened
from ._dispatch import apply, converted, off_tape, tensor_of, view, whole_dim
from ._dtype import DTYPES
from ._operators import in_place
from ._reduce import PAIRS
from ._shaping import flat_sizes, reshape
from ._table import FUNCTIONS, METHODS, both, function, in_words, method, numpy_style, of_row
from ._tensor import Tensor


@method()
def repeat(self, *sizes):
    """The tensor tiled `sizes` times."""
    return apply(_rules.tile, self, flat_sizes(sizes))


@both()
def tile(input, *dims):
    """The tensor repeated `dims` times along each dimension."""
    sizes = tuple(flat_sizes(dims))
    return repeat(input, *((1,) * (input.ndim - len(sizes)) + sizes))


@both()
def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """Each element repeated; `output_size` changes nothing."""
    source = reshape(input, (-1,)) if dim is None else input
    dim = 0 if dim is None else whole_dim(dim, input.ndim)
    index = np.repeat(np.arange(source.shape[dim]), repeats._array if isinstance(repeats, Tensor) else repeats)
    return index_select(source, dim, Tensor._of(index))


@both()
def index_select(input, dim, index):
    """The entries of `dim` at the positions in `index`."""
    dim = whole_dim(dim, input.ndim)
    place = (slice(None),) * dim + (index._array,)
    return apply(_rules.fancy, input, place, "IndexSelectBackward0")


@both()
def gather(input, dim, index):
    """`out[i][j] = input[index[i][j]][j]` for dim 0, and likewise."""
    dim, where = whole_dim(dim, input.ndim), index._array
    if where.ndim != input.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    if where.size and (where.max() >= input.shape[dim] or where.min() < 0):
        raise RuntimeError(
            f"index {int(where.max())} is out of bounds for dimension {dim} with size {input.shape[dim]}"
        )
    trimmed = tuple(slice(None) if i == dim else slice(0, n) for i, n in enumerate(where.shape))
    whole = all(i == dim or n == input.shape[i] for i, n in enumerate(where.shape))
    return apply(base.gather, input if whole else input[trimmed], where, dim)


@both()
def scatter_add(input, dim, index, src):
    """`input` with `src` added at the positions in `index` along `dim`."""
    return apply(_rules.scatter_add, input, src, index._array, whole_dim(dim, input.ndim))


@both()
def scatter(input, dim, index, src):
    """`input` with `src` (or a number) written at the positions in `index` along `dim`."""
    dim, where = whole_dim(dim, input.ndim), index._array
    place = [np.broadcast_to(i, where.shape) for i in np.indices(where.shape, sparse=True)]
    place[dim] = where
    value = src if isinstance(src, Tensor) else Tensor._of(np.asarray(src, input.dtype.np))
    return apply(_rules.index_put, input, value, tuple(place))


@both()
def take(input, index):
    """Elements of the flattened tensor."""
    place = np.unravel_index(index._array % input.numel(), tuple(input.shape))
    return apply(_rules.fancy, input, place, "TakeBackward0")


@both()
def masked_select(input, mask):
    """The elements where `mask` is True, as a vector."""
    return apply(_rules.fancy, input, (mask._array,), "MaskedSelectBackward0")


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
    return apply(_rules.trace, input)


# ---- what the rows say ----


def _moved(name, row):
    def answer(input, **given):
        ndim = tensor_of(input, name).ndim
        return apply(_rules.MOVING[name], input, *(_option(word, value, ndim) for word, value in given.items()))

    return answer


def _option(word, value, ndim):
    """An option as the op has it: dims are in range, and several shifts a tuple."""
    if word != "dims" or value is None:
        return tuple(value) if isinstance(value, list) else value
    return tuple(whole_dim(d, ndim) for d in flat_sizes(value if isinstance(value, (tuple, list)) else (value,)))


for _name, _row in MOVERS.items():
    of_row(_name, _row, _moved(_name, _row))


def _found(fun, *args):
    """What a NumPy function finds, off the tape."""
    tensors = [a for a in args if isinstance(a, Tensor)]
    return off_tape(
        np.asarray(fun(*(a._array if isinstance(a, Tensor) else a for a in args))),
        getattr(fun, "__name__", "found"),
        *tensors,
    )


def _with_names(name, fun):
    """A function of a pair, whose pair has names."""

    @wraps(fun)
    def named(*args, **kwargs):
        return PAIRS[name](*fun(*args, **kwargs))

    return named if name in PAIRS else fun


def _widened(fun):
    """A function that computes two-byte floats in float32 and rounds its result; no node of a tape says so."""

    @wraps(fun)
    def at_once(*args, **kwargs):
        dtype = next((a.dtype for a in (*args, *kwargs.values()) if _is_half(a)), None)
        if dtype is None:
            return fun(*args, **kwargs)
        up = lambda a: converted(a, DTYPES["float32"]) if _is_half(a) else a
        made = fun(*map(up, args), **{name: up(a) for name, a in kwargs.items()})
        return converted(made, dtype) if made.dtype is DTYPES["float32"] else made

    return at_once


def _is_half(x):
    return isinstance(x, Tensor) and two_bytes(x._array.dtype)


_WORDS = ChainMap(FUNCTIONS, {"take_along": gather})
for _name, _fun, _is_method in compositions(_WORDS, "labkit.torch", tensor_of, _found, in_words, _widened):
    (both if _is_method else function)(_name)(numpy_style(_with_names(_name, _fun)))
for _name in ("scatter", "scatter_add", "index_add", "index_copy", "index_fill"):
    METHODS[f"{_name}_"] = in_place(_name)
