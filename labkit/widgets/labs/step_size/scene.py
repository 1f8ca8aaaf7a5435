"""The step-size picture: a difference quotient at every step, in three float formats."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Scene, by_position, changes
from ...kit.words import number
from .run import NAMES, RULES, STEPS, Case, cases
from .view import REACH, Errors, Shown, curve_panel, digits, errors_panel, stored_alike

PACE = 230.0  # ms of a step while it plays: all of them take eight seconds
APART, AROUND = (
    0.3,
    (-4, -3, -2, -1, 1, 2, 3, 4),
)  # from one place that a saved page holds to the next, and which there are


class StepSize(Picture):
    """A secant that becomes a tangent while its step h shrinks, until round-off takes over.

    `fn` is a function of one number, written with operators and NumPy functions; `x` is the place. Everything is computed
    in the chosen format: the places, the values, the quotient. The derivative it is compared with is the engine's, in
    float64. `cases` holds all numbers, `{(format, rule): Case}`.

    Dials, and where they stand at first: `h` (one of 1, 0.3, 0.1 ... 1e-16), `format` ("float64", "float32", "float16"),
    `rule` ("forward", "central"), `zoom` (false: the window is three wide; true: three h wide).

    Raises TypeError for what is no function of one number that labkit can differentiate, ValueError where `fn` or its slope
    is not finite at `x` and for a dial's position that does not exist, and whatever `fn` raises at `x`.

    >>> picture = StepSize(lambda x: x * x, 1.0)
    >>> print(picture.describe(h="0.1", format="float16").splitlines()[-1])
    h = 0.1, float16, forward: quotient 2.08984375, derivative 2, relative error 0.0449. Mostly truncation: a smaller h helps.
    """

    plays_at_once = True

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
        self.fn, self.cases = fn, cases(fn, x)
        self._x = next(iter(self.cases.values())).x
        self._look_around()
        scene = self._scene_of_all()
        start = scene.state(h=number(h), format=format, rule=rule, zoom=int(zoom))
        dials = [replace(dial, start=start[dial.name]) for dial in scene.dials]
        super().__init__(replace(scene, dials=dials))

    @property
    def inputs(self) -> Mapping[str, float]:
        """The place x."""
        return {"x": self._x}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """The same at another place. Raises what `StepSize` does."""
        seen = [(NAMES[at["format"]], RULES[at["rule"]])] if at else list(product(NAMES, RULES))
        found = cases(self.fn, inputs["x"], seen)
        self._x = inputs["x"]
        if at is None:
            self.cases = found
            if abs(self._x - self._frame["float64", RULES[0]].x) > REACH:
                self._look_around()
            self.scene = self._scene_of_all()
        else:
            self.scene = self._scene_of([Shown(found, None, (at["zoom"],), True)], list(self._places))

    def _look_around(self):
        """The window, the axes of the errors, and the places that a saved page holds; they stay while x is dragged."""
        self._frame = self.cases
        self._errors = Errors.of(self.cases)
        near = {x: _like(self.fn, x, self._errors) for x in (round(self._x + k * APART, 10) for k in AROUND)}
        found = {x: its for x, its in near.items() if its} | {self._x: self.cases}
        self._places = dict(sorted(found.items()))

    def _scene_of_all(self):
        """Every place, the present one instead of the nearest."""
        places = list(self._places.items())
        places[self._here(self._places)] = self._x, self.cases
        shown = [Shown(found, i, (0, 1), True) for i, (_, found) in enumerate(places)]
        return self._scene_of(shown, [x for x, _ in places])

    def _here(self, places):
        return min(range(len(places)), key=lambda i: abs(list(places)[i] - self._x))

    def _scene_of(self, shown, places):
        here = self._here(places)
        panels = curve_panel(shown, self._frame, len(places)), errors_panel(shown, self._errors)
        scene = _scene(shown, getattr(self.fn, "__name__", "function"), places, here, panels)
        return replace(scene, turned={"x": here})


def _like(fn, x, axes):
    """The cases at another place, if there are some, and their errors are of the same kind."""
    try:
        found = cases(fn, x)
    except Exception:  # whatever a reader's function raises elsewhere
        return None
    return found if all(case.relative for case in found.values()) == axes.relative else None


def _scene(shown: Sequence[Shown], name: str, places: Sequence[float], here: int, panels):
    one = next((one for one in shown if one.at == here), shown[0])
    asks = (
        asked
        for each in shown
        for case in each.cases.values()
        for asked in (*_next_power(case, each), *_vanished(case, each))
    )
    x = number(next(iter(one.cases.values())).x)
    dials = [
        Dial("h", "Step h", [number(h) for h in STEPS], asks=by_position(asks), pace=PACE),
        Dial("x", "x", [number(place) for place in places], "inside", here),
        Dial("format", "Format", NAMES, "choice"),
        Dial("rule", "Difference", RULES, "choice"),
        Dial("zoom", "Zoom to h", ["off", "on"], "toggle"),
    ]
    words = (
        f"First the curve of {name} with its tangent at {x} and the secant of step h. Then, on log-log axes, "
        "the error of the secant's slope at every h: it falls while truncation rules, and rises again with round-off."
    )
    called = "a function" if name == "<lambda>" else name
    captions = [_caption(case, other) for other in shown for case in other.cases.values()]
    return Scene(f"Step size: the slope of {called}, by differences", words, dials, [panel for panel, _ in panels],
                 captions, fields={"x": x}, grips=[grip for _, grips in panels for grip in grips])  # fmt: skip


def _where(case: Case, one: Shown):
    return {**one.when, "format": [NAMES.index(case.of.name)], "rule": [RULES.index(case.rule)]}


def _caption(case: Case, one: Shown) -> Caption:
    return Caption("h", changes(f"{_head(case, i)} {_why(case, i)}" for i in range(len(STEPS))), _where(case, one))


def _head(case, i):
    quotient, kind = case.quotients[i], "relative error" if case.relative else "error"
    head = f"h = {number(STEPS[i])}, {case.of.name}, {case.rule}:"
    if not np.isfinite(quotient.value):
        return f"{head} there is no quotient."
    compared = f"derivative {digits(case.slope, 10)}, {kind} {number(quotient.error)}."
    return f"{head} quotient {digits(quotient.value, 10)}, {compared}"


def _why(case: Case, i: int) -> str:
    quotient = case.quotients[i]
    if not case.of.dtype.type(STEPS[i]):
        return f"This h is stored as 0 in {case.of.name}."
    if not np.isfinite(quotient.value):
        return f"The function has no value there, or none that {case.of.name} can hold."
    if stored_alike(quotient):
        return "x + h is stored as x: the difference is 0, whatever the function."
    if i == case.best:
        return "The smallest error on this slider."
    if not quotient.error:
        return "No error at all."
    if case.truncation[i] > case.roundoff[i]:
        return "Mostly truncation: a smaller h helps."
    return "Mostly round-off: a larger h is safer."


# ---- predict first ----


def _next_power(case: Case, one: Shown):
    """What a step ten times smaller makes of an error that is truncation alone."""
    i = STEPS.index(0.01)
    here, before = case.quotients[i].error, case.quotients[i - 2].error
    safe = all(np.isfinite(case.quotients[k].error) and case.truncation[k] > 20 * case.roundoff[k] for k in (i, i - 2))
    wanted = 10 ** (1 + (case.rule == "central"))
    if not safe or abs(before / here / wanted - 1) > 0.1:
        return
    wrong = 1000 // wanted
    slip = "central" if case.rule == "forward" else "forward"
    yield i, Ask(
        f"At h = 0.1 the error is {number(before)}. How large is it at h = 0.01?",
        here, f"A {case.rule} difference with a tenth of the step has an error {wanted} times smaller.",
        ((before / wrong, f"So it would be with a {slip} difference."), (before, "Truncation shrinks with h.")),
        tolerance=0.15, otherwise=f"Not that: how does the truncation of a {case.rule} difference depend on h?",
        when=_where(case, one),
    )  # fmt: skip


def _vanished(case: Case, one: Shown):
    """The quotient of the first step that is lost when it is added to x."""
    lost = [i for i, q in enumerate(case.quotients) if stored_alike(q) and np.isfinite(q.value)]
    if not lost or not case.relative:
        return
    h = number(STEPS[lost[0]])
    yield lost[0], Ask(
        f"In {case.of.name}, x + h with h = {h} is stored as x. What is the quotient?",
        0.0, "Both values of the function are the same: their difference is 0.",
        ((case.slope, "That is the derivative. But what is the numerator now?"),
         (1.0, "Numerator and denominator are not the same: the numerator is a difference of two values.")),
        otherwise="Not that. Which two values are subtracted?", when=_where(case, one),
    )  # fmt: skip
