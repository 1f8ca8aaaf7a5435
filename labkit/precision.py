"""Float formats: their numbers, rounding to them, and statistics of rounded numbers.

A format has some exponent bits and some fraction bits; everything else follows. Rounding is done by arithmetic in float64,
to the nearest number, ties to the even one, as the hardware does.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .engine import getval, leaves

__all__ = ["FORMATS", "Format", "Shares", "Statistics", "format_of", "rounded", "statistics"]
_BITS = (
    "{of.name}: 1 + {of.exponent_bits} + {of.fraction_bits} bits, max {of.max:.5g}, min normal {of.min_normal:.5g}, "
    "min subnormal {of.min_subnormal:.5g}, eps {of.eps:.5g}"
)
_NO_PACKAGE = "{name} needs the ml_dtypes package: {command}"
_NO_FORMAT = "format_of: expected one of {formats}, but got {which!r}"


@dataclass(frozen=True)
class Format:
    """A float format. `infinity`: whether it has one; else what is too large becomes nan, and one more exponent is used.

    >>> half = format_of("float16")
    >>> half.max, half.min_normal, half.min_subnormal, half.eps
    (65504.0, 6.103515625e-05, 5.960464477539063e-08, 0.0009765625)
    """

    name: str
    exponent_bits: int
    fraction_bits: int
    infinity: bool = True

    @property
    def bits(self) -> int:
        """Bits in all, with the sign."""
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self) -> int:
        """What is added to the exponent to store it."""
        return 2 ** (self.exponent_bits - 1) - 1

    @property
    def min_exponent(self) -> int:
        """The smallest exponent of a normal number, which is 2**exponent times 1.something."""
        return 1 - self.bias

    @property
    def max_exponent(self) -> int:
        """The largest exponent."""
        return self.bias + (0 if self.infinity else 1)

    @property
    def eps(self) -> float:
        """The distance from 1 to the next larger number."""
        return 2.0**-self.fraction_bits

    @property
    def max(self) -> float:
        """The largest finite number."""
        missing = 1 if self.infinity else 2  # without infinity the largest fraction stands for nan
        return (2.0 - missing * self.eps) * 2.0**self.max_exponent

    @property
    def min_normal(self) -> float:
        """The smallest positive number of full precision."""
        return 2.0**self.min_exponent

    @property
    def min_subnormal(self) -> float:
        """The smallest positive number; below half of it everything is 0."""
        return self.min_normal * self.eps

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype; the formats that NumPy lacks need the `ml_dtypes` package, else ImportError."""
        if self.name in ("float16", "float32", "float64"):
            return np.dtype(self.name)
        try:
            import ml_dtypes
        except ImportError:
            from .messages.install_hints import how_to_install

            raise ImportError(_NO_PACKAGE.format(name=self.name, command=how_to_install("bfloat16"))) from None
        return np.dtype(getattr(ml_dtypes, {"float8_e4m3": "float8_e4m3fn"}.get(self.name, self.name)))

    def __str__(self) -> str:
        return _BITS.format(of=self)


FORMATS = {
    f.name: f
    for f in (
        Format("float64", 11, 52), Format("float32", 8, 23), Format("bfloat16", 8, 7), Format("float16", 5, 10),
        Format("float8_e5m2", 5, 2), Format("float8_e4m3", 4, 3, infinity=False),
    )
}  # fmt: skip


def format_of(which) -> Format:
    """The `Format` of a name, a NumPy dtype, or a tensor's dtype. Raises ValueError for any other.

    >>> print(format_of(np.float16))
    float16: 1 + 5 + 10 bits, max 65504, min normal 6.1035e-05, min subnormal 5.9605e-08, eps 0.00097656
    """
    if isinstance(which, Format):
        return which
    name = which if isinstance(which, str) else getattr(which, "name", None) or getattr(which, "__name__", str(which))
    name = str(name).lower().rpartition(".")[2].removesuffix("fn")
    if name not in FORMATS:
        raise ValueError(_NO_FORMAT.format(formats=", ".join(FORMATS), which=which))
    return FORMATS[name]


def rounded(values, to) -> np.ndarray:
    """The numbers (an array, tensor or number) rounded to the format `to`, as a float64 array.

    What is too small becomes 0, what is too large infinite, or nan where the format has no infinity.

    >>> rounded([0.1, 70000.0, 1e-8], "float16").tolist()
    [0.0999755859375, inf, 0.0]
    """
    to, x = format_of(to), _array(values)
    if to.name == "float64":
        return x
    with np.errstate(all="ignore"):
        if to.name in ("float16", "float32"):  # NumPy's own rounding is the same, and faster
            return x.astype(to.name).astype(np.float64)
        exponent = np.maximum(np.frexp(x)[1] - 1, to.min_exponent)
        last = exponent - to.fraction_bits  # of the last bit that is kept
        nearest = np.ldexp(np.rint(np.ldexp(x, -last)), last)
        too_large = np.abs(nearest) > to.max
        return np.where(too_large, np.copysign(np.inf if to.infinity else np.nan, x), nearest)


def _array(values):
    """The float64 array of a number, array or tensor."""
    inner = getattr(values, "__engine_value__", None)
    with np.errstate(all="ignore"):
        return np.asarray(getval(values if inner is None else inner())).astype(np.float64)


@dataclass(frozen=True)
class Shares:
    """What becomes of numbers in a format: shares of all of them, which add up to 1.

    `zero` were 0 before, `flushed` become 0, `subnormal` lose precision, `normal` keep it, `overflowed` are infinite or nan
    afterwards, or were before.
    """

    zero: float
    flushed: float
    subnormal: float
    normal: float
    overflowed: float

    def __str__(self) -> str:
        return ", ".join(f"{name} {share:.1%}" for name, share in vars(self).items())


class Statistics:
    """Exponents of numbers, as `statistics` makes it.

    `size`: how many; `zeros`, `infinite`, `nans` among them. `exponents`: `{e: how many lie between 2**e and 2**(e + 1)}`
    in rising order, of the others. `smallest`, `largest`: of their magnitudes, nan where there are none.
    """

    def __init__(self, values) -> None:
        self._values, self.size = values, values.size
        self.zeros = int(np.sum(values == 0))
        self.infinite, self.nans = int(np.isinf(values).sum()), int(np.isnan(values).sum())

    @cached_property
    def _magnitudes(self):
        finite = np.abs(self._values[np.isfinite(self._values)])
        return finite[finite > 0]

    @cached_property
    def exponents(self) -> dict[int, int]:
        found, counts = np.unique(np.frexp(self._magnitudes)[1] - 1, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    @property
    def smallest(self) -> float:
        return float(self._magnitudes.min()) if self._magnitudes.size else float("nan")

    @property
    def largest(self) -> float:
        return float(self._magnitudes.max()) if self._magnitudes.size else float("nan")

    def shares(self, of, scale=1.0) -> Shares:
        """The `Shares` of the numbers times `scale`, rounded to the format `of`."""
        of = format_of(of)
        with np.errstate(all="ignore"):
            after = np.abs(rounded(self._values * scale, of))
        zero, kept = self._values == 0, np.isfinite(after)
        parts = {
            "zero": zero,
            "flushed": ~zero & (after == 0),
            "subnormal": (after > 0) & (after < of.min_normal),
            "normal": kept & (after >= of.min_normal),
            "overflowed": ~kept,
        }
        return Shares(**{name: float(np.mean(part)) if self.size else 0.0 for name, part in parts.items()})

    def largest_scale(self, of) -> float:
        """The largest power of two by which all finite numbers can be multiplied without overflow in the format `of`."""
        of = format_of(of)
        if not self._magnitudes.size:
            return float("inf")
        power = min(of.max_exponent - max(self.exponents), 1023)
        while not np.isfinite(rounded(self.largest * 2.0**power, of)):
            power -= 1
        return 2.0**power

    def __str__(self) -> str:
        lines = ["{of.size} numbers: {of.zeros} zero, {of.infinite} infinite, {of.nans} nan".format(of=self)]
        most = max(self.exponents.values(), default=1)
        for exponent in range(min(self.exponents, default=0), max(self.exponents, default=-1) + 1):
            count = self.exponents.get(exponent, 0)
            lines.append(f"2^{exponent:<5}{count:>8} {'#' * -(-40 * count // most)}")
        return "\n".join(lines)


def statistics(tree) -> Statistics:
    """The `Statistics` of an array or tensor, or of all in nested tuples, lists and dicts, such as a network's gradients.

    >>> small = statistics([np.array([1.0, 3.0, 0.0]), 2.0**-26])
    >>> print(small.shares("float16"))
    zero 25.0%, flushed 25.0%, subnormal 0.0%, normal 50.0%, overflowed 0.0%
    >>> small.largest_scale("float16"), small.shares("float16", scale=1024).flushed
    (16384.0, 0.0)
    """
    parts = [np.ravel(_array(leaf)) for leaf in leaves(tree)]
    return Statistics(np.concatenate(parts) if parts else np.zeros(0))
