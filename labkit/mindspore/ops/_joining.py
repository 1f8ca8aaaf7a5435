"""Ops that join tensors, take them apart, and choose among elements."""

from collections import ChainMap
from itertools import pairwise

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast, getval, quietly
from ...engine import stop_gradient as constant
from ..dtype import promote
from ..tensor import Tensor, wrap
from ._arithmetic import beside, operands
from ._create import filled
from ._op import OPS, op, register, rejected, value_of


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
    """`input` where `condition` holds, else `other`; numbers take the tensor's type.

    Shapes broadcast; the gradient goes to the one that was taken.

    >>> import labkit.mindspore as ms
    >>> x = ms.Tensor([-1.0, 2.0])
    >>> ms.ops.where(x > 0, x, 0.0).asnumpy()
    array([0., 2.], dtype=float32)
    """
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
    with np.errstate(all="ignore"):
        return wrap(primitives.select(cast(constant(condition._value), bool), _array(a), _array(b, a)))


def _array(value, like=None):
    """A number as an array of the type of `like`; float32 by itself."""
    return value if hasattr(value, "dtype") else np.asarray(value, np.float32 if like is None else like.dtype)


where = select


def _where_method(self, condition, y):
    return select(condition, self, y)


_where_method.__name__, _where_method.__doc__ = "where", "This tensor where `condition` holds, else `y`."


def _gather_method(self, input_indices, axis, batch_dims=0):
    if isinstance(input_indices, int):
        return gather_elements(self, input_indices, axis)
    return gather(self, input_indices, axis, batch_dims)


_gather_method.__name__ = "gather"
_gather_method.__doc__ = (
    "The slices along `axis` at these places; of a number and an index, the elements at the places there."
)


def _select_method(self, condition, y):
    if isinstance(condition, int):
        return self[(slice(None),) * (condition % self.ndim) + (y,)]
    return select(condition, self, y)


_select_method.__name__ = "select"
_select_method.__doc__ = (
    "This tensor where `condition` holds, else `y`; of a number, the part at place `y` of that axis."
)


@op()
def masked_fill(input, mask, value):
    """`input`, but `value` where `mask` holds."""
    value = value._value if isinstance(value, Tensor) else beside(input, value, "MaskedFill")[1]
    return primitives.select(constant(mask._value), cast(value, input.dtype), input)


@op(method=True)
def gather_elements(input, dim, index):
    """Elements along `dim` at the places of `index`, a tensor of the same rank."""
    return primitives.gather(input, constant(index._value), dim)


def gather(input_params, input_indices, axis, batch_dims=0):
    """The slices of `input_params` along `axis` at the places `input_indices`.

    The first `batch_dims` axes of both go together.
    """
    if batch_dims:
        pairs = zip(input_params, input_indices, strict=True)
        return OPS["stack"](
            [gather(one, places, axis % input_params.ndim - 1, batch_dims - 1) for one, places in pairs]
        )
    before = (slice(None),) * (axis % input_params.ndim)
    return input_params[(*before, input_indices)]


def index_select(input, axis, index):
    """The slices of `input` along `axis` at the places `index`."""
    return gather(input, index, axis)


def masked_select(input, mask):
    """The elements where `mask` holds, along one axis."""
    return input[mask]


def nonzero(input, as_tuple=False):
    """The places of elements that are not zero: Int64, one row each; with `as_tuple` a tensor for each axis."""
    places = wrap(quietly(anp.argwhere, constant(value_of(input, "NonZero"))))
    return tuple(places[:, k] for k in range(input.ndim)) if as_tuple else places


register(nonzero)


def as_met(array):
    """The different elements of an array, each where it first stands, and the index of each element among them."""
    values, first, inverse = np.unique(array, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.argsort(order)[np.reshape(inverse, array.shape)]
    return values[order], places.astype(np.int64 if values.dtype == np.int64 else np.int32)


def unique(input):
    """`(the different elements, each where it first stands, the index of each element among them)`."""
    return tuple(map(wrap, as_met(input.asnumpy())))


@op(method=True)
def fill(input, value):
    """A tensor of the same shape and type, all `value`."""
    return filled(np.shape(getval(input)), value, input.dtype)


for _fun in (stack, meshgrid):
    register(_fun, method=False)
register(concat, "cat", method=False)
register(unstack, "unbind", method=True)
register(split)
register(chunk)
register(select, primitive="Select")
register(select, "where", method=False)
register(masked_select)
register(index_select)
register(unique)
register(gather, method=True, primitive="Gather")


@primitives.rule(None, argnums=[0], rounds=False)
def _look_up(fun, *values):
    return np.asarray(fun(*values))


def found_by(fun, *args):
    """What a NumPy function finds, a constant."""
    return wrap(_look_up(fun, *(constant(a._value) if isinstance(a, Tensor) else a for a in args)))


def _take_along(input, axis, index):
    return OPS["gather_elements"](input, axis, index)


for _name, _fun, _is_method in primitives.compositions(
    ChainMap(OPS, {"take_along": _take_along}),
    "labkit.mindspore.ops",
    lambda x, name: value_of(x, name.title()),
    found_by,
):
    register(_fun, method=_is_method)
register(OPS["vstack"], "row_stack", method=False)
