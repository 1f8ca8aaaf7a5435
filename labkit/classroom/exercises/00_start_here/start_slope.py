"""# A function of one line (1 point)

A straight line goes through the points `(x1, y1)` and `(x2, y2)`. Write `slope(x1, y1, x2, y2)`. It returns
how much `y` changes for each step of 1 in `x`. (`x1` and `x2` are never equal.)
"""

from functools import partial
from itertools import product

from labkit.classroom.writing import judged, wrong


def slope(x1, y1, x2, y2):
    return (y2 - y1) / (x2 - x1)


def _points(rng, along, up):
    """The second point lies to the right or the left of the first one, and higher or lower."""
    x1, y1 = rng.uniform(-3, 3, 2).round(2)
    run, rise = rng.uniform(0.5, 4, 2).round(2)
    return float(x1), float(y1), float(x1 + along * run), float(y1 + up * rise)


draw = tuple(partial(_points, along=along, up=up) for along, up in product((1, -1), (1, -1)))


@wrong("This is the change of x for each step in y. Divide the change of y by the change of x.")
def upside_down(x1, y1, x2, y2):
    return (x2 - x1) / (y2 - y1)


@wrong("The size is right, the sign is not. Take both differences in the same order: second point minus first.")
def sign(x1, y1, x2, y2):
    return (y1 - y2) / (x2 - x1)


@wrong("Python divides before it subtracts. Put each difference in parentheses.")
def no_parentheses(x1, y1, x2, y2):
    return y2 - y1 / x2 - x1


@wrong("You used //, which rounds down to a whole number. Division is written /.")
def whole_numbers(x1, y1, x2, y2):
    return (y2 - y1) // (x2 - x1)


@wrong("This is the change of y alone. Divide it by the change of x.")
def change_of_y(x1, y1, x2, y2):
    return y2 - y1


@judged("sign")
def a_rise_upwards(x1, y1, x2, y2):
    return abs(y2 - y1) / (x2 - x1)


@judged("sign")
def a_run_to_the_right(x1, y1, x2, y2):
    return (y2 - y1) / abs(x2 - x1)


@judged("printed")
def printed(x1, y1, x2, y2):
    return print((y2 - y1) / (x2 - x1))


hints = (
    "From the first point to the second: how far in y, how far in x?",
    "The change of y is y2 - y1. The slope is the change of y divided by the change of x.",
    "The whole body is one line: return (y2 - y1) / (...).",
)
