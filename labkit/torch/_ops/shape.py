"""Shapes: views of the same memory in another shape, casts to another dtype, tensors joined and split."""

from math import prod

import numpy as np

from ...dialects.argument_types import one_by_one
from ...dialects.user_warnings import warn_user
from ...engine import cast
from .. import _rules
from .._error_texts import error, said
from .._tensor import dtype as _dtype
from .._tensor.device import check_device
from .._tensor.device import device as _device
from .._tensor.tensor import Tensor
from .dispatch import apply, check_broadcast, check_inplace, converted, off_tape, view, whole_dim
from .function_table import METHODS, both, function, method


def flat_sizes(sizes):
    """`f(2, 3)` and `f((2, 3))` alike."""
    return tuple(int(s) for s in one_by_one(sizes))


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
    return array.size == 0 or array.ndim == 0 or np.may_share_memory(array, array.reshape(shape))


@both()
def reshape(input, *shape):
    """The same elements in another shape: a view where memory allows, else a copy."""
    shape = _resolved(flat_sizes(shape or ((),)), input.numel())
    if _viewable(input._array, shape):
        in_order = input._array.flags.c_contiguous
        return view(input, _rules.reshape if in_order else _rules.reshape_alias, shape)
    return apply(_rules.reshape_copied, apply(_rules.clone, input), shape)


@method("view")
def view_(self, *size, dtype=None):
    """The same memory in another shape (or, given a dtype, its bytes as that dtype)."""
    if dtype or (size and isinstance(size[0], _dtype.dtype)):
        return Tensor._of(self._array.view((dtype or size[0]).np))
    shape = _resolved(flat_sizes(size), self.numel())
    if not _viewable(self._array, shape):
        raise error("view_strides")
    return view(self, _rules.reshape, shape)


@method()
def view_as(self, other):
    return view_(self, *other.shape)


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


def _turning(input):
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return (_rules.t,)


def _transposing(input, dim0, dim1):
    return _rules.transpose, whole_dim(dim0, input.ndim), whole_dim(dim1, input.ndim)


def _squeezing(input, dim=None):
    if dim is None:
        return _rules.squeeze_all, tuple(n for n in input.shape if n != 1)
    if isinstance(dim, (tuple, list)):
        return _rules.squeeze_dims, tuple(d for d in (whole_dim(d, input.ndim) for d in dim) if input.shape[d] == 1)
    dim = whole_dim(dim, input.ndim)
    return _rules.squeeze_dim, dim if input.ndim and input.shape[dim] == 1 else ()


def _unsqueezing(input, dim):
    return _rules.unsqueeze, whole_dim(dim, input.ndim + 1)


def _shaped(how, does, *names):
    """Enter a view and its form in place; `how` gives the rule and what comes with it."""

    def looked(input, *args, **kwargs):
        return view(input, *how(input, *args, **kwargs))

    def changed(self, *args):
        check_inplace(f"{names[0]}_", self)
        rule, *more = how(self, *args)
        made = view(self, _rules.IN_PLACE[rule], *more)
        self._move_to(made._edge)
        self._data = made._data
        if self._base is not None:
            self._view, self._seen = made._view, made._seen
        return self

    looked.__name__, looked.__doc__ = names[0], f"{does}."
    changed.__name__, changed.__doc__ = f"{names[0]}_", f"`{names[0]}`, in place: the same memory under another shape."
    METHODS[changed.__name__] = changed
    return both(*names)(looked)


t = _shaped(_turning, "The transpose of a matrix", "t")
transpose = _shaped(_transposing, "Two dimensions exchanged", "transpose", "swapaxes")
squeeze = _shaped(_squeezing, "Without the dimensions of length 1, or without `dim` if its length is 1", "squeeze")
unsqueeze = _shaped(_unsqueezing, "With a dimension of length 1 at `dim`", "unsqueeze")


@function("permute")
def permute(input, dims):
    """The dimensions in the order `dims`."""
    if len(dims) != input.ndim:
        raise error("permute_dims", ndim=input.ndim, dims=len(dims))
    return view(input, _rules.permute, tuple(whole_dim(d, input.ndim) for d in dims))


method("permute")(lambda self, *dims: permute(self, flat_sizes(dims)))


@both()
def tril(input, diagonal=0):
    """The lower triangle of matrices, zero above `diagonal`."""
    if input.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return apply(_rules.tril, input, diagonal)


@both()
def movedim(input, source, destination):
    """Dimension `source` moved to place `destination`, or several."""
    pairs = zip(*(flat_sizes((dims,)) for dims in (destination, source)), strict=True)
    moved = sorted([(whole_dim(to, input.ndim), whole_dim(start, input.ndim)) for to, start in pairs])
    places = [i for i in range(input.ndim) if i not in [start for _, start in moved]]
    for to, start in moved:
        places.insert(to, start)
    return permute(input, places)


@method()
def expand(self, *size):
    """Dimensions of length 1 (and new ones in front) repeated, without copying; -1 keeps a length."""
    sizes = flat_sizes(size)
    missing = len(sizes) - self.ndim
    if missing < 0:
        raise error(
            "expand_count",
            kind=_kind(self),
            shape=list(self.shape),
            sizes=list(sizes),
            count=len(sizes),
            ndim=self.ndim,
        )
    shape = tuple(self.shape[i - missing] if n == -1 else n for i, n in enumerate(sizes))
    for i, (have, want) in enumerate(zip(self.shape, shape[missing:], strict=True)):
        if have not in (1, want):
            raise error("expand_size", want=want, have=have, i=i + missing, sizes=list(sizes), shape=list(self.shape))
    return view(self, _rules.expand, shape)


def _kind(tensor):
    return f"torch.{tensor.dtype.legacy}Tensor"


@function("broadcast_to")
def broadcast_to(input, size):
    """`input` repeated, without a copy, to the shape `size`."""
    return expand(input, *size)


@function()
def broadcast_tensors(*tensors):
    """The tensors expanded to the shape they broadcast to."""
    for x in tensors[1:]:
        check_broadcast(tensors[0], x)
    shape = np.broadcast_shapes(*(x._array.shape for x in tensors))
    return tuple(x if x.shape == shape else expand(x, *shape) for x in tensors)


# ---- dtype, memory ----


@method()
def to(self, *args, dtype=None, device=None, copy=False, non_blocking=False):
    """As another dtype, or as that of another tensor; the tensor itself where nothing changes."""
    for a in args:
        if isinstance(a, Tensor):
            dtype = a.dtype
        elif isinstance(a, _dtype.dtype):
            dtype = a
        elif isinstance(a, (str, int, _device)) and not isinstance(a, bool):
            device = a
    if device is not None:
        check_device(device)
    if dtype is None or dtype is self.dtype:
        return METHODS["clone"](self) if copy else self
    if not dtype.is_floating_point:
        return off_tape(self.detach()._array.astype(dtype.np), f"to({dtype})", self)
    return apply(cast, self, dtype.np)


@method("type")
def type_(self, dtype=None):
    """The legacy type name, such as `torch.FloatTensor`; given a dtype, a cast."""
    if dtype is None:
        return f"torch.{self.dtype.legacy}Tensor"
    name = dtype.removeprefix("torch.") if isinstance(dtype, str) else getattr(dtype, "__name__", "")
    return to(self, next((d for d in _dtype.DTYPES.values() if f"{d.legacy}Tensor" == name), dtype))


_CASTS = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32",
    "long": "int64", "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool"}  # fmt: skip


def _caster(name):
    def fun(self):
        return to(self, _dtype.lookup(name))

    fun.__name__, fun.__doc__ = name, f"As {name}."
    return fun


for _method, _name in _CASTS.items():
    METHODS[_method] = _caster(_name)


@method("cuda")
def _on_gpu(self, device=None, non_blocking=False):
    """On a GPU, of which there is none: raises AssertionError, as PyTorch does."""
    check_device("cuda" if device is None else device)


@method()
def cpu(self):
    return self


@method()
def contiguous(self):
    """Itself, or a copy in row-major order."""
    return self if self.is_contiguous() else apply(_rules.clone_in_order, self)


def _transposed_property(name, axes):
    def get(self):
        if axes is None and self.ndim not in (1, 2):
            warn_user(said("t_of_no_matrix" if self.ndim else "t_of_number"))
        return view(self, _rules.permute, tuple(reversed(range(self.ndim)))) if axes is None else transpose(self, *axes)

    return property(get, doc=f"The dimensions {'reversed' if axes is None else 'exchanged'}: a view.")


METHODS["T"], METHODS["mT"] = _transposed_property("T", None), _transposed_property("mT", (-2, -1))


# ---- joining and splitting ----


def _joined(tensors, primitive, dim):
    kinds = {x.dtype for x in tensors}
    if len(kinds) > 1:
        dtype = _dtype.result_dtype(*((kind, _dtype.DIMENSIONED) for kind in kinds))
        tensors = [converted(x, dtype) for x in tensors]
    return apply(primitive, dim, *tensors)


@function()
def cat(tensors, dim=0):
    """Tensors joined along a dimension they have."""
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
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
                raise error("cat_sizes", dim=dim, a=a, b=b, i=i)
    return _joined(tensors, _rules.cat, dim)


@function()
def stack(tensors, dim=0):
    """Tensors of one shape joined along a new dimension."""
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, x in enumerate(tensors):
        if x.shape != tensors[0].shape:
            raise error("stack_sizes", first=list(tensors[0].shape), shape=list(x.shape), i=i)
    return _joined(tensors, _rules.stack, whole_dim(dim, tensors[0].ndim + 1))


@function()
def meshgrid(*tensors, indexing=None):
    """The coordinates of a grid: for each of the tensors, a view in the shape of the grid.

    `indexing`: "ij", the dimensions of the grid are those of the tensors, or "xy", the first two are exchanged.

    >>> import labkit.torch as torch
    >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")[0]
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    tensors = one_by_one(tensors)
    if indexing is None:
        warn_user(said("meshgrid_indexing"))
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if any(t.dtype != tensors[0].dtype for t in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    swapped = indexing == "xy" and len(tensors) > 1
    dims = [(1, 0, *range(2, len(tensors)))[i] if swapped else i for i in range(len(tensors))]
    sizes = [t.numel() for t in tensors]
    shape = [sizes[dims.index(i)] for i in range(len(tensors))]
    return tuple(
        t.reshape([n if i == dim else 1 for i in range(len(tensors))]).expand(shape)
        for t, n, dim in zip(tensors, sizes, dims)
    )


def _slices(input, dim, bounds, name):
    before = (slice(None),) * dim
    return _siblings([view(input, _rules.basic, (*before, slice(start, end)), name) for start, end in bounds])


def _siblings(pieces):
    """The outputs of one op, numbered."""
    for k, piece in enumerate(pieces):
        piece._origin = piece._origin or "siblings"
        if piece._edge is not None:
            piece._edge.node.shown_nr = k
    return tuple(pieces)


@both()
def split(input, split_size, dim=0):
    """Pieces of `split_size` entries along `dim` (or of the sizes listed): views."""
    dim = whole_dim(dim, input.ndim)
    n = input.shape[dim]
    if isinstance(split_size, int):
        sizes, name = [min(split_size, n - i) for i in range(0, n or 1, split_size)], "SplitBackward0"
    else:
        sizes, name = list(split_size), "SplitWithSizesBackward0"
        if sum(sizes) != n:
            raise error("split_sizes", n=n, dim=dim, sizes=sizes)
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
    return _siblings([view(input, _rules.basic, (*before, i), "UnbindBackward0") for i in range(input.shape[dim])])


@both()
def select(input, dim, index):
    """Entry `index` of `dim`, without that dimension: a view."""
    return selected(input, whole_dim(dim, input.ndim), index)


def selected(tensor, dim, i):
    n = tensor._array.shape[dim]
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {n}")
    return view(tensor, _rules.basic, (slice(None),) * dim + (i % n,), "SelectBackward0")
