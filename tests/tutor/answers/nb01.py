"""01 Slopes and finite differences."""

import numpy as np
from sheets import above, right, wrong

wrong("fd-roundoff", "h over gap instead of gap over h", [1, 0, 0, 0, 0, 0.75])
right("fd-roundoff", "the last one with the digits that float16 prints", [1, 0, 0, 0, 0, 1.333])


@wrong("fd-step", "the square root, which belongs to a forward difference")
def step(x, name):
    return float(np.finfo(name).eps) ** 0.5 * max(1.0, abs(x))


wrong("fd-step", "always times the size, also where it is below 1", above("0.5 * max(1.0, abs(x)) -> (1 / 3) * abs(x)"))


@right("fd-step", "cbrt, and an if")
def step(x, name):
    h = float(np.cbrt(float(np.finfo(name).eps)))
    if abs(x) > 1:
        h *= abs(x)
    return float(h)


def f(x):
    return np.sum(x * x * x) + x[0] * x[1]


@wrong("fd-gradient", "a central difference, where a forward one is asked")
def by_differences(x, h):
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        gradient[i] = (f(up) - f(down)) / (2 * h)
    return gradient


@right("fd-gradient", "the rows of an identity for the steps, no loop over indices")
def by_differences(x, h):
    return np.array([(f(x + h * unit) - f(x)) / h for unit in np.eye(len(x))])


wrong("fd-cost", "two sides in one run", [2, 11, 2, 11, 501])
wrong("fd-cost", "one run moves all numbers at once", [2, 2, 2, 2, 2])
right("fd-cost", "floats for whole numbers", [2.0, 11.0, 2.0, 20.0, 501.0])
