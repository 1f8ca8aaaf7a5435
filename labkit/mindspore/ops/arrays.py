"""Ops that join tensors, take them apart, and choose among elements."""

from functools import reduce
from itertools import pairwise

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast, getval
from ...engine import stop_gradient as constant
from ..common.dtype import in_dtype, promote
from ..common.tensor import Tensor, wrap
from .arithmetic import beside, operands
from .op_table import METHODS, OPS, numbers_in, of_row, op, register, rejected, value_of

_SPLIT = "For 'split', expected sizes that add up to {size} along axis {axis}, but got {sum}."


def _values(tensors, name):
    """The arrays of a sequence of tensors, in one type."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, (tuple, list)):
        raise rejected(name, tensors)
    values = [value_of(t, name) for t in tensors]
    if not values:
        raise ValueError(f"For primitive[{name}], the elements size must be greater than 0, but got 0.\n")
    dtype = reduce(promote, [v.dtype for v in values])
    return [in_dtype(v, dtype) for v in values]


def concat(tensors, axis=0):
    """Tensors one after the other along `axis`."""
    return wrap(anp.concatenate(_values(tensors, "Concat"), axis))


def stack(tensors, axis=0):
    """Tensors side by side along a new axis."""
    values = _values(tensors, "Stack")
    for place, tensor in enumerate(tensors):
        if tensor.dtype != tensors[0].dtype:
            raise TypeError(_STACKED.format(place=place, type=tensor.dtype, first=tensors[0].dtype))
    return wrap(anp.stack(values, axis))


_STACKED = (
    "All input must have the same data type!input[{place}] data type = Tensor[{type}]infer_type0= Tensor[{first}]"
)


def split(tensor, split_size_or_sections, axis=0):
    """A tuple of parts along `axis`: of the given size (the last may be smaller), or of the given sizes."""
    size = tensor.shape[axis]
    if isinstance(split_size_or_sections, int):
        split_size_or_sections = [split_size_or_sections] * (size // split_size_or_sections) or [size]
        rest = size - sum(split_size_or_sections)
        split_size_or_sections += [rest] if rest else []
    ends = np.cumsum([0, *split_size_or_sections])
    if ends[-1] != size:
        raise ValueError(_SPLIT.format(size=size, axis=axis, sum=ends[-1]))
    before = (slice(None),) * (axis % tensor.ndim)
    return tuple(tensor[(*before, slice(int(a), int(b)))] for a, b in pairwise(ends))


def select(condition, input, other):
    """`input` where `condition` holds, else `other`; numbers take the tensor's type.

    Shapes broadcast; the gradient goes to the one that was taken.

    >>> import labkit.mindspore as ms
    >>> x = ms.Tensor([-1.0, 2.0])
    >>> ms.ops.where(x > 0, x, 0.0).asnumpy()
    array([0., 2.], dtype=float32)
    """
    if not isinstance(condition, Tensor):
        given = {"condition": condition, "input": input, "other": other}
        kinds = ", ".join(f"{n}={'Tensor' if isinstance(v, Tensor) else type(v).__name__}" for n, v in given.items())
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


def _where_method(self, condition, y):
    """This tensor where `condition` holds, else `y`."""
    return select(condition, self, y)


def _select_method(self, condition, y):
    """This tensor where `condition` holds, else `y`; of a number, the part at place `y` of that axis."""
    if isinstance(condition, int):
        return self[(slice(None),) * (condition % self.ndim) + (y,)]
    return select(condition, self, y)


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


def masked_select(input, mask):
    """The elements where `mask` holds, along one axis."""
    return input[mask]


register(stack, method=False)
register(concat, "cat", method=False)
register(split)
register(select, "where", method=False, primitive="Select")
METHODS |= {"where": _where_method, "select": _select_method}
register(masked_select)
register(gather, method=False, primitive="Gather")


@primitives.rule(lambda ans, x, segments, count: lambda g: g[segments], rounds=False)
def _segment_sum(x, segments, count):
    found = np.zeros((count, *x.shape[segments.ndim :]), x.dtype)
    np.add.at(found, segments, x)
    return found


def unsorted_segment_sum(input_x, segment_ids, num_segments):
    """The sums of the slices of `input_x` that have the same number in `segment_ids`, one for each number."""
    segments = constant(value_of(segment_ids, "UnsortedSegmentSum"))
    return wrap(_segment_sum(value_of(input_x, "UnsortedSegmentSum"), segments, int(num_segments)))


register(unsorted_segment_sum, method=False, primitive="UnsortedSegmentSum")


def _rank(value):
    return np.ndim(getval(value))


@op("view", primitive="Reshape")
def reshape(input, *shape):
    """The same elements in another shape, of which one length may be -1."""
    sizes = numbers_in(shape)
    try:
        return anp.reshape(input, sizes)
    except ValueError as error:
        if "one unknown" in str(error):
            raise ValueError("only one dimension can be inferred\n") from None
        shown = ", ".join(map(str, sizes))
        count = np.size(getval(input))
        raise ValueError(f"proposed_shape '[const vector]{{{shown}}}' is invalid for input of size {count}\n") from None


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


@op(primitive="Transpose")
def transpose(input, *axes):
    """Axes in the order given, two of them exchanged; reversed without any."""
    if not axes:
        return anp.transpose(input)
    order = numbers_in(axes)
    if len(axes) == 2:
        return anp.swapaxes(input, *order)
    if len(order) != _rank(input):
        raise ValueError(
            f"For 'Transpose', size of perm should equal to rank of x, but got {len(order)} and {_rank(input)}!"
        )
    return anp.transpose(input, order)


_in_order = transpose


def transpose(input, input_perm):  # type: ignore[no-redef]  # the method above also takes the axes one by one
    """The axes in the order of the tuple `input_perm`. Raises ValueError where it has another length than the shape."""
    return _in_order(input, tuple(input_perm))


OPS["transpose"] = transpose


@op()
def swapaxes(input, axis0, axis1):
    """With two axes exchanged."""
    return anp.swapaxes(input, axis0, axis1)


@op()
def moveaxis(input, source, destination):
    """With axes moved to other places."""
    return anp.moveaxis(input, source, destination)


@op(method=False)
def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one; the first axis stays by default."""
    if order not in ("C", "F"):
        raise TypeError(f"For 'flatten', the type of 'order' must be string 'C' or 'F', but got {order!r}.")
    if order == "F":
        input = anp.transpose(input)
    shape = np.shape(getval(input)) or (1,)
    if len(shape) == 1:
        return anp.reshape(input, shape)
    first, last = start_dim % (len(shape) + 1), end_dim % len(shape)
    return anp.reshape(input, (*shape[:first], -1, *shape[last + 1 :]))


@op("expand")
def broadcast_to(input, *shape):
    """Repeated to `shape`, in which -1 keeps a length."""
    wanted, old = numbers_in(shape), np.shape(getval(input))
    offset = len(wanted) - len(old)
    sizes = tuple(old[i - offset] if n == -1 else n for i, n in enumerate(wanted))
    try:
        return primitives.expand(input, sizes)
    except ValueError:
        raise ValueError(
            "For 'BroadcastTo', expected a shape to which {old} can be repeated, but got {sizes}: each length must "
            "be kept or be 1 before.".format(old=old, sizes=sizes)
        ) from None


def _flatten_method(self, *args, order="C", start_dim=0, end_dim=-1):
    """The axes from `start_dim` to `end_dim` as one; all by default."""
    if args and isinstance(args[0], str):
        order, args = args[0], args[1:]
    start_dim, end_dim = (*args, *(start_dim, end_dim)[len(args) :])
    return OPS["flatten"](self, order, start_dim=start_dim, end_dim=end_dim)


METHODS |= {"flatten": _flatten_method, "ravel": lambda self: self.reshape(-1)}
METHODS["T"] = property(_in_order, doc="With the axes reversed.")


# ---- what the rows say ----


def _moved(name, row):
    def answer(input, **given):
        given = {word: numbers_in(value) if isinstance(value, tuple) else value for word, value in given.items()}
        if name in ("tril", "triu") and _rank(input) < 2:
            raise ValueError(
                f"For '{name}', the rank of input must be greater than or equal to 2, but got {_rank(input)}."
            )
        for i, axis in enumerate(np.ravel(given.get("dims") or ())):
            if not -_rank(input) <= axis < _rank(input):
                limits = f"in range of [{-_rank(input)}, {_rank(input)})"
                raise ValueError(f"For '{name}', the 'dims[{i}]' must be {limits}, but got {axis}.")
        return row.fun(input, *given.values())

    return answer


for _name, _row in primitives.MOVERS.items():
    of_row(_name, _row, _moved(_name, _row))
