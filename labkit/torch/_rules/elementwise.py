"""Functions of one tensor whose nodes or numbers are PyTorch's own: half precision is rounded once, derivatives have nodes."""

import math
from typing import Any

import autograd.numpy as anp
import numpy as np

from ...engine import dtype_of, getval, unbroadcast_f
from ...ops import FUNCTIONS, erf_kernel, exp, operand, rounding, sign, two_bytes, zero
from .arithmetic import in_blocks, no_derivative, power, scale, times, where
from .core import fused, op

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
OWN: dict[str, Any] = {}  # functions of the table that have another derivative here


def _again(name, vjp, saves="result"):
    """The function of this name with another derivative, computed in float32 for half precision."""
    made = OWN[name] = op(None, vjp, name=name, saves=saves)(FUNCTIONS[name].fun.fun)
    return made


def _rsqrt(x):
    return in_blocks(lambda x: 1 / np.sqrt(x), x)


rsqrt = OWN["rsqrt"] = op(None, lambda ans, x: lambda g: g * power(ans, 3) * -0.5, name="rsqrt", saves="result",
                          rounds=False)(_rsqrt)  # fmt: skip
sigmoid = _again("sigmoid", lambda ans, x: lambda g: sigmoid_backward(g, ans))
tanh = _again("tanh", lambda ans, x: lambda g: tanh_backward(g, ans))
relu = _again("relu", lambda ans, x: lambda g: threshold_backward(g, ans))
erf = _again("erf", lambda ans, x: lambda g: times(exp(-power(x, 2)), _TWO_OVER_ROOT_PI) * g, "self")
erfc = _again("erfc", lambda ans, x: lambda g: times(exp(-power(x, 2)), -_TWO_OVER_ROOT_PI) * g, "self")
exp2 = _again("exp2", lambda ans, x: lambda g: scale(g * ans, math.log(2)))
log2 = _again("log2", lambda ans, x: lambda g: g / times(x, math.log(2)), "self")
log10 = _again("log10", lambda ans, x: lambda g: g / times(x, math.log(10)), "self")
asin = _again("asin", lambda ans, x: lambda g: g * _below_circle(x), "self")
absolute = _again("abs", lambda ans, x: lambda g: g * sign(x), "self")
acos = _again("acos", lambda ans, x: lambda g: g * -_below_circle(x), "self")


def _below_circle(x):
    """1 / sqrt(1 - x^2)."""
    return rsqrt(1 - x * x) if two_bytes(x.dtype) else power(1 - x * x, -0.5)


@op("RoundBackward0", lambda ans, x, decimals=0: lambda g: anp.zeros_like(g), others="decimals")
def round_(x, decimals=0):
    return np.round(x, decimals)


@op(
    "SigmoidBackwardBackward0",
    lambda ans, g, y: lambda h: h * ((1 - y) * y),
    lambda ans, g, y: lambda h: h * g * (1 - 2 * y),
    tensors="grad_output output",
    saves="grad_output<output output",
)
def sigmoid_backward(g, y):
    return g * ((1 - y) * y) if rounding() is None else g * (1 - y) * y


@op(
    "TanhBackwardBackward0",
    lambda ans, g, y: lambda h: h * (1 - power(y, 2)),
    lambda ans, g, y: lambda h: h * (-2 * y * g),
    tensors="grad_output output",
    saves="grad_output<output output",
)
def tanh_backward(g, y):
    return g * (1 - y * y)


@op(
    "ThresholdBackwardBackward0",
    lambda ans, g, y: lambda h: threshold_backward(h, y),
    lambda ans, g, y: lambda h: anp.zeros_like(y),
    tensors="grad_output self",
    saves="self",
)
def threshold_backward(g, y):
    return np.where(y > 0, g, zero(g))


@op(
    "LeakyReluBackward0",
    lambda ans, x, slope: lambda g: anp.where(x > 0, g, g * slope),
    others="negative_slope",
    saves="self",
    fused_backward=True,
)
def leaky_relu(x, slope):
    return np.where(x > 0, x, x * slope).astype(x.dtype)


@op("EluBackward0",
    lambda ans, x, alpha, scale=1.0: lambda g: scale * anp.where(x > 0, g, g * alpha * exp(anp.minimum(x, zero(x)))),
    others="alpha scale", saves="self", fused_backward=True)  # fmt: skip
def elu(x, alpha, scale=1.0):
    return (scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, zero(x))))).astype(x.dtype)


@op(
    "SoftplusBackward0",
    lambda ans, x, beta, threshold: lambda g: softplus_backward(g, x, beta, threshold),
    others="beta threshold",
    saves="self",
)
def softplus(x, beta, threshold):
    return np.where(x * beta > threshold, x, np.logaddexp(x * beta, zero(x)) / beta).astype(x.dtype)


@op("SoftplusBackwardBackward0",
    lambda ans, g, x, beta, threshold: lambda h: softplus_backward(h, x, beta, threshold),
    lambda ans, g, x, beta, threshold: lambda h: (
        h * g * anp.where(x * beta > threshold, zero(g), beta * sigmoid(x * beta) * sigmoid(-x * beta))),
    tensors="grad_output self", others="beta threshold", saves="grad_output self")  # fmt: skip
def softplus_backward(g, x, beta, threshold):
    return np.where(x * beta > threshold, g, g * sigmoid.fun(x * beta))


@op("HardtanhBackward0", lambda ans, x, low, high: lambda g: hardtanh_backward(g, x, low, high), others="min_val max_val",
    saves="self")  # fmt: skip
def hardtanh(x, low, high):
    """`x` limited to [low, high]; unlike in `clamp`, an element at a limit gets no gradient."""
    return np.clip(x, low, high).astype(x.dtype)


@op("HardtanhBackwardBackward0", lambda ans, g, x, low, high: lambda h: hardtanh_backward(h, x, low, high), None,
    tensors="grad_output self", others="min_val max_val", saves="self")  # fmt: skip
def hardtanh_backward(g, x, low, high):
    return np.where((x > low) & (x < high), g, zero(g))


@op(
    "SiluBackward0",
    lambda ans, x: lambda g: g * (sigmoid(x) * (1 + x * (1 - sigmoid(x)))),
    saves="self",
    fused_backward=True,
)
def silu(x):
    return x * sigmoid(x)


@op(
    "GeluBackward0",
    lambda ans, x: lambda g: g * (0.5 * (1 + erf(x * 0.5**0.5)) + x * exp(-0.5 * power(x, 2)) * (2 * np.pi) ** -0.5),
    saves="self",
    fused_backward=True,
)
def gelu(x):
    return (x * 0.5 * (1 + erf_kernel(x * np.asarray(0.5**0.5, x.dtype)))).astype(x.dtype)


@fused("LogSigmoidBackwardBackward0", "grad_output self buffer", name="log_sigmoid_backward")
def log_sigmoid_backward(g, x, buffer):
    """`buffer`, exp(-|x|), is kept, so it is rounded."""
    share = buffer / (1 + buffer)
    return g * anp.where(x < 0, 1 - share, share)


def _log_sigmoid_vjp(ans, x):
    if two_bytes(x.dtype):
        return lambda g: log_sigmoid_backward(g, x, exp(-absolute(x)))
    return lambda g: g * sigmoid(-x)


@op("LogSigmoidBackward0", _log_sigmoid_vjp, saves="self")
def logsigmoid(x):
    return -np.logaddexp(zero(x), -x)


@op("LogitBackward0", lambda ans, x, eps: lambda g: _logit_back(g, x, eps), others="eps", saves="self")
def logit(x, eps):
    z = x if eps is None else np.clip(x, np.asarray(eps, x.dtype), np.asarray(1 - eps, x.dtype))
    return np.log(z / (1 - z))


def _logit_back(g, x, eps):
    low = eps or 0.0
    beyond = np.full((), np.nan if eps is None else 0.0, dtype_of(g))
    return anp.where(anp.logical_and(x >= low, x <= 1 - low), g / (x * (1 - x)), beyond)


@op("FracBackward0", lambda ans, x: lambda g: g)
def frac(x):
    return x - np.trunc(x)


@op("CeluBackward0", lambda ans, x, alpha: lambda g: anp.where(x > 0, g, g * exp(anp.minimum(x, zero(x)) / alpha)),
    others="alpha", saves="self", fused_backward=True)  # fmt: skip
def celu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, zero(x)) / alpha)).astype(x.dtype)


@op("PreluKernelBackward0",
    lambda ans, x, w: lambda g: anp.where(x > 0, g, w * g),
    lambda ans, x, w: unbroadcast_f(w, lambda g: anp.where(x > 0, zero(g), x * g)),
    tensors="self weight", saves="self weight", fused_backward=True)  # fmt: skip
def prelu(x, w):
    return np.where(x > 0, x, w * x)


@op("RreluWithNoiseBackward0", lambda ans, x, slopes: lambda g: anp.where(x > 0, g, g * slopes), others="noise",
    saves="self noise", fused_backward=True)  # fmt: skip
def rrelu(x, slopes):
    return np.where(x > 0, x, x * slopes)


@op("ThresholdBackward0", lambda ans, x, limit, value: lambda g: anp.where(x > limit, g, zero(g)),
    others="threshold value", saves="self", fused_backward=True)  # fmt: skip
def threshold(x, limit, value):
    return np.where(x > limit, x, np.asarray(value, x.dtype))


@op("HardshrinkBackward0", lambda ans, x, width: lambda g: anp.where(anp.abs(x) <= operand(width, x), zero(g), g), others="lambd",
    saves="self", operands=True)  # fmt: skip
def hardshrink(x, width):
    return np.where(np.abs(x) <= width, zero(x), x)


@op("SoftshrinkBackward0", lambda ans, x, width: lambda g: anp.where(anp.abs(x) <= operand(width, x), zero(g), g), others="lambd",
    saves="self")  # fmt: skip
def softshrink(x, width):
    return np.where(np.abs(x) <= width, zero(x), x - np.sign(x) * width).astype(x.dtype)


@fused("GeluBackward0", "self", name="gelu_by_tanh")
def gelu_by_tanh(x):
    return 0.5 * x * (1 + tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * power(x, 3))))


@fused("GluBackward0", "self", "dim", name="glu")
def glu(x, dim):
    half = x.shape[dim] // 2
    first, second = (x[(slice(None),) * dim + (part,)] for part in (slice(0, half), slice(half, None)))
    return first * sigmoid(second)


@op("HardswishBackwardBackward0", lambda ans, g, x: lambda h: hardswish_backward(h, x),
    lambda ans, g, x: lambda h: where((x > -3) & (x < 3), h * g / 3, zero(h)),
    tensors="grad_output self", saves="grad_output self")  # fmt: skip
def hardswish_backward(g, x):
    return np.where(x < 3, np.where(x > -3, g * (x / 3 + 0.5), zero(g)), g)


@op(
    "NotImplemented",
    no_derivative("hardsigmoid_backward"),
    no_derivative("hardsigmoid_backward"),
    tensors="grad_output self",
)
def hardsigmoid_backward(g, x):
    return np.where((x > -3) & (x < 3), g / 6, zero(g))


hardswish = _again("hardswish", lambda ans, x: lambda g: hardswish_backward(g, x), "self")
hardsigmoid = _again("hardsigmoid", lambda ans, x: lambda g: hardsigmoid_backward(g, x), "self")


@op("NanToNumBackward0", lambda ans, x, *_: lambda g: g * np.isfinite(getval(x)), others="nan posinf neginf", saves="self",
    rounds=False)  # fmt: skip
def nan_to_num(x, nan, posinf, neginf):
    return np.nan_to_num(x, True, nan, posinf, neginf)
