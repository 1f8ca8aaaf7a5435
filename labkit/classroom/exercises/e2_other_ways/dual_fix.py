"""# Fix the slope at one point (2 points)

`(exp(x) - 1) / x` is not defined at 0. This function returns 1 there, which makes it continuous. It takes the value `x` and the
slope `s` of a dual number, and returns the value and the slope of the result.

[[constant_at_zero as fixed]]

The value is right everywhere, but the slope is not. Fix the slope. `x` is 0, or at least 0.5 away from 0. Near 0, `exp(x)` is
`1 + x + x**2 / 2` plus smaller terms. The slope is compared to 12 digits.
"""

import math
from functools import partial

from labkit.classroom.writing import EXACT, judged, same, slip, wrong


def fixed(x, s):
    if x == 0:
        return 1.0, s / 2
    value = (math.exp(x) - 1) / x
    return value, s * (math.exp(x) - value) / x


def _draw(rng, sign, turn):
    """`x` of this sign, or 0, and a slope that goes up or down."""
    return float(sign * rng.uniform(0.5, 2.0)), float(turn * rng.uniform(1.3, 3.0))


draw = tuple(partial(_draw, sign=sign, turn=turn) for sign in (0, 1, -1) for turn in (1, -1))


@wrong(
    "At 0 your slope is 0, as if the result did not change with x. Near 0 the result is 1 + x / 2: how does it change with "
    "x?"
)
def constant_at_zero(x, s):
    if x == 0:
        return 1.0, 0.0
    value = (math.exp(x) - 1) / x
    return value, s * (math.exp(x) - value) / x


@wrong("At 0 you gave the local derivative alone. The argument has the slope s: multiply by it.")
def chain_cut(x, s):
    if x == 0:
        return 1.0, 0.5
    value = (math.exp(x) - 1) / x
    return value, s * (math.exp(x) - value) / x


@wrong("At 0 you gave the slope of exp(x). Divided by x, its series begins 1 + x / 2.")
def slope_of_exp(x, s):
    if x == 0:
        return 1.0, s
    value = (math.exp(x) - 1) / x
    return value, s * (math.exp(x) - value) / x


@wrong("1 + x / 2 is accurate only near 0. Away from 0 the given function was right: keep it.")
def series_everywhere(x, s):
    return 1 + x / 2, s / 2


@judged("kind")
def slope_alone(x, s):
    return fixed(x, s)[1]


a_third = slip(
    "The series of exp divided by x is 1 + x / 2 + ... The slope at 0 is the factor of x.",
    "s / 2 -> s / 3",
)


@wrong("The value at 0 was right: it is 1.", when=lambda i, expected, got: i[0] == 0 and not same(1.0, float(got[0])))
def value_at_zero(x, s):
    return (0.0, s / 2) if x == 0 else fixed(x, s)


@wrong(
    "Away from 0 the result was right, and yours is another. Only the line for x == 0 is wrong.",
    when=lambda i, expected, got: i[0] != 0 and not same(expected[1], float(got[1])),
)
def changed_away_from_zero(x, s):
    return (1.0, s / 2) if x == 0 else (fixed(x, s)[0], fixed(x, s)[1] / x)


@wrong("You gave the slope of exp(x), both at 0 and elsewhere. Divided by x, it has the slope (exp(x) - value) / x.")
def slope_of_exp_everywhere(x, s):
    return (1.0, s) if x == 0 else (fixed(x, s)[0], s * math.exp(x))


a_sixth = slip(
    "The slope at 0 is the factor of x in the series of (exp(x) - 1) / x, which is 1 + x / 2 + x**2 / 6 + ...",
    "s / 2 -> s / 6",
)

inverted = slip("(exp(x) - 1) / x begins 1 + x / 2: the factor of x is 1 / 2, not 2.", "s / 2 -> 2 * s")
slope_squared = slip("The slope s is a factor once: multiply the local derivative by s.", "s / 2 -> s**2 / 2")

sign_away_from_zero = slip(
    "Away from 0 the slope was right. You changed its sign.",
    "math.exp(x) - value) / x\n -> value - math.exp(x)) / x\n",
)


@wrong(
    "Away from 0 you are right. At 0 the slope is not: (exp(x) - 1) / x begins 1 + x / 2, so it is s times 1/2.",
    when=lambda i, expected, got: i[0] == 0 and same(1.0, float(got[0])) and not same(expected[1], float(got[1])),
)
def another_slope_at_zero(x, s):
    return (1.0, 0.5 + s) if x == 0 else fixed(x, s)


@wrong(
    "Away from 0 the slope was right, and you changed it. At 0 it is still not right.",
    when=lambda i, expected, got: same(expected[0], float(got[0])) and not same(expected[1], float(got[1])),
)
def wrong_in_both(x, s):
    return fixed(x, s)[0], 0.1 + 2 * fixed(x, s)[1]


errors = (("division by zero", "For x = 0 the formula divides by 0, so the branch for x == 0 has to be taken."),)
ways = (EXACT,)
hints = (
    "Away from 0 nothing has to change. Which slope does the line for x == 0 return?",
    "(1 + x + x**2 / 2 - 1) / x is 1 + x / 2. What is its slope if x changes at the rate s?",
    "Return 1.0, s / 2 where x is 0.",
)
