"""Functions of one tensor, element by element."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ... import primitives as base
from ..declared import declare
from .arithmetic import divide, power, scale
from .core import op, wide, zero

declare(anp.exp, "ExpBackward0", saves="result")
declare(anp.sin, "SinBackward0", saves="self")
declare(anp.cos, "CosBackward0", saves="self")


def elementwise(kernel, name, vjp, saves="self") -> Any:
    """A primitive of one tensor, computed in float32 for half precision."""

    return op(name, vjp, saves=saves)(wide(kernel))


def _erf(x):
    """The error function, elementwise in double precision."""
    from math import erf

    return np.vectorize(erf, otypes=[np.float64])(np.asarray(x, np.float64)).astype(x.dtype)


TWO_OVER_ROOT_PI = 2 / np.sqrt(np.pi).item()
negative = anp.negative
exp = elementwise(np.exp, "ExpBackward0", lambda ans, x: lambda g: g * ans, "result")
log = elementwise(np.log, "LogBackward0", lambda ans, x: lambda g: divide(g, x))
log2 = elementwise(np.log2, "Log2Backward0", lambda ans, x: lambda g: divide(g, x * float(np.log(2))))
log10 = elementwise(np.log10, "Log10Backward0", lambda ans, x: lambda g: divide(g, x * float(np.log(10))))
log1p = elementwise(np.log1p, "Log1PBackward0", lambda ans, x: lambda g: divide(g, x + 1))
expm1 = elementwise(np.expm1, "Expm1Backward0", lambda ans, x: lambda g: g * (ans + 1), "result")
exp2 = elementwise(np.exp2, "Exp2Backward0", lambda ans, x: lambda g: scale(g * ans, float(np.log(2))), "result")
sin = elementwise(np.sin, "SinBackward0", lambda ans, x: lambda g: g * cos(x))
cos = elementwise(np.cos, "CosBackward0", lambda ans, x: lambda g: g * -sin(x))
tan = elementwise(np.tan, "TanBackward0", lambda ans, x: lambda g: g * (1 + power(ans, 2)), "result")
asin = elementwise(np.arcsin, "AsinBackward0", lambda ans, x: lambda g: g * power(1 - x * x, -0.5))
acos = elementwise(np.arccos, "AcosBackward0", lambda ans, x: lambda g: g * -power(1 - x * x, -0.5))
atan = elementwise(np.arctan, "AtanBackward0", lambda ans, x: lambda g: divide(g, x * x + 1))
sinh = elementwise(np.sinh, "SinhBackward0", lambda ans, x: lambda g: g * cosh(x))
cosh = elementwise(np.cosh, "CoshBackward0", lambda ans, x: lambda g: g * sinh(x))
sqrt = elementwise(np.sqrt, "SqrtBackward0", lambda ans, x: lambda g: divide(g, 2 * ans), "result")
rsqrt = elementwise(
    lambda x: 1 / np.sqrt(x), "RsqrtBackward0", lambda ans, x: lambda g: g * power(ans, 3) * -0.5, "result"
)
reciprocal = elementwise(lambda x: 1 / x, "ReciprocalBackward0", lambda ans, x: lambda g: -g * (ans * ans), "result")
absolute = elementwise(np.abs, "AbsBackward0", lambda ans, x: lambda g: g * sign(x))
erf = elementwise(_erf, "ErfBackward0", lambda ans, x: lambda g: TWO_OVER_ROOT_PI * exp(-power(x, 2)) * g)
sign = elementwise(np.sign, "SignBackward0", lambda ans, x: lambda g: anp.zeros_like(g), "")
floor = elementwise(np.floor, "FloorBackward0", lambda ans, x: lambda g: anp.zeros_like(g), "")
ceil = elementwise(np.ceil, "CeilBackward0", lambda ans, x: lambda g: anp.zeros_like(g), "")
trunc = elementwise(np.trunc, "TruncBackward0", lambda ans, x: lambda g: anp.zeros_like(g), "")
sigmoid = elementwise(
    base.sigmoid,
    "SigmoidBackward0",
    lambda ans, x: lambda g: sigmoid_backward(g, ans),
    "result",
)
tanh = elementwise(np.tanh, "TanhBackward0", lambda ans, x: lambda g: tanh_backward(g, ans), "result")
relu = elementwise(
    lambda x: np.where(np.isnan(x), x, np.maximum(x, np.zeros((), x.dtype))),
    "ReluBackward0",
    lambda ans, x: lambda g: threshold_backward(g, ans),
    "result",
)


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
    lambda ans, x, beta, threshold: lambda g: anp.where(x * beta > threshold, g, g * sigmoid(x * beta)),
    others="beta threshold",
    saves="self",
)
def softplus(x, beta, threshold):
    return np.where(x * beta > threshold, x, np.logaddexp(x * beta, zero(x)) / beta).astype(x.dtype)


@op("SiluBackward0", lambda ans, x: lambda g: g * (sigmoid(x) * (1 + x * (1 - sigmoid(x)))), saves="self")
def silu(x):
    return x * sigmoid(x)


@op(
    "GeluBackward0",
    lambda ans, x: lambda g: g * (0.5 * (1 + erf(x * 0.5**0.5)) + x * exp(-0.5 * power(x, 2)) * (2 * np.pi) ** -0.5),
    saves="self",
)
def gelu(x):
    return (x * 0.5 * (1 + _erf(x * np.asarray(0.5**0.5, x.dtype)))).astype(x.dtype)


@op("LogSigmoidBackward0", lambda ans, x: lambda g: g * sigmoid(-x), saves="self")
def logsigmoid(x):
    return -np.logaddexp(zero(x), -x)


frac = elementwise(lambda x: x - np.trunc(x), "FracBackward0", lambda ans, x: lambda g: g, "")
