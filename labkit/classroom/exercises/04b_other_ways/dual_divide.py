"""# Divide dual numbers (2 points)

A dual number is a pair here: `(value, slope)`. Write `divide(a, b)` for two of them: it returns the pair of `a / b`.
The value of `b` is never 0.

Use `+ - * /` and `**` on numbers alone.
"""

from functools import partial

from labkit.classroom.writing import NO_DIFFERENCES, PLAIN, judged, wrong


def divide(a, b):
    value = a[0] / b[0]
    return value, (a[1] - value * b[1]) / b[0]


def _draw(rng, signs):
    """Two pairs; `signs` are those of the slopes and of the divisor's value."""
    sizes = [float(n) for n in rng.uniform(0.4, 2.5, 4)]
    return (sizes[0], signs[0] * sizes[1]), (signs[2] * sizes[2], signs[1] * sizes[3])


draw = tuple(partial(_draw, signs=signs) for signs in ((1, 1, 1), (-1, 1, -1), (1, -1, 1), (0, 1, 1), (1, 0, -1)))


@wrong("b moves too, and the quotient with it. What does its slope change?")
def divisor_stands_still(a, b):
    return a[0] / b[0], a[1] / b[0]


@wrong("The rule of the quotient has a minus: the part of b's slope is subtracted.")
def added(a, b):
    return a[0] / b[0], (a[1] * b[0] + a[0] * b[1]) / b[0] ** 2


@wrong("Both parts are there. Divide their difference by the square of b.")
def not_squared(a, b):
    return a[0] / b[0], (a[1] * b[0] - a[0] * b[1]) / b[0]


@wrong("The two parts are exchanged: the slope of a comes with a plus, that of b with a minus.")
def exchanged(a, b):
    return a[0] / b[0], (a[0] * b[1] - a[1] * b[0]) / b[0] ** 2


@wrong("That is the pair of a product. Write a / b as a value v with v * b = a, and solve for its slope.")
def a_product(a, b):
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1]


@judged("kind")
def slope_alone(a, b):
    return (a[1] - a[0] / b[0] * b[1]) / b[0]


ways = NO_DIFFERENCES, PLAIN
hints = (
    "Call the quotient v, then v * b = a. The rule of the product says what the slopes do.",
    "v' * b + v * b' = a'. Solve for v'.",
    "The slope is (a[1] - v * b[1]) / b[0], with v = a[0] / b[0].",
)
