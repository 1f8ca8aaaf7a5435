"""Ops of two operands: arithmetic, comparison, logic. Either may be a number, which takes the tensor's type.

Integer tensors meet floating ones in the floating tensor's type; `/` of integers gives Float32.
"""

import operator

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import cast, dtype_of, getval, isbox, quietly, unbroadcast_f
from ...engine import stop_gradient as constant
from ...program import recorded
from ..common.dtype import in_dtype, promote
from ..common.tensor import Tensor, tensor, wrap
from ..graph.operators import Number
from ..graph.recorder import numbers_of
from .op_table import OPS, REFUSED, entered, refusal, register

_FLOAT32, _INT64 = np.dtype(np.float32), np.dtype(np.int64)
_BY_AXES = ("Mul", "Div")  # a tensor without axes takes the type of one with, among floats and among integers
_NUMBERS = (bool, int, float, np.number, np.bool_)


def operands(x, y, name):
    """The values of two operands, at least one a tensor, in the one type in which they meet."""
    if isinstance(x, Tensor):
        a = x._value
        if isinstance(y, Tensor):
            b = y._value
            if a.dtype == b.dtype:
                return a, b
            if (type(x) is Number) != (type(y) is Number):
                return _beside_number(a, b, type(x) is Number)
            common = _meeting(a, b, name)
            return in_dtype(a, common), in_dtype(b, common)
        return beside(a, y, name)
    if isinstance(y, Tensor):
        b, a = beside(y._value, x, name)
        return a, b
    if isinstance(x, (*_NUMBERS, list, tuple)):
        return operands(tensor(x), y, name)
    raise _failed(name, x)


def _meeting(a, b, name):
    """The dtype in which the values of two tensors meet."""
    kinds = {"whole" if v.dtype.kind in "iu" else "bool" if v.dtype.kind == "b" else "float" for v in (a, b)}
    if name in _BY_AXES and (a.ndim == 0) != (b.ndim == 0) and len(kinds) == 1:
        return a.dtype if a.ndim else b.dtype
    return promote(a.dtype, b.dtype)


def beside(value, number, name):
    """A tensor's value, and a number in its type; a float with an integer tensor makes both Float32."""
    if type(number) is float or type(number) is int:
        kind = value.dtype.kind
        if (primitives.NUMBERS_ARE_WEAK or value.ndim) and (kind == "f" or (kind in "iu" and type(number) is int)):
            return value, number
    return _beside(value, number, name)


def _beside(value, number, name):
    if isinstance(number, (list, tuple)):
        return operands(wrap(value), tensor(number), name)
    if not isinstance(number, _NUMBERS):
        raise _failed(name, number)
    number = np.asarray(number)
    common = _with_number(value.dtype, number.dtype.kind)
    return in_dtype(value, common), number.astype(common)[()]


def _beside_number(a, b, first):
    """The values of a tensor and a number of the program, which comes `first` or second, in the tensor's type."""
    value, other = (b, a) if first else (a, b)
    common = _with_number(value.dtype, other.dtype.kind)
    return in_dtype(a, common), in_dtype(b, common)


def _with_number(dtype, kind):
    """The dtype in which a tensor of `dtype` meets a number whose dtype is of this kind."""
    if kind == "f" and dtype.kind in "iub":
        return _FLOAT32
    return _INT64 if dtype.kind == "b" and kind != "b" else dtype


def _failed(name, other):
    kind = "string" if isinstance(other, str) else "None" if other is None else str(type(other))
    return TypeError(
        f'Failed calling {name} with "{name}()(input=Tensor, other={kind})".\n'
        f'The valid calling should be: \n"{name}()(input=<Number, Tensor>, other=<Number, Tensor>)".\n'
    )


_SHAPES_IN = dict.fromkeys(("AddExt", "SubExt", "FloorDiv"), ("input", "other"))


def unbroadcast(name, a, b):
    """The error for two shapes that do not broadcast."""
    a, b = np.shape(getval(a)), np.shape(getval(b))
    one, two = _SHAPES_IN.get(name, ("input1", "input2"))
    sizes = list(zip(a[::-1], b[::-1], strict=False))
    from_end = next(i for i, (m, n) in enumerate(sizes) if m != n and 1 not in (m, n))
    show = [f"[{', '.join(map(str, s))}]" for s in (a, b)]
    return ValueError(
        f"For '{name}', {one}.shape and {two}.shape need to broadcast. "
        f"The value of {one}.shape[{len(a) + from_end}] or {two}.shape[{len(b) + from_end}] must "
        "be 1 or -1 when they are not the same, "
        f"but got {one}.shape = {show[0]} and {two}.shape = {show[1]}\n"
    )


def _floats(x, y):
    """Two operands, integers as Float32."""
    return (cast(x, _FLOAT32), cast(y, _FLOAT32)) if not (_is_floating(x) or _is_floating(y)) else (x, y)


def _is_floating(x):
    return type(x) is float or (type(x) is not int and x.dtype.kind not in "iub")


_NO_NUMBER: dict[str, tuple] = dict.fromkeys(
    ("Equal", "Less"), ((bool, int, float), ())
)  # what the first, the second must not be
_NO_NUMBER |= dict.fromkeys(("LogicalAnd", "LogicalOr", "LogicalXor"), ((int, float), (int, float)))


def binary(primitive, names, doc=None, method=True, shown=None):
    """Declare the decorated function of two arrays of one type as an op; `primitive` is its class, `shown` its name in errors."""
    caller = shown or primitive

    def declare(raw):
        refused = REFUSED.get(names.split()[0], ())
        first, second = _NO_NUMBER.get(primitive, ((), ()))

        def call(input, other):
            if type(input) in first or type(other) in second:
                raise _failed(primitive, input if type(input) in first else other)
            a, b = operands(input, other, primitive)
            if refused and (value := b if type(a) in (float, int) else a).dtype.char in refused:
                raise refusal(names.split()[0], value.dtype)
            try:
                return wrap(quietly(raw, a, b))
            except ValueError as error:
                if "broadcast" not in str(error):
                    raise
                raise unbroadcast(caller, a, b) from None

        call.__name__ = call.__qualname__ = names.split()[0]
        call.__doc__ = doc or raw.__doc__
        return entered(call, *names.split()[1:], method=method, primitive=primitive)

    return declare


add = binary("Add", "add", "input + other.", shown="AddExt")(anp.add)
sub = binary("Sub", "sub subtract", "input - other.", shown="SubExt")(anp.subtract)
mul = binary("Mul", "mul multiply", "input * other, element by element.")(anp.multiply)
binary("FloorMod", "floormod", "The remainder, with the sign of the divisor.")(anp.mod)


@binary("Div", "div divide true_divide")
def div(x, y):
    """The quotient; of integers in Float32."""
    return anp.true_divide(*_floats(x, y))


@binary("FloorDiv", "floordiv")
def _floor_of_quotient(x, y):
    """The quotient, rounded down."""
    return anp.floor(anp.true_divide(x, y)) if _is_floating(x) or _is_floating(y) else anp.floor_divide(x, y)


def _rounded_quotient(input, other, *, rounding_mode=None):
    """The quotient; with `rounding_mode` "floor" or "trunc" rounded down or towards 0. Raises ValueError for another mode."""
    if rounding_mode not in (None, "floor", "trunc"):
        raise ValueError("For ops.div, rounding_mode value should be None, 'floor' or 'trunc'.")
    found = div(input, other)
    return found if rounding_mode is None else OPS[rounding_mode](found)


def subtract(input, other, *, alpha=1):
    """input - alpha * other."""
    return sub(input, other if alpha == 1 else mul(other, alpha))


register(_rounded_quotient, "div", "divide")
register(subtract)


def _beating(beats, *slopes):
    """The op that takes of each pair the one that beats the other, with these derivatives."""

    @primitives.rule(*slopes, broadcasts=True)
    def choose(x, y):
        return np.where(beats(x, y), x, y)[()]

    choose.__name__ = "maximum" if beats is anp.greater else "minimum"
    return choose


def _chooser(beats):
    """`x` where it beats `y`, else `y` (so also where either is nan).

    At a tie either gets half of the gradient; at nan, which nothing beats, both get it all.
    """

    def share(g, x, y, else_):
        x, y = constant(x), constant(y)
        wins = anp.where(beats(x, y), 1.0, anp.where(anp.equal(x, y), 0.5, anp.where(beats(y, x), 0.0, else_)))
        return g * cast(wins, dtype_of(g))

    slopes = lambda ans, x, y: lambda g: share(g, x, y, 1.0), lambda ans, x, y: lambda g: g - share(g, x, y, 0.0)
    return _beating(beats, *slopes)


larger, smaller = _chooser(anp.greater), _chooser(anp.less)


def _limit(beats):
    """`x` where it beats `limit`, else `limit`; at the limit `x` gets the gradient, at nan nothing does."""

    return _beating(
        beats,
        lambda ans, x, limit: lambda g: g * cast(anp.logical_or(beats(x, limit), anp.equal(x, limit)), dtype_of(g)),
        lambda ans, x, limit: lambda g: g * cast(beats(limit, x), dtype_of(g)),
    )


at_least, at_most = _limit(anp.greater), _limit(anp.less)


@binary("Maximum", "maximum")
def maximum(x, y):
    """The larger of each pair; a tie sends half of the gradient to either.

    Tensors, or a tensor and a number; shapes broadcast, and mixed dtypes are promoted.

    >>> import labkit.mindspore as ms
    >>> one, other = ms.grad(ms.ops.maximum, (0, 1))(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 5.0]))
    >>> one.asnumpy(), other.asnumpy()
    (array([0.5, 0. ], dtype=float32), array([0.5, 1. ], dtype=float32))
    """
    return larger(x, y)


minimum = binary("Minimum", "minimum", "The smaller of each pair; a tie sends half of the gradient to either.")(smaller)


def _of_floats(fun):
    """`fun` of two floating arrays; of a number in the type of the array."""

    def raw(x, y):
        x, y = _floats(x, y)
        kind = next(v.dtype for v in (x, y) if hasattr(v, "dtype"))
        return fun(*(v if hasattr(v, "dtype") else np.asarray(v, kind) for v in (x, y)))

    return raw


for _name, _row in primitives.PAIRS.items():
    binary(_name.capitalize(), f"{_name} {_row.also}", f"Elementwise: {_row.meaning}.")(_of_floats(_row.fun))


def _constant(fun):
    """`fun`, constant to every derivative."""
    return lambda x, y: fun(constant(x), constant(y))


for _names in (
    "equal eq", "not_equal ne", "greater gt", "greater_equal ge", "less lt", "less_equal le", "logical_and", "logical_or",
    "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor",
):  # fmt: skip
    _word, _fun = _names.split()[0].replace("_", " "), getattr(anp, _names.split()[0])
    _doc = f"Where `{_word}` holds, elementwise; a Bool tensor."
    binary(_word.title().replace(" ", ""), _names, _doc)(_constant(_fun))


@binary("Pow", "_power", method=False)
def _power(input, exponent):
    if "b" == getattr(input, "dtype", _FLOAT32).kind == getattr(exponent, "dtype", _FLOAT32).kind:
        raise refusal("pow", input.dtype)
    if getattr(input, "dtype", _FLOAT32).kind in "iu":
        raised = numbers_of(exponent, "raise integers to integer powers that may be negative")
        if np.any(raised < 0):
            return _truncated(input, exponent)
    return _raised(input, exponent)


def _no_slope(passed, x, exponent):
    """The slope of a power: at 0 to the power 0 there is none."""
    if not isbox(exponent) and np.ndim(exponent) == 0 and exponent == 0:
        return passed * 0 / x
    odd = anp.logical_and(constant(x) == 0, constant(exponent) == 0)
    if recorded(odd) is None and not np.any(getval(odd)):
        return passed
    return primitives.select(unbroadcast_f(x, lambda g: g)(cast(odd, passed.dtype)) > 0, np.nan, passed)


_raised = primitives.variant(anp.power, np.power, _no_slope)
_raised_to_number = primitives.variant(primitives.power, operator.pow, _no_slope)


def _truncated(base, exponent):
    """An integer power that may be a fraction, cut to an integer."""
    return cast(anp.trunc(anp.power(cast(constant(base), np.float64), constant(exponent))), base.dtype)


def pow(input, exponent):
    """`input` to the power `exponent`; a number as exponent keeps an integer tensor's type if it is an integer."""
    if isinstance(input, Tensor) and type(exponent) in (int, float):
        value = input._value
        if value.dtype.kind == "b" or (value.dtype.kind in "iu" and type(exponent) is float):
            value = cast(value, _FLOAT32 if type(exponent) is float else _INT64)
        with np.errstate(all="ignore"):
            if value.dtype.kind in "iu" and exponent < 0:
                return wrap(_truncated(value, exponent))
            return wrap(in_dtype(_raised_to_number(value, exponent), value.dtype))
    return _power(input, exponent)


entered(pow, primitive="Pow")


def logical_not(input):
    """Where `input` is zero or False; a Bool tensor."""
    return wrap(anp.logical_not(constant(input._value)))


register(logical_not, primitive="LogicalNot")


_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv", "mod": "floormod", "pow": "pow",
    "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lt": "less", "le": "less_equal",
    "gt": "greater", "ge": "greater_equal",
}  # fmt: skip


def _swapped(fun):
    return lambda self, other: fun(other, self)


def _equality(fun, otherwise):
    """`==` and `!=` are defined for anything; what is not a number equals no tensor."""
    return lambda self, other: fun(self, other) if isinstance(other, (Tensor, *_NUMBERS)) else otherwise


def attach_operators():
    """Give `Tensor` its operators."""
    for name, op in _OPERATORS.items():
        setattr(Tensor, f"__{name}__", OPS[op])
        if name not in ("lt", "le", "gt", "ge", "and", "or", "xor"):  # a number before & is refused, as in the real one
            setattr(Tensor, f"__r{name}__", _swapped(OPS[op]))
    others = {
        "eq": _equality(OPS["equal"], False), "ne": _equality(OPS["not_equal"], True), "hash": object.__hash__,
        "invert": logical_not, "pos": lambda self: self, "neg": OPS["neg"], "abs": OPS["abs"],
    }  # fmt: skip
    for name, fun in others.items():
        setattr(Tensor, f"__{name}__", fun)
