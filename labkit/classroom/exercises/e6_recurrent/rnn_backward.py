"""# Backpropagation through time, by hand (3 points)

A recurrent unit reads a list `x` of numbers: its state `h` starts at 0, and each number changes it to
`h = tanh(w * h + u * number)`. The loss is `(h - y) ** 2`, with the last `h`.

Write `backward(w, u, x, y)` by hand, without automatic differentiation. It returns the tuple `(dw, du)`, the derivatives of
the loss with respect to `w` and to `u`. They are compared to 12 digits.
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
    "dw and du are those of the first step alone. w and u are used in each step: add the contributions.",
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
    "The gradient of the previous state passes through the tanh: multiply w by the gradient of the sum inside tanh, not by "
    "that of h.",
    "dh = da * w -> dh = dh * w",
)

through_u = slip(
    "The previous state is multiplied by w, not by u.",
    "dh = da * w -> dh = da * u",
)

forward_order = slip(
    "The backward pass goes from the last step to the first.",
    "reversed(range(len(x))) -> range(len(x))",
)

du_overwritten = slip(
    "du is that of the first step alone. Add the contributions of all steps.",
    "du += -> du =",
)

dw_overwritten = slip(
    "dw is 0, the contribution of the first step alone, where h is 0. Add the contributions of all steps.",
    "dw += -> dw =",
)

not_squared = slip(
    "The derivative of tanh is 1 - h**2. The square is missing.",
    "(1 - states[t + 1] ** 2) -> (1 - states[t + 1])",
)

derivative_at_the_state_before = slip(
    "The derivative of tanh uses the state after this step, not the one before it.",
    "(1 - states[t + 1] ** 2) -> (1 - states[t] ** 2)",
)

states_for_numbers = slip(
    "u is multiplied by the number of this step, not by the state.",
    "du += da * x[t] -> du += da * states[t]",
)

first_step_left_out = slip(
    "The first step is left out: the backward pass ends at t = 0.",
    "reversed(range(len(x))) -> reversed(range(1, len(x)))",
)
last_step_left_out = slip(
    "The last step is left out: the backward pass begins at t = len(x) - 1.",
    "reversed(range(len(x))) -> reversed(range(len(x) - 1))",
)
w_for_the_state = slip(
    "w is multiplied by the state before the step. In dw you used w instead of this state.",
    "dw += da * states[t] -> dw += da * w",
)
u_for_the_number = slip(
    "u is multiplied by the number of this step. In du you used u instead of this number.",
    "du += da * x[t] -> du += da * u",
)
never_passed_on = slip(
    "Your gradient of h is the same at every step. On its way to the previous state, it passes through this step's tanh and "
    "w.",
    "        dh = da * w\n -> ",
)
added_to_dh = slip(
    "The previous state gets only the gradient that passes through tanh and w. You added the gradient of the next state: "
    "the loss has only the last state.",
    "dh = da * w -> dh += da * w",
)
loss_for_its_derivative = slip(
    "The backward pass begins with the derivative of the loss, 2 * (h - y). You began with the loss itself.",
    "2 * (states[-1] - y), -> (states[-1] - y) ** 2,",
)
number_for_the_state = slip(
    "In dw, w is multiplied by the previous state, not by the number.", "dw += da * states[t] -> dw += da * x[t]"
)
tanh_of_the_state = slip(
    "states[t + 1] is the result of tanh. You took tanh of it once more.",
    "states[t + 1] ** 2 -> np.tanh(states[t + 1]) ** 2",
)
plus_for_minus = slip(
    "The derivative of tanh is 1 - h**2. Yours has a plus.", "(1 - states[t + 1] ** 2) -> (1 + states[t + 1] ** 2)"
)
last_number_each_time = slip(
    "Step t reads x[t]. You used the last number each time.", "du += da * x[t] -> du += da * x[-1]"
)
mean_of_steps = slip(
    "The contributions of the steps are added. You took their mean.", "return dw, du -> return dw / len(x), du / len(x)"
)
tanh_in_the_contributions = slip(
    "The contributions of a step pass through its tanh: use da, not dh.",
    "dw += da -> dw += dh",
    "du += da -> du += dh",
)

number_before = slip("Step t reads x[t]. You used the number before it.", "du += da * x[t] -> du += da * x[t - 1]")


@wrong("The loss contains only the last state. You added an error at every step.")
def loss_at_every_step(w, u, x, y):
    states = np.zeros(len(x) + 1)
    for t in range(len(x)):
        states[t + 1] = np.tanh(w * states[t] + u * x[t])
    dh = dw = du = 0.0
    for t in reversed(range(len(x))):
        da = (dh + 2 * (states[t + 1] - y)) * (1 - states[t + 1] ** 2)
        dw, du, dh = dw + da * states[t], du + da * x[t], da * w
    return dw, du


tanh_missing_in_du = slip("In du the derivative of tanh of this step is missing.", "du += da -> du += dh")
tanh_missing_in_dw = slip("In dw the derivative of tanh of this step is missing.", "dw += da -> dw += dh")

number_after = slip(
    "Step t reads x[t]. You used the number after it.", "du += da * x[t] -> du += da * x[min(t + 1, len(x) - 1)]"
)


starts_at_one = slip("The state h starts at 0. Yours starts at 1.", "np.zeros(len(x) + 1) -> np.ones(len(x) + 1)")
numbers_from_the_start = slip(
    "Step t read x[t]. The backward pass begins with the last step, so with the last number.",
    "du += da * x[t] -> du += da * x[len(x) - 1 - t]",
)
states_from_the_start = slip(
    "In dw, w was multiplied by states[t]. The backward pass begins with the last step, so with its states.",
    "dw += da * states[t] -> dw += da * states[len(x) - 1 - t]",
)
argument_of_tanh = slip(
    "The derivative of tanh is 1 - h**2, with the result of tanh. You took its argument.",
    "states[t + 1] ** 2 -> (w * states[t] + u * x[t]) ** 2",
)
one_for_the_loss = slip(
    "The backward pass begins with the derivative of the loss, 2 * (h - y). You began with 1.",
    "2 * (states[-1] - y), -> 1.0,",
)
w_without_the_sum = slip(
    "The contributions to dw come from the states, one before each step. You took the last state each time.",
    "dw += da * states[t] -> dw += da * states[-1]",
)
two_states_before = slip(
    "In dw, w was multiplied by the state before the step, states[t]. You took the one before that.",
    "dw += da * states[t] -> dw += da * states[max(t - 1, 0)]",
)
w_added = slip("On its way to the previous state, dh is multiplied by w. You added w.", "dh = da * w -> dh = da + w")
divided_by_w = slip(
    "On its way to the previous state, dh is multiplied by w. You divided by it.", "dh = da * w -> dh = da / w"
)
loss_without_y = slip(
    "The derivative of the loss is 2 * (h - y). y is missing.", "2 * (states[-1] - y), -> 2 * states[-1],"
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


@wrong("Only the last step contributes. w and u are used at every step: add up the contributions of all steps.")
def last_step_only(w, u, x, y):
    return _walked(w, u, x, y, only="the last")


@wrong("The tanh is missing in the backward pass. Its derivative is 1 - h**2, where h is its result.")
def tanh_forgotten(w, u, x, y):
    return _walked(w, u, x, y, factor=lambda after: 1.0)


@wrong("Your dw uses the state after the step. w is multiplied by the state before it.")
def state_after_the_step(w, u, x, y):
    return _walked(w, u, x, y, used=1)


@wrong("The gradient of the previous state is multiplied by w, because the step computes w * h.")
def not_through_w(w, u, x, y):
    return _walked(w, u, x, y, on=lambda da, w: da)


@wrong("dw and du are exchanged.")
def changed_places(w, u, x, y):
    return backward(w, u, x, y)[::-1]


@judged("two-missing")
def half_the_square(w, u, x, y):
    return _walked(w, u, x, y, first=1.0)


@wrong(
    "Each part is the right one times w. The factor w belongs to what goes on to the state before, not to dw and du."
)
def contributions_times_w(w, u, x, y):
    return tuple(w * part for part in backward(w, u, x, y))


hints = (
    "states needs one more item than x: states[t] is the state before step t, states[t + 1] the one after it.",
    "Begin with dh = 2 * (states[-1] - y). At each step da = dh * (1 - states[t + 1]**2).",
    "dw += da * states[t]; du += da * x[t]; then dh = da * w for the step before.",
)
