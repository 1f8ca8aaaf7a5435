"""Convolution, pooling and batch normalisation of sequences, images and volumes: one node each.

Results lie in memory as their shape says.
"""

import math
from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import dtype_of
from ...ops import convolution, pooling
from .declaration import op
from .reductions import sum_

_GEOMETRY = "stride padding dilation groups"
_WINDOW = "kernel_size stride padding dilation ceil_mode"
_MEAN = "kernel_size stride padding ceil_mode count_include_pad divisor_override"


def pairs(padding):
    """`(before, after)` of each dimension, of which a padding may be a number alone, as the kernels want it."""
    return tuple(p if isinstance(p, tuple) else (p, p) for p in padding)


def _kernel(raw):
    """A convolution's kernel for this dialect's padding."""

    def fun(a, b, *how):
        *shape, stride, padding, dilation, groups = how
        return np.ascontiguousarray(raw.fun(a, b, *shape, stride, pairs(padding), dilation, groups))

    return fun


# ---- convolution ----


@op("ConvolutionBackward0", lambda ans, x, w, b, *how: lambda g: conv2d_input(g, w, anp.shape(x), *how),
    lambda ans, x, w, b, *how: lambda g: conv2d_weight(x, g, anp.shape(w), *how),
    lambda ans, x, w, b, *how: lambda g: sum_(g, _over(g), False), tensors="input weight bias", others=_GEOMETRY,
    saves="input weight")  # fmt: skip
def conv2d(x, w, b, *how):
    made = _kernel(convolution._conv2d)(x, w, *how)
    made = made if b is None else made + b.reshape(-1, *(1,) * (x.ndim - 2))
    return made.astype(x.dtype, copy=False)


def _input_in_steps(g, w, shape, *how):
    """For two-byte floats, each element of the kernel on its own: what it gives is stored, and added to what is stored."""
    raw = _kernel(convolution.conv2d_input)
    if base.rounding() is None:
        return raw(g, w, shape, *how)
    total: Any = 0
    for at in np.ndindex(w.shape[2:]):
        alone = np.zeros_like(w)
        alone[..., *at] = w[..., *at]
        total = base.stored(total + base.stored(raw(g, alone, shape, *how)))
    return total


def _weight_in_steps(x, g, shape, *how):
    """For two-byte floats, what each example gives is added to what is stored."""
    raw = _kernel(convolution.conv2d_weight)
    if base.rounding() is None:
        return raw(x, g, shape, *how)
    total: Any = 0
    for n in range(len(x)):
        total = base.stored(total + raw(x[n : n + 1], g[n : n + 1], shape, *how))
    return total


conv2d_input = op("ConvolutionBackwardBackward0", lambda ans, g, w, shape, *how: lambda h: conv2d(h, w, None, *how),
    lambda ans, g, w, shape, *how: lambda h: conv2d_weight(h, g, anp.shape(w), *how), tensors="grad_output weight",
    others=f"shape {_GEOMETRY}", saves="grad_output weight")(_input_in_steps)  # fmt: skip

conv2d_weight = op("ConvolutionBackwardBackward0",
    lambda ans, x, g, shape, *how: lambda h: conv2d_input(g, h, anp.shape(x), *how),
    lambda ans, x, g, shape, *how: lambda h: conv2d(x, h, None, *how), tensors="input grad_output",
    others=f"shape {_GEOMETRY}", saves="input grad_output")(_weight_in_steps)  # fmt: skip


# ---- pooling ----


def _windows(shape, kernel, stride, padding, dilation, ceil_mode):
    around = pairs(padding)
    if ceil_mode:
        around = pooling.rounded_up(shape[2:], kernel, stride, around, dilation)
    return kernel, stride, around, dilation


def _named(name, place):
    """The name of a node in which {} is the number of dimensions of the window, which is an argument."""
    return lambda args, kwargs: name.format(len(args[place]))


@op(_named("MaxPool{}DWithIndicesBackward0", 1), lambda ans, x, *how: lambda g: max_pool2d_input(g, x, ans, *how),
    others=_WINDOW, saves="self result")  # fmt: skip
def max_pool2d(x, *how):
    return np.ascontiguousarray(pooling.max_pool2d.fun(x, *_windows(x.shape, *how)))


@op(_named("MaxPool{}DWithIndicesBackwardBackward0", 3),
    lambda ans, g, x, best, *how: lambda h: max_pool2d_pick(h, x, best, *how), None, None,
    tensors="grad_output self -result", others=_WINDOW, saves="self result")  # fmt: skip
def max_pool2d_input(g, x, best, *how):
    return np.ascontiguousarray(pooling.max_pool2d_input.fun(g, x, best, *_windows(x.shape, *how)))


@op(_named("MaxPool{}DWithIndicesBackwardBackward0", 3),
    lambda ans, h, x, best, *how: lambda g: max_pool2d_input(g, x, best, *how), None, None,
    tensors="grad_output self -result", others=_WINDOW, saves="self result")  # fmt: skip
def max_pool2d_pick(h, x, best, *how):
    return np.ascontiguousarray(pooling.max_pool2d_pick.fun(h, x, best, *_windows(x.shape, *how)))


def max_places(x, best, *how):
    """The positions in the images `x` of the elements `best` of `max_pool2d`."""
    return np.ascontiguousarray(pooling.max_places(x, best, *_windows(x.shape, *how)))


def _means(shape, kernel, stride, padding, ceil_mode, include, divisor):
    inner = pairs(padding)
    *_, around, _ = _windows(shape, kernel, stride, padding, (1,) * len(kernel), ceil_mode)
    counted = inner if include else ((0, 0),) * len(kernel)
    return kernel, stride, around, divisor or pooling.divisors(shape[2:], kernel, stride, around, counted)


@op(_named("AvgPool{}DBackward0", 1), lambda ans, x, *how: lambda g: avg_pool2d_input(g, anp.shape(x), *how),
    others=_MEAN, saves="self")  # fmt: skip
def avg_pool2d(x, *how):
    return np.ascontiguousarray(pooling.avg_pool2d.fun(x, *_means(x.shape, *how)))


@op(_named("AvgPool{}DBackwardBackward0", 2), lambda ans, g, shape, *how: lambda h: avg_pool2d(h, *how),
    tensors="grad_output", others=f"shape {_MEAN}")  # fmt: skip
def avg_pool2d_input(g, shape, *how):
    return np.ascontiguousarray(pooling.avg_pool2d_input.fun(g, shape, *_means(shape, *how)))


# ---- batch normalisation ----


def _over(x):
    """The axes that a channel's statistics are taken over."""
    return (0, *range(2, anp.ndim(x)))


def _across(numbers, x):
    return anp.reshape(numbers, (1, -1) + (1,) * (anp.ndim(x) - 2))


def _normalised(x, mean, var, eps):
    """`((x - mean) / sqrt(var + eps), 1 / sqrt(var + eps))`; without `mean` and `var` those of the batch."""
    if mean is None:
        mean, var = base.mean(x, axis=_over(x), keepdims=True), base.var(x, axis=_over(x), keepdims=True)
        if (kind := base.rounding()) is not None:  # what is kept for the way back is used at once
            mean, count = base.stored(mean), math.prod(x.shape[axis] for axis in _over(x))
            var = base.stored(base.stored(var * count) / count) if kind.name == "bfloat16" else var
            scale = base.stored(1 / anp.sqrt(var + eps))
            return (x - mean) * scale, scale
    else:
        mean, var = _across(mean, x), _across(var, x)
    scale = 1 / anp.sqrt(var + eps)
    return (x - mean) * scale, scale


def _by_input(g, x, w, mean, var, eps):
    made, scale = _normalised(x, mean, var, eps)
    g = g if w is None else g * _across(w, x)
    if mean is not None:
        return g * scale
    over = _over(x)
    return scale * (g - base.mean(g, axis=over, keepdims=True) - made * base.mean(g * made, axis=over, keepdims=True))


@op("NativeBatchNormBackward0", lambda ans, x, w, b, mean, var, eps: lambda g: _by_input(g, x, w, mean, var, eps),
    lambda ans, x, w, b, mean, var, eps: lambda g: base.sum_(g * _normalised(x, mean, var, eps)[0], axis=_over(x)),
    lambda ans, x, w, b, mean, var, eps: lambda g: base.sum_(g, axis=_over(x)), tensors="input weight bias",
    others="running_mean running_var eps", saves="input weight", fused_backward=True)  # fmt: skip
def batch_norm(x, w, b, mean, var, eps):
    made, scale = _normalised(x, mean, var, np.asarray(eps, x.dtype))
    if base.rounding() is not None:  # as a factor and what is added
        factor = scale if w is None else scale * _across(w, x)
        middle = base.stored(base.mean(x, axis=_over(x), keepdims=True)) if mean is None else _across(mean, x)
        return x * factor + ((0 if b is None else _across(b, x)) - middle * factor)
    made = made if w is None else made * _across(w, x)
    return np.asarray(made if b is None else made + _across(b, x)).astype(dtype_of(x))


def out_size(shape, kernel, stride, padding, dilation, ceil_mode=False):
    """The size of the result of a window of this geometry."""
    kernel, stride, around, dilation = _windows(shape, kernel, stride, padding, dilation, ceil_mode)
    return convolution.output_size(shape[2:], kernel, stride, around, dilation)


def batch_statistics(x, kind):
    """Mean and unbiased variance of each channel, of two-byte floats in float32; of `kind` bfloat16, a sum is stored."""
    x = x.astype(np.float32) if base.two_bytes(x.dtype) else x
    over, count = _over(x), math.prod(x.shape[i] for i in _over(x))
    if kind.name == "bfloat16":
        return x.mean(axis=over), (x.var(axis=over) * count).astype(kind).astype(np.float32) / max(count - 1, 1)
    return x.mean(axis=over), x.var(axis=over) * (count / max(count - 1, 1))
