"""Elementwise operations: arithmetic, functions of one tensor, comparisons, and their in-place forms."""

import numpy as np

from . import _dtype, _rules
from ._dispatch import (
    NUMBERS, apply, as_tensor_like, binary, check_broadcast, check_inplace, common_dtype, converted, floating, inplace, number_for,
    overwrite, together,
)  # fmt: skip
from ._table import METHODS, both, function, method
from ._tensor import Tensor

# ---- functions of one tensor: name -> primitive. They make integers floating. ----

UNARY = {
    name: getattr(_rules, name)
    for name in (
        "exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
        "cosh", "tanh", "sqrt", "rsqrt", "reciprocal", "sigmoid", "erf",
    )
}  # fmt: skip
ALIASES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}
KEEPING = {"neg": "negative", "abs": "absolute", "sign": "sign", "relu": "relu"}  # these keep integers
ROUNDING = ("floor", "ceil", "trunc")
EXTRA_ALIASES = {"negative": "neg", "absolute": "abs", "sgn": "sign", "fix": "trunc"}


def _unary(name, primitive, prepare):
    def fun(input, *, out=None):
        return apply(primitive, prepare(_tensor(input, name)))

    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"{name} of each element; a tensor of the same shape."
    return fun


def _tensor(x, name):
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
    return x


for _name, _primitive in UNARY.items():
    both(_name)(_unary(_name, _primitive, floating))
for _alias, _name in ALIASES.items():
    both(_alias)(METHODS[_name])
for _name, _kernel in KEEPING.items():
    both(_name)(_unary(_name, getattr(_rules, _kernel), lambda x: x))
for _name in ROUNDING:
    both(_name)(_unary(_name, getattr(_rules, _name), lambda x: x))
for _alias, _name in EXTRA_ALIASES.items():
    both(_alias)(METHODS[_name])


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
    return input


@both()
def logit(input):
    """log(x / (1 - x))."""
    return METHODS["log"](input / (1 - input))


# ---- arithmetic ----


@both()
def add(input, other, *, alpha=1):
    """`input + alpha * other`."""
    return binary(_rules.add, input, other) if alpha == 1 else binary(_rules.add_scaled, input, other, more=(alpha,))


@both("sub", "subtract")
def sub(input, other, *, alpha=1):
    """`input - alpha * other`."""
    if alpha == 1:
        return binary(_rules.subtract, input, other)
    return binary(_rules.subtract_scaled, input, other, more=(alpha,))


@both("mul", "multiply")
def mul(input, other):
    """`input * other`, elementwise."""
    return binary(_rules.multiply, input, other)


@both("div", "divide", "true_divide")
def div(input, other, *, rounding_mode=None):
    """`input / other`; integers give floats, unless `rounding_mode` is "floor" or "trunc"."""
    if rounding_mode == "floor":
        return floor_divide(input, other)
    dtype = common_dtype(input, other)
    found = binary(_rules.divide, input, other, dtype if dtype.is_floating_point else _dtype.get_default_dtype())
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
    return binary(np.fmod, input.detach(), other)


@both()
def atan2(input, other):
    """The angle of the point (other, input)."""
    return binary(_rules.atan2, input, other)


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


def _square_of_sum(name, primitive):
    def fun(input, other):
        return binary(primitive, input, other)

    fun.__name__ = name
    return fun


both("maximum")(_square_of_sum("maximum", _rules.maximum))
both("minimum")(_square_of_sum("minimum", _rules.minimum))


@both()
def lerp(input, end, weight):
    """`input + weight * (end - input)`."""
    if isinstance(weight, Tensor):
        return input + weight * (end - input)
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
    """Each element limited to [min, max]."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        dtype = common_dtype(input, *(v for v in (min, max) if v is not None))
        limits = [None if v is None else converted(as_tensor_like(v, input), dtype) for v in (min, max)]
        return apply(_rules.clamp_between, converted(input, dtype), *limits)
    dtype = common_dtype(input, *(v for v in (min, max) if v is not None))
    limits = (None if v is None else number_for(v, dtype) for v in (min, max))
    return apply(_rules.clamp, converted(input, dtype), *limits)


@both()
def clamp_min(input, min):
    return clamp(input, min=min)


@both()
def clamp_max(input, max):
    return clamp(input, max=max)


@function()
def where(condition, input=None, other=None):
    """`input` where `condition` holds, else `other`; with the condition alone, the indices where it holds."""
    if input is None:
        return tuple(Tensor._of(i) for i in np.nonzero(condition._array))
    dtype = common_dtype(input, other)
    operands = [Tensor._of(np.asarray(v, dtype.np)) if not isinstance(v, Tensor) else converted(v, dtype) for v in (input, other)]
    check_broadcast(*operands)
    return apply(_rules.where, condition._array, *operands)


method("where")(lambda input, condition, other: where(condition, input, other))


@both()
def masked_fill(input, mask, value):
    """`value` where `mask` is True."""
    if isinstance(value, Tensor):
        return apply(_rules.masked_fill, input, mask._array, converted(value, input.dtype))
    return apply(_rules.masked_fill, input, mask._array, value)


@both()
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """Replace nan and infinities by numbers."""
    info = _dtype.finfo(input.dtype)
    array = input._array
    for mask, value in ((np.isnan(array), nan), (np.isposinf(array), info.max if posinf is None else posinf),
                        (np.isneginf(array), info.min if neginf is None else neginf)):  # fmt: skip
        input = masked_fill(input, Tensor._of(mask), value)
    return input


# ---- comparisons and logic: never recorded ----

COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}  # fmt: skip
LONG_NAMES = {"greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le", "not_equal": "ne"}


def _comparison(name, kernel):
    def fun(input, other, *, out=None):
        a, b = together(input, other)
        check_broadcast(a, b)
        a, b = (v._array if isinstance(v, Tensor) else v for v in (a, b))
        with np.errstate(all="ignore"):
            return Tensor._of(np.asarray(kernel(a, b)))

    fun.__name__, fun.__doc__ = name, f"Elementwise {name}; never recorded."
    return fun


for _name, _kernel in COMPARISONS.items():
    both(_name)(_comparison(_name, _kernel))
for _alias, _name in LONG_NAMES.items():
    both(_alias)(METHODS[_name])

TESTS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "isposinf": np.isposinf, "isneginf": np.isneginf,
         "logical_not": np.logical_not, "bitwise_not": np.invert, "signbit": np.signbit}  # fmt: skip


def _test(name, kernel):
    def fun(input):
        return Tensor._of(np.asarray(kernel(input._array)))

    fun.__name__, fun.__doc__ = name, f"{name} of each element."
    return fun


for _name, _kernel in TESTS.items():
    both(_name)(_test(_name, _kernel))


@both()
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |input - other| <= atol + rtol |other|, elementwise."""
    return Tensor._of(np.asarray(np.isclose(input._array, other._array, rtol, atol, equal_nan)))


@both()
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.legacy} did not match {other.dtype.legacy}")
    return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))


@both()
def equal(input, other):
    """Whether shapes and all elements are equal."""
    return bool(input.shape == other.shape and np.array_equal(input._array, other._array))


# ---- operators ----


def _operator(fun, swapped=False):
    def operate(self, other):
        if not isinstance(other, (Tensor, *NUMBERS)):
            if isinstance(other, np.ndarray):
                other = Tensor._of(np.asarray(other))
            else:
                return NotImplemented
        return fun(other, self) if swapped else fun(self, other)

    return operate


def _rsub(other, self):
    if isinstance(other, Tensor):
        return sub(other, self)
    dtype = common_dtype(self, other)
    return apply(_rules.rsub, converted(self, dtype), number_for(other, dtype))


def _rdiv(other, self):
    return div(other, self) if isinstance(other, Tensor) else mul(METHODS["reciprocal"](self), other)


OPERATORS = {
    "add": add, "sub": sub, "mul": mul, "truediv": div, "floordiv": floor_divide, "mod": remainder, "pow": pow,
    "and": METHODS["bitwise_and"], "or": METHODS["bitwise_or"], "xor": METHODS["bitwise_xor"],
}  # fmt: skip
for _name, _fun in OPERATORS.items():
    METHODS[f"__{_name}__"] = _operator(_fun)
    METHODS[f"__r{_name}__"] = _operator({"sub": _rsub, "truediv": _rdiv}.get(_name, _fun), True)
METHODS["__radd__"], METHODS["__rmul__"] = _operator(add), _operator(mul)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    METHODS[f"__{_name}__"] = _operator(METHODS[_name])
METHODS.update(__neg__=METHODS["neg"], __abs__=METHODS["abs"], __invert__=METHODS["bitwise_not"], __pos__=positive)
METHODS["rsub"] = lambda self, other: _rsub(other, self)


# ---- in-place forms: every entry `f_` is `f` written into its own memory ----

INPLACE = (
    *UNARY, *KEEPING, *ROUNDING, "round", "add", "sub", "mul", "div", "pow", "remainder", "floor_divide", "clamp", "clip",
    "clamp_min", "clamp_max", "masked_fill", "square", "lerp", "addcmul", "addcdiv", "nan_to_num", "frac",
    "eq", "ne", "lt", "le", "gt", "ge", "logical_not",
)  # fmt: skip


def in_place(name):
    fun = METHODS[name]

    def changed(self, *args, **kwargs):
        check_inplace(self)
        return inplace(self, fun(self, *args, **kwargs))

    changed.__name__ = f"{name}_"
    changed.__doc__ = f"`{name}`, in place: the tensor takes the result."
    return changed


for _name in INPLACE:
    METHODS[f"{_name}_"] = in_place(_name)
for _name, _fun in OPERATORS.items():
    _method = in_place({"truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and",
                        "or": "bitwise_or", "xor": "bitwise_xor"}.get(_name, _name))  # fmt: skip
    METHODS[f"__i{_name}__"] = _method


@method("zero_")
def zero_(self):
    """Set every element to 0."""
    check_inplace(self)
    return overwrite(self, apply(_rules.zeroed, self))


@method("fill_")
def fill_(self, value):
    """Set every element to `value`."""
    check_inplace(self)
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
            )
        return overwrite(self, apply(_rules.filled_with, self, converted(value, self.dtype)))
    return overwrite(self, apply(_rules.filled, self, value))


@method("copy_")
def copy_(self, src, non_blocking=False):
    """Take the elements of `src`, broadcast and cast."""
    check_inplace(self)
    check_broadcast(self, src)
    return overwrite(self, apply(_rules.copy, src, self._array))


@method()
def clone(self, *, memory_format=None):
    """A copy in memory of its own; gradients flow through it."""
    return apply(_rules.clone, self)


function("clone")(clone)
