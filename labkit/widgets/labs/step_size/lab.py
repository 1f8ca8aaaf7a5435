"""The step-size lab: a difference quotient at every step, in three float formats."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ...kit.lab import Lab, digits
from ...kit.module import module, style
from ...kit.traits import Trait, traits
from .run import NAMES, REACH, RULES, Function, Quotient
from .still import still

LEAST, MOST = 1e-16, 1.0  # of h
WORDS = {
    "about": "The first panel has the curve of {name}, the tangent at x, and the secant through the two points of the difference "
    "quotient. The second panel has the error of the secant's slope at every h, on log-log axes.",
    "head": "x = {x}, h = {h}, {format}, {rule}: quotient {value}, derivative {slope}, {kind} {error}.",
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
                raise ValueError(f"{name}: expected one of {', '.join(known)}, but got {value!r}")
        if not LEAST <= h <= MOST:
            raise ValueError(f"h: expected a number from 1e-16 to 1, but got {h!r}")
        name = getattr(fn, "__name__", "function")
        self._called = "a function" if name == "<lambda>" else name
        super().__init__(
            f"Step size: the slope of {self._called}, by differences",
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
            "kind": "relative error" if slope else "error",
        }  # fmt: skip
        head = WORDS["head" if np.isfinite(q.value) else "none"]
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
