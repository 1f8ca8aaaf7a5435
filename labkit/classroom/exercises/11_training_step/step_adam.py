"""# Fix Adam (2 points)

`adam` takes one step for each of the `gradients` (a list of arrays) and returns the new `p`. Add the square root and the bias
correction, which are missing.

[[as_it_was as adam]]
"""

from functools import partial

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, same, slip, wrong


def adam(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        mean, square = m / (1 - 0.9**t), v / (1 - 0.999**t)
        p = p - rate * mean / (np.sqrt(square) + 1e-8)
    return p


def _slopes(rng, steps, steady=False):
    """So many gradients of four elements, of very different size; steady ones have one sign, and one element that is 0.

    None is so small that it would matter where 1e-8 is added, which differs between frameworks.
    """
    sizes = 10.0 ** rng.uniform(-1, 2, 4)
    either = lambda low: rng.uniform(low, 2, 4) * rng.choice([-1, 1], 4)
    if steady:
        sizes[rng.integers(4)] = 0.0
    gradients = [np.float32(sizes * (np.abs(g) if steady else g)) for g in (either(0.3) for _ in range(steps))]
    return np.float32(either(0.5)), gradients, float(rng.uniform(0.05, 0.5))


def _small_slopes(rng):
    """Small next to 1e-4, the root of 1e-8, and large next to 1e-8: where that is added is seen, in the root or behind it."""
    gradients = [np.float32(rng.uniform(1.0e-3, 1.4e-3, 4) * rng.choice([-1, 1], 4)) for _ in range(2)]
    return np.float32(rng.uniform(2, 4, 4)), gradients, 0.3


def reference(p, gradients, rate):
    parameter = ms.Parameter(ms.Tensor(p), name="p")
    optimizer = ms.nn.Adam([parameter], rate)
    for g in gradients:
        optimizer((ms.Tensor(g),))
    return parameter.asnumpy()


draw = (partial(_slopes, steps=3), partial(_slopes, steps=8, steady=True), _small_slopes)


@wrong("That is the original code. Divide by the square root of v, and correct m and v for their start at 0.")
def as_it_was(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for g in gradients:
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        p = p - rate * m / (v + 1e-8)
    return p


def _adam(
    p, gradients, rate, correct=lambda mean, beta, t: mean / (1 - beta**t), divisor=lambda v: np.sqrt(v) + 1e-8, first=1
):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, first):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        p = p - rate * correct(m, 0.9, t) / divisor(correct(v, 0.999, t))
    return p


@wrong(
    "p has not moved: no step is stored in p, or m stays 0. Each gradient takes a step.",
    when=lambda i, expected, got: same(i[0], got),
)
def not_moved(p, gradients, rate):
    return p + 0


@wrong("The bias correction is missing. m and v start at 0 and are too small at first: divide them by 1 - beta**t.")
def no_bias_correction(p, gradients, rate):
    return _adam(p, gradients, rate, correct=lambda mean, beta, t: mean)


@wrong("The square root is missing. v is the mean of squares: only its root has the size of a gradient.")
def no_root(p, gradients, rate):
    return _adam(p, gradients, rate, divisor=lambda v: v + 1e-8)


@wrong("1e-8 is inside the square root, where it becomes 1e-4. Add it after the root.")
def eps_in_the_root(p, gradients, rate):
    return _adam(p, gradients, rate, divisor=lambda v: np.sqrt(v + 1e-8))


@wrong(
    "You wrote the corrected means back into m and v, so the next step corrects them a second time. Store the corrected "
    "means under other names."
)
def corrected_for_good(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        m, v = m / (1 - 0.9**t), v / (1 - 0.999**t)
        p = p - rate * m / (np.sqrt(v) + 1e-8)
    return p


@wrong("In the first step a correction is 0, or there is none. The first step has t = 1, and divides by 1 - beta**1.")
def counts_from_zero(p, gradients, rate):
    return _adam(p, gradients, rate, lambda mean, beta, t: mean / (1 - beta**t) if t else mean, first=0)


@judged("m-not-corrected")
def v_corrected_alone(p, gradients, rate):
    return _adam(p, gradients, rate, lambda mean, beta, t: mean / (1 - beta**t) if beta > 0.99 else mean)


@judged("change-returned")
def the_last_step(p, gradients, rate):
    return _adam(p, gradients, rate) - _adam(p, gradients[:-1], rate)


v_not_corrected = slip(
    "v is not corrected: divide it by 1 - 0.999**t, as m by 1 - 0.9**t.",
    "v / (1 - 0.999**t) -> v",
)

m_not_corrected = slip(
    "m is not corrected: divide it by 1 - 0.9**t, as v by 1 - 0.999**t.",
    "m / (1 - 0.9**t), -> m,",
)

always_the_first_step = slip(
    "Every step uses the correction of the first step. t counts the steps: 1, 2, 3, ...",
    "enumerate(gradients, 1):\n -> enumerate(gradients, 1):\n        t = 1\n",
)

corrected_after_the_root = slip(
    "The correction of v is outside the root. Correct v first, then take the root.",
    "np.sqrt(square) -> np.sqrt(v) / (1 - 0.999**t)",
)

uphill = slip(
    "The step moves against the gradient: subtract.",
    "p - rate -> p + rate",
)

betas_exchanged = slip(
    "The two corrections are exchanged: 0.9 belongs to m, 0.999 to v.",
    "m / (1 - 0.9**t), v / (1 - 0.999**t) -> m / (1 - 0.999**t), v / (1 - 0.9**t)",
)

not_squared = slip(
    "v is the mean of the squared gradients. The square is missing.",
    "g**2 -> g",
)

last_count = slip(
    "You use the number of all steps as t. t counts the steps: 1, 2, 3, ...",
    "enumerate(gradients, 1):\n -> enumerate(gradients, 1):\n        t = len(gradients)\n",
)

times_t = slip(
    "nan comes from the root of a negative number. v is a mean of squares, and its correction is 1 minus a "
    "power, 0.999**t: both are positive.",
    "(1 - 0.9**t), v / (1 - 0.999**t) -> (1 - 0.9 * t), v / (1 - 0.999 * t)",
)

multiplied = slip(
    "You multiply by the corrections. Divide by them.",
    "m / (1 - 0.9**t), v / (1 - 0.999**t) -> m * (1 - 0.9**t), v * (1 - 0.999**t)",
)

second_step_first = slip(
    "The first step has t = 1. You begin with t = 2.", "enumerate(gradients, 1) -> enumerate(gradients, 2)"
)
first_gradient_only = slip(
    "The return is inside the loop: only the first gradient takes a step.", "    return p ->         return p"
)
rate_missing = slip("The learning rate is missing in the step.", "rate * mean -> mean")
gradient_for_m = slip(
    "The step contains the mean m of the gradients, not the last gradient.", "rate * mean -> rate * g"
)
m_not_weighted = slip("In m the new gradient has the factor 0.1.", "0.9 * m + 0.1 * g -> 0.9 * m + g")
v_not_weighted = slip("In v the new square has the factor 0.001.", "0.001 * g**2 -> g**2")
multiplied_by_the_root = slip(
    "Divide by the root of v. You multiplied by it.",
    "mean / (np.sqrt(square) + 1e-8) -> mean * (np.sqrt(square) + 1e-8)",
)
always_the_last_power = slip(
    "The power t is that of beta alone: 1 - 0.9**t, not (1 - 0.9)**t.",
    "(1 - 0.9**t), v / (1 - 0.999**t) -> 0.1**t, v / 0.001**t",
)


@wrong("You took the square root of m, too. Only v is a mean of squares.")
def root_of_both(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        p = p - rate * np.sqrt(np.abs(m / (1 - 0.9**t))) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p


@judged("counts-from-zero")
def divided_by_zero(p, gradients, rate):
    return _adam(p, gradients, rate, first=0)


betas_of_the_means_exchanged = slip(
    "The two betas are exchanged: 0.9 belongs to m, 0.999 to v.",
    "0.9 * m + 0.1 * g -> 0.999 * m + 0.001 * g",
    "0.999 * v + 0.001 * g**2 -> 0.9 * v + 0.1 * g**2",
)

all_betas_exchanged = slip(
    "The two betas are exchanged, in the means and in their corrections: 0.9 belongs to m, 0.999 to v.",
    "0.9 * m + 0.1 * g -> 0.999 * m + 0.001 * g",
    "0.999 * v + 0.001 * g**2 -> 0.9 * v + 0.1 * g**2",
    "m / (1 - 0.9**t), v / (1 - 0.999**t) -> m / (1 - 0.999**t), v / (1 - 0.9**t)",
)

means_start_anew = slip(
    "m and v begin at 0 again for each gradient. Both keep their values from step to step.",
    "    for t, g in enumerate(gradients, 1):\n ->     for t, g in enumerate(gradients, 1):\n        m, v = 0 * p, 0 * p\n",
)

one_beta_for_both = slip(
    "v has the beta 0.999. You took 0.9 for both.",
    "0.999 * v + 0.001 * g**2 -> 0.9 * v + 0.1 * g**2",
    "v / (1 - 0.999**t) -> v / (1 - 0.9**t)",
)

corrected_behind_the_root = slip(
    "The correction of v belongs under the root. You divide by it next to the root.",
    "mean / (np.sqrt(square) + 1e-8) -> mean / np.sqrt(v + 1e-8) / (1 - 0.999**t)",
)

first_step_alone_corrected = slip(
    "Only the first step is corrected. Every step divides by 1 - beta**t.",
    "m / (1 - 0.9**t), v / (1 - 0.999**t) -> m / (0.1 if t == 1 else 1), v / (0.001 if t == 1 else 1)",
)

absolute_values = slip(
    "v is the mean of the squared gradients, and its root is taken. You took a mean of absolute values.",
    "g**2 -> np.abs(g)",
    "np.sqrt(square) -> square",
)


added_to_one = slip(
    "The corrections divide by 1 - beta**t. You added beta**t to 1.",
    "(1 - 0.9**t), v / (1 - 0.999**t) -> (1 + 0.9**t), v / (1 + 0.999**t)",
)
power_alone = slip(
    "The corrections divide by 1 - beta**t. You divided by beta**t.",
    "(1 - 0.9**t), v / (1 - 0.999**t) -> 0.9**t, v / 0.999**t",
)
one_step_after_the_loop = slip(
    "p moves once, after the loop. Each of the gradients takes a step.", "        p = p - ->     p = p -"
)
zero_by_zero = slip(
    "Where all gradients are 0, you divide 0 by 0. 1e-8 is part of the divisor: add it to the root, in brackets.",
    "(np.sqrt(square) + 1e-8) -> np.sqrt(square) + 1e-8",
)
root_of_the_quotient = slip(
    "The root is that of v alone. You took the root of the quotient.",
    "mean / (np.sqrt(square) + 1e-8) -> np.sqrt(mean / (square + 1e-8))",
)
mean_squared = slip("v averages the squared gradients. You squared m.", "0.001 * g**2 -> 0.001 * m**2")
weights_of_m_exchanged = slip(
    "In m the old mean has the factor 0.9 and the new gradient 0.1. You exchanged the two.",
    "0.9 * m + 0.1 * g -> 0.1 * m + 0.9 * g",
)
weights_of_v_exchanged = slip(
    "In v the old mean has the factor 0.999 and the new square 0.001. You exchanged the two.",
    "0.999 * v + 0.001 * g**2 -> 0.001 * v + 0.999 * g**2",
)
root_kept = slip(
    "v keeps the mean of the squares. Take its root in the step only.",
    "v = 0.999 * v + 0.001 * g**2 -> v = np.sqrt(0.999 * v + 0.001 * g**2)",
    "np.sqrt(square) -> square",
)
root_of_the_divisor = slip(
    "The correction of v divides by 1 - 0.999**t. You took the root of this number first.",
    "v / (1 - 0.999**t) -> v / np.sqrt(1 - 0.999**t)",
)
m_corrected_like_v = slip(
    "The correction of m divides by 1 - 0.9**t. You took the root of this number.",
    "m / (1 - 0.9**t), -> m / np.sqrt(1 - 0.9**t),",
)


brackets_missing_for_m = slip(
    "The correction divides by all of 1 - 0.9**t. Put it in brackets.", "m / (1 - 0.9**t), -> m / 1 - 0.9**t,"
)
brackets_missing_for_v = slip(
    "The correction divides by all of 1 - 0.999**t. Put it in brackets.", "v / (1 - 0.999**t) -> v / 1 - 0.999**t"
)
change_returned = slip("You give the change. The exercise asks for the new p.", "p = p - rate -> p = -rate")
root_of_m_too = slip("The root is that of v alone. You took that of m, too.", "rate * mean -> rate * np.sqrt(mean)")
square_for_the_root = slip("Take the square root of the corrected v. You squared it.", "np.sqrt(square) -> square**2")
larger_epsilon = slip("The exercise adds 1e-8. Your number is much larger.", "1e-8 -> 1e-2")


m_added_to_one = slip(
    "The correction of m divides by 1 - 0.9**t. You added the power to 1.", "m / (1 - 0.9**t) -> m / (1 + 0.9**t)"
)
m_power_alone = slip(
    "The correction of m divides by 1 - 0.9**t. You divided by 0.9**t.", "m / (1 - 0.9**t) -> m / 0.9**t"
)
m_times_t = slip(
    "The correction of m has a power, 0.9**t. You multiplied by t.", "m / (1 - 0.9**t) -> m / (1 - 0.9 * t)"
)
m_multiplied = slip("The correction of m is multiplied in. Divide by it.", "m / (1 - 0.9**t) -> m * (1 - 0.9**t)")

v_added_to_one = slip(
    "The correction of v divides by 1 - 0.999**t. You added the power to 1.", "v / (1 - 0.999**t) -> v / (1 + 0.999**t)"
)
v_power_alone = slip(
    "The correction of v divides by 1 - 0.999**t. You divided by 0.999**t.", "v / (1 - 0.999**t) -> v / 0.999**t"
)
v_multiplied = slip("The correction of v is multiplied in. Divide by it.", "v / (1 - 0.999**t) -> v * (1 - 0.999**t)")

doubled = slip("v averages the squared gradients. You doubled g.", "g**2 -> g * 2")
m_without_past = slip("m keeps 0.9 of its old value. You left that out.", "0.9 * m + 0.1 * g -> 0.1 * g")
v_without_past = slip("v keeps 0.999 of its old value. You left that out.", "0.999 * v + 0.001 * g**2 -> 0.001 * g**2")
m_does_not_fade = slip("The old m counts 0.9 times. You added it in full.", "0.9 * m + 0.1 * g -> m + 0.1 * g")
v_does_not_fade = slip(
    "The old v counts 0.999 times. You added it in full.", "0.999 * v + 0.001 * g**2 -> v + 0.001 * g**2"
)


m_is_the_gradient = slip(
    "Your m is the last gradient alone. The old m counts 0.9 in it.",
    "0.9 * m + 0.1 * g -> g",
)

m_ten_times = slip(
    "Your m is 10 times as large as the uncorrected one in each step. The correction divides by 1 - 0.9**t, "
    "with the number t of the step.",
    "m / (1 - 0.9**t), -> m / (1 - 0.9),",
)

v_thousand_times = slip(
    "Your v is 1000 times as large as the uncorrected one in each step. The correction divides by 1 - "
    "0.999**t, with the number t of the step.",
    "v / (1 - 0.999**t) -> v / (1 - 0.999)",
)


hints = (
    "enumerate(gradients, 1) gives t = 1, 2, 3 along with the gradients.",
    "The corrected means are m / (1 - 0.9**t) and v / (1 - 0.999**t). Do not change m and v themselves.",
    "p = p - rate * m_corrected / (np.sqrt(v_corrected) + 1e-8)",
)
