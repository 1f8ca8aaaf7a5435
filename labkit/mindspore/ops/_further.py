"""Ops of MindSpore's alone that are made of others: parts of matrices, slices written into a tensor, windows, roots."""

import math
from functools import partial

import autograd.numpy as anp
import numpy as np

from ...engine import stop_gradient as constant
from ...ops import rule, select
from ..dtype import as_numpy, float32
from ..tensor import Tensor, wrap
from . import _composed, _elementwise, _places, _reduction  # noqa: F401  (whose ops it asks for)
from ._linear import matmul
from ._op import OPS, op, register, value_of

# ---- matrices ----


@rule(
    lambda ans, x: lambda g: g[..., None, None] * anp.swapaxes(anp.linalg.inv(x), -1, -2),
    text="np.linalg.slogdet({})[1]",
)
def _log_of_size(x):
    """The logarithms of the sizes of determinants."""
    return np.linalg.slogdet(x)[1]


@rule(text="np.linalg.slogdet({})[0]")
def _sign_of_determinant(x):
    return np.linalg.slogdet(x)[0]


@rule(text="np.linalg.cholesky({})")
def _root(x):
    return np.linalg.cholesky(x)


@op(method=True)
def logdet(input):
    """The logarithms of the determinants of matrices; nan where one is negative."""
    return select(_sign_of_determinant(constant(input)) < 0, np.array(np.nan, input.dtype), _log_of_size(input))


def slogdet(input):
    """`(the signs of determinants, the logarithms of their sizes)`."""
    value = value_of(input, "SLogDet")
    return wrap(_sign_of_determinant(constant(value))), wrap(_log_of_size(value))


@op(method=True)
def cholesky(input_x, upper=False):
    """The lower triangular root L of positive definite matrices, L @ L.T; `upper`: its transpose. It has no derivative, as in
    MindSpore on the CPU."""
    root = _root(input_x)
    return anp.swapaxes(root, -1, -2) if upper else root


@op(method=True)
def pinv(x, *, atol=None, rtol=None, hermitian=False):
    """The pseudo-inverses of matrices. `atol`, `rtol`, `hermitian` at their defaults."""
    return anp.linalg.pinv(x)


def matrix_power(input, n):
    """Square matrices multiplied by themselves: to the power `n`, a negative one of the inverse."""
    base = OPS["inverse"](input) if n < 0 else input
    found = OPS["eye"](input.shape[-1], input.shape[-1], input.dtype) + 0 * input
    for _ in range(abs(n)):
        found = matmul(found, base)
    return found


def matrix_band_part(x, lower, upper):
    """Matrices with zeros but for the diagonal and `lower` and `upper` diagonals beside it; a negative number: all of them."""
    ahead = np.arange(x.shape[-1]) - np.arange(x.shape[-2])[:, None]
    low, high = (int(n) for n in (lower, upper))
    kept = ((low < 0) | (-ahead <= low)) & ((high < 0) | (ahead <= high))
    return x * wrap(kept.astype(x._value.dtype))


def batch_dot(x1, x2, axes=None):
    """For each of a batch, the sums of products along an axis of each: `axes`, a number or two; the last and the last but one."""
    first, second = (axes, axes) if isinstance(axes, int) else axes or (x1.ndim - 1, max(x2.ndim - 2, 1))
    a, b = OPS["moveaxis"](x1, first, -1), OPS["moveaxis"](x2, second, 1)
    rows, columns = a.reshape((a.shape[0], -1, a.shape[-1])), b.reshape((*b.shape[:2], -1))
    shape = (a.shape[0], *a.shape[1:-1], *b.shape[2:])
    return matmul(rows, columns).reshape(shape if len(shape) > 1 else (*shape, 1))


def bidense(input1, input2, weight, bias=None):
    """x1 @ weight[k] @ x2 for each k, of `weight` (out, in1, in2), plus `bias` (out,): rows (..., out)."""
    found = OPS["einsum"](
        "bi,oij,bj->bo", input1.reshape((-1, input1.shape[-1])), weight, input2.reshape((-1, input2.shape[-1]))
    )
    found = found.reshape((*input1.shape[:-1], weight.shape[0]))
    return found if bias is None else found + bias


# ---- written into a tensor ----


def _written(input, src, places):
    """`input` with `src` at `places`, an index; the gradient is shared out between the two."""
    number = np.arange(math.prod(input.shape)).reshape(input.shape)[places]
    flat = OPS["tensor_scatter_update"](
        input.reshape((-1,)), Tensor(number.reshape(-1, 1)), src.reshape((-1,)).astype(input.dtype)
    )
    return flat.reshape(input.shape)


def _slices(input, axis, at):
    return (slice(None),) * (axis % input.ndim) + (at,)


def select_scatter(input, src, axis, index):
    """`input` with `src` at the place `index` of an axis."""
    return _written(input, src, _slices(input, axis, index))


def slice_scatter(input, src, axis=0, start=None, end=None, step=1):
    """`input` with `src` in the slice start:end:step of an axis."""
    return _written(input, src, _slices(input, axis, slice(start, end, step)))


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """`input` with `src` on a diagonal."""
    number = np.arange(math.prod(input.shape)).reshape(input.shape)
    return _written(input, src, np.unravel_index(np.diagonal(number, offset, dim1, dim2), input.shape))


def inplace_update(x, v, indices):
    """`x` with the rows `v` at the places `indices`: a tensor of its own."""
    return _written(x, v, ([indices] if isinstance(indices, int) else np.asarray(getattr(indices, "_value", indices)),))


def _inplace(sign):
    def into(x, v, indices):
        places = np.atleast_1d(np.asarray(getattr(indices, "_value", indices)))
        return OPS["tensor_scatter_add"](x, Tensor(places[:, None]), sign * v)

    into.__name__ = into.__qualname__ = "inplace_add" if sign > 0 else "inplace_sub"
    into.__doc__ = f"`x` {'plus' if sign > 0 else 'minus'} `v` in the rows `indices`: a tensor of its own."
    return into


def strided_slice(
    input_x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0
):
    """`input_x[begin:end:strides]`, a slice for each of the first axes; bit k of a mask: from the start, to the end, all
    the axes that are left out, a new axis, one place alone. `begin`, `end`, `strides`: lists of integers or tensors."""
    places: list = []
    for k, (first, last, step) in enumerate(zip(*map(_numbers, (begin, end, strides)), strict=True)):
        set_in = [
            bool(mask >> k & 1) for mask in (ellipsis_mask, new_axis_mask, shrink_axis_mask, begin_mask, end_mask)
        ]
        part = slice(None if set_in[3] else first, None if set_in[4] else last, step)
        places.append(... if set_in[0] else None if set_in[1] else first if set_in[2] else part)
    return input_x[tuple(places)]


def _numbers(given):
    return [int(n) for n in (given.tolist() if isinstance(given, Tensor) else given)]


def reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0):
    """Each of a batch with its first `seq_lengths[b]` places along `seq_dim` turned round."""
    length, place = x.shape[seq_dim], np.arange(x.shape[seq_dim])
    counts = np.asarray(getattr(seq_lengths, "_value", seq_lengths))[:, None]
    turned = np.where(place < counts, counts - 1 - place, place)
    shape = [1] * x.ndim
    shape[batch_dim], shape[seq_dim] = x.shape[batch_dim], length
    turned = turned if batch_dim % x.ndim < seq_dim % x.ndim else turned.T
    return OPS["gather_elements"](x, seq_dim, Tensor(np.broadcast_to(turned.reshape(shape), x.shape).astype(np.int64)))


def take(input, index):
    """The elements at `index` of all of them, in one row."""
    return input.reshape((-1,))[index]


# ---- of each element, and of channels ----


def truncate_div(x, y):
    """The quotient, cut towards zero."""
    found = OPS["trunc"](OPS["div"](x, y))
    return found.astype(OPS["add"](x, y).dtype)


def truncate_mod(x, y):
    """The remainder, with the sign of the dividend."""
    return OPS["fmod"](x, y).astype(OPS["add"](x, y).dtype)


@op(method=False, primitive="Invert")
def invert(x):
    """Every bit of integers turned over."""
    return np.invert(constant(x))


def swiglu(input, dim=-1):
    """silu of the first half along `dim`, times the second."""
    first, second = OPS["chunk"](input, 2, dim)
    return OPS["silu"](first) * second


def lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
    """x / (bias + alpha * the sum of squares over the channels at most `depth_radius` away) ** beta, of (n, channels, h, w)."""
    near = np.abs(np.arange(x.shape[1]) - np.arange(x.shape[1])[:, None]) <= depth_radius
    squares = OPS["einsum"]("ck,nkhw->nchw", wrap(near.astype(x._value.dtype)), x * x)
    return x / (bias + alpha * squares) ** beta


def batch_norm(input_x, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-5):
    """Channels (axis 1) shifted and scaled by the running mean and variance, or, with `training`, by those of the batch, which
    then enter the running ones; then times `weight`, plus `bias`."""
    shape, axes = (1, -1) + (1,) * (input_x.ndim - 2), (0, *range(2, input_x.ndim))
    mean, variance = running_mean, running_var
    if training:
        mean, variance = input_x.mean(axes), input_x.var(axes)
        count = input_x.size // input_x.shape[1]
        for running, found in ((running_mean, mean), (running_var, variance * (count / max(count - 1, 1)))):
            running[...] = running * (1 - momentum) + OPS["stop_gradient"](found) * momentum
    scaled = (input_x - mean.reshape(shape)) / (variance.reshape(shape) + eps).sqrt()
    return scaled * weight.reshape(shape) + bias.reshape(shape)


def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The sums of powers over windows, and their root: (..., channels, length)."""
    return _lp_pool(partial(OPS["avg_pool1d"], ceil_mode=ceil_mode), x, norm_type, kernel_size, stride, 1)


def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The sums of powers over windows of images, and their root: (..., channels, h, w)."""
    return _lp_pool(partial(OPS["avg_pool2d"], ceil_mode=ceil_mode), x, norm_type, kernel_size, stride, 2)


def _lp_pool(pool, x, p, size, stride, dims):
    count = size**dims if isinstance(size, int) else math.prod(size)
    means = pool(x**p, size, size if stride is None else stride)
    return (OPS["sign"](means) * OPS["relu"](OPS["abs"](means)) * count) ** (1.0 / p)


# ---- vectors of a length ----


def _window(name, weights):
    def window(window_length, periodic=True, *, dtype=None):
        length = int(window_length)
        found = weights(length + 1)[:length] if periodic and length > 1 else weights(length)
        return wrap(found.astype(as_numpy(dtype or float32)))

    window.__name__ = window.__qualname__ = f"{name}_window"
    window.__doc__ = f"The {name.title()} window of a length; `periodic`: of one more, without its last."
    return window


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None):
    """alpha - beta * cos(2 pi k / n) for each place k; `periodic`: n is the length, else one less."""
    length = int(window_length)
    turns = 2 * np.pi * np.arange(length) / max(length if periodic else length - 1, 1)
    return wrap((alpha - beta * np.cos(turns)).astype(as_numpy(dtype or float32)))


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None):
    """The Kaiser window of a length; `periodic`: of one more, without its last."""
    return _window("kaiser", lambda n: np.kaiser(n, float(beta)))(window_length, periodic, dtype=dtype)


def logspace(start, end, steps, base=10, *, dtype=float32):
    """`steps` numbers from base ** start to base ** end, whose logarithms are evenly spaced."""
    return wrap(np.logspace(float(start), float(end), int(steps), base=base).astype(as_numpy(dtype)))


for _fun in (slogdet, matrix_power, select_scatter, slice_scatter, diagonal_scatter, take):
    register(_fun)
for _other in (
    matrix_band_part, batch_dot, bidense, inplace_update, _inplace(1), _inplace(-1), strided_slice, reverse_sequence,
    truncate_div, truncate_mod, swiglu, lrn, batch_norm, lp_pool1d, lp_pool2d, hamming_window, kaiser_window, logspace,
    _window("hann", np.hanning), _window("bartlett", np.bartlett), _window("blackman", np.blackman),
):  # fmt: skip
    register(_other, method=False)
