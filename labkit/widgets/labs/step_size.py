"""The step-size lab: a difference quotient at every step, in three float formats, its error, and what to expect of that.

Forward: (f(x + h) - f(x)) / h, truncation error h |f''| / 2. Central: (f(x + h) - f(x - h)) / 2h, truncation error
h^2 |f'''| / 6. Round-off: each value and each place is off by up to eps / 2 of its size, and that is divided by the step
(W. Press et al., Numerical Recipes, 5.7). `step_size.js` computes the same in the page.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...engine import grad
from ...messages.wrapping import Prose
from ...precision import FORMATS
from ...program import Recording, recorded
from ..kit.lab import Lab, digits, not_one_of
from ..kit.module import module, style
from ..kit.reckoning import PRIMITIVES, Const, Program
from ..kit.sketch import Axis, Sketch
from ..kit.traits import Trait, traits

RULES = ("forward", "central")
NAMES = ("float64", "float32", "float16")
REACH = 1.5  # how far the window reaches on either side of x


@dataclass(frozen=True)
class Quotient:
    """One difference quotient. `value`: nan where there is none. `error`: its distance from the slope, relative unless that is
    zero. `truncation`, `roundoff`: what to expect of the error. `alike`: both places are one number in the format."""

    value: float
    error: float
    truncation: float
    roundoff: float
    alike: bool


class Function:
    """A function of one number with its first three derivatives, as lines of scalar primitives.

    Raises TypeError unless `fn` is a function of one number that labkit can differentiate, ValueError where the value or slope
    at `x` is not finite, or where its operations depend on `x`, and whatever `fn` raises there.

    >>> square = Function(lambda x: x * x, 1.0)
    >>> square.slope, square.quotient(0.01, "float16", "forward").value
    (2.0, 1.953125)
    """

    def __init__(self, fn: Callable[[Any], Any], x: Any):
        self.x = _number(x)
        if not callable(fn):
            raise TypeError(
                "StepSize: expected a function of one number, but got {kind}".format(kind=type(fn).__name__)
            )
        value, slope = _checked(fn, self.x)
        if not np.isfinite([value, slope]).all():
            text = (
                "StepSize: expected a finite value and slope at x = {x:g}, but got value {value:g} and slope {slope:g}; "
                "choose another x"
            )
            raise ValueError(text.format(x=self.x, value=value, slope=slope))
        self.lines, self.ends = _lines(fn, self.x)

    @property
    def slope(self) -> float:
        """The slope at `x`, in float64."""
        return self.at(self.x, 1) + 0.0  # -0 becomes 0

    def written(self) -> dict[str, Any]:
        """The lines and where they end, as the page reads them: a constant stands in a list."""

        def plain(arg: int | Const) -> int | list[float]:
            return [arg.value] if isinstance(arg, Const) else arg

        lines = [[name, [plain(arg) for arg in args]] for name, args, _ in self.lines]
        return {"lines": lines, "ends": [plain(end) for end in self.ends]}

    def at(self, x: float, order: int = 0, format: str = "float64") -> float:
        """The function, or its derivative of an order, with every operation rounded in a format."""
        kind, end = np.dtype(format).type, self.ends[order]
        with np.errstate(all="ignore"):
            found = [kind(x)]
            for name, args, _ in self.lines[: 0 if isinstance(end, Const) else end]:
                found.append(
                    kind(PRIMITIVES[name](*(kind(a.value) if isinstance(a, Const) else found[a] for a in args)))
                )
            return float(kind(end.value) if isinstance(end, Const) else found[end])

    def quotient(self, h: float, format: str, rule: str, x: float | None = None) -> Quotient:
        """The difference quotient of a step, computed in a format by a rule."""
        kind, sides = np.dtype(format).type, (1, 2)[rule == "central"]
        with np.errstate(all="ignore"):
            step, middle = kind(h), kind(self.x if x is None else x)
            high, low = middle + step, middle - step if sides == 2 else middle
            values = [kind(self.at(float(place), 0, format)) for place in (low, high)]
            width = step * kind(sides)
            value = float((values[1] - values[0]) / width) if width else float("nan")
        place = float(middle)
        slope, bend, turn = (d if np.isfinite(d := self.at(place, order)) or order == 1 else 0.0 for order in (1, 2, 3))
        scale = abs(slope) or 1.0
        cut = h * abs(bend) / 2 if sides == 1 else h**2 * abs(turn) / 6
        size = abs(self.at(place, 0, format)) + sides * abs(place * slope) / 2
        lost = FORMATS[format].eps * size / (sides * h)
        return Quotient(value, abs(value - slope) / scale, cut / scale, lost / scale, bool(low == high))


def _lines(fn, x):
    first = grad(fn)
    second = grad(first)
    every = (fn, first, second, grad(second))
    given, recording = {"x": np.asarray(x)}, Recording()
    try:
        found = recording.run(lambda box: [one(box) for one in every], recording.input(given["x"], "x"))
        program, known = Program.of(recording.log, given, ["x"])
        ends = [known[op] if (op := recorded(one)) is not None else Const(float(one)) for one in found]
    except Exception as error:  # whatever it is, the function itself could be differentiated
        text = (
            "StepSize: the function could not be written as operations on single numbers; use operators and NumPy functions "
            "such as np.sin, without if and loops that depend on x ({error})"
        )
        raise ValueError(text.format(error=error)) from error
    return program.lines, ends


def _number(x):
    try:
        value = np.asarray(x, np.float64)
    except (TypeError, ValueError):
        value = np.zeros(2)
    if value.shape != () or isinstance(x, (str, bool)):
        raise TypeError("StepSize: expected one number for x, but got {x!r}".format(x=x))
    if not np.isfinite(value):
        raise ValueError("StepSize: expected a finite number for x, but got {x!r}".format(x=x))
    if abs(float(value)) > FORMATS["float16"].max:
        raise ValueError("StepSize: expected an x within ±65504, the largest float16, but got {x!r}".format(x=x))
    return float(value)


def _checked(fn, x):
    """Value and slope at x in float64."""
    with np.errstate(all="ignore"):
        returned = fn(np.float64(x))
        value = np.asarray(returned)
        if value.shape != () or value.dtype.kind not in "fiu":
            text = "StepSize: expected a function that returns one number, but got {kind}"
            raise TypeError(text.format(kind=type(returned).__name__))
        try:
            return float(value), float(grad(fn)(x))
        except TypeError as error:
            text = (
                "StepSize: the function could not be differentiated; write it with NumPy functions such as np.sin, "
                "not math.sin ({error})"
            )
            raise TypeError(text.format(error=error)) from error


LEFT, RIGHT, TOP, BASE = 16, 396, 60, 280
ACROSS, UP = Axis(-16, 0, 800, 460, log=True), Axis(-16, 2, BASE, TOP, log=True)


def still(lab: Any, theme: str, **at: Any) -> str:
    """Plain SVG of the errors."""
    sketch = Sketch(theme, 820, 320, lab.describe(**at).splitlines()[-1])

    def spot(h: float) -> tuple[float, float] | None:
        error = lab.function.quotient(h, at["format"], at["rule"], at["x"]).error
        return (ACROSS(h), UP(min(max(error, 1e-16), 100.0))) if np.isfinite(error) else None

    sketch.rect(460, TOP, 340, BASE - TOP, "panel")
    sketch.text(16, 18, lab.title, "ink", "start")
    sketch.text(460, 50, WORDS["still"].format(format=at["format"], rule=at["rule"]), anchor="start")
    for p in (0, 4, 8, 12, 16):
        sketch.text(ACROSS(10.0**-p), 296, f"1e−{p:02}" if p else "1")
        sketch.text(454, UP(10.0**-p) + 4, f"1e−{p:02}" if p else "1", anchor="end")
    sketch.text(630, 312, WORDS["h"])
    sketch.path([spot(float(h)) for h in 10.0 ** -np.linspace(0, 16, 97)])
    _draw_curve(sketch, lab.function, **at)
    if here := spot(at["h"]):
        sketch.circle(*here, 7, "forward")
    return str(sketch)


def _draw_curve(sketch, function, x, h, format, rule, zoom):
    """The curve around x, its tangent, and the secant of the quotient."""
    wide, q = REACH * (h if zoom else 1), function.quotient(h, format, rule, x)
    f, slope, bend = (function.at(x, order, form) for order, form in ((0, format), (1, "float64"), (2, "float64")))
    offsets, bend = np.linspace(-wide, wide, 161), bend if np.isfinite(bend) else 0.0
    around = [d for t in (-wide, wide) for d in (slope * t, slope * t + bend * t * t / 2)]
    low, high = (min(around), max(around)) if min(around) < max(around) else (-wide, wide)
    spare = 0.04 * (high - low)
    across, up = Axis(-wide, wide, LEFT, RIGHT), Axis(low - spare, high + spare, BASE - 4, TOP + 4)

    def draw(values, colour, dashes="none"):
        pairs = zip(offsets, values, strict=True)
        sketch.path([(across(float(t)), up(v)) if up.holds(v) else None for t, v in pairs], colour, dashes=dashes)

    sketch.rect(LEFT, TOP, RIGHT - LEFT, BASE - TOP, "panel")
    draw([function.at(x + float(t), 0, format) - f for t in offsets], "ink")
    draw([slope * float(t) for t in offsets], "backward", "7 5")
    start = h if rule == "central" else 0.0
    if np.isfinite(q.value):
        draw([function.at(x - start, 0, format) - f + q.value * float(t + start) for t in offsets], "forward")
    sketch.text(LEFT, 36, WORDS["tangent"].format(slope=digits(slope, 7)), "backward-ink", "start")
    sketch.text(LEFT, 54, WORDS["secant"].format(slope=digits(q.value, 7)), "forward-ink", "start")


LEAST, MOST = 1e-16, 1.0  # of h
WORDS = {
    "title": "Step size: the slope of {name}, by differences",
    "curve": "The curve of {name}: drag x and x + h",
    "tangent": "tangent: slope {slope}",
    "secant": "secant: slope {slope}",
    "no secant": "no secant: not a number",
    "relative": "relative error",
    "absolute": "error",
    "short": "truncation",
    "rounded": "round-off",
    "nowhere": "not a number",
    "same": "{start} = x + h, as stored",
    "h": "h, smaller to the right →",
    "still": "error, {format}, {rule}",
    "errors": "The error at every h: drag h",
    "wide": "{width} wide",
    "stored": "{count} numbers of {format}",
    "one stored": "one number of {format}",
    "about": "The first panel has the curve of {name}, the tangent at x, and the secant through the two points of the difference "
    "quotient. The second panel has the error of the secant's slope at every h, on log-log axes.",
    "head": "x = {x}, h = {h}, {format}, {rule}: quotient {value}, derivative {slope}, relative error {error}.",
    "flat": "x = {x}, h = {h}, {format}, {rule}: quotient {value}, derivative {slope}, error {error}.",
    "none": "x = {x}, h = {h}, {format}, {rule}: there is no quotient.",
    "zero": "This h is stored as 0 in {format}.",
    "nan": "The function has no value there, or none that {format} can hold.",
    "alike": "x + h is stored as x: the difference is 0, whatever the function.",
    "exact": "No error at all.",
    "truncation": "Mostly truncation: a smaller h helps.",
    "balance": "Truncation and round-off are about equal: this is about the best h.",
    "roundoff": "Mostly round-off: a larger h is safer.",
    "tenth": "At h = 0.1 the error is {before}. How large is it at h = 0.01?",
    "tenth right": "A {rule} difference with a tenth of the step has an error {times} times smaller.",
    "tenth slip": "That is the error of a {other} difference.",
    "tenth same": "Truncation shrinks with h.",
    "tenth otherwise": "Not that: how does the truncation of a {rule} difference depend on h?",
    "lost": "In {format}, x + h with h = {h} is stored as x. What is the quotient?",
    "lost right": "Both values of the function are the same: their difference is 0.",
    "lost slip": "That is the derivative. But what is the numerator now?",
    "lost one": "Numerator and denominator are not the same: the numerator is a difference of two values.",
    "lost otherwise": "Not that. Which two values are subtracted?",
}


class StepSize(Lab):
    """A secant that becomes a tangent while its step h shrinks, until round-off takes over.

    `fn` is a function of one number, written with operators and NumPy functions; `x` is the place. Every operation is rounded in
    the chosen format; the derivative that the quotient is compared with is the engine's, in float64. float16 and float32 results
    of functions such as `np.sin` may differ from NumPy's in the last bit.

    Traits: `x`, `h` (from 1e-16 to 1), `format` ("float64", "float32", "float16"), `rule` ("forward", "central"), `zoom` (whether
    the window is three h wide instead of three).

    Raises TypeError for what is not a function of one number that labkit can differentiate; ValueError where `fn` or its slope is
    not finite at `x`, for a function whose operations depend on `x`, and for a state that does not exist; and whatever `fn`
    raises at `x`.

    >>> lab = StepSize(lambda x: x * x, 1.0, h=0.01)
    >>> print(lab.describe().splitlines()[-1])
    x = 1, h = 0.01, float64, forward: quotient 2.01, derivative 2, relative error 0.005. Mostly truncation: a smaller h helps.
    """

    path = Path(__file__).with_name("step_size.js")
    state_names = ("x", "h", "format", "rule", "zoom")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    x: Trait = traits.Float().tag(sync=True)
    h: Trait = traits.Float(default_value=0.3).tag(sync=True)
    format: Trait = traits.Enum(NAMES, default_value="float64").tag(sync=True)
    rule: Trait = traits.Enum(RULES, default_value="forward").tag(sync=True)
    zoom: Trait = traits.Bool(default_value=False).tag(sync=True)

    def __init__(
        self,
        fn: Callable[[Any], Any],
        x: float,
        *,
        h: float = 0.3,
        format: str = "float64",
        rule: str = "forward",
        zoom: bool = False,
    ):
        self.fn, self.function = fn, Function(fn, x)
        for name, value, known in (("format", format, NAMES), ("rule", rule, RULES)):
            if value not in known:
                raise not_one_of(name, known, value)
        if not LEAST <= h <= MOST:
            raise ValueError("h: expected a number from 1e-16 to 1, but got {h!r}".format(h=h))
        name = getattr(fn, "__name__", "function")
        self._called = "a function" if name == "<lambda>" else name
        super().__init__(
            WORDS["title"].format(name=self._called),
            {"name": self._called, "x0": self.function.x, "reach": REACH, **self.function.written()},
            x=self.function.x, h=float(h), format=format, rule=rule, zoom=bool(zoom),
        )  # fmt: skip

    def describe(self, **state: Any) -> str:
        """The picture in words: what it shows, the quotient, and which error rules. `state`: other values of some traits."""
        at = self.state_with(**state)
        x, h, format, rule = (at[key] for key in ("x", "h", "format", "rule"))
        q, slope = self.function.quotient(h, format, rule, x), self.function.at(float(np.dtype(format).type(x)), 1)
        given = {
            "name": self._called, "x": digits(x, 5), "h": digits(h, 3), "format": format, "rule": rule,
            "value": digits(q.value, 10), "slope": digits(slope, 10), "error": digits(q.error, 3),
        }  # fmt: skip
        head = WORDS["none" if not np.isfinite(q.value) else "head" if slope else "flat"]
        why = WORDS[_why(q) if np.dtype(format).type(h) else "zero"]
        return Prose("\n".join(words.format(**given) for words in (f"{self.title}.", WORDS["about"], f"{head} {why}")))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The errors of the quotients as plain SVG, with the step that is shown. `state`: other values of some traits."""
        return still(self, theme, **self.state_with(**state))


def _why(q: Quotient) -> str:
    """Which sentence explains a quotient."""
    if not np.isfinite(q.value):
        return "nan"
    if q.alike:
        return "alike"
    if not q.error:
        return "exact"
    if q.truncation > 3 * q.roundoff:
        return "truncation"
    return "roundoff" if q.roundoff > 3 * q.truncation else "balance"
