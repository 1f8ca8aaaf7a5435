"""e1 Finite differences."""

import numpy as np
from sheets import right, wrong


@right("fd-step", "cbrt, and an if")
def step(x, name):
    h = float(np.cbrt(float(np.finfo(name).eps)))
    if abs(x) > 1:
        h *= abs(x)
    return float(h)


def f(x):
    return np.sum(x * x * x) + x[0] * x[1]


@right("fd-gradient", "the rows of an identity for the steps, no loop over indices")
def by_differences(x, h):
    return np.array([(f(x + h * unit) - f(x)) / h for unit in np.eye(len(x))])


wrong("fd-cost", "two sides in one forward pass", [2, 11, 2, 11, 501])
wrong("fd-cost", "one forward pass moves all numbers at once", [2, 2, 2, 2, 2])
wrong("fd-cost", "f(x) is counted before and after", [3, 12, 2, 20, 502])
