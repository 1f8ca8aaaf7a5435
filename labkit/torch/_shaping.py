"""Shapes: views of the same memory, joining and splitting, copies in another order or dtype."""

from math import prod

import numpy as np

from . import _dtype, _rules
from ..engine.record import cast
from ._dispatch import apply, converted, view, whole_dim
from ._table import METHODS, both, function, method
from ._tensor import Tensor, device


def _flat(sizes):
    """`f(2, 3)` and `f((2, 3))` alike."""
    sizes = tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    return tuple(int(s) for s in sizes)


def _resolved(shape, numel):
    """`shape` with its -1 worked out."""
    unknown = [i for i, n in enumerate(shape) if n == -1]
    known = prod(n for n in shape if n != -1)
    if len(unknown) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if unknown and known and numel % known == 0:
        return tuple(numel // known if n == -1 else n for n in shape)
    if unknown or known != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return shape


def _viewable(array, shape):
    looked = array.view()
    try:
        looked.shape = shape
    except AttributeError:
        return False
    return True


@both()
def reshape(input, *shape):
    """The same elements in another shape: a view where memory allows, else a copy."""
    shape = _resolved(_flat(shape or ((),)), input.numel())
    if _viewable(input._array, shape):
        return view(input, _rules.reshape, shape)
    return apply(_rules.reshape_copied, apply(_rules.clone, input), shape)


@method("view")
def view_(self, *shape):
    """The same memory in another shape (or, given a dtype, its bytes as that dtype)."""
    if shape and isinstance(shape[0], _dtype.dtype):
        return Tensor._of(self._array.view(shape[0].np))
    shape = _resolved(_flat(shape), self.numel())
    if not _viewable(self._array, shape):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return view(self, _rules.reshape, shape)


@method()
def view_as(self, other):
    return view_(self, *other.shape)


@method()
def reshape_as(self, other):
    return reshape(self, other.shape)


@both()
def flatten(input, start_dim=0, end_dim=-1):
    """Dimensions `start_dim` to `end_dim` as one."""
    if input.ndim == 0:
        return reshape(input, (1,))
    start, end = whole_dim(start_dim, input.ndim), whole_dim(end_dim, input.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    shape = input.shape
    return reshape(input, (*shape[:start], prod(shape[start : end + 1]), *shape[end + 1 :]))


@both()
def ravel(input):
    return reshape(input, (-1,))


@both()
def unflatten(input, dim, sizes):
    """One dimension as several."""
    dim = whole_dim(dim, input.ndim)
    sizes = _resolved(tuple(sizes), input.shape[dim])
    return reshape(input, (*input.shape[:dim], *sizes, *input.shape[dim + 1 :]))


@both()
def t(input):
    """The transpose of a matrix."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return view(input, _rules.t)


@both("transpose", "swapaxes", "swapdims")
def transpose(input, dim0, dim1):
    """Two dimensions exchanged."""
    return view(input, _rules.transpose, whole_dim(dim0, input.ndim), whole_dim(dim1, input.ndim))


@function("permute")
def permute(input, dims):
    """The dimensions in the order `dims`."""
    if len(dims) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(dims)}"
        )
    return view(input, _rules.permute, tuple(whole_dim(d, input.ndim) for d in dims))


method("permute")(lambda self, *dims: permute(self, _flat(dims)))


@both("movedim", "moveaxis")
def movedim(input, source, destination):
    """Dimension `source` moved to place `destination`."""
    places = list(range(input.ndim))
    source, destination = whole_dim(source, input.ndim), whole_dim(destination, input.ndim)
    places.insert(destination, places.pop(source))
    return permute(input, places)


@both()
def squeeze(input, dim=None):
    """Without the dimensions of length 1, or without `dim` if its length is 1."""
    if dim is None:
        return view(input, _rules.squeeze_all, tuple(n for n in input.shape if n != 1))
    if isinstance(dim, (tuple, list)):
        dims = tuple(d for d in (whole_dim(d, input.ndim) for d in dim) if input.shape[d] == 1)
        return view(input, _rules.squeeze_dims, dims)
    dim = whole_dim(dim, input.ndim)
    return view(input, _rules.squeeze_dim, dim if input.ndim and input.shape[dim] == 1 else ())


@both()
def unsqueeze(input, dim):
    """With a dimension of length 1 at `dim`."""
    room = input.ndim + 1
    if not -room <= dim < room:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {dim})")
    return view(input, _rules.unsqueeze, dim % room)


@method()
def expand(self, *sizes):
    """Dimensions of length 1 (and new ones in front) repeated, without copying; -1 keeps a length."""
    sizes = _flat(sizes)
    missing = len(sizes) - self.ndim
    if missing < 0:
        raise RuntimeError(
            f"expand({_kind(self)}{{{list(self.shape)}}}, size={list(sizes)}): the number of sizes provided "
            f"({len(sizes)}) must be greater or equal to the number of dimensions in the tensor ({self.ndim})"
        )
    shape = tuple(self.shape[i - missing] if n == -1 else n for i, n in enumerate(sizes))
    for i, (have, want) in enumerate(zip(self.shape, shape[missing:], strict=True)):
        if have not in (1, want):
            raise RuntimeError(
                f"The expanded size of the tensor ({want}) must match the existing size ({have}) at non-singleton "
                f"dimension {i + missing}.  Target sizes: {list(sizes)}.  Tensor sizes: {list(self.shape)}"
            )
    return view(self, _rules.expand, shape)


def _kind(tensor):
    return f"torch.{tensor.dtype.legacy}Tensor"


@method()
def expand_as(self, other):
    return expand(self, *other.shape)


@function("broadcast_to")
def broadcast_to(input, size):
    return expand(input, *size)


@function()
def broadcast_tensors(*tensors):
    """The tensors expanded to the shape they broadcast to."""
    shape = np.broadcast_shapes(*(x._array.shape for x in tensors))
    return tuple(expand(x, *shape) for x in tensors)


@method()
def repeat(self, *sizes):
    """The tensor tiled `sizes` times."""
    return apply(_rules.tile, self, _flat(sizes))


@function()
def tile(input, dims):
    return repeat(input, *((1,) * (input.ndim - len(dims)) + tuple(dims)))


@both()
def repeat_interleave(input, repeats, dim=None):
    """Each element repeated."""
    source = ravel(input) if dim is None else input
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
    return apply(_rules.base.gather, input if whole else input[trimmed], where, dim)


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
    found = np.nonzero(input._array)
    return tuple(Tensor._of(i) for i in found) if as_tuple else Tensor._of(np.stack(found, -1))


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
def diag_embed(input, offset=0):
    """Matrices with the last dimension on their diagonal."""
    n = input.shape[-1] + abs(offset)
    shape, ndim = (*input.shape[:-1], n, n), input.ndim
    return apply(_rules.diag_embed, input, shape, offset, ndim - 1, ndim)


@both()
def trace(input):
    """The sum of a matrix's diagonal."""
    return apply(_rules.trace, input)


@both()
def flip(input, *dims):
    """The order along `dims` reversed."""
    return apply(_rules.flip, input, tuple(whole_dim(d, input.ndim) for d in _flat(dims)))


@both()
def fliplr(input):
    return flip(input, 1)


@both()
def flipud(input):
    return flip(input, 0)


@both()
def roll(input, shifts, dims=None):
    """Elements moved along `dims`, coming back at the other end."""
    return apply(_rules.roll, input, tuple(shifts) if isinstance(shifts, (tuple, list)) else shifts,
                 tuple(dims) if isinstance(dims, (tuple, list)) else dims)  # fmt: skip


@both()
def tril(input, diagonal=0):
    """The lower triangle, zeros elsewhere."""
    return apply(_rules.tril, input, diagonal)


@both()
def triu(input, diagonal=0):
    """The upper triangle, zeros elsewhere."""
    return apply(_rules.triu, input, diagonal)


# ---- joining and splitting ----


def _joined(tensors, primitive, dim):
    kinds = {x.dtype for x in tensors}
    if len(kinds) > 1:
        dtype = _dtype.result_dtype(kinds, [], [])
        tensors = [converted(x, dtype) for x in tensors]
    return apply(primitive, dim, *tensors)


@function("cat", "concat", "concatenate")
def cat(tensors, dim=0):
    """Tensors joined along a dimension they have."""
    if not tensors:
        raise RuntimeError("torch.cat(): expected a non-empty list of Tensors")
    for i, x in enumerate(tensors):
        if x.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    tensors = [x for x in tensors if x.shape != (0,)] or tensors[:1]
    dim = whole_dim(dim, tensors[0].ndim)
    for i, x in enumerate(tensors):
        if x.ndim != tensors[0].ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {tensors[0].ndim} and {x.ndim}")
        for d, (a, b) in enumerate(zip(tensors[0].shape, x.shape, strict=True)):
            if d != dim and a != b:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but got size {b} for "
                    f"tensor number {i} in the list."
                )
    return _joined(tensors, _rules.cat, dim)


@function()
def stack(tensors, dim=0):
    """Tensors of one shape joined along a new dimension."""
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, x in enumerate(tensors):
        if x.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and "
                f"{list(x.shape)} at entry {i}"
            )
    return _joined(tensors, _rules.stack, whole_dim(dim, tensors[0].ndim + 1))


@function()
def vstack(tensors):
    return cat([x if x.ndim > 1 else reshape(x, (1, -1)) for x in tensors], 0)


@function()
def hstack(tensors):
    tensors = [x if x.ndim else reshape(x, (1,)) for x in tensors]
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)


def _slices(input, dim, bounds, name):
    before = (slice(None),) * dim
    return tuple(view(input, _rules.basic, (*before, slice(start, end)), name) for start, end in bounds)


@both()
def split(input, split_size, dim=0):
    """Pieces of `split_size` entries along `dim` (or of the sizes listed): views."""
    dim = whole_dim(dim, input.ndim)
    n = input.shape[dim]
    if isinstance(split_size, int):
        sizes, name = [min(split_size, n - i) for i in range(0, n, split_size)], "SplitBackward0"
    else:
        sizes, name = list(split_size), "SplitWithSizesBackward0"
        if sum(sizes) != n:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), "
                f"but got split_sizes={sizes}"
            )
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    return _slices(input, dim, [(s, s + m) for s, m in zip(starts, sizes, strict=True)], name)


@both()
def chunk(input, chunks, dim=0):
    """At most `chunks` pieces along `dim`: views."""
    dim = whole_dim(dim, input.ndim)
    return split(input, max(1, -(-input.shape[dim] // chunks)), dim)


@both()
def unbind(input, dim=0):
    """The entries along `dim`, without it: views."""
    dim = whole_dim(dim, input.ndim)
    before = (slice(None),) * dim
    return tuple(view(input, _rules.basic, (*before, i), "UnbindBackward0") for i in range(input.shape[dim]))


@both()
def select(input, dim, index):
    """Entry `index` of `dim`, without that dimension: a view."""
    dim = whole_dim(dim, input.ndim)
    n = input.shape[dim]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}")
    return view(input, _rules.basic, (slice(None),) * dim + (index % n,), "SelectBackward0")


@both()
def narrow(input, dim, start, length):
    """`length` entries of `dim` from `start`: a view."""
    dim = whole_dim(dim, input.ndim)
    return view(input, _rules.basic, (slice(None),) * dim + (slice(start, start + length),))


# ---- dtype, memory ----


@method()
def to(self, *args, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    """As another dtype, or as that of another tensor; the tensor itself where nothing changes."""
    for a in args:
        if isinstance(a, Tensor):
            dtype = a.dtype
        elif isinstance(a, _dtype.dtype):
            dtype = a
        elif isinstance(a, (str, _device)):
            device = a
    if device is not None:
        _device(device)
    if dtype is None or dtype is self.dtype:
        return METHODS["clone"](self) if copy else self
    if not dtype.is_floating_point:
        return Tensor._of(self.detach()._array.astype(dtype.np))
    return apply(cast, self, dtype.np)


_device = device
_CASTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32",
    "long": "int64", "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool",
}  # fmt: skip


def _caster(name):
    def fun(self):
        return to(self, _dtype.lookup(name))

    fun.__name__, fun.__doc__ = name, f"As {name}."
    return fun


for _method, _name in _CASTS.items():
    METHODS[_method] = _caster(_name)


@method("type")
def type_(self, dtype=None):
    """The legacy type name, such as `torch.FloatTensor`; given a dtype, a cast."""
    return f"torch.{self.dtype.legacy}Tensor" if dtype is None else to(self, dtype)


@method()
def type_as(self, other):
    return to(self, other.dtype)


@method()
def cpu(self):
    return self


@method()
def contiguous(self):
    """Itself, or a copy in row-major order."""
    return self if self.is_contiguous() else METHODS["clone"](self)


def _transposed_property(name, axes):
    def get(self):
        return view(self, _rules.permute, tuple(reversed(range(self.ndim)))) if axes is None else transpose(self, *axes)

    return property(get, doc=f"The dimensions {'reversed' if axes is None else 'exchanged'}: a view.")


METHODS["T"], METHODS["mT"] = _transposed_property("T", None), _transposed_property("mT", (-2, -1))
METHODS["H"] = METHODS["mT"]
