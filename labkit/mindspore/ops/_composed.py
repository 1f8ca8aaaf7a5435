"""Ops made of other ops: products with a sum, normalisation, moments, embeddings."""

from collections.abc import Callable

import numpy as np

from ... import ops as primitives
from ...engine import cast, shape_of
from ..tensor import Tensor, wrap
from . import _create, _elementwise, _joining, _reduction, _shape  # noqa: F401  (whose ops it asks for)
from ._linear import matmul
from ._op import OPS, register, value_of

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


range_.__name__, slice_.__name__ = "range", "slice"
_METHODS: tuple[Callable, ...] = (
    clone, reshape_as, type_as,
    addcmul, addcdiv, addmm, median, numel, narrow,
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
for _fun in _METHODS:
    register(_fun)
for _fun in _FUNCTIONS:
    register(_fun, method=False)
register(slice_, method=False, primitive="Slice")
register(OPS["gather_elements"], "gather_d", method=False, primitive="GatherD")
register(OPS["nonzero"], "argwhere")
