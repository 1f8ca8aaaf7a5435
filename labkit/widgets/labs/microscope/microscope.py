"""The precision microscope: where a number, or the result of a function, lands among the numbers of a float format."""

import inspect
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ....precision import FORMATS, Format, format_of
from ...kit.lab import Lab, not_one_of
from ...kit.module import module, style
from ...kit.sketch import Axis, Sketch
from ...kit.traits import Trait, traits
from ...kit.words import minus
from .landing import Landing, Lines, at_place, bits, digits, exponent_of, gap_at, landing, last_place, place

WORDS = {
    "title": "Precision microscope: where does a number land?",
    "title of": "Precision microscope: what is left of {words}?",
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
    "several": "Each of {ops} operations was rounded: the result is {result}. The nearest is {nearest}, {gaps} × the gap away.",
    "subnormal": "Subnormal: {kept} of {bits} fraction bits are left.",
    "absorbed": "Absorbed: adding {absorbed} changes nothing.",
    "bits": "The bits: exponent {exponent} = {field}, and {field} − {bias} = {power}; fraction {lead} + {part}/{whole} = {size}.",
    "small": "The bits: exponent {exponent}: subnormal, the power is 1 − {bias} = {power}; fraction 0 + {part}/{whole} = {size}.",
    "inf": "The bits: exponent all ones, fraction all zeros, which means {result}.",
    "nan": "The bits: exponent all ones, fraction not 0, which means nan.",
    "ruler": "The numbers of the format: drag the exact result, or {name} along its range",
    "bits of result": "The bits of the result",
    "bits to click": "The bits: click one to toggle it",
    "every": "The same in every format",
    "sum": "The sum in binary",
    "no sum": "There is no sum: a number is too large for the format.",
    "edge": "the format ends",
    "lost": "rounded away, in gaps: {gaps}",
    "ask gap": "The number doubles. What does the gap between neighbours do?",
    "stays": "it stays",
    "doubles": "it doubles",
    "halved": "it is halved",
    "gap normal": "There are as many numbers from 1 to 2 as from 2 to 4: the gap grows with the number.",
    "gap subnormal": "Subnormal numbers share one exponent, the smallest: their gap is the same down to 0.",
    "normal slip": "So it is with integers. Here the number of fraction bits is fixed, not the gap.",
    "subnormal slip": "That is so for normal numbers. These share one exponent.",
    "gap otherwise": "The other way round: close to 0 the numbers are dense.",
    "ask result": "{name} = {x}. What is {words} in {format}?",
    "is tie": "Halfway, and the tie goes to the even one.",
    "is nearer": "It is nearer than the other neighbour.",
    "exact slip": "So it is exactly. But is that a number of the format? Look at the gap.",
    "other slip": "That is the other neighbour. {why}",
    "result otherwise": "Not that. Which two neighbours are there?",
    "no such bit": "With this bit it is {result}, which has no place on the line.",
}


def sentence(f: Landing) -> str:
    """What happens to a number or a result in a format.

    >>> from labkit.precision import FORMATS
    >>> from labkit.widgets.labs.microscope.landing import Lines, landing
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
                values["gaps"] = digits(gaps, gaps / 100)
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


WIDTH, HEIGHT, LINE = 820, 180, 120


def still(title: str, theme: str, f: Landing) -> str:
    """Plain SVG of a landing: the bits of the result, and seven numbers of the format."""
    of, sketch = f.of, Sketch(theme, WIDTH, HEIGHT, sentence(f))
    sketch.text(10, 20, title, "ink", "start")
    sketch.text(10, 46, f"{of.name}: {' '.join(bits(f.result, of))}", "ink", "start")
    middle = place(0.0 if np.isnan(f.result) else f.result, of)
    places = [n for n in range(middle - 3, middle + 4) if abs(n) <= last_place(of)]
    first, *_, last = values = [at_place(n, of) for n in places]
    across = Axis(0, 1, 50, WIDTH - 50)
    sketch.path([(50, LINE), (WIDTH - 50, LINE)], "muted", 1)
    for n, value in zip(places, values, strict=True):
        x = across(float((value - first) / (last - first)))
        sketch.circle(x, LINE, 5, "ink", filled=not n % 2)
        said = digits(value, gap_at(value, of)) if abs(n) < last_place(of) else "inf" if of.infinity else "nan"
        sketch.text(x, LINE + 26, said, "ink" if n == middle else "muted")
    if f.target is not None and first <= f.target <= last:
        x = across(float((f.target - first) / (last - first)))
        sketch.circle(x, LINE - 22, 6, "backward", filled=False)
        sketch.text(x, LINE - 36, "exact", "backward-ink")
    return str(sketch)


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
        exact, of = _fraction(given), format_of(format).name
        self.name = _parameter(fn) if fn else "x"
        self.program = Lines(fn, float(exact), self.name) if fn else None
        x, power = _written(given, exact)
        made = self.program if self.program and self.program.lines else None
        super().__init__(
            WORDS["title of" if made else "title"].format(words=made.said[-1] if made else ""),
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
        _fraction(at["x"])
        if at["format"] not in NAMES:
            raise not_one_of("format", NAMES, at["format"])
        if abs(at["power"]) > MOST_POWER:
            raise ValueError("power: expected a whole number from -1200 to 1200, but got {n!r}".format(n=at["power"]))
        return at

    def describe(self, **state: Any) -> str:
        """The picture in words: what it shows, and where the number lands. `state`: other values of some traits."""
        at = self.state_with(**state)
        return Prose("\n".join((self.title, ABOUT, sentence(self._landing(at)))))

    def _landing(self, at):
        number = Fraction(at["x"]) * Fraction(2) ** at["power"]
        return landing(self.program, number, FORMATS[at["format"]], self.name)

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The numbers next to the result, as plain SVG. `state`: other values of some traits."""
        return still(self.title, theme, self._landing(self.state_with(**state)))


def _fraction(value) -> Fraction:
    try:
        if isinstance(value, (bool, np.ndarray)) or not isinstance(value, (int, float, str, Fraction, np.number)):
            raise TypeError
        return Fraction(value) if isinstance(value, (str, int, Fraction)) else Fraction(float(value))
    except TypeError:
        text = "Microscope: expected a number, or a decimal as text such as '0.1', but got {kind}"
        raise TypeError(text.format(kind=type(value).__name__)) from None
    except (ValueError, OverflowError, ZeroDivisionError):
        text = "Microscope: expected a finite number such as 0.1 or '0.1', but got {value!r}"
        raise ValueError(text.format(value=value)) from None


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
