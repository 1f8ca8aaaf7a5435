"""Functions of one tensor whose nodes or numbers are PyTorch's own: half precision is rounded once, derivatives have nodes."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ...ops import FUNCTIONS, erf, erf_kernel, exp, power, sign, zero
from .core import op, wide

OWN: dict[str, Any] = {}  # functions of the table that have another derivative here


def _again(name, vjp, saves="result"):
    """The function of this name with another derivative, computed in float32 for half precision."""
    made = OWN[name] = op(None, vjp, name=name, saves=saves)(wide(FUNCTIONS[name].fun.fun))
    return made


rsqrt = _again("rsqrt", lambda ans, x: lambda g: g * power(ans, 3) * -0.5)
sigmoid = _again("sigmoid", lambda ans, x: lambda g: sigmoid_backward(g, ans))
tanh = _again("tanh", lambda ans, x: lambda g: tanh_backward(g, ans))
relu = _again("relu", lambda ans, x: lambda g: threshold_backward(g, ans))
asin = _again("asin", lambda ans, x: lambda g: g * power(1 - x * x, -0.5), "self")
absolute = _again("abs", lambda ans, x: lambda g: g * sign(x), "self")
acos = _again("acos", lambda ans, x: lambda g: g * -power(1 - x * x, -0.5), "self")


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
    return g * ((1 - y) * y)


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
)
def leaky_relu(x, slope):
    return np.where(x > 0, x, x * slope).astype(x.dtype)


@op("EluBackward0", lambda ans, x, alpha: lambda g: anp.where(x > 0, g, g * alpha * exp(anp.minimum(x, zero(x)))),
    others="alpha", saves="self")  # fmt: skip
def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, zero(x)))).astype(x.dtype)


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


@op("SiluBackward0", lambda ans, x: lambda g: g * (sigmoid(x) * (1 + x * (1 - sigmoid(x)))), saves="self")
def silu(x):
    return x * sigmoid(x)


@op(
    "GeluBackward0",
    lambda ans, x: lambda g: g * (0.5 * (1 + erf(x * 0.5**0.5)) + x * exp(-0.5 * power(x, 2)) * (2 * np.pi) ** -0.5),
    saves="self",
)
def gelu(x):
    return (x * 0.5 * (1 + erf_kernel(x * np.asarray(0.5**0.5, x.dtype)))).astype(x.dtype)


@op("LogSigmoidBackward0", lambda ans, x: lambda g: g * sigmoid(-x), saves="self")
def logsigmoid(x):
    return -np.logaddexp(zero(x), -x)


@op("FracBackward0", lambda ans, x: lambda g: g)
@wide
def frac(x):
    return x - np.trunc(x)
