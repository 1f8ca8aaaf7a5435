"""Elementwise operations: arithmetic, functions of one tensor, comparisons, and their in-place forms."""

import numpy as np

from .. import ops as base
from ..ops import FUNCTIONS, PAIRS, about
from . import _dtype, _rules
from ._dispatch import (
    apply,
    as_tensor_like,
    binary,
    common_dtype,
    converted,
    floating,
    number_for,
    tensor_of,
    together,
)  # fmt: skip
from ._memory_format import preserve_format
from ._table import METHODS, both, function, method
from ._tensor import Tensor

# ---- functions of one number, and of two: those of the table that PyTorch has ----

_ELSEWHERE = {
    "softplus",
    "silu",
    "relu6",
    "mish",
    "hardsigmoid",
    "hardswish",
    "round",
    "square",
    "neg",
}  # in nn.functional, below, or not at all
UNARY = {name: row for name, row in FUNCTIONS.items() if name not in _ELSEWHERE}
_MORE_NAMES = {"sign": "sgn", "trunc": "fix"}

_EXAMPLE = """\
>>> import labkit.torch as torch
>>> x = torch.tensor({x}, requires_grad=True)
>>> y = torch.{name}(x)
>>> y.backward()
>>> print(f"{{y.item():.4f}} {{x.grad.item():.4f}}")"""


def _unary(name, primitive, prepare):
    dtypes = "Integers become the default dtype." if prepare is floating else "The dtype is kept."

    def fun(input):
        return apply(primitive, prepare(tensor_of(input, name)))

    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = about(name, dtypes, _EXAMPLE)
    return fun


def _pair(name, row):
    def fun(input, other):
        dtype = common_dtype(input, other)
        return binary(row.fun, input, other, dtype if dtype.is_floating_point else _dtype.get_default_dtype())

    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"Elementwise: {row.meaning}."
    return fun


for _name, _row in UNARY.items():
    _prepare = floating if _row.kind == "smooth" else lambda x: x
    both(_name, *_row.also.split(), *_MORE_NAMES.get(_name, "").split())(
        _unary(_name, _rules.OWN.get(_name, _row.fun), _prepare)
    )
for _name, _pair_row in PAIRS.items():
    both(_name, *_pair_row.also.split())(_pair(_name, _pair_row))


@both()
def round(input, *, decimals=0):
    """Each element rounded, halves to even."""
    return apply(_rules.round_, input, decimals) if decimals else apply(_rules.round_, input)


@both()
def frac(input):
    """The fractional part of each element."""
    return apply(_rules.frac, input)


@both()
def square(input):
    """`input ** 2`."""
    return pow(input, 2)


@both()
def positive(input):
    """`input` itself."""
    return input


@both()
def logit(input, eps=None):
    """log(x / (1 - x)), of x limited to [eps, 1 - eps] where `eps` is given."""
    return apply(_rules.logit, floating(input), eps)


@function()
def polygamma(n, input):
    """The `n`-th derivative of `digamma`, for each element."""
    return apply(base.polygamma, floating(input), n)


@method("polygamma")
def _polygamma(self, n):
    return polygamma(n, self)


# ---- arithmetic ----


@both()
def add(input, other, *, alpha=1):
    """`input + alpha * other`."""
    return binary(_rules.add, input, other) if alpha == 1 else binary(_rules.add_scaled, input, other, more=(alpha,))


NO_BOOL_SUB = (
    "Subtraction, the `-` operator, with {} is not supported. Use the `^` or `logical_xor()` operator instead."
)
BOOL_SUB = {
    True: NO_BOOL_SUB.format("two bool tensors"),
    False: (
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use "
        "the `~` or `logical_not()` operator instead."
    ),
}


@both("sub", "subtract")
def sub(input, other, *, alpha=1):
    """`input - alpha * other`."""
    _refuse_bool(input, other)
    if alpha == 1:
        return binary(_rules.subtract, input, other)
    return binary(_rules.subtract_scaled, input, other, more=(alpha,))


@both("mul", "multiply")
def mul(input, other):
    """`input * other`, elementwise."""
    return binary(_rules.multiply, input, other, by_number=_rules.by_number)


@both("div", "divide", "true_divide")
def div(input, other, *, rounding_mode=None):
    """`input / other`; integers give floats, unless `rounding_mode` is "floor" or "trunc"."""
    if rounding_mode == "floor":
        return floor_divide(input, other)
    dtype = common_dtype(input, other)
    common = dtype if dtype.is_floating_point else _dtype.get_default_dtype()
    found = binary(_rules.divide, input, other, common, by_number=_rules.over_number)
    if rounding_mode is None:
        return found
    found = METHODS["trunc"](found)
    return found if dtype.is_floating_point else converted(found, dtype)


@both()
def floor_divide(input, other):
    """The largest integer not above `input / other`."""
    return binary(_rules.floor_divide, input, other)


@both("remainder")
def remainder(input, other):
    """`input - floor(input / other) * other`, the sign of `other`."""
    return binary(_rules.remainder, input, other)


@both()
def fmod(input, other):
    """The remainder with the sign of `input`."""
    return binary(_rules.fmod, input, other)


@both()
def pow(input, exponent):
    """`input ** exponent`, elementwise; either may be a number."""
    if isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        dtype = common_dtype(input, exponent)
        if not dtype.is_floating_point and exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        exponent = exponent.item() if isinstance(exponent, np.generic) else exponent
        return apply(_rules.power, converted(input, dtype), exponent)
    if not isinstance(input, Tensor):
        return apply(_rules.number_power, input, converted(exponent, common_dtype(input, exponent)))
    return binary(_rules.tensor_power, input, exponent)


@both()
def maximum(input, other):
    """The larger of each two elements; at a tie each gets half of the gradient.

    `input`, `other`: tensors, whose shapes broadcast and whose dtypes are promoted.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    >>> torch.maximum(x, torch.tensor(0.0)).sum().backward()
    >>> x.grad
    tensor([0.0000, 0.5000, 1.0000])
    """
    return binary(_rules.maximum, input, other)


@both()
def minimum(input, other):
    """The smaller of each two elements."""
    return binary(_rules.minimum, input, other)


@both()
def lerp(input, end, weight):
    """`input + weight * (end - input)`."""
    if isinstance(weight, Tensor):
        return apply(_rules.lerp_by, *together(input, end, weight))
    return binary(_rules.lerp, input, end, more=(weight,))


@both()
def addcmul(input, tensor1, tensor2, *, value=1):
    """`input + value * tensor1 * tensor2`."""
    return apply(_rules.addcmul, *together(input, tensor1, tensor2), value)


@both()
def addcdiv(input, tensor1, tensor2, *, value=1):
    """`input + value * tensor1 / tensor2`."""
    return apply(_rules.addcdiv, *together(input, tensor1, tensor2), value)


@both("clamp", "clip")
def clamp(input, min=None, max=None):
    """Each element limited to [min, max]; what is at a limit passes the whole gradient.

    `input`: a tensor. `min`, `max`: a number, a tensor that broadcasts, or None for no limit on this side. Raises
    RuntimeError where both are None.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    >>> torch.clamp(x, min=0).sum().backward()
    >>> x.grad
    tensor([0., 1., 1.])
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        dtype = common_dtype(input, *(v for v in (min, max) if v is not None))
        limits = [None if v is None else converted(as_tensor_like(v, input), dtype) for v in (min, max)]
        return apply(_rules.clamp_between, converted(input, dtype), *limits)
    dtype = common_dtype(input, *(v for v in (min, max) if v is not None))
    limits = [None if v is None else number_for(v, dtype) for v in (min, max)]
    return apply(_rules.clamp, converted(input, dtype), *limits)


@both()
def clamp_min(input, min):
    """Each element, at least `min`."""
    return clamp(input, min=min) if isinstance(min, Tensor) else apply(_rules.clamp_min, input, min)


@both()
def clamp_max(input, max):
    """Each element, at most `max`."""
    return clamp(input, max=max) if isinstance(max, Tensor) else apply(_rules.clamp_max, input, max)


def _refuse_bool(a, b):
    flags = [v.dtype.name == "bool" if isinstance(v, Tensor) else isinstance(v, bool) for v in (a, b)]
    if flags[0] or flags[1]:
        raise RuntimeError(BOOL_SUB[flags[0] and flags[1]])


def _negatable(x):
    if x.dtype.name == "bool":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return x


both("neg")(_unary("neg", _rules.negative, _negatable))
both("negative")(METHODS["neg"])


@method()
def clone(self, *, memory_format=None):
    """A copy in memory of its own, in the order of `memory_format` or its own; gradients flow through it."""
    if memory_format in (None, preserve_format):
        return apply(_rules.clone, self)
    return apply(_rules.clone_by, self, memory_format.order(self._array))


function("clone")(clone)
