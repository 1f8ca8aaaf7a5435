"""Ops that move elements: shapes, order, joining and choosing. Their gradients move them back."""

from itertools import pairwise

import autograd.numpy as anp
import numpy as np

from ... import primitives
from ...engine import cast, getval
from ..dtype import promote
from ..tensor import Tensor, wrap
from ._arithmetic import beside, operands
from ._op import op, quiet, register, rejected, value_of


def _ints(sizes):
    """Sizes given as separate numbers or as one tuple, list or tensor."""
    if len(sizes) == 1 and isinstance(sizes[0], Tensor):
        sizes = sizes[0].tolist()
        return tuple(sizes) if isinstance(sizes, list) else (sizes,)
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    return tuple(int(n) for n in sizes)


def _rank(value):
    return np.ndim(getval(value))


@op("view", primitive="Reshape")
def reshape(input, *shape):
    """The same elements in another shape, of which one length may be -1."""
    sizes = _ints(shape)
    try:
        return anp.reshape(input, sizes)
    except ValueError as error:
        if "one unknown" in str(error):
            raise ValueError("only one dimension can be inferred\n") from None
        shown = ", ".join(map(str, sizes))
        count = np.size(getval(input))
        raise ValueError(f"proposed_shape '[const vector]{{{shown}}}' is invalid for input of size {count}\n") from None


@op()
def view_as(input, other):
    """The same elements in the shape of `other`."""
    return anp.reshape(input, other.shape)


@op()
def squeeze(input, axis=None):
    """Without the axes of length 1; with `axis` (a number or tuple), without those of them."""
    shape = np.shape(getval(input))
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    dropped = {a % len(shape) for a in axes if shape and shape[a] == 1}
    return anp.reshape(input, tuple(n for i, n in enumerate(shape) if i not in dropped))


@op("unsqueeze", primitive="ExpandDims")
def expand_dims(input, axis):
    """With a new axis of length 1 at `axis`."""
    rank = _rank(input) + 1
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise ValueError(
            f"The 'axis' must be in range of [{-rank}, {rank}), but got {axis} with type '{type(axis).__name__}'."
        )
    return anp.expand_dims(input, axis)


@op("permute", primitive="Transpose")
def transpose(input, *axes):
    """Axes in the order given; reversed without one."""
    if not axes:
        return anp.transpose(input)
    order = _ints(axes)
    if (len(order) == 2 and _rank(input) != 2) or len({a % max(_rank(input), 1) for a in order}) != _rank(input):
        return anp.swapaxes(input, *order)
    return anp.transpose(input, order)


@op("swapdims")
def swapaxes(input, axis0, axis1):
    """With two axes exchanged."""
    return anp.swapaxes(input, axis0, axis1)


@op("movedim")
def moveaxis(input, source, destination):
    """With axes moved to other places."""
    return anp.moveaxis(input, source, destination)


@op(method=False)
def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one; the first axis stays by default."""
    if order == "F":
        input = anp.transpose(input)
    shape = np.shape(getval(input)) or (1,)
    first, last = start_dim % (len(shape) + 1), end_dim % len(shape)
    return anp.reshape(input, (*shape[:first], -1, *shape[last + 1 :]))


@op()
def ravel(input):
    """All elements along one axis."""
    return anp.reshape(input, (-1,))


def _flatten_all(self, order="C", *, start_dim=0, end_dim=-1):
    return flatten(self, order, start_dim=start_dim, end_dim=end_dim)


_flatten_all.__name__ = "flatten"
_flatten_all.__doc__ = "The axes from `start_dim` to `end_dim` as one; all by default."


@op("expand")
def broadcast_to(input, *shape):
    """Repeated to `shape`, in which -1 keeps a length."""
    wanted, old = _ints(shape), np.shape(getval(input))
    offset = len(wanted) - len(old)
    sizes = tuple(old[i - offset] if n == -1 else n for i, n in enumerate(wanted))
    try:
        return primitives.expand(input, sizes)
    except ValueError:
        raise ValueError(
            f"For 'BroadcastTo', expected a shape to which {old} can be repeated, but got {sizes}: each length must "
            "be kept or be 1 before."
        ) from None


@op()
def repeat(input, repeats, axis=None):
    """Each element `repeats` times along `axis` (of the flat tensor without one)."""
    return anp.repeat(input, repeats, axis)


@op("repeat_interleave", method=True)
def _repeat_elements(input, repeats, dim=None):
    return anp.repeat(input, repeats, dim)


@op()
def tile(input, *dims):
    """The whole tensor repeated along each axis."""
    return anp.tile(input, _ints(dims))


@op(method=True)
def flip(input, *dims):
    """With the order reversed along `dims`."""
    axes = {a % _rank(input) for a in _ints(dims)}
    return input[tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(_rank(input)))]


@op(method=True)
def roll(input, shifts, dims=None):
    """Elements shifted along `dims`, round the end."""
    return anp.roll(input, shifts, dims)


@op(method=True)
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonal of a matrix, or of the matrices on two axes, along a new last axis."""
    moved = anp.moveaxis(input, (dim1, dim2), (-2, -1))
    rows, columns = np.shape(getval(moved))[-2:]
    start = np.arange(max(0, min(rows + min(offset, 0), columns - max(offset, 0))))
    return moved[..., start - min(offset, 0), start + max(offset, 0)]


@op(method=True)
def diag(input):
    """`input` on the diagonal of a tensor of twice its axes, zero elsewhere."""
    shape = np.shape(getval(input))
    return anp.reshape(anp.diag(anp.ravel(input)), shape + shape)


@op(method=True)
def tril(input, diagonal=0):
    """The lower triangle; zero above."""
    return anp.tril(input, diagonal)


@op(method=True)
def triu(input, diagonal=0):
    """The upper triangle; zero below."""
    return anp.triu(input, diagonal)


def _values(tensors, name):
    """The arrays of a sequence of tensors, in one type."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, (tuple, list)):
        raise rejected(name, tensors)
    values = [value_of(t, name) for t in tensors]
    if not values:
        raise ValueError(f"For primitive[{name}], the elements size must be greater than 0, but got 0.\n")
    dtype = values[0].dtype
    for v in values[1:]:
        dtype = promote(dtype, v.dtype)
    return [v if v.dtype == dtype else cast(v, dtype) for v in values]


def concat(tensors, axis=0):
    """Tensors one after the other along `axis`."""
    return wrap(anp.concatenate(_values(tensors, "Concat"), axis))


def stack(tensors, axis=0):
    """Tensors side by side along a new axis."""
    return wrap(anp.stack(_values(tensors, "Stack"), axis))


def split(tensor, split_size_or_sections, axis=0):
    """A tuple of parts along `axis`: of the given size (the last may be smaller), or of the given sizes."""
    size = tensor.shape[axis]
    if isinstance(split_size_or_sections, int):
        split_size_or_sections = [split_size_or_sections] * (size // split_size_or_sections)
        rest = size - sum(split_size_or_sections)
        split_size_or_sections += [rest] if rest else []
    ends = np.cumsum([0, *split_size_or_sections])
    if ends[-1] != size:
        raise ValueError(f"For 'split', expected sizes that add up to {size} along axis {axis}, but got {ends[-1]}.")
    before = (slice(None),) * (axis % tensor.ndim)
    return tuple(tensor[(*before, slice(int(a), int(b)))] for a, b in pairwise(ends))


def chunk(input, chunks, axis=0):
    """At most `chunks` parts of equal size along `axis`."""
    return split(input, -(-input.shape[axis] // chunks), axis)


def unstack(input, axis=0):
    """A tuple of the slices along `axis`."""
    before = (slice(None),) * (axis % input.ndim)
    return tuple(input[(*before, i)] for i in range(input.shape[axis]))


def meshgrid(*inputs, indexing="xy"):
    """A tuple of grids, one per input vector; with "xy" the first two axes are exchanged."""
    values = [value_of(t, "Meshgrid") for t in inputs]
    sizes = tuple(np.size(getval(v)) for v in values)
    along = [tuple(-1 if i == k else 1 for i in range(len(sizes))) for k in range(len(sizes))]
    grids = [primitives.expand(anp.reshape(v, a), sizes) for v, a in zip(values, along, strict=True)]
    return tuple(wrap(anp.swapaxes(g, 0, 1) if indexing == "xy" and len(sizes) > 1 else g) for g in grids)


def select(condition, input, other):
    """`input` where `condition` holds, else `other`; numbers take the tensor's type."""
    if not isinstance(condition, Tensor):
        kinds = ", ".join(
            f"{n}={'Tensor' if isinstance(v, Tensor) else type(v).__name__}"
            for n, v in (("condition", condition), ("input", input), ("other", other))
        )
        raise TypeError(
            f'Failed calling Select with "Select()({kinds})".\nThe valid calling should be: \n'
            '"Select()(condition=<Tensor>, input=<Number, Tensor>, other=<Number, Tensor>)".\n'
        )
    a, b = operands(input, other, "Select")
    with np.errstate(**quiet):
        return wrap(primitives.select(np.asarray(getval(condition._value), bool), _array(a), _array(b, a)))


def _array(value, like=None):
    """A number as an array of the type of `like`; float32 by itself."""
    return value if hasattr(value, "dtype") else np.asarray(value, np.float32 if like is None else like.dtype)


where = select


def _where_method(self, condition, y):
    return select(condition, self, y)


_where_method.__name__, _where_method.__doc__ = "where", "This tensor where `condition` holds, else `y`."


@op("masked_fill", method=True)
def _fill_where(input, mask, value):
    value = value._value if isinstance(value, Tensor) else beside(input, value, "MaskedFill")[1]
    return primitives.select(mask.asnumpy(), cast(value, input.dtype), input)


@op(method=True)
def gather_elements(input, dim, index):
    """Elements along `dim` at the places of `index`, a tensor of the same rank."""
    return primitives.gather(input, index.asnumpy(), dim)


def gather(input_params, input_indices, axis, batch_dims=0):
    """The slices of `input_params` along `axis` at the places `input_indices`."""
    before = (slice(None),) * (axis % input_params.ndim)
    return input_params[(*before, input_indices)]


def masked_select(input, mask):
    """The elements where `mask` holds, along one axis."""
    return input[mask]


@op()
def nonzero(input):
    """The places of elements that are not zero: Int64, one row each."""
    return np.argwhere(getval(input))


def unique(input):
    """`(the different elements in order, the index of each element among them)`."""
    values, inverse = np.unique(input.asnumpy(), return_inverse=True)
    return wrap(values), wrap(np.reshape(inverse, input.shape))


@op(method=True)
def fill(input, value):
    """A tensor of the same shape and type, all `value`."""
    return np.full(np.shape(getval(input)), value, input.dtype)


for _fun, _primitive in ((concat, None), (stack, None), (unstack, None), (chunk, None), (meshgrid, None)):
    register(_fun, method=False)
register(concat, "cat", method=False)
register(unstack, "unbind", method=True)
register(split)
register(chunk)
register(select, primitive="Select")
register(select, "where", method=False)
register(masked_select)
register(unique)
register(gather, method=True, primitive="Gather")
