"""The exercises of notebook 01 about the two errors of a finite difference."""

import numpy as np

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "01_slopes"


def _forward(f, x, h):
    return (f(x + h) - f(x)) / h


def _central(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


# ---- fd-errors ----


def _error(rule, f, x, h, exact):
    return abs(rule(f, x, h) - exact)


ERRORS = Exercise(
    name="fd-errors",
    notebook=NOTEBOOK,
    title="How large is the truncation error?",
    points=2,
    statement="""Each line asks for the error: the distance between the difference and the exact derivative. Work it out
with pencil and paper, and write positive numbers. Answer with a list of six.

| item | difference | f(x) | x | h |
|---|---|---|---|---|
| 0 | forward | `x * x` | 3 | 0.1 |
| 1 | forward | `x * x` | 5 | 0.1 |
| 2 | forward | `7 * x - 4` | 3 | 0.1 |
| 3 | central | `x * x` | 3 | 0.1 |
| 4 | central | `x * x * x` | 2 | 0.1 |
| 5 | central | `x * x * x` | 2 | 0.2 |""",
    reference=lambda: [
        _error(_forward, lambda x: x * x, 3.0, 0.1, 6.0),
        _error(_forward, lambda x: x * x, 5.0, 0.1, 10.0),
        _error(_forward, lambda x: 7 * x - 4, 3.0, 0.1, 7.0),
        _error(_central, lambda x: x * x, 3.0, 0.1, 6.0),
        _error(_central, lambda x: x * x * x, 2.0, 0.1, 12.0),
        _error(_central, lambda x: x * x * x, 2.0, 0.2, 12.0),
    ],
    places=(
        "forward, x * x at 3",
        "forward, x * x at 5",
        "forward, a straight line",
        "central, x * x",
        "central, h = 0.1",
        "central, h = 0.2",
    ),
    misconceptions=(
        Misconception(
            "the-difference-itself",
            "These are the differences themselves. The error is how far they are from the exact derivative.",
            lambda inputs, expected, got: same([6.1, 10.1], list(got[:2])),
        ),
        Misconception(
            "grows-with-x",
            "You let the error grow with x. For x * x the forward difference is 2x + h: the error is h, at every x.",
            lambda inputs, expected, got: same(expected[0], got[0]) and got[1] > got[0] + 0.01,
        ),
        Misconception(
            "a-line-has-an-error",
            "A straight line is its own secant: the difference is exact for every h.",
            lambda inputs, expected, got: got[2] > 0.01,
        ),
        Misconception(
            "central-as-forward",
            "The central difference has no error of order h: on the two sides of x these errors have opposite signs.",
            lambda inputs, expected, got: got[3] > 0.01,
        ),
        Misconception(
            "central-is-linear",
            "The error of a central difference goes with the square of h: twice the step, four times the error.",
            lambda inputs, expected, got: same(expected[:4], list(got[:4])) and same(2 * got[4], got[5]),
        ),
    ),
    rules=(
        "Write out the difference for x * x: the slope is there, and next to it one thing more. Does it depend on x?",
        "Write out the difference for x * x: the slope is there, and next to it one thing more. Does it depend on x?",
        "A straight line has the same slope everywhere: is anything cut off?",
        "The errors of the two sides of x * x are equal, and a central difference subtracts them.",
        "Write out the central difference of x * x * x: next to the slope, one power of h is left over.",
        "The central difference of x * x * x leaves a power of h over. What does a step twice as long make of it?",
    ),
    hints=(
        "Write the difference out. For item 0: ((3 + h)**2 - 3**2) / h. What is left besides 6?",
        "Two of the six are 0. For a line nothing is cut off, and for x * x the two sides cancel.",
        "For x * x * x the central difference is 3 * x**2 + h**2.",
    ),
    solution="answer = [0.1, 0.1, 0, 0, 0.01, 0.04]",
    wrong_answers=(
        WrongAnswer("the differences", "answer = [6.1, 10.1, 7, 6, 12.01, 12.04]", "the-difference-itself"),
        WrongAnswer("more at 5", "answer = [0.1, 0.1667, 0, 0, 0.01, 0.04]", "grows-with-x"),
        WrongAnswer("a line", "answer = [0.1, 0.1, 0.1, 0, 0.01, 0.04]", "a-line-has-an-error"),
        WrongAnswer("half of forward", "answer = [0.1, 0.1, 0, 0.05, 0.01, 0.04]", "central-as-forward"),
        WrongAnswer("twice", "answer = [0.1, 0.1, 0, 0, 0.01, 0.02]", "central-is-linear"),
        WrongAnswer("a sign", "answer = [-0.1, 0.1, 0, 0, 0.01, 0.04]", "value"),
        WrongAnswer("five", "answer = [0.1, 0.1, 0, 0, 0.01]", "structure"),
    ),
)


# ---- fd-roundoff ----


def _stored(dtype, x, h):
    """The forward difference of f(x) = x, whose exact slope is 1, as a number of the dtype."""
    x, h = dtype(x), dtype(h)
    return ((x + h) - x) / h


ROUNDOFF = Exercise(
    name="fd-roundoff",
    notebook=NOTEBOOK,
    title="The slope of f(x) = x",
    points=3,
    statement="""The function is `f(x) = x`: its slope is 1. Nothing is cut off, so every error is round-off.
What does `((x + h) - x) / h` give when it is computed in the format? Answer with a list of six numbers.

Between 1 and 2 the stored numbers lie `2**-52` apart in float64, `2**-23` in float32, `2**-10` in float16.

| item | format | x | h |
|---|---|---|---|
| 0 | float64 | 1 | `2**-30` |
| 1 | float64 | 1 | `2**-60` |
| 2 | float32 | 1 | `2**-30` |
| 3 | float16 | 1 | `2**-12` |
| 4 | float64 | `2**60` | 1 |
| 5 | float16 | 1 | `3 * 2**-12` |""",
    reference=lambda: [
        _stored(np.float64, 1, 2**-30),
        _stored(np.float64, 1, 2**-60),
        _stored(np.float32, 1, 2**-30),
        _stored(np.float16, 1, 2**-12),
        _stored(np.float64, 2**60, 1),
        _stored(np.float16, 1, 3 * 2**-12),
    ],
    places=("float64, 2**-30", "float64, 2**-60", "float32", "float16, 2**-12", "a large x", "float16, 3 * 2**-12"),
    misconceptions=(
        Misconception(
            "exact-arithmetic",
            "On paper it is 1 every time. But x + h has to be stored, and the format keeps only so many digits.",
            lambda inputs, expected, got: same([1.0] * 6, list(got)),
        ),
        Misconception(
            "float64-for-all",
            "That is right for float64. In float32 and float16 the stored numbers lie much further apart.",
            lambda inputs, expected, got: same(expected[:2], list(got[:2])) and 1 in (got[2], got[3]),
        ),
        Misconception(
            "distance-is-fixed",
            "The stored numbers lie further apart the larger they are: at 2**60 the next one is 256 away.",
            lambda inputs, expected, got: same(expected[:4], list(got[:4])) and got[4] == 1,
        ),
        Misconception(
            "always-down",
            "x + h goes to the *nearest* stored number. Here that is the one above, 2**-10 away.",
            lambda inputs, expected, got: same(expected[:5], list(got[:5])) and got[5] == 0,
        ),
        Misconception(
            "then-it-is-exact",
            "x + h is stored as 1 + 2**-10, so the numerator is 2**-10. Divide that by h = 3 * 2**-12.",
            lambda inputs, expected, got: same(expected[:5], list(got[:5])) and got[5] in (1, 0.75),
        ),
    ),
    rules=(
        "Compare h with the distance of stored numbers: which stored number is nearest to x + h? Then divide by h.",
        "Compare h with the distance of stored numbers: which stored number is nearest to x + h? Then divide by h.",
        "Compare h with the distance of stored numbers: which stored number is nearest to x + h? Then divide by h.",
        "Compare h with the distance of stored numbers: which stored number is nearest to x + h? Then divide by h.",
        "At a large x the stored numbers lie further apart, in proportion to x. Which one is nearest to x + h?",
        "Which stored number is nearest to x + h? Take that distance from x, not h itself, and divide it by h.",
    ),
    hints=(
        "Which stored number is nearest to x + h? If it is x itself, the numerator is 0.",
        "Items 1 to 4 are all decided by one question: is h less than half of the distance between stored numbers?",
        "Item 5: h is three quarters of the distance, so x + h is stored as 1 + 4 * 2**-12.",
    ),
    solution="answer = [1, 0, 0, 0, 0, 4 / 3]",
    wrong_answers=(
        WrongAnswer("on paper", "answer = [1, 1, 1, 1, 1, 1]", "exact-arithmetic"),
        WrongAnswer("float64", "answer = [1, 0, 1, 1, 0, 1]", "float64-for-all"),
        WrongAnswer("large x", "answer = [1, 0, 0, 0, 1, 4 / 3]", "distance-is-fixed"),
        WrongAnswer("cut off", "answer = [1, 0, 0, 0, 0, 0]", "always-down"),
        WrongAnswer("one", "answer = [1, 0, 0, 0, 0, 1]", "then-it-is-exact"),
        WrongAnswer("two", "answer = [1, 0, 0, 0, 0, 2]", "value"),
        WrongAnswer("one number", "answer = 0", "kind"),
    ),
)

EXERCISES = (ERRORS, ROUNDOFF)
