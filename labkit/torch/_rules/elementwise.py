"""Functions of one tensor whose nodes or numbers differ in PyTorch: half precision is rounded once, derivatives have nodes."""

import math
from typing import Any

import autograd.numpy as anp
import numpy as np

from ...ops import FUNCTIONS, erf_kernel, exp, rounding, sign, two_bytes, zero
from .arithmetic import in_blocks, power, times
from .declaration import fused, op

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


@op("TanhBackwardBackward0", lambda ans, g, y: lambda h: h * (1 - power(y, 2)),
    lambda ans, g, y: lambda h: h * (-2 * y * g), tensors="grad_output output", saves="grad_output<output output")  # fmt: skip
def tanh_backward(g, y):
    return g * (1 - y * y)


@op("ThresholdBackwardBackward0", lambda ans, g, y: lambda h: threshold_backward(h, y),
    lambda ans, g, y: lambda h: anp.zeros_like(y), tensors="grad_output self", saves="self")  # fmt: skip
def threshold_backward(g, y):
    return np.where(y <= 0, zero(g), g)  # at nan the gradient passes


@op("LeakyReluBackward0", lambda ans, x, slope: lambda g: anp.where(x > 0, g, g * slope), others="negative_slope",
    saves="self", fused_backward=True)  # fmt: skip
def leaky_relu(x, slope):
    return np.where(x > 0, x, x * slope).astype(x.dtype)


@op("SoftplusBackward0", lambda ans, x, beta, threshold: lambda g: softplus_backward(g, x, beta, threshold),
    others="beta threshold", saves="self")  # fmt: skip
def softplus(x, beta, threshold):
    return np.where(x * beta > threshold, x, np.logaddexp(x * beta, zero(x)) / beta).astype(x.dtype)


@op("SoftplusBackwardBackward0",
    lambda ans, g, x, beta, threshold: lambda h: softplus_backward(h, x, beta, threshold),
    lambda ans, g, x, beta, threshold: lambda h: (
        h * g * anp.where(x * beta > threshold, zero(g), beta * sigmoid(x * beta) * sigmoid(-x * beta))),
    tensors="grad_output self", others="beta threshold", saves="grad_output self")  # fmt: skip
def softplus_backward(g, x, beta, threshold):
    return np.where(x * beta > threshold, g, g * sigmoid.fun(x * beta))


@op("SiluBackward0", lambda ans, x: lambda g: g * (sigmoid(x) * (1 + x * (1 - sigmoid(x)))), saves="self",
    fused_backward=True)  # fmt: skip
def silu(x):
    return x * sigmoid(x)


@op("GeluBackward0",
    lambda ans, x: lambda g: g * (0.5 * (1 + erf(x * 0.5**0.5)) + x * exp(-0.5 * power(x, 2)) * (2 * np.pi) ** -0.5),
    saves="self", fused_backward=True)  # fmt: skip
def gelu(x):
    return (x * 0.5 * (1 + erf_kernel(x * np.asarray(0.5**0.5, x.dtype)))).astype(x.dtype)


@fused("GeluBackward0", "self", name="gelu_by_tanh")
def gelu_by_tanh(x):
    return 0.5 * x * (1 + tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * power(x, 3))))
