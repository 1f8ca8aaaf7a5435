"""The precision microscope: where a number, or the result of a function, lands among the numbers of a float format."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from ....precision import FORMATS, format_of
from ...kit.picture import Picture
from ...kit.scene import Caption, Dial, Panel, Scene, changes, only
from ...kit.words import number, raised
from . import bits, sums
from .bits import bit_links, bits_panels, toggled
from .formats import format_links, formats_panel, power_grip
from .ranges import range_grips
from .ruler import DIAL, neighbours, ruler
from .run import Landing, digits, exponent_of, landing, stored
from .sums import adds, sum_panels
from .words import fate, questions, sentence

NAMES = ("float16", "bfloat16", "float32", "float64", "float8_e5m2", "float8_e4m3")
PACE = 1800.0  # ms that a stop is seen
NEAR = range(-28, 19)  # the powers of two around those that float16 has


class Microscope(Picture):
    """The number line of a float format, magnified: a number's neighbours, its bits, and where a result is rounded to.

    `Microscope(value)` stores a number; `Microscope(fn, value)` computes a function of one number, such as
    `lambda a: a + 1`, with operators and NumPy's functions, each operation rounded to the format. `value` is a number, or a
    decimal as text, `"0.1"`, for a float is rounded before anyone can look at it. A click on a bit of a stored number toggles it.

    The slider multiplies the value by powers of two, `powers`; by default these reach over both ends of each format but
    float64. `positions` holds the powers. Of a function, the slider also comes by the numbers next to the value, along which the
    value is dragged. `landings` holds all results, `{format: [Landing]}`, one for each position of the slider.

    Dials: "format", "power" (a position for each of `powers`), "beside" (the bits, or every
    format; of one addition also the sum, written by hand in binary). Raises TypeError or
    ValueError, saying what to do, for what is no finite number or no function of one, and whatever the function raises.

    >>> lens = Microscope(lambda a: a + 1, 2048.0)
    >>> lens.at("float16").result, float(lens.at("float16").exact), lens.at("float32").result
    (2048.0, 2049.0, 2049.0)
    """

    plays_at_once = True

    def __init__(self, what: Any, value: Any = None, *, format: Any = "float16", powers: Sequence[int] | None = None):
        self._fn: Any
        self._fn, given = (what, value) if callable(what) else (None, what)
        fn = self._fn
        if fn is None and value is not None:
            raise TypeError("Microscope: expected a value, or a function and a value, but got two values")
        self._x, self._wanted = _number(given), powers
        self._firsts: dict[str, int] = {}  # the lowest number that is seen of each format
        self.positions, self._start = _powers(self._x, powers), format_of(format)
        self.landings = self._landings(self._values(self.positions))
        super().__init__(self._scene_of(self.landings, NAMES.index(self._start.name)))

    @property
    def inputs(self) -> Mapping[str, float]:
        """The number, as the nearest float."""
        return {"value": float(self._x)}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """Another number, at first as it is; then also times the powers of two."""
        x = _number(inputs["value"])
        before, self._x = self._x, x
        try:
            if at is not None:
                self.scene = self._passing(at)
                return
            positions = _powers(x, self._wanted)
            landings = self._landings(self._values(positions))
        except Exception:
            self._x = before
            raise
        self.positions, self.landings = positions, landings
        start = self.state["format"]
        scene = self._scene_of(landings, start)
        self.scene = replace(scene, turned={DIAL: self._here(landings), "format": start})

    def respond(self, message: Mapping[str, Any]) -> None:
        """As of any picture; `{"set": {"bit": n}, "at": dials}` toggles the n-th bit from the left of the number shown."""
        wanted = dict(message.get("set", {}))
        if "bit" in wanted and "at" in message:
            of, found = NAMES[message["at"]["format"]], self.landings[NAMES[message["at"]["format"]]]
            value = toggled(found[message["at"][DIAL]].result, FORMATS[of], int(wanted["bit"]))
            if isfinite(value):
                super().respond({"set": {"value": value}, "at": message["at"]})  # this is seen at once
                message = {"set": {"value": value}}
            else:
                self.scene = replace(
                    self._scene, notice=f"With this bit it is {value} in {of}, which has no place on a line."
                )
        super().respond(message)

    def _values(self, powers) -> list[Fraction]:
        """The numbers that the slider comes by."""
        scaled = {self._x * Fraction(2) ** k for k in powers}
        held = stored(self._x, self._start)
        near = self._fn is not None and len(powers) > 1 and isfinite(held)
        return sorted(scaled | set(neighbours(held, self._start) if near else ()), key=abs)

    def _landings(self, values):
        name = _parameter(self._fn)
        return {of: [landing(self._fn, x, FORMATS[of], name) for x in values] for of in NAMES}

    def _here(self, landings):
        """The position of the number that was given."""
        return [f.x for f in landings[NAMES[0]]].index(self._x)

    def _passing(self, at):
        """The number as it is, at every position of the slider, as long as the others are computed."""
        scene = self._scene_of(self._landings([self._x]), at["format"])
        now, (formats, powers, beside) = scene.dials[1].values[0], self._scene.dials
        values = [now if i == at[DIAL] else value for i, value in enumerate(powers.values)]
        grips = [replace(g, when={**g.when, DIAL: list(range(len(values)))}) for g in scene.grips]
        return replace(scene, dials=[formats, replace(powers, values=values, asks={}), beside], grips=grips)

    def _scene_of(self, landings, start):
        field, here, count = "value" if self._fn is None else "", self._here(landings), len(landings[NAMES[0]])
        close = (
            set(neighbours(stored(self._x, self._start), self._start)) | {self._x}
            if not field and count > 1
            else {self._x}
        )
        near = [i for i, f in enumerate(landings[NAMES[0]]) if f.x in close]
        panel, grips, self._firsts = ruler(landings, self._firsts, here, field, near)
        boxes = only({"beside": [0]}, bits_panels(landings, bool(field)))
        panels = [panel, *boxes, *only({"beside": [1]}, [formats_panel(landings)])]
        if adds(landings):
            panels += only({"beside": [2]}, sum_panels(landings))
        if count > 1 and self._x:
            heights = {name: bits.range_at(FORMATS[name]) for name in NAMES}
            grips += [power_grip(landings), *range_grips(landings, "bits", 0, heights)]
            if adds(landings):
                heights = {name: sums.range_at(found) for name, found in landings.items()}
                grips += range_grips(landings, "sum", 2, heights)
        return replace(_scene(landings, here, start, number(float(self._x)), panels), grips=grips)

    def at(self, format: Any, power: int = 0) -> Landing:
        """Where the result lands in a format, with the value times 2**power, one of `positions`."""
        if power not in self.positions:
            raise ValueError(f"Microscope: expected one of the powers {self.positions}, but got {power!r}")
        found = self.landings[format_of(format).name]
        return next(f for f in found if f.x == self._x * Fraction(2) ** power)


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


def _scene(landings: dict[str, list[Landing]], here: int, start: int, value: str, panels: list[Panel]) -> Scene:
    names, first = list(landings), landings["float64"]
    words, name, added = first[0].words, first[0].name, int(adds(landings))
    stops = sorted({here, *_telling(landings[names[start]])}) if len(first) > 1 else []
    dials = [
        Dial("format", "Format", names, "list", start=start),
        Dial(DIAL, name, [_value(f.x) for f in first], start=here, asks=questions(landings), pace=PACE, stops=stops),
        Dial("beside", "Beside it", ("the bits", "every format", *["the sum"] * added), "choice", start=2 * added),
    ]
    about = (
        "First the numbers of a float format around a result, as a vertical number line: the exact result, a dashed "
        "diamond, goes to the nearest of them. Beside it the bits of the result, or what every format makes of it."
    )
    captions = [
        Caption(DIAL, changes(sentence(f) for f in found), {"format": [i]}) for i, found in enumerate(landings.values())
    ]
    shown = "where a number lands" if name == words else f"what is left of {words}?"
    links = {**format_links(landings), **({} if first[0].ops else bit_links())}
    return Scene(f"Precision microscope: {shown}", about, dials, panels, captions, links, fields={"value": value})


def _telling(found: Sequence[Landing]) -> Iterator[int]:
    """Where something else becomes of the number than just before: there it stops when it plays."""
    for i, (before, now) in enumerate(pairwise(found), 1):
        if fate(before) != fate(now):
            yield i


def _value(x: Fraction) -> str:
    if not x:
        return "0"
    e = exponent_of(x)
    sign, power = "−" * (x < 0), raised(2, e)
    if abs(x) != Fraction(2) ** e:
        return digits(x, abs(x) / 1000)
    return f"{sign}{power} = {sign}{digits(abs(x), abs(x) / 100)}" if abs(e) <= 20 else f"{sign}{power}"
