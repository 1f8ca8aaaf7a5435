"""01 Slopes and finite differences."""

import math

import numpy as np
from sheets import above, right, wrong

wrong("fd-errors", "gives the difference and not its distance from the derivative", [6.1, 10.1, 7, 6, 12.01, 12.04])
wrong("fd-errors", "the error grows with x", [0.3, 0.5, 0.0, 0.0, 0.01, 0.04])
wrong("fd-errors", "a central difference is always exact", [0.1, 0.1, 0, 0, 0, 0])
wrong("fd-errors", "a central difference has half of the error of a forward one", [0.1, 0.1, 0, 0.05, 0.3, 0.6])
wrong("fd-errors", "the straight line is treated as if it were curved", [0.1, 0.1, 0.7, 0, 0.01, 0.04])
wrong("fd-errors", "twice the step, twice the error", [0.1, 0.1, 0, 0, 0.01, 0.02])
wrong("fd-errors", "the error of the cube has the factor 6 of its third derivative", [0.1, 0.1, 0, 0, 0.06, 0.24])
wrong("fd-errors", "h is squared for forward differences, too", [0.01, 0.01, 0, 0, 0.01, 0.04])
right("fd-errors", "powers of the step, not rounded", [0.1, 0.1, 0, 0, 0.1**2, 0.2**2])

wrong("fd-roundoff", "the slope of x is 1, whatever the format", [1, 1, 1, 1, 1, 1])
wrong("fd-roundoff", "float32 has enough digits for 2**-30", [1, 0, 1, 0, 0, 4 / 3])
wrong("fd-roundoff", "a step below the gap is cut off, never rounded up", [1, 0, 0, 0, 0, 0])
wrong("fd-roundoff", "adding a whole number is always exact", [1, 0, 0, 0, 1, 4 / 3])
wrong("fd-roundoff", "rounded up to the gap means slope 1", [1, 0, 0, 0, 0, 1])
wrong("fd-roundoff", "h over gap instead of gap over h", [1, 0, 0, 0, 0, 0.75])
wrong("fd-roundoff", "gives the difference and does not divide by h", [2**-30, 0, 0, 0, 0, 2**-10])
wrong("fd-roundoff", "expects nan where x + h equals x", ["nan"] * 5 + [4 / 3])
right("fd-roundoff", "the last one with the digits that float16 prints", [1, 0, 0, 0, 0, 1.333])


@wrong("fd-balance", "the fraction is upside down")
def best(c, e):
    h = math.sqrt(c / e)
    return h, c * h + e / h


wrong("fd-balance", "the root is forgotten", above("math.sqrt(c / e) -> e / c"))


@wrong("fd-balance", "only one of the two equal errors is given")
def best(c, e):
    h = math.sqrt(e / c)
    return h, c * h


wrong("fd-balance", "exchanges the two results", above("return h, c * h -> return c * h + e / h, h"))


@wrong("fd-balance", "multiplies where it should divide, and forgets the factor 2")
def best(c, e):
    return math.sqrt(c * e), math.sqrt(c * e)


wrong("fd-balance", "gives the step alone", above("c * e), math.sqrt(c * e -> e / c"))


@wrong("fd-balance", "the cube root, which belongs to a central difference")
def best(c, e):
    h = (e / c) ** (1 / 3)
    return h, c * h + e / h


@wrong("fd-balance", "searches a coarse grid of powers of ten")
def best(c, e):
    steps = [10.0**-k for k in range(1, 16)]
    h = min(steps, key=lambda h: c * h + e / h)
    return h, c * h + e / h


@right("fd-balance", "the sum by its closed form, with a power for the root")
def best(c, e):
    return (e / c) ** 0.5, 2 * (c * e) ** 0.5


@wrong("fd-balance", "a list, where a tuple is asked for")
def best(c, e):
    h = np.sqrt(e / c)
    return [h, c * h + e / h]


@wrong("fd-step", "the square root, which belongs to a forward difference")
def step(x, name):
    return float(np.finfo(name).eps) ** 0.5 * max(1.0, abs(x))


wrong("fd-step", "the size is forgotten", above("0.5 * max(1.0, abs(x)) -> (1 / 3)"))
wrong("fd-step", "always times the size, also where it is below 1", above("0.5 * max(1.0, abs(x)) -> (1 / 3) * abs(x)"))
wrong("fd-step", "the sign of x is forgotten", above("0.5 * max(1.0, abs(x)) -> (1 / 3) * max(1.0, x)"))
wrong("fd-step", "1 // 3 is 0", above("** 0.5 * max -> ** (1 // 3) * max"))
wrong("fd-step", "min for max", above("0.5 * max -> (1 / 3) * min"))
wrong("fd-step", "divides by 3: no root at all", above("eps) ** 0.5 * max(1.0, abs(x) -> eps / 3 * max(1.0, abs(x))"))


@wrong("fd-step", "the root is taken of the product with the size")
def step(x, name):
    return (float(np.finfo(name).eps) * max(1.0, abs(x))) ** (1 / 3)


@wrong("fd-step", "always the eps of float64")
def step(x, name):
    return float(np.finfo(float).eps) ** (1 / 3) * max(1.0, abs(x))


@right("fd-step", "cbrt, and an if")
def step(x, name):
    h = float(np.cbrt(float(np.finfo(name).eps)))
    if abs(x) > 1:
        h *= abs(x)
    return float(h)


def f(x):
    return np.sum(x * x * x) + x[0] * x[1]


@wrong("fd-gradient", "forgets to divide by h")
def by_differences(x, h):
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved = x.copy()
        moved[i] += h
        gradient[i] = f(moved) - f(x)
    return gradient


wrong(
    "fd-gradient", "a slice is a view, not a copy", above(".copy() -> [:]", "f(moved) - f(x) -> (f(moved) - f(x)) / h")
)
wrong(
    "fd-gradient",
    "a backward difference",
    above("moved[i] += h -> moved[i] -= h", "f(moved) - f(x) -> (f(x) - f(moved)) / h"),
)


@wrong("fd-gradient", "the copy is made once, so the steps pile up")
def by_differences(x, h):
    moved = x.copy()
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved[i] += h
        gradient[i] = (f(moved) - f(x)) / h
    return gradient


wrong(
    "fd-gradient",
    "the value at x is worked out before, the copy is still x itself",
    above("moved = x.copy() -> start = f(x)\n    moved = x", "(f(moved) - f(x)) / h -> (f(moved) - start) / h"),
)


@wrong("fd-gradient", "the step is taken back, but x itself is moved")
def by_differences(x, h):
    moved = x
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved[i] += h
        gradient[i] = (f(moved) - f(x)) / h
        moved[i] -= h
    return gradient


@wrong("fd-gradient", "a central difference, where a forward one is asked")
def by_differences(x, h):
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        gradient[i] = (f(up) - f(down)) / (2 * h)
    return gradient


@wrong("fd-gradient", "the exact derivative")
def by_differences(x, h):
    gradient = 3 * x**2
    gradient[0] += x[1]
    gradient[1] += x[0]
    return gradient


@wrong("fd-gradient", "moves all elements at once")
def by_differences(x, h):
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        gradient[i] = (f(x + h) - f(x)) / h
    return gradient


@right("fd-gradient", "the rows of an identity for the steps, no loop over indices")
def by_differences(x, h):
    return np.array([(f(x + h * unit) - f(x)) / h for unit in np.eye(len(x))])


@right("fd-gradient", "one copy, and each step is set back from x")
def by_differences(x, h):
    moved = np.array(x)
    start = f(x)
    gradient = np.empty(len(x))
    for i in range(len(x)):
        moved[i] = x[i] + h
        gradient[i] = (f(moved) - start) / h
        moved[i] = x[i]
    return gradient


wrong("fd-cost", "f(x) is computed anew for each number", [2, 20, 2, 20, 1000])
wrong("fd-cost", "f(x) is not counted", [1, 10, 2, 20, 500])
wrong("fd-cost", "a central difference needs f(x), too", [2, 11, 3, 21, 501])
wrong("fd-cost", "two sides in one run", [2, 11, 2, 11, 501])
wrong("fd-cost", "one run moves all numbers at once", [2, 2, 2, 2, 2])
wrong("fd-cost", "a central difference is two forward ones", [2, 11, 4, 22, 501])
right("fd-cost", "floats for whole numbers", [2.0, 11.0, 2.0, 20.0, 501.0])
