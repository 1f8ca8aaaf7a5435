"""A difference quotient in a float format, its error, and what to expect of that.

Forward: (f(x + h) - f(x)) / h, truncation error h |f''| / 2. Central: (f(x + h) - f(x - h)) / 2h, truncation error
h^2 |f'''| / 6. Round-off: each value and each place is off by up to eps / 2 of its size, and that is divided by the step
(W. Press et al., Numerical Recipes, 5.7). `step_size.js` computes the same in the page.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....engine import grad
from ....precision import FORMATS
from ....program import Recording, recorded
from ...kit.reckoning import PRIMITIVES, Const, Program

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
            raise TypeError(f"StepSize: expected a function of one number, but got {type(fn).__name__}")
        value, slope = _checked(fn, self.x)
        if not np.isfinite([value, slope]).all():
            raise ValueError(
                f"StepSize: expected a finite value and slope at x = {self.x:g}, but got value {value:g} and slope {slope:g}; "
                "choose another x"
            )
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
        raise ValueError(
            "StepSize: the function could not be written as operations on single numbers; use operators and NumPy functions "
            f"such as np.sin, without if and loops that depend on x ({error})"
        ) from error
    return program.lines, ends


def _number(x):
    try:
        value = np.asarray(x, np.float64)
    except (TypeError, ValueError):
        value = np.zeros(2)
    if value.shape != () or isinstance(x, (str, bool)):
        raise TypeError(f"StepSize: expected one number for x, but got {x!r}")
    if not np.isfinite(value):
        raise ValueError(f"StepSize: expected a finite number for x, but got {x!r}")
    if abs(float(value)) > FORMATS["float16"].max:
        raise ValueError(f"StepSize: expected an x within ±65504, the largest float16, but got {x!r}")
    return float(value)


def _checked(fn, x):
    """Value and slope at x in float64."""
    with np.errstate(all="ignore"):
        returned = fn(np.float64(x))
        value = np.asarray(returned)
        if value.shape != () or value.dtype.kind not in "fiu":
            raise TypeError(f"StepSize: expected a function that returns one number, but got {type(returned).__name__}")
        try:
            return float(value), float(grad(fn)(x))
        except TypeError as error:
            raise TypeError(
                "StepSize: the function could not be differentiated; write it with NumPy functions such as np.sin, "
                f"not math.sin ({error})"
            ) from error
