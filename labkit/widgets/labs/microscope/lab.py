"""The precision microscope: where a number, or the result of a function, lands among the numbers of a float format."""

import inspect
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ....precision import FORMATS, format_of
from ...kit.lab import Lab
from ...kit.module import module, style
from ...kit.traits import Trait, traits
from .run import Landing, Lines, landing
from .still import still
from .words import WORDS, sentence

NAMES = ("float16", "bfloat16", "float32", "float64", "float8_e5m2", "float8_e4m3")
MOST_POWER = 1200
ABOUT = (
    "The numbers of a float format next to a result: the exact result goes to the nearest of them. Below, the range of the "
    "format, and the bits of the result."
)


class Microscope(Lab):
    """The number line of a float format, magnified: a number's neighbours, its bits, and where a result is rounded to.

    `Microscope(value)` stores a number; `Microscope(fn, value)` computes a function of one number, such as
    `lambda a: a + 1`, with operators and NumPy's functions, each operation rounded to the format. `value` is a number, or a
    decimal as text, `"0.1"`, for a float is rounded before anyone can look at it. A click on a bit of a stored number toggles it.

    Traits: `format`, and `x` and `power`, whose number is `x` (as text) times 2**`power`; `table` (whether every format is
    shown). Raises TypeError or ValueError, saying what to do, for what is not a finite number or not a function of one, or a
    function whose operations depend on the number, and whatever the function raises.

    >>> lens = Microscope(lambda a: a + 1, 2048.0)
    >>> lens.at("float16").result, float(lens.at("float16").exact), lens.at("float32").result
    (2048.0, 2049.0, 2049.0)
    """

    path = Path(__file__).with_name("microscope.js")
    state_names = ("format", "x", "power", "table")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    format: Trait = traits.Enum(NAMES, default_value="float16").tag(sync=True)
    x: Trait = traits.Unicode().tag(sync=True)
    power: Trait = traits.Int(default_value=0).tag(sync=True)
    table: Trait = traits.Bool(default_value=False).tag(sync=True)

    def __init__(self, what: Any, value: Any = None, *, format: Any = "float16"):
        fn, given = (what, value) if callable(what) else (None, what)
        if fn is None and value is not None:
            raise TypeError("Microscope: expected a value, or a function and a value, but got two values")
        exact, of = _number(given), format_of(format).name
        self.name = _parameter(fn) if fn else "x"
        self.program = Lines(fn, float(exact), self.name) if fn else None
        x, power = _written(given, exact)
        made = self.program if self.program and self.program.lines else None
        super().__init__(
            f"Precision microscope: {f'what is left of {made.said[-1]}?' if made else 'where a number lands'}",
            {"name": self.name, "about": ABOUT, "lines": made.lines if made else [], "said": made.said if made else ["x"],
             "formats": {n: [FORMATS[n].exponent_bits, FORMATS[n].fraction_bits, FORMATS[n].infinity] for n in NAMES}},
            format=of, x=x, power=power,
        )  # fmt: skip

    def at(self, format: Any, power: int = 0) -> Landing:
        """Where the result lands in a format, with the number times 2**power."""
        number = Fraction(self.x) * Fraction(2) ** (self.power + power)
        return landing(self.program, number, format_of(format), self.name)

    def state_with(self, **state: Any) -> dict[str, Any]:
        """The state, with other values of some names. Raises KeyError or ValueError where there is no such state."""
        at = super().state_with(**state)
        _number(at["x"])
        if at["format"] not in NAMES:
            raise ValueError(f"format: expected one of {', '.join(NAMES)}, but got {at['format']!r}")
        if abs(at["power"]) > MOST_POWER:
            raise ValueError(f"power: expected a whole number from -1200 to 1200, but got {at['power']!r}")
        return at

    def describe(self, **state: Any) -> str:
        """The picture in words: what it shows, and where the number lands. `state`: other values of some traits."""
        at = self.state_with(**state)
        return Prose("\n".join((f"{self.title}.".replace("?.", "?"), ABOUT, sentence(self._landing(at)))))

    def _landing(self, at):
        number = Fraction(at["x"]) * Fraction(2) ** at["power"]
        return landing(self.program, number, FORMATS[at["format"]], self.name)

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The numbers next to the result, as plain SVG. `state`: other values of some traits."""
        return still(self.title, theme, self._landing(self.state_with(**state)))


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


def _written(value, exact: Fraction) -> tuple[str, int]:
    """A number as text and a power of two."""
    if isinstance(value, str):
        return value, 0
    power = exact.denominator.bit_length() - 1
    return (str(exact.numerator), -power) if exact.denominator == 2**power else (str(exact), 0)


def _parameter(fn) -> str:
    try:
        return next(iter(inspect.signature(fn).parameters))[:8]
    except (TypeError, ValueError, StopIteration):
        return "x"
