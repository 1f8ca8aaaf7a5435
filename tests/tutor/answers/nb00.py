"""00 Start here."""

import numpy as np
from sheets import above, right, wrong

wrong("start-order", "each run of B begins again with n = 1", [2, 2, 2])
wrong("start-order", "running A a second time does not set n back", [2, 3, 4])
wrong("start-order", "what is printed is n before 1 is added", [1, 2, 1])
wrong("start-order", "the second A sets n to 1, but after the last B", [2, 3, 1])
wrong("start-order", "B doubles n, as n + n", [2, 4, 2])
wrong("start-order", "a cell that has run once is not run again", [2, 2, 1])
right("start-order", "a tuple for a list", (2, 3, 2))

wrong("start-shapes", "x[0] is taken for a column", [(2, 3), (2,), (2, 3), ()])
wrong("start-shapes", "a row keeps its axis", [(2, 3), (1, 3), (2, 3), ()])
wrong("start-shapes", "2 * x has twice as many elements", [(2, 3), (3,), (4, 6), ()])
wrong("start-shapes", "one number has the shape (1,)", [(2, 3), (3,), (2, 3), (1,)])
wrong("start-shapes", "sum adds up the rows and keeps the columns", [(2, 3), (3,), (2, 3), (3,)])
wrong("start-shapes", "a row is still a table, and so is the sum", [(2, 3), (1, 3), (2, 3), (1, 1)])
wrong("start-shapes", "(3) is taken for a tuple of one number", [(2, 3), (3), (2, 3), ()])
wrong("start-shapes", "lists, where tuples are asked for", [[2, 3], [3], [2, 3], []])


@wrong("start-mend", "only the error is mended, the last value still divides")
def mean(values):
    total = 0.0
    for value in values:
        total = total + value
    return total / value


wrong("start-mend", "whole-number division", above("total = 0.0 -> total = 0", "/ value -> // len(values)"))
wrong("start-mend", "the total is not divided at all", above("total / value -> total"))
wrong(
    "start-mend", "the total is overwritten, not added to", above("total + value -> value", "/ value -> / len(values)")
)
wrong("start-mend", "prints the mean, and returns nothing", above("return total / value -> print(total / len(values))"))


@wrong("start-mend", "the division goes into the loop, and divides by the value")
def mean(values):
    total = 0.0
    for value in values:
        total = (total + value) / len(values)
    return total


@wrong("start-mend", "returns after the first value")
def mean(values):
    total = 0.0
    for value in values:
        total = total + value
        return total / len(values)


@right("start-mend", "NumPy's own mean, a NumPy scalar")
def mean(values):
    return np.mean(values)


@right("start-mend", "a running mean, no total at all")
def mean(values):
    result = 0.0
    for count, value in enumerate(values, start=1):
        result += (value - result) / count
    return result


@wrong("start-slope", "the points are subtracted in opposite orders: the sign is wrong")
def slope(x1, y1, x2, y2):
    return (y2 - y1) / (x1 - x2)


wrong("start-slope", "the run over the rise", above("y2 - y1) / (x1 - x2 -> x2 - x1) / (y2 - y1"))
wrong("start-slope", "the brackets are missing", above("(y2 - y1) / (x1 - x2) -> y2 - y1 / x2 - x1"))
wrong("start-slope", "only the difference of y", above("(y2 - y1) / (x1 - x2) -> y2 - y1"))
wrong("start-slope", "whole-number division", above("/ (x1 - x2) -> // (x2 - x1)"))
wrong("start-slope", "the line is taken to go through the origin", above("(y2 - y1) / (x1 - x2) -> y2 / x2"))
wrong("start-slope", "mixes the two coordinates of a point", above("y2 - y1) / (x1 - x2 -> x1 - y1) / (x2 - y2"))


@right("start-slope", "a polynomial of degree 1 is fitted")
def slope(x1, y1, x2, y2):
    return float(np.polyfit([x1, x2], [y1, y2], 1)[0])


@right("start-slope", "both differences the other way round")
def slope(x1, y1, x2, y2):
    rise, run = y1 - y2, x1 - x2
    return rise / run
