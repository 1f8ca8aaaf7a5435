"""Sentences about a rounding. The page uses the same templates."""

from fractions import Fraction
from typing import Any

import numpy as np

from ....precision import Format
from ...kit.words import minus
from .run import Landing, bits, digits, exponent_of, gap_at

WORDS = {
    "given": "{format}, {name} = {x}.",
    "stored": "{format}, {name} = {x}, stored as {input}.",
    "exactly": "{words} is exactly {exact}.",
    "about": "{words} is in float64 {exact}.",
    "none": "{words} is {result}.",
    "beyond": "Beyond {max}, the largest number: {result}.",
    "left": "An operation before the last one overflowed: the result is {result}.",
    "number": "That is a number of the format: nothing is rounded.",
    "tie": "Halfway between {low} and {high}: the tie goes to {result}, whose last bit is 0.",
    "zero": "Nearer to 0 than to {other}, the smallest number: it becomes 0.",
    "nearer": "Between {low} and {high}: {result} is nearer, off by {off}.",
    "several": "Each of {ops} operations was rounded: the result is {result}, {gaps} from the nearest, {nearest}.",
    "subnormal": "Subnormal: {kept} of {bits} fraction bits are left.",
    "absorbed": "Absorbed: adding {absorbed} changes nothing.",
    "bits": "The bits: exponent {exponent} = {field}, and {field} − {bias} = {power}; fraction {lead} + {part}/{whole} = {size}.",
    "small": "The bits: exponent {exponent}: subnormal, the power is 1 − {bias} = {power}; fraction 0 + {part}/{whole} = {size}.",
    "inf": "The bits: exponent all ones, fraction all zeros, which means {result}.",
    "nan": "The bits: exponent all ones, fraction not 0, which means nan.",
    "no such bit": "With this bit it is {result}, which has no place on the line.",
}


def sentence(f: Landing) -> str:
    """What happens to a number or a result in a format.

    >>> from labkit.precision import FORMATS
    >>> from labkit.widgets.labs.microscope.run import Lines, landing
    >>> plus_one = Lines(lambda a: a + 1, 2048.0, "a")
    >>> said = sentence(landing(plus_one, Fraction(2048), FORMATS["float16"], "a"))
    >>> print(said.replace(". ", ".\\n"))
    float16, a = 2048.
    a + 1 is exactly 2049.
    Halfway between 2048 and 2050: the tie goes to 2048, whose last bit is 0.
    Absorbed: adding 1 changes nothing.
    The bits: exponent 11010 = 26, and 26 − 15 = 11; fraction 1 + 0/1024 = 1.
    """
    of, gap = f.of, gap_at(Fraction(f.result), f.of) if np.isfinite(f.result) else Fraction(f.of.max) / 1000
    values: dict[str, Any] = {
        "format": of.name, "name": f.name, "words": f.words, "ops": f.ops, "absorbed": f.absorbed, "bits": of.fraction_bits,
        "x": digits(f.x, min(gap_at(f.x, of), abs(f.x) / 1000) if f.x else Fraction(1)), "max": _number(of.max, of),
        "input": _number(f.input, of), "result": digits(f.result, gap), **_bits(f.result, of),
    }  # fmt: skip
    keys = ["stored" if f.ops and f.x != f.input else "given"]
    if f.ops:
        keys.append("none" if f.target is None else "exactly" if isinstance(f.exact, Fraction) else "about")
    if f.target is not None:
        off = f.target - Fraction(f.nearest) if np.isfinite(f.nearest) else Fraction(0)
        values["exact"] = digits(f.target, abs(off) or gap / 20)
        keys.append(_kind(f))
        if f.around:
            low, high = f.around
            values |= {"low": _number(low, of), "high": _number(high, of), "off": digits(abs(off), gap / 4)}
            values |= {"other": values["high" if f.target > 0 else "low"], "nearest": _number(f.nearest, of)}
            if np.isfinite(f.result):
                gaps = abs(Fraction(f.result) - Fraction(f.nearest)) / gap_at(Fraction(f.nearest), of)
                values["gaps"] = f"{digits(gaps, gaps / 100)} gap{'' if gaps == 1 else 's'}"
    if np.isfinite(f.result) and 0 < abs(f.result) < of.min_normal:
        values["kept"] = exponent_of(Fraction(f.result)) - exponent_of(Fraction(of.min_subnormal))
        keys.append("subnormal")
    keys += ["absorbed"] * bool(f.absorbed)
    keys.append(
        "nan" if np.isnan(f.result) else "inf" if np.isinf(f.result) else "bits" if values["field"] else "small"
    )
    return " ".join(WORDS[key].format(**values) for key in keys)


def _kind(f: Landing) -> str:
    """Which sentence says where the result goes."""
    if not np.isfinite(f.result):
        return "left" if np.isfinite(f.nearest) else "beyond"
    if f.result != f.nearest:
        return "several"
    if f.around[0] == f.around[1]:
        return "number"
    return "tie" if f.tie else "nearer" if f.result else "zero"


def _number(value, of: Format) -> str:
    """A number of a format, with digits that tell it from its neighbours."""
    whole = isinstance(value, Fraction) or np.isfinite(value)
    return digits(value, gap_at(Fraction(value), of) if whole else Fraction(1))


def _bits(value: float, of: Format) -> dict[str, Any]:
    """What the bits of a number say."""
    _, exponent, fraction = bits(value, of)
    field, part, whole = int(exponent, 2), int(fraction, 2), 2**of.fraction_bits
    size = Fraction(part, whole) + bool(field)
    return {
        "exponent": exponent, "field": field, "bias": of.bias, "power": minus(str(max(field, 1) - of.bias)), "part": part,
        "whole": whole, "lead": int(bool(field)), "size": digits(size, Fraction(1, whole)),
    }  # fmt: skip
