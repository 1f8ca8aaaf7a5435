"""01 A first gradient: how to work."""

import numpy as np
from sheets import right, wrong

right("start-order", "a tuple for a list", (2, 3, 2))

wrong("start-shapes", "x[0] is taken for a column", [(2, 3), (2,), (2, 3), ()])
wrong("start-shapes", "2 * x has twice as many elements", [(2, 3), (3,), (4, 6), ()])


@wrong("start-mend", "returns after the first value")
def mean(values):
    total = 0.0
    for value in values:
        total = total + value
        return total / len(values)


@right("start-mend", "NumPy's own mean, a NumPy scalar")
def mean(values):
    return np.mean(values)
