"""Numbers as a float format stores them: their bits, their neighbours, and a function computed there and exactly.

A format's numbers, counted from 0 upwards, have consecutive bits: `place` counts them. What is exact is a `Fraction`;
rounding goes to the nearest number of the format, and halfway to the one whose last bit is 0 (IEEE 754, 4.3.1).
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ....precision import Format, rounded
from ...kit.words import minus, raised

Exact = Fraction | float | None  # a float where the function has no exact value, None where there is no number at all
EXACTLY: dict[Any, Callable] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
    np.negative: operator.neg, np.positive: operator.pos, np.absolute: abs, np.square: lambda x: x * x,
    np.maximum: max, np.minimum: min,
}  # fmt: skip
SIGNS = {np.add: "+", np.subtract: "−", np.multiply: "×", np.divide: "÷", np.power: "**"}
MOST_FACTORS = 64
SHORT = 8  # characters: a number that needs no more is written in full
MOST = Fraction(np.finfo(np.float64).max)


def exponent_of(x: Fraction) -> int:
    """The e with 2**e <= abs(x) < 2**(e + 1); x is not 0.

    >>> exponent_of(Fraction(9)), exponent_of(Fraction(-1, 4))
    (3, -2)
    """
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e if abs(x) >= Fraction(2) ** e else e - 1


def gap_at(x: Fraction, of: Format) -> Fraction:
    """The distance between the numbers of a format around x, as if there were no largest one.

    >>> from labkit.precision import format_of
    >>> int(gap_at(Fraction(2048), format_of("float16")))
    2
    """
    e = max(exponent_of(x), of.min_exponent) if x else of.min_exponent
    return Fraction(2) ** (e - of.fraction_bits)


def stored(x: Fraction, of: Format) -> float:
    """The number of a format that is nearest to x; infinite, or nan, where x is too large.

    >>> from labkit.precision import format_of
    >>> [stored(Fraction(n), format_of("float16")) for n in (2049, 2051, 65519, 65520)]
    [2048.0, 2052.0, 65504.0, inf]
    """
    gap = gap_at(x, of)
    nearest = round(x / gap) * gap  # Fraction rounds ties to even
    if abs(nearest) > Fraction(of.max):
        return float(np.copysign(np.inf if of.infinity else np.nan, 1 if x > 0 else -1))
    return float(nearest)


def bits(value: float, of: Format) -> tuple[str, str, str]:
    """Sign, exponent and fraction of a number of the format, as the bits that store it.

    >>> from labkit.precision import format_of
    >>> bits(-1.5, format_of("float16"))
    ('1', '01111', '1000000000')
    """
    sign = str(int(np.signbit(value)))
    if np.isnan(value):
        return (
            "0",
            "1" * of.exponent_bits,
            "1" * of.fraction_bits if not of.infinity else "1".ljust(of.fraction_bits, "0"),
        )
    digits = f"{abs(place(value, of)):0{of.bits - 1}b}"
    return sign, digits[: of.exponent_bits], digits[of.exponent_bits :]


def place(value: float, of: Format) -> int:
    """Which number of the format it is, counted from 0: the smallest is 1, the one below 0 is -1; infinity is the last.

    >>> from labkit.precision import format_of
    >>> half = format_of("float16")
    >>> place(half.min_subnormal, half), place(1.0, half), place(float("inf"), half) - place(half.max, half)
    (1, 15360, 1)
    """
    if not np.isfinite(value):
        return int(np.copysign(last_place(of), value))
    x = Fraction(value)
    if not x:
        return 0
    e = max(exponent_of(x), of.min_exponent)
    steps = abs(x) / gap_at(x, of)  # of the binade's gap, hidden bit included
    return int(np.sign(value)) * int(steps + ((e - of.min_exponent) << of.fraction_bits))


def last_place(of: Format) -> int:
    """The place after the largest number: infinity, or nan in a format without it."""
    return place(of.max, of) + 1


def at_place(n: int, of: Format) -> Fraction:
    """The number at a place; for the last place, where the next number would be.

    >>> from labkit.precision import format_of
    >>> int(at_place(last_place(format_of("float16")), format_of("float16")))
    65536
    """
    field, fraction = divmod(abs(n), 1 << of.fraction_bits)
    hidden = (1 << of.fraction_bits) if field else 0
    value = Fraction(hidden + fraction) * Fraction(2) ** (max(field - 1, 0) + of.min_exponent - of.fraction_bits)
    return value if n >= 0 else -value


def digits(x: Fraction | float, gap: Fraction) -> str:
    """A number with as many digits as place it well within a gap, and a true minus sign.

    >>> digits(0.0999755859375, Fraction(1, 2**14)), digits(Fraction(1, 10), Fraction(1, 2**14)), digits(2049.0, Fraction(2))
    ('0.099976', '0.1', '2049')
    """
    if not isinstance(x, Fraction) and not np.isfinite(x):
        return minus(str(float(x)))
    exact = Fraction(x)
    if exact.denominator == 1 and abs(exact) < 10**7:
        return minus(str(exact))
    if abs(exact) > MOST:
        return f"{'−' * (exact < 0)}{raised(2, exponent_of(exact))}"
    value = float(exact)
    written = [f"{value:.{n}g}" for n in range(3, 18)]
    short = [w for w in written if len(w) <= SHORT and Fraction(w) == exact]
    near = [w for w in written if abs(Fraction(w) - exact) * 20 <= gap]
    return minus([*short, *near, written[-1]][0])


@dataclass(eq=False)
class Number(NDArrayOperatorsMixin):
    """A number that NumPy and operators compute with in three ways at once: `held` in the format `of`, each result rounded;
    `exact`, without rounding, from what the format stores; and in `words`. `ops` counts the operations so far; `absorbed` is
    what the last one added or subtracted without any effect, in words, `terms` the two numbers that it added."""

    of: Format
    held: float
    exact: Exact
    words: str
    ops: int = 0
    absorbed: str = ""
    terms: Any = None

    @classmethod
    def stored(cls, of: Format, x: Fraction, words: str) -> "Number":
        held = stored(x, of)
        return cls(of, held, Fraction(held) if np.isfinite(held) else None, words)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or kwargs or ufunc.nout != 1:
            return NotImplemented
        given = [self._like(x) for x in inputs]
        with np.errstate(all="ignore"):
            result = ufunc(*(np.float64(g.held) for g in given))
        if isinstance(result, (bool, np.bool_)):
            return bool(result)
        result = float(rounded(result, self.of))
        return Number(
            self.of, result, _exactly(ufunc, [g.exact for g in given]),
            _phrase(ufunc, [g.words for g in given]), 1 + max(g.ops for g in given), _absorbed(ufunc, given, result),
            _terms(ufunc, given),
        )  # fmt: skip

    def _like(self, x):
        if isinstance(x, Number):
            return x
        if isinstance(x, (np.ndarray, bool)) or not isinstance(x, (int, float, np.number)):
            raise TypeError(f"Microscope: expected a function of one number, but it computes with {type(x).__name__}")
        value = float(x)
        if not np.isfinite(value):
            return Number(self.of, value, None, str(value))
        return Number.stored(self.of, Fraction(value), minus(f"{value:.6g}"))


def _exactly(ufunc, given: Sequence[Any]) -> Exact:
    if any(x is None for x in given):
        return None
    if all(isinstance(x, Fraction) for x in given):
        try:
            if ufunc in EXACTLY:
                return EXACTLY[ufunc](*given)
            if ufunc is np.power and given[1].denominator == 1 and abs(given[1]) <= MOST_FACTORS:
                return given[0] ** int(given[1])
        except ZeroDivisionError:
            return None
    with np.errstate(all="ignore"):
        value = float(ufunc(*(np.float64(x) for x in given)))
    return value if np.isfinite(value) else None


def _phrase(ufunc, words: Sequence[str]) -> str:
    whole = [f"({w})" if " " in w else w for w in words]
    if ufunc in SIGNS:
        return f"{whole[0]} {SIGNS[ufunc]} {whole[1]}"
    if ufunc is np.negative:
        return f"−{whole[0]}"
    return f"{ufunc.__name__}({', '.join(words)})"


def _terms(ufunc, given):
    """The two numbers that are added, the second with its sign; None of anything else."""
    if ufunc not in (np.add, np.subtract) or not all(np.isfinite(g.held) for g in given):
        return None
    first, second = (Fraction(g.held) for g in given)
    return first, second if ufunc is np.add else -second


def _absorbed(ufunc, given, result) -> str:
    """What was added or subtracted without any effect; nothing of what is stored as 0."""
    if ufunc not in (np.add, np.subtract) or not all(g.held for g in given) or not np.isfinite(result):
        return ""
    first, second = given
    if result == first.held:
        return second.words
    return first.words if result == (second.held if ufunc is np.add else -second.held) else ""


@dataclass(frozen=True)
class Landing:
    """Where a result lands in the format `of`.

    `x`: the number given, by `name`; `input`: as the format stores it; `result`: of the function there (the input itself
    without one); `exact`: the same without rounding; `words`: what was computed; `ops`: in how many operations;
    `absorbed`: what was added without any effect, in words; `terms`: both numbers, of one addition.
    """

    of: Format
    name: str
    x: Fraction
    input: float
    result: float
    exact: Exact
    words: str
    ops: int
    absorbed: str
    terms: Any = None

    @property
    def target(self) -> Any:
        """What is exact, as a Fraction, or None."""
        return None if self.exact is None else Fraction(self.exact)

    @property
    def around(self) -> Any:
        """The neighbours of what is exact, below and above; twice the same if it is a number of the format; None outside."""
        if self.target is None or abs(self.target) > Fraction(self.of.max):
            return None
        gap = gap_at(self.target, self.of)
        return self.target // gap * gap, -(-self.target // gap) * gap

    @property
    def tie(self) -> bool:
        """Whether what is exact lies halfway between its neighbours."""
        return self.around is not None and self.around[0] != self.around[1] and sum(self.around) == 2 * self.target

    @property
    def nearest(self) -> float:
        """The number of the format that is nearest to what is exact: the result, unless several operations were rounded."""
        return float("nan") if self.target is None else stored(self.target, self.of)


def landing(fn: Callable[[Any], Any] | None, x: Fraction, of: Format, name: str) -> Landing:
    """The `Landing` of `fn` at `x`, of `x` itself without a function.

    >>> from labkit.precision import format_of
    >>> found = landing(lambda a: a + 1, Fraction(2048), format_of("float16"), "a")
    >>> found.words, found.result, float(found.exact), found.tie, found.absorbed
    ('a + 1', 2048.0, 2049.0, True, '1')
    """
    given = Number.stored(of, x, name)
    if fn is None:
        return Landing(of, name, x, given.held, given.held, x, name, 0, "")
    result = fn(given)
    if not isinstance(result, Number):
        result = given._like(result) if not isinstance(result, (np.ndarray, bool)) else None
    if result is None:
        raise TypeError("Microscope: expected a function that returns one number")
    return Landing(of, name, x, given.held, result.held, result.exact, result.words, result.ops, result.absorbed,
                   result.terms if result.ops == 1 else None)  # fmt: skip
