"""11 Floating point."""

import numpy as np
from sheets import above, right, wrong


@wrong("fp-limits", "the smallest exponent is kept for the subnormal numbers: forgotten")
def limits(E, F):
    bias = 2 ** (E - 1) - 1
    return (2 - 2.0**-F) * 2.0**bias, -bias, -bias - F, -F


wrong("fp-limits", "smallest and smallest normal are exchanged", above("-bias, -bias - F -> 1 - bias - F, 1 - bias"))


@wrong("fp-limits", "the bias is 2**(E-1)")
def limits(E, F):
    bias = 2 ** (E - 1)
    return (2 - 2.0**-F) * 2.0 ** (bias - 1), 1 - bias, 1 - bias - F, -F


@right("fp-limits", "counted up and down by loops")
def limits(E, F):
    top = 2 ** (E - 1) - 1
    largest = 0.0
    for k in range(F + 1):
        largest += 2.0 ** (top - k)
    lowest = -(2 ** (E - 1) - 2)
    return largest, lowest, lowest - F, -F


ends = ["normal", "subnormal", "0", "inf", "normal", "nan", "0", "normal", "normal", "normal"]
wrong("fp-ends", "multiplying is associative", [*ends[:6], "normal", *ends[7:]])
wrong("fp-ends", "too large is nan", [*ends[:3], "nan", *ends[4:]])
right("fp-ends", "a tuple", tuple(ends))

wrong("fp-layers", "the exponents, one per layer", [25, 134, 150, 17, 10])
right("fp-layers", "floats", [7.0, 34.0, 38.0, 5.0, 3.0])

leaks = ["float32", "float64", "float16", "float32", "float64", "float32", "float64", "float32", "float32"]
wrong("fp-leak-find", "a list of Python numbers is float64", ["float64", *leaks[1:]])
wrong("fp-leak-find", "the gradient has the type of the result", [*leaks[:8], "float64"])
right("fp-leak-find", "a tuple", tuple(leaks))


# ---- fp-rest ----


@wrong("fp-rest", "the weights are moved before the movement is measured")
def train(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = rest - lr * g
        w = w + step
        rest = step - (w + step - w)
    return w, rest


@right("fp-rest", "compensated the other way round, with the sign turned")
def train(w, g, lr, steps):
    lost = np.zeros(w.shape, np.float16)
    for _ in range(steps):
        wanted = np.float16(lr) * g + lost
        after = w - wanted
        lost = wanted - (w - after)
        w = after
    return w, -lost
