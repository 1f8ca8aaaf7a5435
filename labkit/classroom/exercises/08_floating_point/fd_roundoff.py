"""# The slope of f(x) = x (3 points)

The slope of `f(x) = x` is 1. Its finite difference has no truncation error, so every error is round-off. What is `((x + h) - x)
/ h` if every operation is rounded to the format? Answer with a list of six numbers.

Between 1 and 2 the numbers of a format are `2**-52` apart in float64, `2**-23` in float32, `2**-10` in float16.

| item | format | x | h |
|---|---|---|---|
| 0 | float64 | 1 | `2**-30` |
| 1 | float64 | 1 | `2**-60` |
| 2 | float32 | 1 | `2**-30` |
| 3 | float16 | 1 | `2**-12` |
| 4 | float64 | `2**60` | 1 |
| 5 | float16 | 1 | `3 * 2**-12` |
"""

import numpy as np

from labkit.classroom.writing import either, judged, same, wrong

answer = [1, 0, 0, 0, 0, 4 / 3]
places = ("float64, 2**-30", "float64, 2**-60", "float32", "float16, 2**-12", "a large x", "float16, 3 * 2**-12")
rules = (
    "Compare h with the gap between stored numbers: which stored number is nearest to x + h? Then divide by h.",
    "Compare h with the gap between stored numbers: which stored number is nearest to x + h? Then divide by h.",
    "Compare h with the gap between stored numbers: which stored number is nearest to x + h? Then divide by h.",
    "Compare h with the gap between stored numbers: which stored number is nearest to x + h? Then divide by h.",
    "At a large x the stored numbers are further apart, in proportion to x. Which one is nearest to x + h?",
    "Which stored number is nearest to x + h? Take that distance from x, not h itself, and divide it by h.",
)
hints = (
    "Which stored number is nearest to x + h? If it is x itself, the numerator is 0.",
    "Items 1 to 4 are all decided by one question: is h less than half of the gap between stored numbers?",
    "Item 5: h is three quarters of the gap, so x + h is stored as 1 + 4 * 2**-12.",
)


def _stored(dtype, x, h):
    """The forward difference of f(x) = x, whose exact slope is 1, as a number of the dtype."""
    x, h = dtype(x), dtype(h)
    return ((x + h) - x) / h


def reference():
    return [
        _stored(np.float64, 1, 2**-30),
        _stored(np.float64, 1, 2**-60),
        _stored(np.float32, 1, 2**-30),
        _stored(np.float16, 1, 2**-12),
        _stored(np.float64, 2**60, 1),
        _stored(np.float16, 1, 3 * 2**-12),
    ]


exact_arithmetic = wrong(
    "In exact arithmetic the slope is always 1. But x + h has to be stored, and the format has a limited number of digits.",
    answer=[1, 1, 1, 1, 1, 1],
)

float64_for_all = wrong(
    "At x = 1 that is right for float64. In float32 and float16 the stored numbers are much further apart.",
    when=lambda inputs, expected, got: same(expected[:2], list(got[:2])) and 1 in (got[2], got[3]),
    answer={2: 1, 3: 1, 5: 1},
)

distance_is_fixed = wrong("Large stored numbers are further apart: at 2**60 the gap is 256.", {4: 1})

always_down = wrong("x + h is rounded to the *nearest* stored number, here the one above, 1 + 2**-10.", {5: 0})

then_it_is_exact = wrong(
    "x + h is stored as 1 + 2**-10, so the numerator is 2**-10. Divide that by h = 3 * 2**-12.",
    {5: either(1, 0.75)},
)

one_number = judged("kind", 0)

float64_is_exact = wrong(
    "2**-60 is far below the gap between stored float64 numbers at 1, so x + h is rounded to 1.",
    {1: 1},
)

no_change_is_nan = wrong(
    "The numerator is 0 but h is not: 0 divided by h is 0.",
    {i: either(float("nan"), float("inf")) for i in (1, 2, 3, 4)},
)

distance_for_the_slope = wrong(
    "That is the change of x. The slope is this change divided by h.",
    {0: lambda expected, got: got == 2**-30, 3: 2**-10, 5: either(2**-10, 2**-11)},
    answer={0: 2**-30, 5: 2**-10},
)

two_gaps = wrong("x + h is stored as 1 + 2**-10, one gap above 1.", {5: either(2, 2.6667)})
gap_for_the_slope = wrong(
    "256 is the gap at 2**60. h is far less than half of it, so x + h is stored as x.", {4: either(256, 2**60)}
)

quarter_of_a_gap = wrong(
    "h is a quarter of the gap at 1, so x + h is rounded to 1, not to the number above.", {3: either(4, 2)}
)

rounded_up = wrong(
    "h is far less than half of the gap at 1, so x + h is rounded to 1, not to the number above.", {1: 256, 2: 128}
)

distances_from_one = wrong(
    "These are the errors: how far the quotient is from 1. The exercise asks for the quotient itself.",
    {0: 0, 1: 1, 2: 1, 3: 1, 4: 1, 5: either(1 / 3, -1 / 3)},
    together=True,
)

small_is_lost = wrong("2**-30 is a multiple of 2**-52, the gap of float64 at 1: x + h is a stored number.", {0: 0})

part_of_a_gap = wrong(
    "x + h is not stored in between: it is x or the number above, a whole gap or none.",
    {3: either(0.25, 0.5), 5: 2 / 3},
)

h_in_gaps = wrong(
    "You divided h by the gap. The quotient is the change of x, a whole number of gaps, divided by h.",
    {0: 2**22, 3: 0.25, 5: 0.75},
    together=True,
)
