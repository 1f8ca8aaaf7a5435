"""# Weights that small steps move (2 points)

`w` and `g` are float16 arrays: weights, and a gradient that is the same in every step.
With a small `lr` this training moves nothing, because each step is absorbed:

[[still_absorbed as train]]

Mend it: keep a float32 copy of the weights between the steps. Return the weights after all steps as a float16 array.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, wrong


def train(w, g, lr, steps):
    weights = w.astype(np.float32)
    for _ in range(steps):
        weights = weights - lr * g.astype(np.float32)
    return weights.astype(np.float16)


def _weights(rng, lr, steps):
    """A gradient that is small beside the weights, and so many steps, or half as many more."""
    w, g = rng.uniform(1.2, 2.0, 3), rng.uniform(0.1, 0.2, 3) * rng.choice([-1, 1], 3)
    return w.astype(np.float16), g.astype(np.float16), lr, int(rng.integers(steps, 1.5 * steps + 1))


draw = (partial(_weights, lr=1e-3, steps=2500), partial(_weights, lr=0.5, steps=3))
draws = 4


@wrong(
    "The weights did not move. If they go back to float16 in every step, each step is absorbed again: round them "
    "once, at the end.",
    when=lambda i, expected, got: np.array_equal(i[0], got),
)
def still_absorbed(w, g, lr, steps):
    for _ in range(steps):
        w = w - (lr * g).astype(np.float16)
    return w


@wrong("They moved the wrong way: a step goes against the gradient, w - lr * g.")
def uphill(w, g, lr, steps):
    return train(w, -g, lr, steps)


@wrong("The learning rate is missing from the steps.")
def no_learning_rate(w, g, lr, steps):
    return train(w, g, 1.0, steps)


@judged("still-absorbed")
def back_in_every_step(w, g, lr, steps):
    weights = w
    for _ in range(steps):
        weights = (weights.astype(np.float32) - lr * g).astype(np.float16)
    return weights


@judged("dtype")
def float32_comes_out(w, g, lr, steps):
    weights = w.astype(np.float32)
    for _ in range(steps):
        weights = weights - lr * g.astype(np.float32)
    return weights


@judged("mutated")
def in_place(w, g, lr, steps):
    w -= 1
    return w


@judged("printed")
def nothing_returned(w, g, lr, steps):
    w.astype(np.float32)


hints = (
    "Near 1 the gap of float16 is about 0.001, and a step is smaller than half of that. float32 has a gap of "
    "1e-7 there.",
    "Before the loop: a float32 copy, w.astype(np.float32). Only that is changed in the loop.",
    "weights = weights - lr * g.astype(np.float32), and after the loop return weights.astype(np.float16).",
)
