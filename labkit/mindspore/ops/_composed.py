"""Ops made of other ops: products with a sum, normalisation, moments, elements by their places."""

from collections.abc import Callable

import numpy as np

from ... import ops as primitives
from ...engine import cast, shape_of
from ...engine import stop_gradient as constant
from ..tensor import Tensor, wrap
from . import _create, _elementwise, _joining, _reduction, _shape  # noqa: F401  (whose ops it asks for)
from ._linear import matmul
from ._op import METHODS, OPS, register, value_of

_sqrt = OPS["sqrt"]


def addcmul(input, tensor1, tensor2, value=1):
    """input + value * tensor1 * tensor2."""
    return input + value * tensor1 * tensor2


def addcdiv(input, tensor1, tensor2, value=1):
    """input + value * tensor1 / tensor2."""
    return input + value * (tensor1 / tensor2)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """beta * input + alpha * (mat1 @ mat2)."""
    return beta * input + alpha * matmul(mat1, mat2)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """The last axes, of `normalized_shape`, shifted and scaled to mean 0 and variance 1; then times `weight`, plus `bias`."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if input.shape[input.ndim - len(sizes) :] != sizes:
        raise ValueError(
            f"layer_norm: expected an input whose last axes are {sizes}, but got the shape {input.shape}. Give the lengths of "
            "the axes to normalise."
        )
    return _affine(_normalised(input, tuple(range(-len(sizes), 0)), eps), weight, bias, sizes)


def _normalised(x, axes, eps):
    centred = x - x.mean(axes, True)
    return centred / _sqrt((centred * centred).mean(axes, True) + eps)


def _affine(x, weight, bias, shape):
    x = x if weight is None else x * weight.reshape(shape)
    return x if bias is None else x + bias.reshape(shape)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """The channels, axis 1, in `num_groups` groups, each shifted and scaled to mean 0 and variance 1."""
    shape = input.shape
    if shape[1] % num_groups:
        raise ValueError(f"group_norm: expected channels that {num_groups} groups divide, but got {shape[1]} channels.")
    groups = _normalised(input.reshape((shape[0], num_groups, -1)), (2,), eps)
    return _affine(groups.reshape(shape), weight, bias, (1, -1) + (1,) * (len(shape) - 2))


def rms_norm(x, gamma, epsilon=1e-6):
    """`(x over its root mean square along the last axes, times gamma; one over that root)`."""
    axes = tuple(range(-gamma.ndim, 0))
    share = OPS["rsqrt"]((x * x).mean(axes, True) + epsilon)
    return x * share * gamma, share


def var_mean(input, axis=None, ddof=0, keepdims=False):
    """`(variance, mean)`."""
    return input.var(axis, ddof, keepdims), input.mean(axis, keepdims)


def std_mean(input, axis=None, ddof=0, keepdims=False):
    """`(standard deviation, mean)`."""
    return input.std(axis, ddof, keepdims), input.mean(axis, keepdims)


def median(input, axis=-1, keepdims=False):
    """`(the lower median along axis, its Int64 index)`."""
    values, index = primitives.sort(value_of(input, "Median"), axis)
    place = (shape_of(values)[axis] - 1) // 2
    at = (slice(None),) * (axis % input.ndim) + (slice(place, place + 1) if keepdims else place,)
    return wrap(values[at]), wrap(cast(index[at], np.int64))


def clone(input):
    """A tensor of its own with the same elements; the derivative passes."""
    return input.copy()


def reshape_as(input, other):
    """The same elements in the shape of `other`."""
    return input.reshape(other.shape)


def type_as(input, other):
    """The elements in the type of `other`."""
    return input.astype(other.dtype)


def numel(input):
    """The number of elements."""
    return input.size


def narrow(input, axis, start, length):
    """`length` slices along `axis` from `start` on."""
    return input[(slice(None),) * (axis % input.ndim) + (slice(start, start + length),)]


def pixel_shuffle(input, upscale_factor):
    """Channels (..., c r r, h, w) spread over images r times as high and wide: (..., c, h r, w r)."""
    *batch, channels, height, width = input.shape
    r, n = upscale_factor, len(batch)
    apart = input.reshape((*batch, channels // r**2, r, r, height, width))
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return apart.transpose(order).reshape((*batch, channels // r**2, height * r, width * r))


def pixel_unshuffle(input, downscale_factor):
    """The inverse of `pixel_shuffle`: blocks of r by r pixels become channels, (..., c r r, h, w)."""
    *batch, channels, height, width = input.shape
    r, n = downscale_factor, len(batch)
    apart = input.reshape((*batch, channels, height // r, r, width // r, r))
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return apart.transpose(order).reshape((*batch, channels * r**2, height // r, width // r))


def slice_(input_x, begin, size):
    """The part of `input_x` that begins at `begin` (an index for each axis) and has the lengths `size`; -1: to the end."""
    ends = (n if length == -1 else i + length for i, length, n in zip(begin, size, input_x.shape, strict=True))
    return input_x[tuple(map(slice, begin, ends))]


def range_(start, end, step, maxlen=1000000):
    """Numbers from `start` up to, not including, `end`: Int64 for integers."""
    return OPS["arange"](start, end, step)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False):
    """The rows of `weight` at the places `input`; the row `padding_idx` gets no gradient."""
    if max_norm is not None or scale_grad_by_freq:
        raise NotImplementedError("embedding: labkit has neither max_norm nor scale_grad_by_freq; leave them out")
    if padding_idx is not None:
        rows = Tensor(np.arange(weight.shape[0])[:, None] == padding_idx % weight.shape[0])
        weight = OPS["where"](rows, OPS["stop_gradient"](weight), weight)
    return weight[input]


# ---- elements by their places: the last axis of `indices` names one ----


def _places(indices):
    return tuple([indices[..., i] for i in range(indices.shape[-1])])


def gather_nd(input_x, indices):
    """The elements, or slices, of `input_x` at the places along the last axis of `indices`."""
    return input_x[_places(indices)]


def scatter_nd(indices, updates, shape):
    """Zeros of a shape, with `updates` added at the places along the last axis of `indices`."""
    return tensor_scatter_add(wrap(np.zeros(tuple(shape), updates._value.dtype)), indices, updates)


def _writing(write, kept):
    """An op that writes `updates` into a copy of `x`: the gradient of `x` is `kept`, that of the updates where they went."""

    @primitives.rule(
        lambda ans, x, updates, *places: lambda g: kept(g, places),
        lambda ans, x, updates, *places: lambda g: g[places],
        rounds=False,
    )
    def written(x, updates, *places):
        out = np.array(x)
        write(out, places, updates)
        return out

    def call(x, indices, updates):
        return wrap(written(x._value, updates._value, *[constant(p._value) for p in _places(indices)]))

    return call


_put = _writing(np.ndarray.__setitem__, lambda g, places: primitives.set_item(g, places, 0))
_added = _writing(np.add.at, lambda g, places: g)


def tensor_scatter_add(input_x, indices, updates):
    """`input_x` with `updates` added at the places along the last axis of `indices`."""
    return _added(input_x, indices, updates)


def tensor_scatter_sub(input_x, indices, updates):
    """`input_x` less `updates` at the places along the last axis of `indices`."""
    return _added(input_x, indices, -updates)


def tensor_scatter_update(input_x, indices, updates):
    """`input_x` with `updates` at the places along the last axis of `indices`."""
    return _put(input_x, indices, updates)


def unsorted_segment_sum(input_x, segment_ids, num_segments):
    """The sums of the slices of `input_x` that have the same number in `segment_ids`, one for each number."""
    shape = (int(num_segments), *input_x.shape[segment_ids.ndim :])
    zeros = wrap(np.zeros(shape, input_x._value.dtype))
    return tensor_scatter_add(zeros, segment_ids.reshape((*segment_ids.shape, 1)), input_x)


def _segments(name, over, empty, what):
    """An op that reduces the slices of `input_x` that have the same number in `segment_ids`."""

    def reduced(input_x, segment_ids, num_segments):
        rows = input_x.reshape((segment_ids.size, *input_x.shape[segment_ids.ndim :]))
        numbers = Tensor(np.arange(int(num_segments))).reshape((-1, 1))
        member = (numbers == segment_ids.reshape((1, -1))).reshape((num_segments, -1, *(1,) * (rows.ndim - 1)))
        none = Tensor(np.array(empty(np.dtype(input_x._value.dtype)), input_x._value.dtype))
        return OPS[over](OPS["where"](member, rows, none), 1)

    reduced.__name__ = name
    reduced.__doc__ = (
        f"{what} of the slices of `input_x` that have the same number in `segment_ids`, one for each number."
    )
    return reduced


def _limit(which):
    return lambda dtype: getattr(np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype), which)


unsorted_segment_max = _segments("unsorted_segment_max", "amax", _limit("min"), "The largest")
unsorted_segment_min = _segments("unsorted_segment_min", "amin", _limit("max"), "The smallest")
unsorted_segment_prod = _segments("unsorted_segment_prod", "prod", lambda dtype: 1, "The products")


def index_add(input, dim, index, source, *, alpha=1):
    """`input` with `alpha` times the slices of `source` added along `dim` at the places `index`."""
    moved, rows = (OPS["moveaxis"](t, dim, 0) for t in (input, source * alpha))
    return OPS["moveaxis"](tensor_scatter_add(moved, index.reshape((-1, 1)), rows), 0, dim)


def _index_add_into(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """Add the slices of `y` to the parameter `x` along `axis` at the places `indices`. Returns the new value."""
    found = index_add(x, axis, indices, y)
    x.set_data(found)
    return found


range_.__name__, slice_.__name__ = "range", "slice"
_METHODS: tuple[Callable, ...] = (
    clone, reshape_as, type_as,
    addcmul, addcdiv, addmm, median, numel, narrow, gather_nd,
)  # fmt: skip
_FUNCTIONS: tuple[Callable, ...] = (
    layer_norm,
    group_norm,
    rms_norm,
    var_mean,
    std_mean,
    pixel_shuffle,
    pixel_unshuffle,
    range_,
    embedding,
)
_CLASSES: dict[Callable, str] = {
    slice_: "Slice", unsorted_segment_max: "UnsortedSegmentMax", unsorted_segment_min: "UnsortedSegmentMin",
    unsorted_segment_prod: "UnsortedSegmentProd", unsorted_segment_sum: "UnsortedSegmentSum",
    gather_nd: "GatherNd", scatter_nd: "ScatterNd", tensor_scatter_add: "TensorScatterAdd",
    tensor_scatter_sub: "TensorScatterSub", tensor_scatter_update: "TensorScatterUpdate",
}  # fmt: skip
for _fun in _METHODS:
    register(_fun)
for _fun in _FUNCTIONS:
    register(_fun, method=False)
METHODS["index_add"], OPS["index_add"] = index_add, _index_add_into
for _fun, _class in _CLASSES.items():
    register(_fun, method=False, primitive=_class)
register(OPS["gather_elements"], "gather_d", method=False, primitive="GatherD")
register(OPS["nonzero"], "argwhere")
