"""What the functions of one number are, in words: where they are defined, and their derivatives, in both dialects.

The docstrings of the dialects' elementwise ops are made from this table; a derivative is written as NumPy would compute it.
"""

from typing import NamedTuple

__all__ = ["FUNCTIONS", "Function", "about"]


class Function(NamedTuple):
    """`meaning` and `domain` are words, `derivative` is an expression in `x`; `at` is a number, with the function's value and
    slope there, to four digits.

    >>> FUNCTIONS["tanh"].derivative
    '1 - tanh(x)**2'
    """

    meaning: str
    domain: str
    derivative: str
    at: tuple[float, str, str]


_ALL, _POSITIVE = "all x", "x > 0; -inf at 0, nan below"
_WITHIN = "-1 <= x <= 1, nan elsewhere; infinite slope at the ends"
FUNCTIONS = {
    name: Function(*row)
    for name, row in {
        "exp": ("e to the power of x", _ALL, "exp(x)", (0.5, "1.6487", "1.6487")),
        "exp2": ("2 to the power of x", _ALL, "log(2) * 2**x", (0.5, "1.4142", "0.9803")),
        "expm1": ("exp(x) - 1, exact near 0", _ALL, "exp(x)", (0.5, "0.6487", "1.6487")),
        "log": ("the natural logarithm", _POSITIVE, "1 / x", (2.0, "0.6931", "0.5000")),
        "log2": ("the logarithm to base 2", _POSITIVE, "1 / (x * log(2))", (2.0, "1.0000", "0.7213")),
        "log10": ("the logarithm to base 10", _POSITIVE, "1 / (x * log(10))", (2.0, "0.3010", "0.2171")),
        "log1p": ("log(1 + x), exact near 0", "x > -1; -inf at -1, nan below", "1 / (1 + x)", (0.5, "0.4055", "0.6667")),
        "sqrt": ("the square root", "x >= 0, nan below; infinite slope at 0", "1 / (2 * sqrt(x))", (4.0, "2.0000", "0.2500")),
        "rsqrt": ("1 / sqrt(x)", "x > 0; inf at 0, nan below", "-1 / (2 * x * sqrt(x))", (4.0, "0.5000", "-0.0625")),
        "reciprocal": ("1 / x", "all x but 0, where it is infinite", "-1 / x**2", (4.0, "0.2500", "-0.0625")),
        "square": ("x squared", _ALL, "2 * x", (3.0, "9.0000", "6.0000")),
        "sin": ("the sine", _ALL, "cos(x)", (0.5, "0.4794", "0.8776")),
        "cos": ("the cosine", _ALL, "-sin(x)", (0.5, "0.8776", "-0.4794")),
        "tan": ("the tangent", _ALL, "1 + tan(x)**2", (0.5, "0.5463", "1.2984")),
        "asin": ("the inverse sine", _WITHIN, "1 / sqrt(1 - x**2)", (0.5, "0.5236", "1.1547")),
        "acos": ("the inverse cosine", _WITHIN, "-1 / sqrt(1 - x**2)", (0.5, "1.0472", "-1.1547")),
        "atan": ("the inverse tangent", _ALL, "1 / (1 + x**2)", (0.5, "0.4636", "0.8000")),
        "sinh": ("the hyperbolic sine", _ALL, "cosh(x)", (0.5, "0.5211", "1.1276")),
        "cosh": ("the hyperbolic cosine", _ALL, "sinh(x)", (0.5, "1.1276", "0.5211")),
        "tanh": ("the hyperbolic tangent", _ALL, "1 - tanh(x)**2", (0.5, "0.4621", "0.7864")),
        "asinh": ("the inverse hyperbolic sine", _ALL, "1 / sqrt(x**2 + 1)", (0.5, "0.4812", "0.8944")),
        "acosh": ("the inverse hyperbolic cosine", "x >= 1, nan below; infinite slope at 1",
                  "1 / sqrt(x**2 - 1)", (2.0, "1.3170", "0.5774")),
        "atanh": ("the inverse hyperbolic tangent", "-1 < x < 1; infinite at the ends, nan beyond",
                  "1 / (1 - x**2)", (0.5, "0.5493", "1.3333")),
        "sigmoid": ("1 / (1 + exp(-x))", _ALL, "exp(-x) / (1 + exp(-x))**2", (0.5, "0.6225", "0.2350")),
        "softplus": ("log(1 + exp(x))", _ALL, "1 / (1 + exp(-x))", (0.5, "0.9741", "0.6225")),
        "silu": ("x sigmoid(x)", _ALL, "(1 + exp(-x) * (1 + x)) / (1 + exp(-x))**2", (0.5, "0.3112", "0.7400")),
        "erf": ("the error function", _ALL, "2 / sqrt(pi) * exp(-x**2)", (0.5, "0.5205", "0.8788")),
        "neg": ("-x", _ALL, "-1", (0.5, "-0.5000", "-1.0000")),
        "abs": ("|x|", _ALL, "sign(x)", (-0.5, "0.5000", "-1.0000")),
        "relu": ("max(x, 0)", _ALL, "where(x > 0, 1, 0)", (0.5, "0.5000", "1.0000")),
        "relu6": ("x limited to [0, 6]", _ALL, "where((x > 0) & (x <= 6), 1, 0)", (0.5, "0.5000", "1.0000")),
        "sign": ("-1, 0 or 1", _ALL, "0", (-0.5, "-1.0000", "0.0000")),
        "floor": ("the largest integer not above x", _ALL, "0", (-0.5, "-1.0000", "0.0000")),
        "ceil": ("the smallest integer not below x", _ALL, "0", (-1.5, "-1.0000", "0.0000")),
        "trunc": ("the integer towards 0", _ALL, "0", (-1.5, "-1.0000", "0.0000")),
        "round": ("the nearest integer, halves to even", _ALL, "0", (2.5, "2.0000", "0.0000")),
        "rint": ("the nearest integer, halves to even", _ALL, "0", (2.5, "2.0000", "0.0000")),
    }.items()
}  # fmt: skip


def about(name, dtypes, example) -> str:
    """The docstring of a dialect's op: `dtypes` is a sentence, `example` code with places for `name` and `x` that prints
    the value and the slope.

    >>> print(about("log", "Floats keep their dtype.", "").splitlines()[3])
    Defined for x > 0; -inf at 0, nan below. Derivative: 1 / x. Raises TypeError for anything but a tensor.
    """
    meaning, domain, derivative, (x, value, slope) = FUNCTIONS[name]
    return (
        f"{name}(x) for each element x: {meaning}.\n\n"
        f"`input`: a tensor of any shape, which the result has, too. {dtypes}\n"
        f"Defined for {domain}. Derivative: {derivative}. Raises TypeError for anything but a tensor.\n\n"
        f"{example.format(name=name, x=x)}\n{value} {slope}\n"
    )
