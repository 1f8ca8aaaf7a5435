"""Python operators, and the in-place forms of elementwise operations."""

import numpy as np

from .. import _rules
from .._error_texts import error
from .._tensor.tensor import Tensor
from .creation import from_numpy
from .dispatch import OPERANDS, apply, check_broadcast, check_inplace, converted, inplace, overwrite, together
from .elementwise import UNARY, add, div, floor_divide, mul, pow, remainder, sub
from .function_table import FUNCTIONS, METHODS, method

# ---- operators ----


def _operator(fun, swapped=False, arrays=False):
    """A number or a tensor may be the other operand of a tensor; an array only where it is compared, else NumPy is asked."""

    def operate(self, other):
        if arrays and isinstance(other, np.ndarray):
            other = from_numpy(other)
        elif not isinstance(other, OPERANDS):
            return NotImplemented
        return fun(other, self) if swapped else fun(self, other)

    return operate


def _rsub(self, other):
    return sub(other, self) if isinstance(other, Tensor) else apply(_rules.rsub, *together(self, other))


def _rdiv(self, other):
    return div(other, self) if isinstance(other, Tensor) else METHODS["reciprocal"](self) * other


@method("__array_wrap__")
def _of_numpy(self, array, context=None, return_scalar=False):
    """What a NumPy function of elements made of this tensor's content: a tensor again, off the tape; no bools."""
    return from_numpy(array.astype(np.uint8) if array.dtype == bool else array)


OPERATORS = {
    "add": add, "sub": sub, "mul": mul, "truediv": div, "floordiv": floor_divide, "mod": remainder, "pow": pow,
    "and": METHODS["bitwise_and"], "or": METHODS["bitwise_or"], "xor": METHODS["bitwise_xor"],
}  # fmt: skip
for _name, _fun in OPERATORS.items():
    METHODS[f"__{_name}__"] = _operator(_fun)
    METHODS[f"__r{_name}__"] = _operator(_fun, True)
METHODS["__radd__"], METHODS["__rmul__"] = _operator(add), _operator(mul)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    METHODS[f"__{_name}__"] = _operator(METHODS[_name], arrays=_name in ("eq", "ne"))
METHODS["__rsub__"], METHODS["__rtruediv__"] = _operator(_rsub), _rdiv
METHODS.update(
    __neg__=METHODS["neg"], __abs__=METHODS["abs"], __invert__=METHODS["bitwise_not"], __pos__=lambda self: self
)


# ---- in-place forms: `f_` is `f` written into its own memory ----

IN_PLACE = (
    "abs add ceil clamp cos cumsum div eq exp floor index_add log masked_fill mul neg pow reciprocal relu "
    "remainder round rsqrt sigmoid sin sqrt square sub tan tanh"
)

_BY_LAST = lambda args: ".Tensor" if args and isinstance(args[-1], Tensor) else ".Scalar"
OVERLOADS: dict = dict.fromkeys(("add", "sub", "mul", "div"), lambda args: ".Tensor")
OVERLOADS["square"] = lambda args: ".Scalar"
OVERLOADS |= dict.fromkeys(("pow", "remainder", "masked_fill", "lerp", "eq", "ne", "lt", "le", "gt", "ge"), _BY_LAST)


def in_place(name, fun=None):
    fun = fun or METHODS[name]

    def changed(self, *args, **kwargs):
        check_inplace(f"{aten}_{overload(args)}", self, *args, *kwargs.values())
        new = fun(self, *args, **kwargs)
        if new._edge is not None:
            new._edge.node.keep_original()
        return inplace(self, new)

    overload, aten = OVERLOADS.get(name, lambda args: ""), {"square": "pow"}.get(name, name)
    changed.__name__ = f"{name}_"
    changed.__doc__ = f"`{name}`, in place: the tensor takes the result."
    return changed


for _name in IN_PLACE.split():
    METHODS[f"{_name}_"] = in_place(_name)
    if _name in UNARY.split():
        FUNCTIONS[f"{_name}_"] = METHODS[f"{_name}_"]

for _name, _fun in OPERATORS.items():
    _method = in_place({"truediv": "div", "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and",
                        "or": "bitwise_or", "xor": "bitwise_xor"}.get(_name, _name))  # fmt: skip
    METHODS[f"__i{_name}__"] = _operator(_method)


@method("zero_")
def zero_(self):
    """Set every element to 0."""
    check_inplace("zero_", self)
    return overwrite(self, apply(_rules.zeroed, self))


@method("fill_")
def fill_(self, value):
    """Set every element to `value`."""
    check_inplace(f"fill_{_BY_LAST((value,))}", self, value)
    if isinstance(value, Tensor):
        if value.ndim:
            raise error("fill_value", ndim=value.ndim)
        return overwrite(self, apply(_rules.filled_with, self, converted(value, self.dtype)))
    return overwrite(self, apply(_rules.filled, self, value))


@method("copy_")
def copy_(self, src, non_blocking=False):
    """Take the elements of `src`, broadcast and cast."""
    check_inplace("copy_", self, src)
    check_broadcast(self, src)
    return overwrite(self, apply(_rules.copy, self, src))
