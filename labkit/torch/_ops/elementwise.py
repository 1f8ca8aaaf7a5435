"""Elementwise operations: arithmetic, functions of one tensor, comparisons, and their in-place forms."""

import numpy as np

from ...ops import FUNCTIONS, about
from .. import _rules
from .._error_texts import error
from .._tensor import dtype as _dtype
from .._tensor.tensor import Tensor
from . import dispatch
from .dispatch import apply, binary, check_broadcast, common_dtype, converted, floating, for_kernel, off_tape, placed
from .function_table import METHODS, both, function, method

# ---- functions of one number, and of two: those of the table that PyTorch has ----


_EXAMPLE = """\
>>> import labkit.torch as torch
>>> x = torch.tensor({x}, requires_grad=True)
>>> y = torch.{name}(x)
>>> y.backward()
>>> print(f"{{y.item():.4f}} {{x.grad.item():.4f}}")"""


def _unary(name, primitive, prepare):
    dtypes = "Integers become the default dtype." if prepare is floating else "The dtype is kept."

    def fun(input):
        return apply(primitive, prepare(dispatch.tensor_of(input, name)))

    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = about(name, dtypes, _EXAMPLE)
    return fun


def _no_bool(name):
    """The check of an op that takes no booleans."""

    def checked(x):
        if x._data.dtype.kind == "b" and name == "relu":
            raise RuntimeError("Boolean inputs not supported for relu")
        return for_kernel("abs_cpu" if name == "abs" else f"{name}_vml_cpu", x) if x._data.dtype.kind == "b" else x

    return checked


_NO_BOOL = {name: _no_bool(name) for name in ("abs", "ceil", "floor", "relu", "round", "trunc")}
UNARY = (
    "exp expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "sigmoid relu erf abs sign floor ceil trunc"
)
for _name in UNARY.split():
    _row = FUNCTIONS[_name]
    _prepare = floating if _row.kind == "smooth" else _NO_BOOL.get(_name, lambda x: x)
    both(_name, *_row.also.split())(_unary(_name, _rules.OWN.get(_name, _row.fun), _prepare))


@both()
def round(input, *, decimals=0):
    """Each element rounded, halves to even."""
    _NO_BOOL["round"](input)
    return apply(_rules.round_, input, decimals) if decimals else apply(_rules.round_, input)


@both()
def square(input):
    """`input ** 2`."""
    return pow(input, 2)


# ---- arithmetic ----


@both()
def add(input, other, *, alpha=1):
    """`input + alpha * other`."""
    return binary(_rules.add, input, other) if alpha == 1 else binary(_rules.add_scaled, input, other, more=(alpha,))


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
    if input.dtype.name == exponent.dtype.name == "bool":
        for_kernel("pow", input, "b")
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


def _of_two(name, rule, does, floats=False):
    def fun(input, other):
        dtype = common_dtype(input, other)
        return binary(rule, input, other, _dtype.get_default_dtype() if floats and dtype.rank < 2 else dtype)

    fun.__name__, fun.__doc__ = name, f"{does}, elementwise."
    return both(name)(fun)


atan2 = _of_two("atan2", _rules.atan2, "The angle of the vector (other, input)", floats=True)
minimum = _of_two("minimum", _rules.minimum, "The smaller of each two elements")
floor_divide = _of_two("floor_divide", _rules.floor_divide, "The largest integer not above `input / other`")
remainder = _of_two("remainder", _rules.remainder, "`input - floor(input / other) * other`, the sign of `other`")


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
    dtype = common_dtype(input, *(v for v in (min, max) if v is not None))
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        limits = [None if v is None else converted(_as_tensor(v, input.dtype), dtype) for v in (min, max)]
        return apply(_rules.clamp_between, converted(input, dtype), *limits)
    limits = [None if v is None else dispatch.number_for(v, dtype) for v in (min, max)]
    return apply(_rules.clamp, converted(input, dtype), *limits)


def _as_tensor(value, dtype):
    """A number as a 0-d tensor of this dtype."""
    return value if isinstance(value, Tensor) else Tensor._of(np.asarray(value, dtype.np))


def _refuse_bool(a, b):
    flags = [v.dtype.name == "bool" if isinstance(v, Tensor) else isinstance(v, bool) for v in (a, b)]
    if flags[0] or flags[1]:
        raise error("sub_of_bools" if flags[0] and flags[1] else "sub_of_bool")


def _negatable(x):
    if x.dtype.name == "bool":
        raise error("negative_bool")
    return x


both("neg")(_unary("neg", _rules.negative, _negatable))
both("negative")(METHODS["neg"])


@method()
def clone(self):
    """A copy in memory of its own; gradients flow through it."""
    return apply(_rules.clone, self)


function("clone")(clone)


@function()
def where(condition, input=None, other=None):
    """`input` where `condition` holds, else `other`; with the condition alone, the indices where it holds.

    `condition`: Bool. Shapes broadcast, mixed dtypes are promoted, and either may be a number. The gradient goes to the one
    that was taken. Raises RuntimeError for another condition, or for shapes that do not broadcast.

    >>> import labkit.torch as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> torch.where(x > 0, x, 0.0), torch.where(x > 0)
    (tensor([0., 2.]), (tensor([1]),))
    """
    if input is None:
        return tuple(off_tape(i, "where", condition) for i in np.nonzero(np.atleast_1d(condition._array)))
    if condition.dtype.name not in ("bool", "uint8"):
        raise error("where_condition", kind=condition.dtype.legacy)
    if other is None:
        raise TypeError("where() received an invalid combination of arguments: other is missing")
    dtype = common_dtype(input, other)
    operands = [converted(_as_tensor(v, dtype), dtype) for v in (input, other)]
    check_broadcast(*operands)
    return placed(apply(_rules.where, condition._array, *operands), condition)


method("where")(lambda input, condition, other: where(condition, input, other))


@both()
def masked_fill(input, mask, value):
    """`value` where `mask` is True."""
    if mask.dtype.name != "bool":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.in_c}")
    check_broadcast(mask, input)
    given = converted(value, input.dtype) if isinstance(value, Tensor) else value
    return placed(apply(_rules.masked_fill, input, mask._array, given), mask)


# ---- comparisons and logic: never recorded ----

COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}  # fmt: skip


TESTS = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "logical_not": np.logical_not,
    "bitwise_not": np.invert}  # fmt: skip


def _unrecorded(name, kernel, of_two):
    bits = name.startswith("bitwise")

    def compare(input, other):
        operands = dispatch.together(input, other)
        if bits:
            for_kernel(f"{name}_cpu", next(v for v in operands if isinstance(v, Tensor)), "fV")
        check_broadcast(*operands)
        values = [v._array if isinstance(v, Tensor) else v for v in operands]
        with np.errstate(all="ignore"):
            return off_tape(np.asarray(kernel(*values)), name, input, other)

    def test(input):
        return off_tape(np.asarray(kernel(for_kernel(f"{name}_cpu", input, "fV" if bits else "")._array)), name, input)

    fun = compare if of_two else test
    fun.__name__, fun.__doc__ = name, f"Elementwise {name}; never recorded."
    both(name)(fun)


for _name, _kernel in (COMPARISONS | TESTS).items():
    _unrecorded(_name, _kernel, _name in COMPARISONS)


@both()
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True where all elements differ by at most `atol + rtol * abs(other)`; both of one dtype, their shapes broadcast.

    >>> import labkit.torch as torch
    >>> torch.allclose(torch.tensor([1.0, 1e-9]), torch.tensor([1.000001, 0.0]))
    True
    """
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.legacy} did not match {other.dtype.legacy}")
    check_broadcast(input, other)
    return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))


@both()
def equal(input, other):
    """Whether shapes and all elements are equal.

    A bool, not a tensor; a nan equals nothing.

    >>> import labkit.torch as torch
    >>> torch.equal(torch.ones(2), torch.ones(2)), torch.equal(torch.ones(2), torch.ones(1))
    (True, False)
    """
    return bool(input.shape == other.shape and np.array_equal(input._array, other._array))
