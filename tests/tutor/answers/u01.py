"""01 A first gradient."""

import numpy as np
from sheets import above, right, wrong

right("start-order", "a tuple for a list", (2, 3, 2))


@right("start-fix", "NumPy's own mean, a NumPy scalar")
def mean(values):
    return np.mean(values)


@right("graph-local", "a quotient as a product with a power, and match")
def local(op, a, b):
    match op:
        case "add":
            return 1.0, 1.0
        case "subtract":
            return 1.0, -1.0
        case "multiply":
            return b, a
        case "divide":
            return b**-1.0, -a * b**-2.0


wrong("graph-local", "the square in the quotient is forgotten", above("b**-2.0 -> b**-1.0"))
wrong("graph-local", "whole-number division", above("b**-1.0, -a * b**-2.0 -> 1 // b, -a // b**2"))

wrong("graph-count", "the constant 1 is an input", [3, 4, 8, 3, 2])
right("graph-count", "floats", [2.0, 4.0, 7.0, 3.0, 2.0])


@right("graph-by-hand", "multiplied out: z = x**2 * (y**2 + y)")
def by_hand(x, y):
    return x * x * (y * y + y), 2 * x * (y * y + y), x * x * (2 * y + 1)


wrong("graph-by-hand", "the direct path of x is forgotten", above("2 * x * (y * y + y) -> x * (2 * y * y + y)"))
