"""08 Floating point."""

import numpy as np
from sheets import above, right, wrong

wrong("fd-roundoff", "h in gaps", [2**22, 2**-8, 2**-7, 0.25, 2**-8, 0.75])
right("fd-roundoff", "the last with the digits that float16 prints", [1, 0, 0, 0, 0, 1.333])


@right("fp-limits", "summed in a loop")
def limits(E, F):
    top = 2 ** (E - 1) - 1
    largest = 0.0
    for k in range(F + 1):
        largest += 2.0 ** (top - k)
    lowest = -(2 ** (E - 1) - 2)
    return largest, lowest, lowest - F, -F


wrong("fp-limits", "the bias of F", above("(E - 1) - 1\n -> (F - 1) - 1\n", "(E - 1) - 2 -> (F - 1) - 2"))

ends = ["normal", "subnormal", "0", "inf", "normal", "nan", "0", "normal", "normal", "normal"]
wrong("fp-ends", "multiplying is associative", [*ends[:6], "normal", *ends[7:]])
wrong("fp-ends", "too large is nan", [*ends[:3], "nan", *ends[4:]])
right("fp-ends", "a tuple", tuple(ends))

wrong("fp-layers", "1/16 is 2**-3", [9, 45, 50, 6, 4])
right("fp-layers", "floats", [7.0, 34.0, 38.0, 5.0, 3.0])


@right("fp-rest", "compensated with the opposite sign")
def train(w, g, lr, steps):
    lost = np.zeros(w.shape, np.float16)
    for _ in range(steps):
        wanted = np.float16(lr) * g + lost
        after = w - wanted
        lost = wanted - (w - after)
        w = after
    return w, -lost


wrong("fp-rest", "the weights move before the movement is measured", above("(w - after) -> (after - (after - wanted))"))
