"""Functions of one number, element by element. A row is all that one needs, for both dialects, pictures and programs:

the name, the NumPy function, its derivative, what that keeps, what it does with the arriving g; and, for docstrings, what the
function is, where it is defined, its slope as NumPy would compute it, and an example.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import autograd.numpy as anp
import numpy as np

from ..engine import dtype_of
from .arithmetic import clamp, power, select, zero
from .table import rule

__all__ = [
    "FUNCTIONS", "TWO_OVER_ROOT_PI", "Function", "about", "absolute", "acos", "acosh", "asin", "asinh", "atan", "atanh",
    "ceil", "cos", "cosh", "erf", "erf_kernel", "exp", "expm1", "floor", "log", "log1p", "log2", "log10", "reciprocal",
    "relu", "rsqrt", "sigmoid", "sign", "sin", "sinh", "softplus", "sqrt", "tan", "tanh", "trunc",
]  # fmt: skip


class Function(NamedTuple):
    """A function of one number, as both dialects offer it.

    `fun` is the op, or made of ops; `meaning` and `domain` are words, `slope` is an expression in `x`; `at` is a number, with
    the function's value and slope there, to four digits. `kind`: "smooth" functions make integers floating, others keep the
    dtype, and "steps" are constant to every derivative. `also` are further names.

    >>> FUNCTIONS["tanh"].slope
    '1 - tanh(x)**2'
    """

    fun: Any
    meaning: str
    domain: str
    slope: str
    at: tuple[float, str, str]
    kind: str = "smooth"
    also: str = ""


FUNCTIONS: dict[str, Function] = {}
_ALL, _POSITIVE = "all x", "x > 0; -inf at 0, nan below"
_WITHIN = "-1 <= x <= 1, nan elsewhere; infinite slope at the ends"


def _function(name, kernel, vjp, saves, does, *row, text=None, rounds=True, **more) -> Any:
    """Enter a function of one number, `kernel`, as an op; `does` are the words of its derivative."""
    fun = rule(vjp, name=name, saves=saves, words=does, text=text, rounds=rounds)(kernel)
    made = FUNCTIONS[name] = Function(fun, *row, **more)
    fun.__doc__ = f"{made.meaning}, for each element x."
    return fun


def _made(name, fun, *row, **more) -> Callable:
    """Enter a function of one number that is made of ops."""
    FUNCTIONS[name] = Function(fun, *row, **more)
    return fun


# ---- exponentials and logarithms ----

exp = _function("exp", np.exp, lambda ans, x: lambda g: g * ans, "result", "g exp(x)",
                "e to the power of x", _ALL, "exp(x)", (0.5, "1.6487", "1.6487"))  # fmt: skip
expm1 = _function("expm1", np.expm1, lambda ans, x: lambda g: g * (ans + 1), "result", "g exp(x)",
                  "exp(x) - 1, exact near 0", _ALL, "exp(x)", (0.5, "0.6487", "1.6487"))  # fmt: skip
log = _function("log", np.log, lambda ans, x: lambda g: g / x, "self", "g / x",
                "the natural logarithm", _POSITIVE, "1 / x", (2.0, "0.6931", "0.5000"))  # fmt: skip
log2 = _function("log2", np.log2, lambda ans, x: lambda g: g / (x * math.log(2)), "self", "g / (x log(2))",
                 "the logarithm to base 2", _POSITIVE, "1 / (x * log(2))", (2.0, "1.0000", "0.7213"))  # fmt: skip
log10 = _function("log10", np.log10, lambda ans, x: lambda g: g / (x * math.log(10)), "self", "g / (x log(10))",
                  "the logarithm to base 10", _POSITIVE, "1 / (x * log(10))", (2.0, "0.3010", "0.2171"))  # fmt: skip
log1p = _function("log1p", np.log1p, lambda ans, x: lambda g: g / (x + 1), "self", "g / (1 + x)",
                  "log(1 + x), exact near 0", "x > -1; -inf at -1, nan below", "1 / (1 + x)",
                  (0.5, "0.4055", "0.6667"))  # fmt: skip

# ---- powers ----

sqrt = _function("sqrt", np.sqrt, lambda ans, x: lambda g: g / (2 * ans), "result", "g / (2 sqrt(x))",
                 "the square root", "x >= 0, nan below; infinite slope at 0", "1 / (2 * sqrt(x))",
                 (4.0, "2.0000", "0.2500"))  # fmt: skip
rsqrt = _function("rsqrt", lambda x: 1 / np.sqrt(x), lambda ans, x: lambda g: g * power(ans, 3) * -0.5, "result",
                  "-g / (2 x sqrt(x))", "1 / sqrt(x)", "x > 0; inf at 0, nan below", "-1 / (2 * x * sqrt(x))",
                  (4.0, "0.5000", "-0.0625"), text="1 / np.sqrt({})", rounds=False)  # fmt: skip
reciprocal = _function("reciprocal", np.reciprocal, lambda ans, x: lambda g: -g * (ans * ans), "result", "-g / x^2",
                       "1 / x", "all x but 0, where it is infinite", "-1 / x**2", (4.0, "0.2500", "-0.0625"))  # fmt: skip
_made("square", anp.square, "x squared", _ALL, "2 * x", (3.0, "9.0000", "6.0000"), "kept")

# ---- circular and hyperbolic ----

sin = _function("sin", np.sin, lambda ans, x: lambda g: g * cos(x), "self", "g cos(x)",
                "the sine", _ALL, "cos(x)", (0.5, "0.4794", "0.8776"))  # fmt: skip
cos: Any = _function("cos", np.cos, lambda ans, x: lambda g: g * -sin(x), "self", "-g sin(x)",
                "the cosine", _ALL, "-sin(x)", (0.5, "0.8776", "-0.4794"))  # fmt: skip
tan = _function("tan", np.tan, lambda ans, x: lambda g: g * (1 + power(ans, 2)), "result", "g (1 + tan(x)^2)",
                "the tangent", _ALL, "1 + tan(x)**2", (0.5, "0.5463", "1.2984"))  # fmt: skip
asin = _function("asin", np.arcsin, lambda ans, x: lambda g: g / sqrt(1 - x * x), "self", "g / sqrt(1 - x^2)",
                 "the inverse sine", _WITHIN, "1 / sqrt(1 - x**2)", (0.5, "0.5236", "1.1547"), also="arcsin")  # fmt: skip
acos = _function("acos", np.arccos, lambda ans, x: lambda g: -g / sqrt(1 - x * x), "self", "-g / sqrt(1 - x^2)",
                 "the inverse cosine", _WITHIN, "-1 / sqrt(1 - x**2)", (0.5, "1.0472", "-1.1547"), also="arccos")  # fmt: skip
atan = _function("atan", np.arctan, lambda ans, x: lambda g: g / (x * x + 1), "self", "g / (1 + x^2)",
                 "the inverse tangent", _ALL, "1 / (1 + x**2)", (0.5, "0.4636", "0.8000"), also="arctan")  # fmt: skip
sinh = _function("sinh", np.sinh, lambda ans, x: lambda g: g * cosh(x), "self", "g cosh(x)",
                 "the hyperbolic sine", _ALL, "cosh(x)", (0.5, "0.5211", "1.1276"))  # fmt: skip
cosh: Any = _function("cosh", np.cosh, lambda ans, x: lambda g: g * sinh(x), "self", "g sinh(x)",
                 "the hyperbolic cosine", _ALL, "sinh(x)", (0.5, "1.1276", "0.5211"))  # fmt: skip
tanh = _function("tanh", np.tanh, lambda ans, x: lambda g: g * (1 - power(ans, 2)), "result", "g (1 - tanh(x)^2)",
                 "the hyperbolic tangent", _ALL, "1 - tanh(x)**2", (0.5, "0.4621", "0.7864"))  # fmt: skip
asinh = _function("asinh", np.arcsinh, lambda ans, x: lambda g: g * rsqrt(x * x + 1), "self", "g / sqrt(x^2 + 1)",
                  "the inverse hyperbolic sine", _ALL, "1 / sqrt(x**2 + 1)", (0.5, "0.4812", "0.8944"),
                  also="arcsinh")  # fmt: skip
acosh = _function("acosh", np.arccosh, lambda ans, x: lambda g: g * rsqrt(x * x - 1), "self", "g / sqrt(x^2 - 1)",
                  "the inverse hyperbolic cosine", "x >= 1, nan below; infinite slope at 1", "1 / sqrt(x**2 - 1)",
                  (2.0, "1.3170", "0.5774"), also="arccosh")  # fmt: skip
atanh = _function("atanh", np.arctanh, lambda ans, x: lambda g: g / (1 - x * x), "self", "g / (1 - x^2)",
                  "the inverse hyperbolic tangent", "-1 < x < 1; infinite at the ends, nan beyond", "1 / (1 - x**2)",
                  (0.5, "0.5493", "1.3333"), also="arctanh")  # fmt: skip

# ---- activations ----


def _sigmoid(x):
    z = np.exp(-np.abs(x))  # the exponential of a negative number on either side: no overflow
    return np.where(x >= 0, 1 / (1 + z), z / (1 + z)).astype(z.dtype)[()]


sigmoid = _function("sigmoid", _sigmoid, lambda ans, x: lambda g: g * (ans * (1 - ans)), "result", "g s (1 - s)",
                    "1 / (1 + exp(-x))", _ALL, "exp(-x) / (1 + exp(-x))**2", (0.5, "0.6225", "0.2350"), rounds=False)  # fmt: skip


def _softplus(x):
    return np.logaddexp(x, zero(x))


softplus = _function("softplus", _softplus, lambda ans, x: lambda g: g * sigmoid(x), "self", "g sigmoid(x)",
                     "log(1 + exp(x))", _ALL, "1 / (1 + exp(-x))", (0.5, "0.9741", "0.6225"))  # fmt: skip
_made("silu", lambda x: x * sigmoid(x), "x sigmoid(x)", _ALL, "(1 + exp(-x) * (1 + x)) / (1 + exp(-x))**2",
             (0.5, "0.3112", "0.7400"))  # fmt: skip


def _relu(x):
    return np.maximum(x, zero(x))


relu = _function("relu", _relu, lambda ans, x: lambda g: select(x > 0, g, zero(g)), "result", "g where x > 0",
                 "max(x, 0)", _ALL, "where(x > 0, 1, 0)", (0.5, "0.5000", "1.0000"), "kept")  # fmt: skip
_made("relu6", lambda x: clamp(relu(x), None, 6), "x limited to [0, 6]", _ALL, "where((x > 0) & (x <= 6), 1, 0)",
      (0.5, "0.5000", "1.0000"), "kept")  # fmt: skip

# ---- others ----

TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
_erf = np.vectorize(math.erf, otypes=[np.float64])


def erf_kernel(x) -> np.ndarray:
    """The error function, in double precision."""
    dtype = dtype_of(x)
    return _erf(np.asarray(x, np.float64)).astype(np.float64 if dtype.kind in "iub" else dtype)[()]


erf = _function("erf", erf_kernel, lambda ans, x: lambda g: TWO_OVER_ROOT_PI * exp(-power(x, 2)) * g, "self",
                "2 g exp(-x^2) / sqrt(pi)", "the error function", _ALL, "2 / sqrt(pi) * exp(-x**2)",
                (0.5, "0.5205", "0.8788"))  # fmt: skip
absolute = _function("abs", np.abs, lambda ans, x: lambda g: g * sign(x), "self", "g sign(x)",
                     "|x|", _ALL, "sign(x)", (-0.5, "0.5000", "-1.0000"), "kept", "absolute")  # fmt: skip
_made("neg", anp.negative, "-x", _ALL, "-1", (0.5, "-0.5000", "-1.0000"), "kept", "negative")


def _step(name, kernel, *row, **more) -> Any:
    return _function(name, kernel, lambda ans, x: lambda g: anp.zeros_like(g), "", "0", *row, "steps", **more)


def _sign(x):
    return np.subtract(x > 0, x < 0, dtype=np.int8).astype(dtype_of(x))[()]


sign: Any = _step("sign", _sign, "-1, 0 or 1, and 0 at nan", _ALL, "0", (-0.5, "-1.0000", "0.0000"))
floor = _step("floor", np.floor, "the largest integer not above x", _ALL, "0", (-0.5, "-1.0000", "0.0000"))
ceil = _step("ceil", np.ceil, "the smallest integer not below x", _ALL, "0", (-1.5, "-1.0000", "0.0000"))
trunc = _step("trunc", np.trunc, "the integer towards 0", _ALL, "0", (-1.5, "-1.0000", "0.0000"))
_made("round", anp.round, "the nearest integer, halves to even", _ALL, "0", (2.5, "2.0000", "0.0000"), "steps")


def about(name, dtypes, example) -> str:
    """The docstring of a dialect's op: `dtypes` is a sentence, `example` code with places for `name` and `x` that prints
    the value and the slope.

    >>> print(about("log", "Floats keep their dtype.", "").splitlines()[3])
    Defined for x > 0; -inf at 0, nan below. Derivative: 1 / x. Raises TypeError for anything but a tensor.
    """
    row = FUNCTIONS[name]
    x, value, slope = row.at
    return (
        f"{name}(x) for each element x: {row.meaning}.\n\n"
        f"`input`: a tensor of any shape, which the result has, too. {dtypes}\n"
        f"Defined for {row.domain}. Derivative: {row.slope}. Raises TypeError for anything but a tensor.\n\n"
        f"{example.format(name=name, x=x)}\n{value} {slope}\n"
    )
