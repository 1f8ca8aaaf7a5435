"""Comparisons, logic and choices by condition."""

import numpy as np

from . import _dtype, _rules
from ._dispatch import (
    apply,
    check_broadcast,
    common_dtype,
    converted,
    off_tape,
    placed,
    together,
)  # fmt: skip
from ._table import METHODS, both, function, method
from ._tensor import Tensor

_C_NAMES = {"int64": "long int", "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
            "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16"}  # fmt: skip


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
        return tuple(off_tape(i, "where", condition) for i in np.nonzero(condition._array))
    if condition.dtype.name not in ("bool", "uint8"):
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {condition.dtype.legacy}"
        )
    dtype = common_dtype(input, other)
    operands = [
        Tensor._of(np.asarray(v, dtype.np)) if not isinstance(v, Tensor) else converted(v, dtype)
        for v in (input, other)
    ]
    check_broadcast(*operands)
    return placed(apply(_rules.where, condition._array, *operands), condition)


method("where")(lambda input, condition, other: where(condition, input, other))


@both()
def masked_fill(input, mask, value):
    """`value` where `mask` is True."""
    if mask.dtype.name != "bool":
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {_C_NAMES[mask.dtype.name]}"
        )
    check_broadcast(mask, input)
    given = converted(value, input.dtype) if isinstance(value, Tensor) else value
    return placed(apply(_rules.masked_fill, input, mask._array, given), mask)


@both()
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """Replace nan and infinities by numbers."""
    info = _dtype.finfo(input.dtype) if input.dtype.is_floating_point else _dtype.iinfo(input.dtype)
    high, low = info.max if posinf is None else posinf, info.min if neginf is None else neginf
    return apply(_rules.nan_to_num, input, 0.0 if nan is None else nan, high, low)


# ---- comparisons and logic: never recorded ----

COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}  # fmt: skip
LONG_NAMES = {"greater": "gt", "less": "lt", "greater_equal": "ge", "less_equal": "le", "not_equal": "ne"}


def _comparison(name, kernel):
    def fun(input, other):
        a, b = together(input, other)
        check_broadcast(a, b)
        a, b = (v._array if isinstance(v, Tensor) else v for v in (a, b))
        with np.errstate(all="ignore"):
            return off_tape(np.asarray(kernel(a, b)), name, input, other)

    fun.__name__, fun.__doc__ = name, f"Elementwise {name}; never recorded."
    return fun


for _name, _kernel in COMPARISONS.items():
    both(_name)(_comparison(_name, _kernel))
for _alias, _name in LONG_NAMES.items():
    both(_alias)(METHODS[_name])

TESTS = {
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
    "logical_not": np.logical_not,
    "bitwise_not": np.invert,
    "signbit": np.signbit,
}


def _test(name, kernel):
    def fun(input):
        return off_tape(np.asarray(kernel(input._array)), name, input)

    fun.__name__, fun.__doc__ = name, f"{name} of each element."
    return fun


for _name, _test_kernel in TESTS.items():
    both(_name)(_test(_name, _test_kernel))


@both()
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |input - other| <= atol + rtol |other|, elementwise."""
    close = np.isclose(input._array, other._array, rtol, atol, equal_nan)
    return off_tape(np.asarray(close), "isclose", input, other)


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
