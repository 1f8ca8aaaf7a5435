"""Primitive classes that are a few words of functions: a table from a class, its options and arguments to what it computes."""

import re
from inspect import Parameter as Word
from inspect import signature
from typing import Any

import numpy as np

from ...ops import convolution
from ..dtype import as_numpy
from ..tensor import Tensor, wrap
from . import (  # noqa: F401  (whose ops it asks for)
    _convolution,
    _ctc,
    _further,
    _matrices,
    _pieces,
    _pooled_places,
    _random,
    _special,
)
from ._convolution import pads, pair
from ._op import OPS, PRIMITIVES

# class(options) arguments: what it computes, in the functions of `ops`
_TABLE = """
AccumulateNV2() x: addn(x)
AdaptiveAvgPool3D(output_size) x: adaptive_avg_pool3d(x, output_size)
AdaptiveMaxPool2D(output_size) x: adaptive_max_pool2d(x, output_size, True)
AdaptiveMaxPool3D() x, output_size: adaptive_max_pool3d(x, tuple(output_size.tolist()), True)
AffineGrid(align_corners=False) theta, size: affine_grid(theta, size, align_corners)
ApproximateEqual(tolerance=1e-05) x, y: approximate_equal(x, y, tolerance)
AvgPool3D(kernel_size=1, strides=1, pad_mode="valid", pad=0, ceil_mode=False, count_include_pad=True, divisor_override=0, \
data_format="NCDHW") x: \
mean_of_windows(x, kernel_size, strides, pad_mode.lower(), pad, ceil_mode, count_include_pad, divisor_override, 3)
BartlettWindow(periodic=True, dtype=None) n: bartlett_window(n, periodic, dtype=dtype)
BatchNorm(is_training=False, epsilon=1e-05, momentum=0.1, data_format="NCHW") x, scale, bias, mean, variance: \
(batch_norm(x, mean, variance, scale, bias, is_training, momentum, epsilon), mean, variance, mean, variance)
Bernoulli(seed=-1, offset=0) x, p: bernoulli(x, p, seed if seed > 0 else None)
BlackmanWindow(periodic=True, dtype=None) n: blackman_window(n, periodic, dtype=dtype)
Col2Im(kernel_size, dilation=1, padding=0, stride=1) x, size: col2im(x, size, kernel_size, dilation, padding, stride)
Conv2DTranspose(out_channel, kernel_size, pad_mode="valid", pad=0, pad_list=None, mode=1, stride=1, dilation=1, group=1, \
data_format="NCHW") dout, weight, size: transposed(dout, weight, size, kernel_size, stride, pad_mode, pad, dilation, group)
Conv3DTranspose(in_channel, out_channel, kernel_size, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1, \
output_padding=0, data_format="NCDHW") dout, weight: \
transposed(dout, weight, None, kernel_size, stride, pad_mode, pad, dilation, group)
CTCLossV2(blank=0, reduction="none", zero_infinity=False) x, targets, lengths, target_lengths: \
ctc_loss(x, targets, lengths, target_lengths, blank, reduction, zero_infinity)
CumulativeLogsumexp(exclusive=False, reverse=False) x, axis: running(x, int(axis), exclusive, reverse)
DataFormatDimMap(src_format="NHWC", dst_format="NCHW") x: tensor([dst_format.index(c) for c in src_format], x.dtype)[x]
DepthToSpace(block_size) x: depth_to_space(x, block_size)
DiagPart() x: diagonal(x)
EmbeddingLookup() x, places, offset: where(logical_and(places >= offset, places < offset + len(x)).expand_dims(-1), \
x[clamp(places - offset, 0, len(x) - 1)], tensor(0, x.dtype))
EqualCount() x, y: equal(x, y).astype(x.dtype).sum().astype(x.dtype).reshape((1,))
FillDiagonal(fill_value, wrap=False) x: x.fill_diagonal(fill_value, wrap)
FillV2() shape, value: full(tuple(shape.tolist()) if hasattr(shape, "tolist") else shape, value.item(), dtype=value.dtype)
Fills() x, value: full_like(x, value)
FractionalMaxPool3DWithFixedKsize(ksize, output_shape, data_format="NCDHW") x, samples: \
fractional_max_pool3d(x, ksize, output_shape, None, True, samples)
FractionalMaxPoolWithFixedKsize(ksize, output_shape, data_format="NCHW") x, samples: \
fractional_max_pool2d(x, ksize, output_shape, None, True, samples)
GridSampler2D(interpolation_mode="bilinear", padding_mode="zeros", align_corners=False) x, grid: \
grid_sample(x, grid, interpolation_mode, padding_mode, align_corners)
GridSampler3D(interpolation_mode="bilinear", padding_mode="zeros", align_corners=False) x, grid: \
grid_sample(x, grid, interpolation_mode, padding_mode, align_corners)
HammingWindow(periodic=True, alpha=0.54, beta=0.46, dtype=None) n: hamming_window(n, periodic, alpha, beta, dtype=dtype)
IdentityN() x: tuple(t.copy() for t in x)
Im2Col(ksizes, strides=1, dilations=1, pads=0) x: im2col(x, ksizes, strides, dilations, pads)
InTopK(k) x, y: intopk(x, y, k)
IndexPut(accumulate=0) x, values, indices: x.index_put(indices, values, bool(accumulate))
InplaceIndexAdd(axis) var, indices, updates: inplace_index_add(var, indices, updates, axis)
InplaceUpdateV2() x, indices, v: inplace_update(x, v, indices)
InvertPermutation() x: tuple(x.index(n) for n in sorted(x))
LeftShift() x, y: bitwise_left_shift(x, y)
LogMatrixDeterminant() x: slogdet(x)
LogSpace(steps=10, base=10, dtype=None) start, end: logspace(start, end, steps, base, dtype=dtype or start.dtype)
LowerBound(out_type="int32") x, values: searchsorted(x, values).astype(out_type)
LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12) x: (abs(x) ** p).sum(tuple(axis) if isinstance(axis, list) else axis, \
keepdims=keep_dims) ** (1 / p)
MatrixDeterminant() x: det(x)
MatrixDiagPartV3(align="RIGHT_LEFT") x, k, padding: matrix_diag_part(x, k, padding, align)
MatrixDiagV3(align="RIGHT_LEFT") x, k, rows, columns, padding: matrix_diag(x, k, rows, columns, padding, align)
MatrixInverse(adjoint=False) x: inverse(x.swapaxes(-1, -2) if adjoint else x)
MatrixSetDiagV3(align="RIGHT_LEFT") x, diagonal, k: matrix_set_diag(x, diagonal, k, align)
MaxPool3D(kernel_size=1, strides=1, pad_mode="VALID", pad_list=0, ceil_mode=None, data_format="NCDHW") \
x: largest(x, kernel_size, strides, pad_mode.lower(), pad_list, 1, bool(ceil_mode), dims=3)
MaxPool3DWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format="NCDHW", argmax_type="int64") \
x: largest(x, ksize, strides, "pad", pads, dilation, ceil_mode, True, 3)
MaxPoolWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type="int64") \
x: largest(x, kernel_size, strides or kernel_size, "pad", pads, dilation, ceil_mode, True)
MaxUnpool2D(ksize, strides=0, pads=0, output_shape=(), data_format="NCHW") x, places: \
max_unpool2d(x, places, ksize, strides, pads, output_shape)
MaxUnpool3D(ksize, strides=0, pads=0, output_shape=(), data_format="NCDHW") x, places: \
max_unpool3d(x, places, ksize, strides, pads, output_shape)
Median(global_median=False, axis=0, keep_dims=False, ignore_nan=False) x: \
(median(x.reshape((-1,)))[0], tensor(0)) if global_median else median(x, axis, keep_dims)
MirrorPad(mode="REFLECT") x, paddings: mirror_pad(x, paddings, mode)
MulNoNan() x, y: where(equal(zeros_like(x) + y, 0), zeros_like(x * y), x * y)
Multinomial(seed=0, seed2=0, dtype=None) x, count: multinomial(x, count, True, seed or None).astype(dtype or "int32")
Padding(pad_dim_size=8) x: padding(x, pad_dim_size)
PopulationCount() x: population_count(x)
MultinomialWithReplacement(numsamples, replacement=False) x, seed, offset: \
multinomial_with_replacement(x, seed, offset, numsamples)
RandomCategorical(dtype="int64") x, count, seed: random_categorical(x, count, seed, dtype)
RandomChoiceWithMask(count=256, seed=0, seed2=0) x: choice_with_mask(x, count, seed or None)
RandomGamma(seed=0, seed2=0) shape, alpha: random_gamma(shape, alpha, seed or None)
RandomPoisson(seed=0, seed2=0, dtype="int64") shape, rate: random_poisson(shape, rate, seed or None, dtype)
RandomShuffle(seed=0, seed2=0) x: shuffle(x, seed or None)
ReduceStd(axis=(), unbiased=True, keep_dims=False) x: std_mean(x, axis if axis != () else None, int(unbiased), keep_dims)
RightShift() x, y: bitwise_right_shift(x, y)
ScalarCast() x, dtype: scalar_cast(x, dtype)
SearchSorted(dtype="int64", right=False) x, values: searchsorted(x, values, right=right).astype(dtype)
SpaceToBatchND(block_shape, paddings) x: space_to_batch_nd(x, block_shape, paddings)
BatchToSpaceND(block_shape, crops) x: batch_to_space_nd(x, block_shape, crops)
SpaceToDepth(block_size) x: space_to_depth(x, block_size)
SplitV(size_splits, split_dim, num_split) x: split(x, with_rest(size_splits, x.shape[split_dim]), split_dim)
SquareSumAll() x, y: ((x * x).sum(), (y * y).sum())
StandardLaplace(seed=0, seed2=0) shape: standard_laplace(shape, seed or None)
TensorShape() x: dyn_shape(x)
UniformInt(seed=0, seed2=0) shape, low, high: uniform(shape, low, high, seed or None, low.dtype)
UniformReal(seed=0, seed2=0) shape: rand(tuple(shape), seed=seed or None)
UpperBound(out_type="int32") x, values: searchsorted(x, values, right=True).astype(out_type)
"""


_LINE = re.compile(r"^(\w+)\((.*?)\) ([\w, ]+): (.*)$", re.M)


def _depth_to_space(x, size):
    batch, channels, height, width = x.shape
    apart = x.reshape((batch, size, size, channels // size**2, height, width))
    return apart.transpose((0, 3, 4, 1, 5, 2)).reshape((batch, -1, height * size, width * size))


def _space_to_depth(x, size):
    batch, channels, height, width = x.shape
    apart = x.reshape((batch, channels, height // size, size, width // size, size))
    return apart.transpose((0, 3, 5, 1, 2, 4)).reshape((batch, -1, height // size, width // size))


def _with_rest(sizes, length):
    """Lengths of which one, -1, is what is left."""
    known = [n for n in sizes if n >= 0]
    return [n if n >= 0 else length - sum(known) for n in sizes]


def _running(x, axis, exclusive, reverse):
    """The logarithms of the sums of exponentials so far; with `exclusive` each without itself."""
    x = OPS["flip"](x, (axis,)) if reverse else x
    found = OPS["logcumsumexp"](x, axis)
    if exclusive:
        least = OPS["full_like"](OPS["narrow"](x, axis, 0, 1), float(np.finfo(as_numpy(x.dtype)).min))
        found = OPS["concat"]((least, OPS["narrow"](found, axis, 0, x.shape[axis] - 1)), axis)
    return OPS["flip"](found, (axis,)) if reverse else found


def _transposed(dout, weight, size, kernel, stride, pad_mode, pad, dilation, group):
    """The images, of this size or of what the kernel reaches, from which a convolution with `weight` comes."""
    dims = weight.ndim - 2
    stride, dilation = (pair(n, "stride", "ConvTranspose", dims) for n in (stride, dilation))
    if size is None:
        size = tuple(
            (n - 1) * s + d * (k - 1) + 1
            for n, s, d, k in zip(dout.shape[2:], stride, dilation, weight.shape[2:], strict=True)
        )
        size = (dout.shape[0], weight.shape[1] * group, *size)
    around = pads(pad_mode.lower(), pad, size[2:], weight.shape[2:], stride, dilation)
    with np.errstate(all="ignore"):
        return wrap(convolution.conv2d_input(dout._value, weight._value, tuple(size), stride, around, dilation, group))


_WORDS: dict[str, Any] = {
    **OPS, "depth_to_space": _depth_to_space, "space_to_depth": _space_to_depth, "tensor": Tensor, "with_rest": _with_rest,
    "im2col": PRIMITIVES["Im2Col"], "largest": _convolution.largest, "mean_of_windows": _convolution.mean_of_windows,
    "running": _running, "transposed": _transposed,
}  # fmt: skip


def _said(takes, arguments, body):
    """`(the options with their defaults, the function of them and of the arguments)` of a line."""
    options = {
        w.name: None if w.default is Word.empty else w.default
        for w in signature(eval(f"lambda {takes}: 0")).parameters.values()
    }
    named = ", ".join(["*", *options]) if options else "*none"
    compute = eval(f"lambda {arguments}, {named}: {body}", _WORDS)

    def call(given, *args):
        return compute(*args, **given)

    call.__doc__ = f"With the options ({takes}), called with {arguments}: what `{body}` is, in the functions of `ops`."
    return options, call


FORMULAS: dict[str, tuple[dict, Any]] = {name: _said(*rest) for name, *rest in _LINE.findall(_TABLE)}
