"""Convolution and pooling of sequences, images and volumes: tensors of shape (batch, channels, *size)."""

import itertools
import math

import numpy as np

from ...engine import shape_of
from ...ops import convolution, pooling
from ..argument_checks import above_zero
from ..common.dtype import of
from ..common.tensor import Tensor, wrap
from .op_table import OPS, register, value_of

_PAD_MODES = ("valid", "same", "pad")
_NO_FLOATS = "For '{name}', expected a tensor of Float16, Float32 or Float64, but got {dtype}."


def pair(value, name, owner, dims=2):
    """`value`, a positive integer or one for each of `dims`, as a tuple. Raises TypeError or ValueError otherwise."""
    pair = (value,) * dims if isinstance(value, int) else value
    if not isinstance(pair, (tuple, list)) or len(pair) != dims or any(not isinstance(n, int) for n in pair):
        count = {1: "one", 2: "two", 3: "three"}[dims]
        raise TypeError(
            f"For '{owner}', the '{name}' must be a positive int or a tuple of {count} positive ints, but got {value}."
        )
    if min(pair) <= 0:
        shown = next(n for n in pair if n <= 0)
        above_zero(shown, int, f"For '{owner}', the '{name} item'")
    return tuple(pair)


def four(padding, owner, dims=2):
    """A padding as two numbers for each dimension: one number for all, or one for each. Raises ValueError."""
    sides = (padding,) * (2 * dims) if isinstance(padding, int) else tuple(padding)
    sides = tuple(n for side in sides for n in (side, side)) if len(sides) == dims else sides
    if len(sides) != 2 * dims:
        raise ValueError(
            f"For '{owner}', the 'padding' must be an int or a tuple of {dims} or {2 * dims} ints, but got {padding}."
        )
    return tuple(above_zero(side, int, f"For '{owner}', the 'padding'", zero=True) for side in sides)


def check_pad_mode(pad_mode, padding, owner="Conv2D", dims=2):
    """Raise ValueError for an unknown mode, or for a padding in a mode that has none."""
    if pad_mode not in _PAD_MODES:
        raise ValueError(
            f"For '{owner}', the 'pad_mode' must be str and must be in '['valid', 'same', 'pad']', "
            f"but got '{pad_mode}'."
        )
    if pad_mode != "pad" and any(four(padding, owner, dims)):
        raise ValueError(
            f"For '{owner}', the 'pad' must be zero when 'pad_mode' is not 'pad', "
            f"but got 'pad': {padding} and 'pad_mode': {pad_mode}."
        )


def pads(pad_mode, padding, size, kernel, stride, dilation):
    """The padding as the engine wants it: of an image, ((top, bottom), (left, right))."""
    if pad_mode == "same":
        return convolution.same_padding(size, kernel, stride, dilation)
    sides = four(padding if pad_mode == "pad" else 0, f"Conv{len(kernel)}D", len(kernel))
    return tuple(zip(sides[::2], sides[1::2], strict=True))


# ---- convolution ----


def conv2d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """The convolution of images with `weight` (out, in / groups, height, width), plus `bias` (out,).

    `pad_mode`: "valid" for no padding, "same" for as many elements as the input has (over the stride), "pad" for
    `padding` zeros. Raises ValueError, TypeError or RuntimeError for shapes or types that do not fit.

    >>> from labkit.mindspore import ops
    >>> conv2d(ops.ones((1, 1, 3, 3)), ops.ones((1, 1, 2, 2))).tolist()
    [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    return _convolved(2, input, weight, bias, stride, pad_mode, padding, dilation, groups)


def _convolved(dims, input, weight, bias, stride, pad_mode, padding, dilation, groups):
    owner = f"Conv{dims}D"
    check_pad_mode(pad_mode, padding, owner, dims)
    x, w = value_of(input, owner), value_of(weight, owner)
    _check_images(x, w, groups, dims)
    size, kernel = shape_of(x)[2:], shape_of(w)[2:]
    stride, dilation = pair(stride, "stride", owner, dims), pair(dilation, "dilation", owner, dims)
    around = pads(pad_mode, padding, size, kernel, stride, dilation)
    if min(convolution.output_size(size, kernel, stride, around, dilation)) < 1:
        raise ValueError(
            f"For 'Conv{dims}d', input shape's h and w after padding must be greater than or equal to kernel_size's h and w "
            "respectively."
        )
    with np.errstate(all="ignore"):
        made = wrap(convolution.conv2d(x, w, stride, around, dilation, groups))
    return made if bias is None else bias_add(made, bias)


def _check_images(x, w, groups, dims):
    shape, kernel, owner = shape_of(x), shape_of(w), f"Conv{dims}D"
    for name, sizes in (("x", shape), ("w", kernel)):
        if len(sizes) != dims + 2:
            raise ValueError(
                f"For primitive[{owner}], the {name} shape size must be equal to {dims + 2}, but got {len(sizes)}."
            )
    if x.dtype != w.dtype:
        raise TypeError(
            f"For primitive[{owner}], the input type must be same.\n"
            f"name:[w]:Ref[Tensor[{of(w.dtype)}]].\nname:[x]:Tensor[{of(x.dtype)}].\n"
        )
    if shape[1] != kernel[1] * groups:
        raise RuntimeError(
            f"For '{owner}', 'C_in' of input 'x' shape divide by parameter 'group' must be equal to 'C_in' of input "
            f"'weight' shape: {kernel[1]}, but got 'C_in' of input 'x' shape: {shape[1]}, and 'group': {groups}."
        )


def bias_add(input_x, bias):
    """`input_x` with one number of `bias` added to every channel, which is axis 1."""
    if bias.shape != input_x.shape[1:2]:
        shown = ["{" + ", ".join(map(str, t.shape)) + "}" for t in (bias, input_x)]
        raise ValueError(
            "For 'BiasAdd', bias[0] shape should be equal to input_x[1] shape when data_format is 0, "
            f"but got bias shape: .[const vector]{shown[0]}, input_shape: [const vector]{shown[1]}."
        )
    return input_x + bias.reshape((1, -1) + (1,) * (input_x.ndim - 2))


# ---- pooling ----


def _pooled(input, kernel, stride, around, dilation, name, pool):
    """`pool` applied to a stack of images, or to a single one, whose shape has no batch; after checks."""
    x, dims = value_of(input, name), len(kernel)
    if x.dtype.kind in "iub":
        raise TypeError(_NO_FLOATS.format(name=name, dtype=of(x.dtype)))
    if len(shape_of(x)) not in (dims + 1, dims + 2):
        raise ValueError(
            f"For primitive[{name}], the x shape size must be equal to {dims + 2}, but got {len(shape_of(x))}."
        )
    batch = x if len(shape_of(x)) == dims + 2 else x.reshape((1, *shape_of(x)))
    shape = shape_of(batch)
    out = convolution.output_size(shape[2:], kernel, stride, around, dilation)
    if min(out) < 1:
        shown = [", ".join(map(str, s)) for s in ((*shape[:2], *out), shape, (1, 1, *kernel), (1, 1, *stride))]
        raise ValueError(
            f"For '{name}', the each element of the output shape must be larger than 0, but got output shape: "
            f"[const vector]{{{shown[0]}}}. The input shape: [const vector]{{{shown[1]}}}, kernel size: "
            f"[const vector]{{{shown[2]}}}, strides: [const vector]{{{shown[3]}}}. Please check the official api "
            "documents for more information about the output."
        )
    with np.errstate(all="ignore"):
        made = pool(batch)
    return wrap(made if batch is x else made.reshape((shape[1], *out)))


def largest(input, kernel, stride, pad_mode, padding, dilation, ceil_mode, places=False, dims=2):
    """Max pooling with every option; with `places` also where each element stood."""
    kernel, stride, dilation = (pair(v, "kernel_size", "MaxPool", dims) for v in (kernel, stride, dilation))
    size = input.shape[-dims:]
    around = pads(pad_mode, padding, size, kernel, stride, dilation)
    around = pooling.rounded_up(size, kernel, stride, around, dilation) if ceil_mode else around
    how = kernel, stride, around, dilation
    found = _pooled(input, *how, "MaxPool", lambda x: pooling.max_pool2d(x, *how))
    if not places:
        return found
    x, best = (t.asnumpy().reshape((-1, *t.shape[-dims - 1 :])) for t in (input, found))
    return found, wrap(np.ascontiguousarray(pooling.max_places(x, best, *how)).reshape(found.shape))


def mean_of_windows(input, kernel, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor, dims=2):
    """Average pooling with every option."""
    kernel, stride = (pair(v, "kernel_size", "AvgPool", dims) for v in (kernel, stride))
    size, dense = input.shape[-dims:], (1,) * dims
    inner = pads(pad_mode, padding, size, kernel, stride, dense)
    around = pooling.rounded_up(size, kernel, stride, inner, dense) if ceil_mode else inner
    counted = inner if count_include_pad else ((0, 0),) * dims
    divisor = divisor or pooling.divisors(size, kernel, stride, around, counted)
    pool = lambda x: pooling.avg_pool2d(x, kernel, stride, around, divisor)
    return _pooled(input, kernel, stride, around, dense, "AvgPool", pool)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """The largest elements of `output_size` windows, (height, width) or one number for both, spread over images; None keeps a
    length. With `return_indices` also the place of each in its image. Raises ValueError for another size.
    """
    given = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * 2
    lead, size = input.shape[:-2], input.shape[-2:]
    wanted = tuple(n if count is None else count for n, count in zip(size, given, strict=True))
    number = np.arange(math.prod(size)).reshape(size)
    found, places = [], []
    parts = itertools.product(*map(pooling.even_windows, size, wanted))
    for part in parts:  # of ops alone, so that a program can be made of it
        window = (slice(*part[0]), slice(*part[1]))
        elements = input[(..., *window)].reshape((*lead, -1))
        first = OPS["argmax"](elements, -1, True)
        found.append(OPS["gather_elements"](elements, -1, first))
        places.append(OPS["gather"](Tensor(number[window].ravel()), first, 0))
    values, indices = (OPS["cat"](parts, -1).reshape((*lead, *wanted)) for parts in (found, places))
    return (values, indices) if return_indices else values


for _fun in (conv2d, bias_add, adaptive_max_pool2d):
    register(_fun, method=False)
