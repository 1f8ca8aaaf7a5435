"""Primitive classes that are a few words of functions: a table from a class, its options and arguments to what it computes."""

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


class _Ops:
    """The functions of `ops`, each looked up when it is called."""

    def __getattr__(self, name):
        if name not in OPS:
            raise AttributeError(name)
        return OPS[name]


ops = _Ops()


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


# each class: what it computes of its arguments, with its options behind the star
_COMPUTES: dict[str, Any] = {
    "AccumulateNV2": lambda x: ops.addn(x),
    "AdaptiveAvgPool3D": lambda x, *, output_size: ops.adaptive_avg_pool3d(x, output_size),
    "AdaptiveMaxPool2D": lambda x, *, output_size: ops.adaptive_max_pool2d(x, output_size, True),
    "AdaptiveMaxPool3D": lambda x, output_size: ops.adaptive_max_pool3d(x, tuple(output_size.tolist()), True),
    "AffineGrid": lambda theta, size, *, align_corners=False: ops.affine_grid(theta, size, align_corners),
    "ApproximateEqual": lambda x, y, *, tolerance=1e-05: ops.approximate_equal(x, y, tolerance),
    "AvgPool3D": lambda x, *, kernel_size=1, strides=1, pad_mode="valid", pad=0, ceil_mode=False, count_include_pad=True,
        divisor_override=0, data_format="NCDHW":
        _convolution.mean_of_windows(x, kernel_size, strides, pad_mode.lower(), pad, ceil_mode, count_include_pad,
        divisor_override, 3),
    "BartlettWindow": lambda n, *, periodic=True, dtype=None: ops.bartlett_window(n, periodic, dtype=dtype),
    "BatchNorm": lambda x, scale, bias, mean, variance, *, is_training=False, epsilon=1e-05, momentum=0.1, data_format="NCHW":
        (ops.batch_norm(x, mean, variance, scale, bias, is_training, momentum, epsilon), mean, variance, mean, variance),
    "Bernoulli": lambda x, p, *, seed=-1, offset=0: ops.bernoulli(x, p, seed if seed > 0 else None),
    "BlackmanWindow": lambda n, *, periodic=True, dtype=None: ops.blackman_window(n, periodic, dtype=dtype),
    "Col2Im": lambda x, size, *, kernel_size, dilation=1, padding=0, stride=1:
        ops.col2im(x, size, kernel_size, dilation, padding, stride),
    "Conv2DTranspose": lambda dout, weight, size, *, out_channel, kernel_size, pad_mode="valid", pad=0, pad_list=None,
        mode=1, stride=1, dilation=1, group=1, data_format="NCHW":
        _transposed(dout, weight, size, kernel_size, stride, pad_mode, pad, dilation, group),
    "Conv3DTranspose": lambda dout, weight, *, in_channel, out_channel, kernel_size, mode=1, pad_mode="valid", pad=0,
        stride=1, dilation=1, group=1, output_padding=0, data_format="NCDHW":
        _transposed(dout, weight, None, kernel_size, stride, pad_mode, pad, dilation, group),
    "CTCLossV2": lambda x, targets, lengths, target_lengths, *, blank=0, reduction="none", zero_infinity=False:
        ops.ctc_loss(x, targets, lengths, target_lengths, blank, reduction, zero_infinity),
    "CumulativeLogsumexp": lambda x, axis, *, exclusive=False, reverse=False: _running(x, int(axis), exclusive, reverse),
    "DataFormatDimMap": lambda x, *, src_format="NHWC", dst_format="NCHW":
        Tensor([dst_format.index(c) for c in src_format], x.dtype)[x],
    "DepthToSpace": lambda x, *, block_size: _depth_to_space(x, block_size),
    "DiagPart": lambda x: ops.diagonal(x),
    "EmbeddingLookup": lambda x, places, offset:
        ops.where(ops.logical_and(places >= offset, places < offset + len(x)).expand_dims(-1), x[ops.clamp(places - offset,
        0, len(x) - 1)], Tensor(0, x.dtype)),
    "EqualCount": lambda x, y: ops.equal(x, y).astype(x.dtype).sum().astype(x.dtype).reshape((1,)),
    "FillDiagonal": lambda x, *, fill_value, wrap=False: x.fill_diagonal(fill_value, wrap),
    "FillV2": lambda shape, value:
        ops.full(tuple(shape.tolist()) if hasattr(shape, "tolist") else shape, value.item(), dtype=value.dtype),
    "Fills": lambda x, value: ops.full_like(x, value),
    "FractionalMaxPool3DWithFixedKsize": lambda x, samples, *, ksize, output_shape, data_format="NCDHW":
        ops.fractional_max_pool3d(x, ksize, output_shape, None, True, samples),
    "FractionalMaxPoolWithFixedKsize": lambda x, samples, *, ksize, output_shape, data_format="NCHW":
        ops.fractional_max_pool2d(x, ksize, output_shape, None, True, samples),
    "GridSampler2D": lambda x, grid, *, interpolation_mode="bilinear", padding_mode="zeros", align_corners=False:
        ops.grid_sample(x, grid, interpolation_mode, padding_mode, align_corners),
    "GridSampler3D": lambda x, grid, *, interpolation_mode="bilinear", padding_mode="zeros", align_corners=False:
        ops.grid_sample(x, grid, interpolation_mode, padding_mode, align_corners),
    "HammingWindow": lambda n, *, periodic=True, alpha=0.54, beta=0.46, dtype=None:
        ops.hamming_window(n, periodic, alpha, beta, dtype=dtype),
    "IdentityN": lambda x: tuple(t.copy() for t in x),
    "Im2Col": lambda x, *, ksizes, strides=1, dilations=1, pads=0: PRIMITIVES["Im2Col"](x, ksizes, strides, dilations, pads),
    "InTopK": lambda x, y, *, k: ops.intopk(x, y, k),
    "IndexPut": lambda x, values, indices, *, accumulate=0: x.index_put(indices, values, bool(accumulate)),
    "InplaceIndexAdd": lambda var, indices, updates, *, axis: ops.inplace_index_add(var, indices, updates, axis),
    "InplaceUpdateV2": lambda x, indices, v: ops.inplace_update(x, v, indices),
    "InvertPermutation": lambda x: tuple(x.index(n) for n in sorted(x)),
    "LeftShift": lambda x, y: ops.bitwise_left_shift(x, y),
    "LogMatrixDeterminant": lambda x: ops.slogdet(x),
    "LogSpace": lambda start, end, *, steps=10, base=10, dtype=None:
        ops.logspace(start, end, steps, base, dtype=dtype or start.dtype),
    "LowerBound": lambda x, values, *, out_type="int32": ops.searchsorted(x, values).astype(out_type),
    "LpNorm": lambda x, *, axis, p=2, keep_dims=False, epsilon=1e-12:
        (ops.abs(x) ** p).sum(tuple(axis) if isinstance(axis, list) else axis, keepdims=keep_dims) ** (1 / p),
    "MatrixDeterminant": lambda x: ops.det(x),
    "MatrixDiagPartV3": lambda x, k, padding, *, align="RIGHT_LEFT": ops.matrix_diag_part(x, k, padding, align),
    "MatrixDiagV3": lambda x, k, rows, columns, padding, *, align="RIGHT_LEFT":
        ops.matrix_diag(x, k, rows, columns, padding, align),
    "MatrixInverse": lambda x, *, adjoint=False: ops.inverse(x.swapaxes(-1, -2) if adjoint else x),
    "MatrixSetDiagV3": lambda x, diagonal, k, *, align="RIGHT_LEFT": ops.matrix_set_diag(x, diagonal, k, align),
    "MaxPool3D": lambda x, *, kernel_size=1, strides=1, pad_mode="VALID", pad_list=0, ceil_mode=None, data_format="NCDHW":
        _convolution.largest(x, kernel_size, strides, pad_mode.lower(), pad_list, 1, bool(ceil_mode), dims=3),
    "MaxPool3DWithArgmax": lambda x, *, ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format="NCDHW",
        argmax_type="int64":
        _convolution.largest(x, ksize, strides, 'pad', pads, dilation, ceil_mode, True, 3),
    "MaxPoolWithArgmaxV2": lambda x, *, kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False,
        argmax_type="int64":
        _convolution.largest(x, kernel_size, strides or kernel_size, 'pad', pads, dilation, ceil_mode, True),
    "MaxUnpool2D": lambda x, places, *, ksize, strides=0, pads=0, output_shape=(), data_format="NCHW":
        ops.max_unpool2d(x, places, ksize, strides, pads, output_shape),
    "MaxUnpool3D": lambda x, places, *, ksize, strides=0, pads=0, output_shape=(), data_format="NCDHW":
        ops.max_unpool3d(x, places, ksize, strides, pads, output_shape),
    "Median": lambda x, *, global_median=False, axis=0, keep_dims=False, ignore_nan=False:
        (ops.median(x.reshape((-1,)))[0], Tensor(0)) if global_median else ops.median(x, axis, keep_dims),
    "MirrorPad": lambda x, paddings, *, mode="REFLECT": ops.mirror_pad(x, paddings, mode),
    "MulNoNan": lambda x, y: ops.where(ops.equal(ops.zeros_like(x) + y, 0), ops.zeros_like(x * y), x * y),
    "Multinomial": lambda x, count, *, seed=0, seed2=0, dtype=None:
        ops.multinomial(x, count, True, seed or None).astype(dtype or "int32"),
    "Padding": lambda x, *, pad_dim_size=8: ops.padding(x, pad_dim_size),
    "PopulationCount": lambda x: ops.population_count(x),
    "MultinomialWithReplacement": lambda x, seed, offset, *, numsamples, replacement=False:
        ops.multinomial_with_replacement(x, seed, offset, numsamples),
    "RandomCategorical": lambda x, count, seed, *, dtype="int64": ops.random_categorical(x, count, seed, dtype),
    "RandomChoiceWithMask": lambda x, *, count=256, seed=0, seed2=0: ops.choice_with_mask(x, count, seed or None),
    "RandomGamma": lambda shape, alpha, *, seed=0, seed2=0: ops.random_gamma(shape, alpha, seed or None),
    "RandomPoisson": lambda shape, rate, *, seed=0, seed2=0, dtype="int64":
        ops.random_poisson(shape, rate, seed or None, dtype),
    "RandomShuffle": lambda x, *, seed=0, seed2=0: ops.shuffle(x, seed or None),
    "ReduceStd": lambda x, *, axis=(), unbiased=True, keep_dims=False:
        ops.std_mean(x, axis if axis != () else None, int(unbiased), keep_dims),
    "RightShift": lambda x, y: ops.bitwise_right_shift(x, y),
    "ScalarCast": lambda x, dtype: ops.scalar_cast(x, dtype),
    "SearchSorted": lambda x, values, *, dtype="int64", right=False: ops.searchsorted(x, values, right=right).astype(dtype),
    "SpaceToBatchND": lambda x, *, block_shape, paddings: ops.space_to_batch_nd(x, block_shape, paddings),
    "BatchToSpaceND": lambda x, *, block_shape, crops: ops.batch_to_space_nd(x, block_shape, crops),
    "SpaceToDepth": lambda x, *, block_size: _space_to_depth(x, block_size),
    "SplitV": lambda x, *, size_splits, split_dim, num_split:
        ops.split(x, _with_rest(size_splits, x.shape[split_dim]), split_dim),
    "SquareSumAll": lambda x, y: ((x * x).sum(), (y * y).sum()),
    "StandardLaplace": lambda shape, *, seed=0, seed2=0: ops.standard_laplace(shape, seed or None),
    "TensorShape": lambda x: ops.dyn_shape(x),
    "UniformInt": lambda shape, low, high, *, seed=0, seed2=0: ops.uniform(shape, low, high, seed or None, low.dtype),
    "UniformReal": lambda shape, *, seed=0, seed2=0: ops.rand(tuple(shape), seed=seed or None),
    "UpperBound": lambda x, values, *, out_type="int32": ops.searchsorted(x, values, right=True).astype(out_type),
}  # fmt: skip


def _with_options(compute):
    """`(the options with their defaults, the function of given options and of the arguments)` of a row."""
    words = signature(compute).parameters.values()
    options = {w.name: None if w.default is Word.empty else w.default for w in words if w.kind is Word.KEYWORD_ONLY}
    called = ", ".join(w.name for w in words if w.kind is not Word.KEYWORD_ONLY)

    def call(given, *args):
        return compute(*args, **given)

    call.__doc__ = (
        f"With the options {', '.join(options)}, called with {called}." if options else f"Called with {called}."
    )
    return options, call


FORMULAS: dict[str, tuple[dict, Any]] = {name: _with_options(compute) for name, compute in _COMPUTES.items()}
