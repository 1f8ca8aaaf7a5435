"""Numbers as a float format stores them: their bits, their neighbours, and a function computed there and exactly.

`microscope.js` computes the same in the page.

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
from ...kit.reckoning import PRIMITIVES
from ...kit.words import minus, raised

Exact = Fraction | float | None  # a float where the function has no exact value, None where there is no number at all
EXACTLY: dict[str, Callable] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "negative": operator.neg, "absolute": abs, "maximum": max, "minimum": min,
    "power": lambda x, n: x ** int(n) if n.denominator == 1 and abs(n) <= MOST_FACTORS else None,
}  # fmt: skip
SIGNS = {"add": "+", "subtract": "−", "multiply": "×", "divide": "÷", "power": "**"}
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


class Lines:
    """A function of one number as lines of scalar primitives, `[name, arguments]`: the place of an earlier result, 0 being the
    number given, or a constant in a list. `said` has in words what each place is.

    Raises TypeError for what is not a function of one number, ValueError where operations depend on its value.

    >>> found = Lines(lambda a: 2 * (a + 1), 3.0, "a")
    >>> found.lines, found.said
    ([['add', [0, [1.0]]], ['multiply', [[2.0], 1]]], ['a', 'a + 1', '2 × (a + 1)'])
    """

    def __init__(self, fn: Callable[[Any], Any], x: float, name: str):
        self.lines: list[list[Any]] = []
        self.said = [name]
        result = fn(_Traced(self, 0, np.float64(x)))
        if not isinstance(result, _Traced):
            text = "Microscope: expected a function that computes one number, but it returned {result!r}"
            raise TypeError(text.format(result=result))


class _Traced(NDArrayOperatorsMixin):
    def __init__(self, program, place, value):
        self.program, self.place, self.value = program, place, value

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        name = {"true_divide": "divide", "square": "multiply"}.get(ufunc.__name__, ufunc.__name__)
        if method != "__call__" or kwargs or ufunc.nout != 1 or name not in PRIMITIVES:
            return NotImplemented
        inputs = inputs * 2 if ufunc is np.square else inputs
        for x in inputs:
            if not isinstance(x, (int, float, np.number, _Traced)) or isinstance(x, bool):
                text = "Microscope: expected a function of one number, but it computes with {kind}"
                raise TypeError(text.format(kind=type(x).__name__))
        traced = [isinstance(x, _Traced) for x in inputs]
        with np.errstate(all="ignore"):
            value = PRIMITIVES[name](*(x.value if t else np.float64(x) for x, t in zip(inputs, traced, strict=True)))
        if isinstance(value, np.bool_):
            raise ValueError("Microscope: expected a function without if and loops that depend on its number")
        words = [
            self.program.said[x.place] if t else minus(f"{float(x):.6g}") for x, t in zip(inputs, traced, strict=True)
        ]
        args = [x.place if t else [float(x)] for x, t in zip(inputs, traced, strict=True)]
        self.program.lines.append([name, args])
        self.program.said.append(_phrase(name, words))
        return _Traced(self.program, len(self.program.lines), value)


def _phrase(name, words: Sequence[str]) -> str:
    whole = [f"({w})" if " " in w else w for w in words]
    if name in SIGNS:
        return f"{whole[0]} {SIGNS[name]} {whole[1]}"
    return f"−{whole[0]}" if name == "negative" else f"{name}({', '.join(words)})"


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


def landing(program: Lines | None, x: Fraction, of: Format, name: str) -> Landing:
    """The `Landing` of a function at `x`, of `x` itself without one.

    >>> from labkit.precision import format_of
    >>> plus_one = Lines(lambda a: a + 1, 2048.0, "a")
    >>> found = landing(plus_one, Fraction(2048), format_of("float16"), "a")
    >>> found.words, found.result, float(found.exact), found.tie, found.absorbed
    ('a + 1', 2048.0, 2049.0, True, '1')
    """
    held = [stored(x, of)]
    if program is None or not program.lines:
        return Landing(of, name, x, held[0], held[0], x, name, 0, "")
    exact = [_fraction(held[0])]
    for called, args in program.lines:
        given = [held[a] if isinstance(a, int) else _constant(a[0], of) for a in args]
        found = _computed(called, [_fraction(v) for v in given])
        with np.errstate(all="ignore"):
            rough = float(PRIMITIVES[called](*map(np.float64, given)))
        whole = [exact[a] if isinstance(a, int) else _fraction(v) for a, v in zip(args, given, strict=True)]
        exact.append(_computed(called, whole))
        held.append(stored(found, of) if isinstance(found, Fraction) else float(rounded(rough, of)))
    terms = _terms(called, given)
    absorbed = ""
    if terms and all(terms) and _fraction(held[-1]) in terms:
        other = args[1 - terms.index(_fraction(held[-1]))]
        absorbed = program.said[other] if isinstance(other, int) else minus(f"{other[0]:.6g}")
    return Landing(of, name, x, held[0], held[-1], exact[-1], program.said[-1], len(program.lines), absorbed,
                   terms if len(program.lines) == 1 else None)  # fmt: skip


def _fraction(value):
    return Fraction(value) if np.isfinite(value) else None


def _constant(value, of):
    return stored(Fraction(value), of) if np.isfinite(value) else value


def _terms(called, given):
    """The two numbers that are added, the second with its sign; None of anything else."""
    if called not in ("add", "subtract") or not np.isfinite(given).all():
        return None
    return Fraction(given[0]), Fraction(given[1]) * (1 if called == "add" else -1)


def _computed(called, given) -> Exact:
    """The result of a primitive: a Fraction where that is possible, else a float, or None where there is no number."""
    if any(x is None for x in given):
        return None
    try:
        exact = EXACTLY[called](*given) if called in EXACTLY and all(isinstance(x, Fraction) for x in given) else None
        if exact is not None:
            return exact
        with np.errstate(all="ignore"):
            value = float(PRIMITIVES[called](*map(np.float64, given)))
    except (ZeroDivisionError, OverflowError):
        return None
    return value if np.isfinite(value) else None
