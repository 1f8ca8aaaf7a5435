"""Joining and splitting."""

from . import _dtype, _rules
from ._dispatch import apply, converted, view, whole_dim
from ._table import both, function

# ---- joining and splitting ----


def _joined(tensors, primitive, dim):
    kinds = {x.dtype for x in tensors}
    if len(kinds) > 1:
        dtype = _dtype.result_dtype(*((kind, _dtype.DIMENSIONED) for kind in kinds))
        tensors = [converted(x, dtype) for x in tensors]
    return apply(primitive, dim, *tensors)


@function("cat", "concat", "concatenate")
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
    return _siblings([view(input, _rules.basic, (*before, i), "UnbindBackward0") for i in range(input.shape[dim])])


@both()
def select(input, dim, index):
    """Entry `index` of `dim`, without that dimension: a view."""
    dim = whole_dim(dim, input.ndim)
    n = input.shape[dim]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return view(input, _rules.basic, (slice(None),) * dim + (index % n,), "SelectBackward0")


@both()
def narrow(input, dim, start, length):
    """`length` entries of `dim` from `start`: a view."""
    dim = whole_dim(dim, input.ndim)
    start = int(start) % input.shape[dim] if start < 0 else int(start)
    return view(input, _rules.basic, (slice(None),) * dim + (slice(start, start + length),))
