"""Sums, means, extremes, norms, softmax and running sums."""

import autograd.numpy as anp
import numpy as np

from ... import ops as base
from ...engine import cast, dtype_of, getval
from ...ops import REDUCTIONS, absolute, exp, expand, rounding, sign, stored, two_bytes, zero
from .arithmetic import divide, divide_by, power, times
from .declaration import op
from .shape import axes_of, flip, spread


def _by_dim(name, whole=0):
    return lambda args, kwargs: f"{name}Backward{whole if args[1] is None else 1 - whole}"


@op(_by_dim("Sum"), lambda ans, x, axis, keepdims: lambda g: expand(spread(g, x, axis), anp.shape(x)),
    others="dim keepdim")  # fmt: skip
def sum_(x, axis, keepdims):
    return np.sum(x, axis=axis, keepdims=keepdims, dtype=np.int64 if x.dtype.kind in "biu" else x.dtype)


def _mean_vjp(ans, x, axis, keepdims):
    count, divided = anp.size(x) / max(anp.size(ans), 1), divide_by if two_bytes(x.dtype) else divide
    return lambda g: divided(expand(spread(g, x, axis), anp.shape(x)), count)


@op(_by_dim("Mean"), _mean_vjp, others="dim keepdim")
def mean(x, axis, keepdims):
    return np.sum(x, axis=axis, keepdims=keepdims) / np.asarray(_count(x, axis), x.dtype)


def _count(x, axis):
    return np.prod([x.shape[a] for a in axes_of(x.ndim, axis)], dtype=float)


def _prod_vjp(ans, x, axis, keepdims):
    if getval(x).all():
        return lambda g: spread(g * ans, x, axis) / x
    return lambda g: spread(g, x, axis) * base.others(x, axis)


@op(_by_dim("Prod"), _prod_vjp, others="dim keepdim", saves="self result", rounds=False)
def prod(x, axis, keepdims):
    if two_bytes(x.dtype):  # one after the other
        axis, x = (0, x.ravel()) if axis is None and not keepdims else (axis, x)
        if isinstance(axis, int) and x.shape[axis]:
            made = np.take(np.multiply.accumulate(x, axis), -1, axis)
            return np.expand_dims(made, axis) if keepdims else made
    return np.prod(x, axis=axis, keepdims=keepdims, dtype=np.int64 if x.dtype.kind in "biu" else x.dtype)


@op("VarBackward0", lambda ans, x, axis, keepdims, ddof: lambda g: _var_vjp(spread(g, x, axis), x, axis, ddof),
    others="dim keepdim correction", saves="self")  # fmt: skip
def var(x, axis, keepdims, ddof):
    return np.var(x, axis=axis, keepdims=keepdims) * _divide_count(_count(x, axis), ddof, x.dtype)


def _divide_count(count, ddof, dtype):
    return np.asarray(count / (count - ddof) if count > ddof else np.nan, dtype)


def _var_vjp(g, x, axis, ddof):
    count = _count(np.empty(anp.shape(x), np.bool_), axis)
    return times(g, float(2 / (count - ddof) if count > ddof else np.nan)) * (x - mean(x, axis, True))


@op("StdBackward0", lambda ans, x, axis, keepdims, ddof: lambda g: _std_vjp(g, ans, x, axis, ddof),
    others="dim keepdim correction", saves="self result")  # fmt: skip
def std(x, axis, keepdims, ddof):
    return np.sqrt(np.var(x, axis=axis, keepdims=keepdims) * _divide_count(_count(x, axis), ddof, x.dtype))


std_beside_mean = op("StdMeanBackward0", lambda ans, x, axis, keepdims, ddof: lambda g: _std_vjp(g, ans, x, axis, ddof),
    others="dim keepdim correction", saves="self result")(std.fun)  # fmt: skip
mean_beside_std = op("StdMeanBackward0", _mean_vjp, others="dim keepdim", saves="self")(mean.fun)


def _std_vjp(g, ans, x, axis, ddof):
    halved = anp.where(ans == 0, zero(g), divide(g, ans * 2))
    return _var_vjp(spread(halved, x, axis), x, axis, ddof)


def _norm_kernel(x, p, axis, keepdims):
    size = np.abs(x)
    if p == np.inf:
        return np.max(size, axis=axis, keepdims=keepdims)
    if p == -np.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    if p == 0:
        return np.sum(size != 0, axis=axis, keepdims=keepdims).astype(x.dtype)
    if p == 2:
        return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))
    return np.sum(size**p, axis=axis, keepdims=keepdims) ** (1 / p)


def _norm_vjp(ans, x, p, axis, keepdims):
    def pull(g):
        g, length = spread(g, x, axis), spread(ans, x, axis)
        if p == 0:
            return anp.zeros_like(x)
        if abs(p) == np.inf:
            hit = cast(anp.equal(anp.abs(x), length), dtype_of(x))
            return g * sign(x) * divide(hit, sum_(hit, axis, True))
        if p == 1:
            return g * sign(x)
        if two_bytes(x.dtype) and p > 2:
            return x * power(absolute(x), p - 2) * anp.where(length == 0, zero(g), g / power(length, p - 1))
        ratio = divide(x, length) if p == 2 else sign(x) * power(divide(absolute(x), length), p - 1)
        return g * anp.where(length == 0, zero(g), ratio)

    return pull


@op("LinalgVectorNormBackward0", _norm_vjp, others="ord dim keepdim", saves="self result")
def norm(x, p, axis, keepdims):
    return _norm_kernel(x, p, axis, keepdims)


def _logsumexp(x, axis, keepdims):
    """Several kernels, each of which rounds."""
    if not two_bytes(x.dtype):
        return base.logsumexp.fun(x, axis, keepdims)
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, zero(x))
    total = np.log(sum_.fun(np.exp(x - top), axis, True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


def _log_softmax(x, axis):
    """Along the last axis the sum is stored, and so is its logarithm."""
    if not x.size or not x.ndim or axis % x.ndim < x.ndim - 1:
        return base.log_softmax.fun(x, axis)
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - stored(np.log(stored(np.sum(np.exp(shifted), axis=axis, keepdims=True))))


def _softmax(x, axis):
    """Along other axes than the last PyTorch takes 16 numbers at a time; of what is left over, the exponentials are stored."""
    if rounding() is None or not x.ndim or axis % x.ndim == x.ndim - 1:
        return base.softmax.fun(x, axis)
    parts, inner = np.exp(x - np.max(x, axis=axis, keepdims=True)), x.shape[axis % x.ndim + 1 :]
    rest = np.arange(np.prod(inner)).reshape(inner) >= np.prod(inner) // 16 * 16
    return np.where(rest, stored(parts), parts) / np.sum(parts, axis=axis, keepdims=True)


logsumexp = op("LogsumexpBackward0", lambda ans, x, axis, keepdims: lambda g: (
    spread(g, x, axis) * exp(x - spread(ans, x, axis))), others="dim keepdim", saves="self result", rounds=False,
)(_logsumexp)  # fmt: skip


@op("SoftmaxBackwardDataBackward0", lambda ans, g, y, axis: lambda h: softmax_backward(h, y, axis),
    lambda ans, g, y, axis: lambda h: h * (g - sum_(g * y, axis, True)) - g * sum_(h * y, axis, True),
    tensors="grad_output output", others="dim", saves="grad_output output")  # fmt: skip
def softmax_backward(g, y, axis):
    return y * (g - np.sum(g * y, axis=axis, keepdims=True, dtype=g.dtype))


@op("LogSoftmaxBackwardDataBackward0", lambda ans, g, y, axis: lambda h: h - sum_(h * exp(y), axis, True),
    lambda ans, g, y, axis: lambda h: -h * exp(y) * sum_(g, axis, True), tensors="grad_output output", others="dim",
    saves="grad_output output")  # fmt: skip
def log_softmax_backward(g, y, axis):
    return g - np.exp(y) * np.sum(g, axis=axis, keepdims=True, dtype=g.dtype)


softmax = op("SoftmaxBackward0", lambda ans, x, axis: lambda g: softmax_backward(g, ans, axis), others="dim",
             saves="result")(_softmax)  # fmt: skip
log_softmax = op("LogSoftmaxBackward0", lambda ans, x, axis: lambda g: log_softmax_backward(g, ans, axis), others="dim",
                 saves="result")(_log_softmax)  # fmt: skip


def shared(ans, x, *_):
    """The gradient of one element of all, shared by those equal to it: by all nan, where it is nan."""
    found = getval(ans)
    hit = np.isnan(getval(x)) if found != found else getval(x) == found
    return lambda g: anp.where(hit, divide(g, np.asarray(np.sum(hit), dtype_of(g))), zero(g))


def _whole(name, kernel):
    """The largest or the smallest of all elements."""
    return op(name, shared, others="dim keepdim", saves="self result")(lambda x, axis, keepdims: kernel(x))


max_all, min_all = _whole("MaxBackward1", np.max), _whole("MinBackward1", np.min)


def _reverse_cumsum(g, axis):
    return g if not anp.ndim(g) else flip(cumsum(flip(g, (axis,)), axis), (axis,))


@op("CumsumBackward0", lambda ans, x, axis: lambda g: _reverse_cumsum(g, axis), others="dim")
def cumsum(x, axis):
    return np.reshape(np.cumsum(x, axis=axis, dtype=np.int64 if x.dtype.kind in "biu" else x.dtype), x.shape)


REDUCING = {name: row.fun for name, row in REDUCTIONS.items()} | {"sum": sum_, "mean": mean, "prod": prod,
    "logsumexp": logsumexp, "softmax": softmax, "log_softmax": log_softmax, "cumsum": cumsum}  # fmt: skip
