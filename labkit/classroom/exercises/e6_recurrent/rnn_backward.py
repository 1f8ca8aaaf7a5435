"""# Backpropagation through time, by hand (3 points)

A recurrent unit reads a list `x` of numbers: its state `h` starts at 0, and each number changes it to
`h = tanh(w * h + u * number)`. The loss is `(h - y) ** 2`, with the last `h`.

Write `backward(w, u, x, y)` by hand, without automatic differentiation: save all states, compute the backward pass through
them, and return the tuple `(dw, du)`, the derivatives of the loss with respect to `w` and to `u`. They are compared to 12
digits.
"""

from functools import partial

import autograd.numpy as anp
import numpy as np

from labkit import engine
from labkit.classroom.writing import EXACT, PLAIN, judged, slip, wrong


def backward(w, u, x, y):
    states = np.zeros(len(x) + 1)
    for t in range(len(x)):
        states[t + 1] = np.tanh(w * states[t] + u * x[t])
    dh, dw, du = 2 * (states[-1] - y), 0.0, 0.0
    for t in reversed(range(len(x))):
        da = dh * (1 - states[t + 1] ** 2)
        dw += da * states[t]
        du += da * x[t]
        dh = da * w
    return dw, du


def _sequence(rng, length):
    """Weights of either sign, numbers that differ, and a target that is not reached."""
    w, u = (float(rng.uniform(0.4, 1.3) * rng.choice([-1, 1])) for _ in range(2))
    x = [float(number) for number in rng.uniform(0.3, 1.5, length) * rng.choice([-1, 1], length)]
    return w, u, x, float(rng.uniform(1.2, 2) * rng.choice([-1, 1]))


draw = (partial(_sequence, length=3), partial(_sequence, length=1), partial(_sequence, length=6))


overwritten = slip(
    "Each step replaces dw and du. w and u are used in each step: add the contributions.",
    "dw += -> dw =",
    "du += -> du =",
)

two_missing = slip(
    "The 2 of the square is missing.",
    "2 * (states[-1] - y) -> states[-1] - y",
)

error_turned_round = slip(
    "The sign of the error is wrong: it is h - y.",
    "(states[-1] - y) -> (y - states[-1])",
)

past_the_tanh = slip(
    "What goes on to the state before has passed the tanh: multiply w by the gradient of the sum inside tanh, "
    "not by that of h.",
    "dh = da * w -> dh = dh * w",
)

through_u = slip(
    "The state before was multiplied by w, not by u.",
    "dh = da * w -> dh = da * u",
)

forward_order = slip(
    "The backward pass goes from the last step to the first.",
    "reversed(range(len(x))) -> range(len(x))",
)

du_overwritten = slip(
    "du is replaced in each step. Add the contributions.",
    "du += -> du =",
)

dw_overwritten = slip(
    "dw is replaced in each step. Add the contributions.",
    "dw += -> dw =",
)

not_squared = slip(
    "The derivative of tanh is 1 - h**2. The square is missing.",
    "(1 - states[t + 1] ** 2) -> (1 - states[t + 1])",
)

derivative_at_the_state_before = slip(
    "The derivative of tanh is taken with the state that this step made, not the one before.",
    "(1 - states[t + 1] ** 2) -> (1 - states[t] ** 2)",
)

states_for_numbers = slip(
    "u was multiplied by the number that was read, not by the state.",
    "du += da * x[t] -> du += da * states[t]",
)


ways = (EXACT, PLAIN)


def reference(w, u, x, y):
    def loss(w, u):
        h = 0.0
        for number in x:
            h = anp.tanh(w * h + u * number)
        return (h - y) ** 2

    return tuple(float(slope) for slope in engine.grad(loss, (0, 1))(w, u))


def _walked(w, u, x, y, factor=lambda after: 1 - after**2, used=0, on=lambda da, w: da * w, first=2.0, only=None):
    states = np.zeros(len(x) + 1)
    for t in range(len(x)):
        states[t + 1] = np.tanh(w * states[t] + u * x[t])
    dh, dw, du = first * (states[-1] - y), 0.0, 0.0
    for t in reversed(range(len(x))):
        da = dh * factor(states[t + 1])
        if only is None or t == len(x) - 1:
            dw, du = dw + da * states[t + used], du + da * x[t]
        dh = on(da, w)
    return dw, du


@wrong("Only the last step sent something. w and u are used at every step, and every use sends its part: add them up.")
def last_step_only(w, u, x, y):
    return _walked(w, u, x, y, only="the last")


@wrong("The tanh is missing in the backward pass. Its derivative is 1 - h**2, with the h that it made.")
def tanh_forgotten(w, u, x, y):
    return _walked(w, u, x, y, factor=lambda after: 1.0)


@wrong("In dw stands the state after the step. w was multiplied with the state before it.")
def state_after_the_step(w, u, x, y):
    return _walked(w, u, x, y, used=1)


@wrong("What goes back to the state before is multiplied by w: it was w * h.")
def not_through_w(w, u, x, y):
    return _walked(w, u, x, y, on=lambda da, w: da)


@wrong("dw and du have changed places.")
def changed_places(w, u, x, y):
    return backward(w, u, x, y)[::-1]


@judged("two-missing")
def half_the_square(w, u, x, y):
    return _walked(w, u, x, y, first=1.0)


hints = (
    "states needs one more item than x: states[t] is the state before step t, states[t + 1] the one after it.",
    "Begin with dh = 2 * (states[-1] - y). At each step da = dh * (1 - states[t + 1]**2).",
    "dw += da * states[t]; du += da * x[t]; then dh = da * w for the step before.",
)
