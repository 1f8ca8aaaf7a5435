"""Difference quotients in a float format at every step, with their errors and what to expect of these.

Forward: (f(x + h) - f(x)) / h, truncation error h |f''| / 2. Central: (f(x + h) - f(x - h)) / 2h, truncation error
h^2 |f'''| / 6. Round-off: each value and each place is off by up to eps / 2 of its size, and that is divided by the step
(W. Press et al., Numerical Recipes, 5.7).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from ....engine import grad
from ....precision import FORMATS, Format, rounded

STEPS = tuple(float(f"{digit}e-{power}") for power in range(17) for digit in (1, 0.3))[:-1]
RULES = ("forward", "central")
NAMES = ("float64", "float32", "float16")
MOST = 24  # numbers of a format that are told apart in a window


@dataclass(frozen=True)
class Quotient:
    """One difference quotient. `low`, `high`: the two places and their values, as the format stores them. `value`: the
    quotient, nan where there is none. `error`: its distance from the derivative, relative (see `Case.relative`)."""

    low: tuple[float, float]
    high: tuple[float, float]
    value: float
    error: float


@dataclass(frozen=True)
class Case:
    """All steps in one format by one rule.

    `fn` as the format computes it; `x` as it stores it, with the derivatives there, computed in float64: `slope`, `bend`
    (second), `turn` (third). `relative`: whether errors are divided by the slope, which is not zero then.
    `quotients`, `truncation`, `roundoff`: one for each of STEPS, the last two being what to expect.
    """

    of: Format
    rule: str
    fn: Callable[[float], float]
    x: float
    slope: float
    bend: float
    turn: float
    quotients: tuple[Quotient, ...] = ()
    truncation: tuple[float, ...] = ()
    roundoff: tuple[float, ...] = ()

    @property
    def relative(self) -> bool:
        return self.slope != 0

    @property
    def best(self) -> int | None:
        """The place in STEPS with the smallest error, the larger step of two; None where there is no quotient at all."""
        errors = [q.error if np.isfinite(q.error) else np.inf for q in self.quotients]
        return int(np.argmin(errors)) if min(errors) < np.inf else None


EVERY = tuple(product(NAMES, RULES))


def cases(fn: Callable[[Any], Any], x: float, wanted: Sequence[tuple[str, str]] = EVERY) -> dict[tuple[str, str], Case]:
    """`{(format, rule): Case}` for a function of one number, of those `wanted`.

    Raises TypeError for what is no function of one number that labkit can differentiate, ValueError where the value or the
    slope at `x` is not finite, and whatever `fn` raises there.

    >>> half = cases(lambda x: x * x, 1.0)["float16", "forward"]
    >>> STEPS[half.best], half.slope, half.quotients[half.best].value, half.quotients[-1].value
    (0.01, 2.0, 1.953125, nan)
    """
    place = _number(x)
    if not callable(fn):
        raise TypeError(f"StepSize: expected a function of one number, but got {type(fn).__name__}")
    found = {}
    for name in dict.fromkeys(name for name, _ in wanted):
        of = FORMATS[name]
        at = float(rounded(place, of))
        if not np.isfinite(at):
            raise ValueError(f"StepSize: expected an x within ±{of.max:g}, the largest {name}, but got {x!r}")
        slopes, computed = _derivatives(fn, at), _in_format(fn, of)
        for rule in (rule for other, rule in wanted if other == name):
            found[name, rule] = _case(of, rule, computed, at, *slopes)
    return found


def _number(x):
    try:
        value = np.asarray(x, np.float64)
    except (TypeError, ValueError):
        value = np.zeros(2)
    if value.shape != () or isinstance(x, (str, bool)):
        raise TypeError(f"StepSize: expected one number for x, but got {x!r}")
    if not np.isfinite(value):
        raise ValueError(f"StepSize: expected a finite number for x, but got {x!r}")
    return float(value)


def _derivatives(fn, x):
    """The first three derivatives at `x` in float64; the value has to be one finite number, and so has the slope."""
    with np.errstate(all="ignore"):
        returned = fn(np.float64(x))
        value = np.asarray(returned)
        if value.shape != () or value.dtype.kind not in "fiu":
            raise TypeError(f"StepSize: expected a function that returns one number, but got {type(returned).__name__}")
        try:
            first = grad(fn)
            second = grad(first)
            found = [float(d(x)) for d in (first, second, grad(second))]
        except TypeError as error:
            raise TypeError(
                "StepSize: the function could not be differentiated; write it with NumPy functions such as np.sin, "
                f"not math.sin ({error})"
            ) from error
    if not np.isfinite([float(value), found[0]]).all():
        raise ValueError(
            f"StepSize: expected a finite value and slope at x = {x:g}, but got value {float(value):g} and slope "
            f"{found[0]:g}; choose another x"
        )
    return [d + 0.0 if np.isfinite(d) else 0.0 for d in found]  # -0 becomes 0


def _in_format(fn, of):
    """`fn` with its argument and its value stored in the format; nan where it is not defined."""

    @cache
    def computed(x):
        with np.errstate(all="ignore"):
            try:
                return float(rounded(fn(of.dtype.type(x)), of))
            except (ArithmeticError, ValueError):
                return float("nan")

    return computed


def _case(of, rule, fn, x, slope, bend, turn):
    sides, scale = (1, 2)[rule == "central"], abs(slope) or 1.0
    steps = np.array(STEPS)
    cut = steps * abs(bend) / 2 if sides == 1 else steps**2 * abs(turn) / 6
    lost = of.eps * (abs(fn(x)) + sides * abs(x * slope) / 2) / (sides * steps)
    quotients = tuple(_quotient(fn, x, h, of, rule, slope) for h in STEPS)
    return Case(
        of, rule, fn, x, slope, bend, turn, quotients, tuple((cut / scale).tolist()), tuple((lost / scale).tolist())
    )


def stored_around(case: Case, reach: float, most: int = MOST) -> list[float]:
    """The numbers that the format has no farther than `reach` from x, in order; none where there are more than `most`.

    >>> stored_around(cases(lambda x: x * x, 1.0)["float16", "forward"], 0.001)
    [0.9990234375, 0.99951171875, 1.0, 1.0009765625]
    """
    kind, found = case.of.dtype.type, {case.x}
    for way in (-np.inf, np.inf):
        at = kind(case.x)
        while abs(float(at) - case.x) <= reach and len(found) <= most:
            found.add(float(at))
            at = np.nextafter(at, kind(way))
    return sorted(found) if len(found) <= most else []


def _quotient(fn, x, h, of, rule, slope):
    stored = of.dtype.type
    with np.errstate(all="ignore"):
        step, middle = stored(h), stored(x)
        high = middle + step
        low = middle - step if rule == "central" else middle
        values = [stored(fn(place)) for place in (low, high)]
        width = step * stored(2) if rule == "central" else step
        value = float((values[1] - values[0]) / width) if width else float("nan")
    error = abs(value - slope) / (abs(slope) or 1.0)
    return Quotient((float(low), float(values[0])), (float(high), float(values[1])), value, error)
