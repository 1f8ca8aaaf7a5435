"""The functions to write in notebook 11: the limits of a format, and weights that small steps still move."""

from functools import partial

import numpy as np

from ...precision import Format
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb11 import NOTEBOOK

# ---- fp-limits ----


def _limits(exponent_bits, fraction_bits):
    of = Format("", exponent_bits, fraction_bits)
    return of.max, of.min_exponent, of.min_exponent - of.fraction_bits, -of.fraction_bits


def _top(inputs):
    """The largest exponent of the format."""
    return 2 ** (inputs[0] - 1) - 1


_LIMITS = """
def limits(E, F):
    bias = 2 ** (E - 1) - 1
    largest = (2 - 2.0**-F) * 2.0**{top}
    smallest = {low}
    return largest, smallest, smallest {less}, {gap}


answer = limits
"""


def _with(top="bias", low="1 - bias", less="- F", gap="-F"):
    return _LIMITS.format(top=top, low=low, less=less, gap=gap)


LIMITS = Exercise(
    name="fp-limits",
    notebook=NOTEBOOK,
    title="From bits to limits",
    points=3,
    statement="""A format has `E` bits for the exponent and `F` bits for the fraction, and works like float16 (where `E` is 5
and `F` is 10). Write `limits(E, F)`; it returns a tuple of four numbers:

0. the largest number
1. the `e` for which `2**e` is the smallest normal number
2. the `e` for which `2**e` is the smallest number of all, a subnormal one
3. the `e` for which `2**e` is the gap between 1 and the next number

For float16 the answer is `(65504.0, -14, -24, -10)`.""",
    reference=_limits,
    draw=lambda rng: (int(rng.integers(4, 8)), int(rng.integers(2, 10))),
    arguments=("E", "F"),
    misconceptions=(
        Misconception(
            "last-exponent-is-taken",
            "The exponent that is all ones is taken by inf and nan. The largest number has the exponent below it.",
            lambda i, expected, got: same(2 * expected[0], got[0]),
        ),
        Misconception(
            "fraction-of-the-largest",
            "The exponent is right, but the largest number has a fraction of all ones: it is almost the next power of two.",
            lambda i, expected, got: got[0] in (2.0 ** _top(i), 2.0 ** (_top(i) + 1)),
        ),
        Misconception(
            "exponent-zero-is-taken",
            "The exponent field 0 is taken by 0 and the subnormal numbers. Normal numbers start at the field 1.",
            lambda i, expected, got: got[1] == expected[1] - 1,
        ),
        Misconception(
            "no-subnormals",
            "Below the smallest normal number there are more: the fraction counts down to its last bit.",
            lambda i, expected, got: got[2] == expected[1] and same(expected[:2], got[:2]),
        ),
        Misconception(
            "gap-sign",
            "The gap at 1 is one step of the last fraction bit: 2 to the power of minus F.",
            lambda i, expected, got: got[3] in (i[1], -i[1] - 1, -i[1] + 1) and same(expected[:3], got[:3]),
        ),
    ),
    hints=(
        "The exponent field counts from 0 to 2**E - 1; the bias 2**(E - 1) - 1 is subtracted. Both ends are taken: by 0 and "
        "subnormal numbers below, by inf and nan above.",
        "The largest number is 1.111...1 (F ones) times 2**bias, and 1.111...1 is 2 - 2**-F.",
        "The smallest normal exponent is 1 - bias, the smallest of all is F lower, the gap at 1 is -F.",
    ),
    solution=_with(),
    wrong_answers=(
        WrongAnswer("inf's exponent", _with(top="(bias + 1)"), "last-exponent-is-taken"),
        WrongAnswer("a power of two", _with().replace("(2 - 2.0**-F) * ", ""), "fraction-of-the-largest"),
        WrongAnswer("field 0", _with(low="-bias"), "exponent-zero-is-taken"),
        WrongAnswer("normal numbers alone", _with(less=""), "no-subnormals"),
        WrongAnswer("gap", _with(gap="F"), "gap-sign"),
        WrongAnswer("float16's", "answer = lambda E, F: (65504.0, -14, -24, -10)", "value"),
        WrongAnswer("three numbers", _with().replace(", -F\n", "\n"), "structure"),
    ),
)


# ---- fp-update ----


def _train(w, g, lr, steps):
    weights = w.astype(np.float32)
    for _ in range(steps):
        weights = weights - np.float32(lr) * g.astype(np.float32)
    return weights.astype(np.float16)


def _moved(w, g, distance):
    return (w.astype(np.float32) - np.float32(distance) * g.astype(np.float32)).astype(np.float16)


_TRAIN = """
def train(w, g, lr, steps):
    weights = w{start}
    for _ in range(steps):
        weights = {step}
    return weights{end}


answer = train
"""
_WIDE, _NARROW = ".astype(np.float32)", ".astype(np.float16)"


def _trains(start=_WIDE, step="weights - lr * g.astype(np.float32)", end=_NARROW):
    return _TRAIN.format(start=start, step=step, end=end)


def _weights(rng, lr, steps):
    """A gradient that is small beside the weights, and so many steps, or half as many more."""
    w, g = rng.uniform(1.2, 2.0, 3), rng.uniform(0.1, 0.2, 3) * rng.choice([-1, 1], 3)
    return w.astype(np.float16), g.astype(np.float16), lr, int(rng.integers(steps, 1.5 * steps + 1))


UPDATE = Exercise(
    name="fp-update",
    notebook=NOTEBOOK,
    title="Weights that small steps move",
    points=2,
    statement="""`w` and `g` are float16 arrays: weights, and a gradient that is the same in every step.
This training moves nothing, because each step is absorbed:

```python
def train(w, g, lr, steps):
    for _ in range(steps):
        w = w - (lr * g).astype(np.float16)
    return w
```

Mend it: keep a float32 copy of the weights between the steps. Return the weights after all steps as a float16 array.""",
    reference=_train,
    draw=(partial(_weights, lr=1e-3, steps=2500), partial(_weights, lr=0.5, steps=3)),
    arguments=("w", "g", "lr", "steps"),
    draws=4,
    misconceptions=(
        Misconception(
            "still-absorbed",
            "The weights did not move. If they go back to float16 in every step, each step is absorbed again: round them "
            "once, at the end.",
            lambda i, expected, got: np.array_equal(i[0], got),
        ),
        Misconception(
            "uphill",
            "They moved the wrong way: a step goes against the gradient, w - lr * g.",
            lambda i, expected, got: same(_moved(i[0], i[1], -i[2] * i[3]), got),
        ),
        Misconception(
            "no-learning-rate",
            "The learning rate is missing from the steps.",
            lambda i, expected, got: same(_moved(i[0], i[1], i[3]), got),
        ),
    ),
    hints=(
        "Near 1 the gap of float16 is about 0.001, and a step is smaller than half of that. float32 has a gap of 1e-7 there.",
        "Before the loop: a float32 copy, w.astype(np.float32). Only that is changed in the loop.",
        "weights = weights - lr * g.astype(np.float32), and after the loop return weights.astype(np.float16).",
    ),
    solution=_trains(),
    wrong_answers=(
        WrongAnswer(
            "as it was", _trains(start="", step="weights - (lr * g).astype(np.float16)", end=""), "still-absorbed"
        ),
        WrongAnswer(
            "back in every step",
            _trains(start="", step="(weights.astype(np.float32) - lr * g).astype(np.float16)", end=""),
            "still-absorbed",
        ),
        WrongAnswer("uphill", _trains(step="weights + lr * g.astype(np.float32)"), "uphill"),
        WrongAnswer("no rate", _trains(step="weights - g.astype(np.float32)"), "no-learning-rate"),
        WrongAnswer("float32 comes out", _trains(end=""), "dtype"),
        WrongAnswer("in place", "def answer(w, g, lr, steps):\n    w -= 1\n    return w", "mutated"),
        WrongAnswer("nothing", "def answer(w, g, lr, steps):\n    w.astype(np.float32)", "printed"),
    ),
)

EXERCISES = (LIMITS, UPDATE)
