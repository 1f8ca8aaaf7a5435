"""Ops of one tensor, element by element: a table of NumPy functions, and the few that need more than a line.

An integer tensor is taken as Float32 where the function is not defined on integers.
"""

import math
from functools import wraps

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast, map_leaves
from ...engine import stop_gradient as constant
from ...ops import FUNCTIONS, about
from ..common.dtype import as_numpy
from ..common.tensor import Tensor, wrap
from . import kernels
from .arithmetic import at_least, at_most, larger, maximum, smaller
from .op_table import METHODS, OPS, REFUSED, entered, floating, no_bfloat16, op, refusal, register, value_of

_CLASSES = {  # others by their names
    "acos": "ACos", "silu": "SiLU", "relu": "ReLU", "relu6": "ReLU6", "exp2": None, "hardsigmoid": "HSigmoid",
}  # fmt: skip
_MORE_NAMES = {"reciprocal": "inv"}
_PREPARED = {"smooth": floating, "kept": lambda x: x, "steps": constant}
_TESTS = {"Finite": "neither infinite nor nan", "Inf": "infinite", "Nan": "nan"}

_EXAMPLE = """\
>>> import labkit.mindspore as ms
>>> y, slope = ms.value_and_grad(ms.ops.{name})(ms.Tensor({x}))
>>> print(f"{{y.item():.4f}} {{slope.item():.4f}}")"""


def _declare(name, fun, prepare, doc, *also, primitive):
    def raw(input):
        return fun(prepare(input))

    raw.__name__ = raw.__qualname__ = name
    raw.__doc__ = doc
    op(*also, primitive=primitive)(raw)


for _name, _row in FUNCTIONS.items():
    _doc = about(_name, "Integers become Float32." if _row.kind == "smooth" else "The dtype is kept.", _EXAMPLE)
    _fun, _primitive = kernels.OF_ONE.get(_name, _row.fun), _CLASSES.get(_name, _name.capitalize())
    _also = f"{_row.also} {_MORE_NAMES.get(_name, '')}".split()
    _declare(_name, _fun, _PREPARED[_row.kind], _doc, *_also, primitive=_primitive)


def _with_options(made):
    """Enter a function with more options than the op of its name; without them it is that."""
    plain = OPS[made.__name__]

    @wraps(plain)
    def call(input, *args, **kwargs):
        return made(plain, input, *args, **kwargs) if args or kwargs else plain(input)

    OPS[made.__name__] = METHODS[made.__name__] = call


@_with_options
def softplus(plain, input, beta=1, threshold=20):
    if beta == 0:
        raise ValueError("For 'softplus', the value of 'beta' cannot be 0.")
    return OPS["where"](input * beta > threshold, input, plain(input * beta) / beta)


@_with_options
def round(plain, input, *, decimals=0):
    if decimals:
        raise RuntimeError(f"For Round only support decimals equal 0, but got decimals equal {decimals}")
    return plain(input)


@_with_options
def relu(plain, input, inplace=False):
    if inplace:
        raise RuntimeError("The kernel InplaceReLU unregistered.")
    return plain(input)


for _kind, _meaning in _TESTS.items():
    _fun = getattr(anp, f"is{_kind.lower()}")
    _declare(_fun.__name__, _fun, constant, f"Elementwise: True where {_meaning}.", primitive=f"Is{_kind}")


@op("clip", method=True)
def clamp(input, min=None, max=None):
    """Each element limited to [min, max]; what is at a limit passes the whole gradient.

    `input`: a tensor. `min`, `max`: a number, a tensor that broadcasts, or None for no limit on this side. Raises
    ValueError where both are None.

    >>> import labkit.mindspore as ms
    >>> print(ms.grad(lambda x: ms.ops.clamp(x, min=0.0).sum())(ms.Tensor([-1.0, 0.0, 2.0])))
    [0. 1. 1.]
    """
    if min is None and max is None:
        raise ValueError("For clamp, at least one of 'min' or 'max' must not be None.")
    if input.dtype.kind == "b":
        raise ValueError("For Clamp, the dtype of 'input', 'min' and 'max' must not be bool.")
    min, max = (bound._value if isinstance(bound, Tensor) else bound for bound in (min, max))
    if all(bound is None or isinstance(bound, (int, float)) for bound in (min, max)):
        return kernels.clamp(input, min, max)
    low = input if min is None else at_least(input, min)
    return low if max is None else at_most(low, max)


def cast_to(input, dtype):
    """`input` with elements of `dtype`; the derivative is cast back.

    `input`: a tensor or a number; the result has its shape. Floats become integers towards 0; to Bool, nothing flows back.

    >>> import labkit.mindspore as ms
    >>> ms.ops.cast(ms.Tensor([1.7, -1.7]), ms.int32)
    Tensor(shape=[2], dtype=Int32, value= [ 1, -1])
    """
    value = value_of(input, "Cast") if not isinstance(input, (bool, int, float)) else np.asarray(input)
    wanted = as_numpy(dtype)
    if value.dtype == wanted:
        return wrap(value)
    with np.errstate(all="ignore"):
        return wrap(cast(constant(value) if wanted.kind == "b" else value, wanted))


cast_to.__name__ = "cast"
register(cast_to, "astype", "to", primitive="Cast")


def stop_gradient(value):
    """`value`, a tensor or (nested) tuple of them, as a constant to every derivative.

    Shapes and dtypes stay; anything else in a tuple or list is passed on.

    >>> import labkit.mindspore as ms
    >>> ms.grad(lambda x: x * ms.ops.stop_gradient(x))(ms.Tensor(3.0))
    Tensor(shape=[], dtype=Float32, value= 3)
    """
    return map_leaves(lambda leaf: wrap(constant(leaf._value)) if isinstance(leaf, Tensor) else leaf, value)


register(stop_gradient, method=False)


def isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Where |input - other| <= atol + rtol |other|; a Bool tensor. Raises TypeError for different dtypes."""
    if value_of(input, "IsClose").dtype != value_of(other, "IsClose").dtype:
        raise TypeError("For primitive[IsClose], the input type must be same.")
    return wrap(anp.isclose(constant(input._value), constant(other._value), rtol, atol, equal_nan))


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close to those of `other`: within atol + rtol * |other|."""
    return bool(isclose(self, other, rtol, atol, equal_nan).all())


def logaddexp(input, other):
    """log(exp(input) + exp(other)), without overflow.

    >>> import labkit.mindspore as ms
    >>> value, slope = ms.value_and_grad(ms.ops.logaddexp)(ms.Tensor(0.0), ms.Tensor(100.0))
    >>> print(value.item(), f"{slope.item():.4f}")
    100.0 0.0000
    """
    for name, x in (("input", input), ("other", other)):
        if not isinstance(x, Tensor):
            raise TypeError(f"For logaddexp, the {name} must be a Tensor, but got {type(x)}.")
        if x._value.dtype.char in REFUSED["logaddexp"]:
            raise refusal("logaddexp", x._value.dtype)
    return maximum(input, other) + OPS["log1p"](OPS["exp"](-(input - other).abs()))


register(isclose)
entered(logaddexp)
METHODS["allclose"] = allclose


def _typed(name, dtype):
    def method(self):
        return cast_to(self, dtype)

    method.__name__, method.__doc__ = name, f"The elements as {dtype}."
    METHODS[name] = method


_TYPED = {
    "float": "float32", "half": "float16", "double": "float64", "int": "int32", "long": "int64", "short": "int16",
    "byte": "uint8", "bool": "bool",
}  # fmt: skip
for _name, _dtype in _TYPED.items():
    _typed(_name, _dtype)


@op()
def copy(input):
    """A tensor of its own with the same elements."""
    return primitives.copy(input)


@op(primitive="GeLU", method=False)
def gelu(input, approximate="none"):
    """x Phi(x), with Phi the normal distribution; `approximate="tanh"` for the tanh formula."""
    no_bfloat16(input, "GeLU")
    if approximate not in ("none", "tanh"):
        raise ValueError(f"For gelu, approximate must be 'none' or 'tanh', but got {approximate!r}.")
    if approximate == "tanh":
        cubic = input + 0.044715 * primitives.power(input, 3)
        return 0.5 * input * (1 + primitives.tanh(math.sqrt(2 / math.pi) * cubic))
    return 0.5 * input * (1 + primitives.erf(input / math.sqrt(2)))


@op(method=False)
def leaky_relu(input, alpha=0.2):
    """x where positive, alpha x elsewhere; at 0 the slope is the mean of both."""
    no_bfloat16(input, "LeakyReLU")
    return cast((smaller if alpha > 1 else larger)(input * alpha, input), input.dtype)
