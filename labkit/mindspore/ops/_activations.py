"""Activations made of other ops: functions of tensors, with their derivatives from those."""

from collections.abc import Callable

import autograd.numpy as anp
import numpy as np

from ...ops import rule, softplus, zero
from ...ops import select as select_values
from ..tensor import Tensor, wrap
from . import _elementwise, _reduction  # noqa: F401  (whose ops it asks for)
from ._joining import select
from ._op import OPS, floating, register, value_of

_sigmoid, _tanh, _exp = (OPS[name] for name in ("sigmoid", "tanh", "exp"))
_SCALE, _ALPHA = 1.0507009873554805, 1.6732632423543772  # of selu, by G. Klambauer et al. (2017)


def _wrapped(fun, name, doc):
    def call(input):
        with np.errstate(all="ignore"):
            return wrap(fun(floating(value_of(input, name.title()))))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


@rule(lambda ans, x: lambda g: g * _between(x, (x * 2 + 3) / 6, anp.less_equal), rounds=False)
def _hardswish(x):
    return np.where(x <= -3, zero(x), np.where(x >= 3, x, x * (x + 3) / 6)).astype(x.dtype)[()]


@rule(lambda ans, x: lambda g: g * select_values(x <= 0, (ans + 1) * _SCALE, zero(x) + _SCALE))
def _selu(x):
    return (_SCALE * np.where(x > 0, x, _ALPHA * np.expm1(np.minimum(x, 0)))).astype(x.dtype)[()]


def _between(x, inside, beyond):
    """`inside` from -3 to 3, 0 below and 1 above."""
    return select_values(x < -3, zero(x), select_values(beyond(x, 3), inside, zero(x) + 1))


logsigmoid = _wrapped(lambda x: -softplus(-x), "logsigmoid", "log(sigmoid(x)), without overflow.")
hardswish = _wrapped(_hardswish, "hardswish", "x relu6(x + 3) / 6.")
selu = _wrapped(
    _selu,
    "selu",
    "scale x above 0, scale alpha (exp(x) - 1) below. The slope below is the real kernel's, scale (1 + selu(x)).",
)


def hardshrink(input, lambd=0.5):
    """x beyond `lambd`, 0 within."""
    return select(input.abs() > lambd, input, 0.0)


def softshrink(input, lambd=0.5):
    """x moved towards 0 by `lambd`, 0 where it would pass it."""
    return select(input > lambd, input - lambd, select(input < -lambd, input + lambd, 0.0))


def softsign(x):
    """x / (1 + |x|)."""
    return x / (1 + x.abs())


def celu(x, alpha=1.0):
    """max(x, 0) + min(alpha (exp(x / alpha) - 1), 0)."""
    return select(x <= 0, alpha * OPS["expm1"](x.clamp(max=0.0) / alpha), x)


def hardtanh(input, min_val=-1.0, max_val=1.0):
    """x limited to [min_val, max_val]; at a limit half of the gradient passes."""
    return OPS["minimum"](OPS["maximum"](input, min_val), max_val)


def tanhshrink(input):
    """x - tanh(x)."""
    return input - _tanh(input)


def threshold(input, thr, value):
    """x above `thr`, `value` elsewhere."""
    return select(input > thr, input, value)


def softmin(x, axis=-1, *, dtype=None):
    """The softmax of -x along `axis`."""
    return OPS["softmax"](-x, axis, dtype=dtype)


def glu(x, axis=-1):
    """The first half along `axis` times the sigmoid of the second."""
    one, two = OPS["split"](x, x.shape[axis] // 2, axis)
    return one * _sigmoid(two)


def fast_gelu(x):
    """x sigmoid(1.702 x), nearly gelu."""
    return x * _sigmoid(1.702 * x)


def prelu(input, weight):
    """x above 0, `weight` x below: one number, or one for each channel, which is axis 1."""
    shape = (1, -1) + (1,) * (input.ndim - 2) if input.ndim > 1 else (-1,)
    return select(input > 0, input, weight.reshape(shape if weight.size > 1 else (1,) * max(input.ndim, 1)) * input)


def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1):
    """The softmax of `logits` with Gumbel noise, over `tau`; with `hard` a one-hot tensor that has its derivative."""
    noise = -OPS["log"](-OPS["log"](OPS["rand"](logits.shape) + 1e-20) + 1e-20)
    soft = OPS["softmax"]((logits + noise.astype(logits.dtype)) / tau, dim)
    if not hard:
        return soft
    picked = OPS["one_hot"](
        soft.argmax(dim), logits.shape[dim], Tensor(1.0, logits.dtype), Tensor(0.0, logits.dtype), dim
    )
    return OPS["stop_gradient"](picked - soft) + soft


def logit(input, eps=None):
    """log(x / (1 - x)); with `eps`, of x limited to [eps, 1 - eps]."""
    value_of(input, "Logit")
    x = input if eps is None else input.clamp(eps, 1 - eps)
    return OPS["log"](x / (1 - x))


_CLASSES = {
    hardswish: "HSwish", softsign: "Softsign", selu: "SeLU", fast_gelu: "FastGeLU",
    prelu: "PReLU", hardshrink: None, softshrink: None, celu: None, hardtanh: None, logsigmoid: None, tanhshrink: None,
    threshold: None, softmin: None, glu: None, gumbel_softmax: None, logit: None,
}  # fmt: skip
for _fun, _primitive in _CLASSES.items():
    register(_fun, method=_fun in (hardshrink, logit), primitive=_primitive)
OPTIONS: dict[str, tuple[dict, Callable]] = {
    "HShrink": ({"lambd": 0.5}, lambda o, x: hardshrink(x, o["lambd"])),
    "SoftShrink": ({"lambd": 0.5}, lambda o, x: softshrink(x, o["lambd"])),
    "CeLU": ({"alpha": 1.0}, lambda o, x: celu(x, o["alpha"])),
    "GLU": ({"axis": -1}, lambda o, x: glu(x, o["axis"])),
}
