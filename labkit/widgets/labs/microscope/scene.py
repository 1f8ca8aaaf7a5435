"""The precision microscope: where a number, or the result of a function, lands among the numbers of a float format."""

import inspect
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ....precision import FORMATS, format_of
from ...kit.picture import Picture
from ...kit.scene import Caption, Dial, Scene, changes
from ...kit.words import minus
from .bits import bits_and_formats
from .ruler import DIAL, ruler
from .run import Landing, digits, exponent_of, landing
from .words import questions, sentence

NAMES = ("float16", "bfloat16", "float32", "float64", "float8_e5m2", "float8_e4m3")
NEAR = range(-28, 19)  # the powers of two around those that float16 has


class Microscope(Picture):
    """The number line of a float format, magnified: a number's neighbours, its bits, and where a result is rounded to.

    `Microscope(value)` stores a number; `Microscope(fn, value)` computes a function of one number, such as
    `lambda a: a + 1`, with operators and NumPy's functions, each operation rounded to the format. `value` is a number, or a
    decimal as text, `"0.1"`, for a float is rounded before anyone can look at it.

    The slider multiplies the value by powers of two, `powers`; by default these reach over both ends of each format but
    float64. `landings` holds all results, `{format: [Landing]}`, `positions` the powers.

    Dials: "format", "power" (a position for each of `powers`). Raises TypeError or ValueError, saying what to do, for what
    is no finite number or no function of one, and whatever the function raises.

    >>> lens = Microscope(lambda a: a + 1, 2048.0)
    >>> lens.at("float16").result, float(lens.at("float16").exact), lens.at("float32").result
    (2048.0, 2049.0, 2049.0)
    """

    def __init__(self, what: Any, value: Any = None, *, format: Any = "float16", powers: Sequence[int] | None = None):
        fn, given = (what, value) if callable(what) else (None, what)
        if fn is None and value is not None:
            raise TypeError("Microscope: expected a value, or a function and a value, but got two values")
        x = _number(given)
        name = _parameter(fn)
        self.positions = _powers(x, powers)
        self.landings = {
            of: [landing(fn, x * Fraction(2) ** k, FORMATS[of], name) for k in self.positions] for of in NAMES
        }
        super().__init__(_scene(self.landings, self.positions, NAMES.index(format_of(format).name)))

    def at(self, format: Any, power: int = 0) -> Landing:
        """Where the result lands in a format, with the value times 2**power, one of `positions`."""
        if power not in self.positions:
            raise ValueError(f"Microscope: expected one of the powers {self.positions}, but got {power!r}")
        return self.landings[format_of(format).name][self.positions.index(power)]


def _number(value) -> Fraction:
    try:
        if isinstance(value, (bool, np.ndarray)) or not isinstance(value, (int, float, str, Fraction, np.number)):
            raise TypeError
        return Fraction(value) if isinstance(value, (str, int, Fraction)) else Fraction(float(value))
    except TypeError:
        raise TypeError(
            f"Microscope: expected a number, or a decimal as text such as '0.1', but got {type(value).__name__}"
        ) from None
    except (ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"Microscope: expected a finite number such as 0.1 or '0.1', but got {value!r}") from None


def _parameter(fn) -> str:
    try:
        return next(iter(inspect.signature(fn).parameters))[:8]
    except (TypeError, ValueError, StopIteration):
        return "x"


def _powers(x: Fraction, powers) -> list[int]:
    """The powers of two by which the value is multiplied."""
    if powers is not None:
        found = sorted({int(p) for p in powers} | {0})
        if not all(-1200 <= p <= 1200 for p in found):
            raise ValueError(f"Microscope: expected powers from -1200 to 1200, but got {list(powers)}")
        return found
    if not x:
        return [0]
    wanted = set(NEAR)
    for of in FORMATS.values():
        if of.name != "float64":
            ends = exponent_of(Fraction(of.min_subnormal)), of.min_exponent, of.max_exponent
            wanted |= {end + d for end in ends for d in (-2, -1, 0, 1)}
    return sorted({e - exponent_of(x) for e in wanted} | {0})


# ---- the scene ----


def _scene(landings: dict[str, list[Landing]], powers: list[int], start: int) -> Scene:
    names, first = list(landings), landings["float64"]
    words, name = first[0].words, first[0].name
    dials = [
        Dial("format", "Format", names, "choice", start=start),
        Dial(DIAL, name, [_value(f.x) for f in first], start=powers.index(0), asks=questions(landings)),
    ]
    about = (
        "First the numbers of a float format around a result, as a vertical number line: the exact result, a dashed "
        "diamond, goes to the nearest of them. Then the bits of the result, and what every format makes of it."
    )
    captions = [
        Caption(DIAL, changes(sentence(f) for f in found), {"format": [i]}) for i, found in enumerate(landings.values())
    ]
    panels = [ruler(landings), bits_and_formats(landings)]
    shown = "where a number lands" if name == words else words
    return Scene(f"Precision microscope: {shown}", about, dials, panels, captions)


def _value(x: Fraction) -> str:
    if not x:
        return "0"
    e = exponent_of(x)
    sign, power = "−" * (x < 0), minus(f"2^{e}")
    if abs(x) != Fraction(2) ** e:
        return digits(x, abs(x) / 1000)
    return f"{sign}{power} = {sign}{digits(abs(x), abs(x) / 100)}" if abs(e) <= 20 else f"{sign}{power}"
