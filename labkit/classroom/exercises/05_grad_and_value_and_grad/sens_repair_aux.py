"""# The loss is right, the step is not (2 points)

This training step should minimise the *loss*. It has to return the loss, the logits and the new weight. The loss is right, but
the new weight is wrong. Fix the step. `w` and `x` are Tensors of three elements, and `y` is a Tensor with one number.

[[_as_it_was as step]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, same, slip, wrong


def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward, has_aux=True)(w)
    return loss, logits, w - 0.1 * dw


def draw(rng):
    w, x = rng.uniform(-1, 1, (2, 3)).astype(np.float32)
    return w, x, np.array(rng.uniform(1, 2), np.float32)


tensors = "mindspore"
errors = (
    (
        "iteration over a 0-d tensor",
        "A Tensor with one number cannot be unpacked. When forward returns the loss alone, the value is one Tensor, not a pair.",
    ),
    ("expected 3, got 2", "The result is ((loss, logits), dw): two parts, and the first one is a pair."),
    ("requires more than one outputs", "has_aux=True belongs to a function that returns the loss and something else."),
)


def _as_it_was(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward)(w)
    return loss, logits, w - 0.1 * dw


@wrong(
    "Now the step minimises only the logits. With has_aux=True the first output of forward is differentiated: that has to "
    "be the loss, without stop_gradient.",
    parts=(2,),
)
def logits_only(w, x, y):
    (logits, loss), dw = ms.value_and_grad(lambda w: ((w * x).sum(), ((w * x).sum() - y) ** 2), has_aux=True)(w)
    return loss, logits, w - 0.1 * dw


@wrong("You subtracted the logits from the loss. They should not count at all, neither with +1 nor with -1.")
def difference_of_outputs(w, x, y):
    g = ms.grad(lambda w: ((w * x).sum() - y) ** 2 - (w * x).sum())(w)
    return ((w * x).sum() - y) ** 2, (w * x).sum(), w - 0.1 * g


@judged("structure")
def logits_left_out(w, x, y):
    loss, _, after = step(w, x, y)
    return loss, after


@judged("weight-unchanged")
def no_step(w, x, y):
    loss, logits, _ = step(w, x, y)
    return loss, logits, w


gradient_returned = slip(
    "You return the gradient. The exercise asks for the new weight, w - 0.1 * dw.",
    "w - 0.1 * dw -> dw",
)

step_returned = slip(
    "You return the step. The exercise asks for the new weight, w - 0.1 * dw.",
    "w - 0.1 * dw -> -0.1 * dw",
)

rate_missing = slip(
    "The learning rate 0.1 is missing.",
    "w - 0.1 * dw -> w - dw",
)

outputs_exchanged = slip(
    "The loss and the logits are exchanged.",
    "return loss, logits, -> return logits, loss,",
)

weight_unchanged = slip(
    "The weight does not change: no step was taken, or its gradient is 0. stop_gradient before the loss also cuts off the "
    "loss.",
    "w - 0.1 * dw -> w",
)

halved = slip(
    "The step is half as large as it should be. Nothing is averaged over the outputs.",
    "0.1 * dw -> 0.05 * dw",
)


positive_step_returned = slip(
    "You return 0.1 * dw. The exercise asks for the new weight, w - 0.1 * dw.",
    "w - 0.1 * dw -> 0.1 * dw",
)

loss_times_gradient = slip(
    "The step is the rate times the gradient. The value of the loss is not a factor of it.",
    "0.1 * dw -> 0.1 * loss * dw",
)

minus_turned_round = slip(
    "The new weight is the old one minus the step, not the step minus the old one.",
    "w - 0.1 * dw -> 0.1 * dw - w",
)

doubled = slip(
    "The step is twice as large as it should be.",
    "0.1 * dw -> 0.2 * dw",
)

error_not_squared = slip(
    "The loss was right: it is the square of logits - y.",
    "(logits - y) ** 2, -> logits - y,",
)


@wrong(
    "The logits are those of the new weight. Return the logits from before the step, which belong to this loss.",
    parts=(1,),
)
def logits_after_the_step(w, x, y):
    loss, _, after = step(w, x, y)
    return loss, (after * x).sum(), after


@wrong("You return the loss a second time instead of the logits.", parts=(1,))
def loss_twice(w, x, y):
    loss, _, after = step(w, x, y)
    return loss, loss, after


uphill = slip(
    "Your step increases the loss: subtract the gradient.",
    "w - 0.1 * dw -> w + 0.1 * dw",
)


still_summed = slip(
    "The step still minimises loss + logits. One argument of value_and_grad selects the first output alone.",
    ", has_aux=True -> ",
)


@wrong(
    "The step is right, but you return a different loss. The loss is (logits - y) ** 2.",
    when=lambda i, expected, got: same(expected[1:], got[1:]) and not same(expected[0], got[0]),
)
def another_loss(w, x, y):
    loss, logits, after = step(w, x, y)
    return loss - logits, logits, after


rate_too_small = slip(
    "The learning rate is 0.1. You took 0.01.",
    "w - 0.1 * dw -> w - 0.01 * dw",
)


mean_of_the_products = slip(
    "logits is the sum of w * x. You took the mean.",
    "(w * x).sum() -> (w * x).mean()",
)

sign_of_y = slip(
    "The loss contains logits - y. You add y.",
    "(logits - y) ** 2 -> (logits + y) ** 2",
)

y_forgotten = slip(
    "The loss is (logits - y) ** 2. You left y out.",
    "(logits - y) ** 2 -> logits ** 2",
)

w_for_x = slip(
    "The gradient of the logits with respect to w is x. You subtract another gradient from the sum of both: pass "
    "has_aux=True.",
    "0.1 * dw -> 0.1 * (dw + x - w)",
)

one_for_x = slip(
    "The gradient of the logits with respect to w is x, not 1. You need not subtract it: pass has_aux=True.",
    "0.1 * dw -> 0.1 * (dw + x - 1)",
)

weight_times = slip(
    "A step is subtracted from the weight, not multiplied by it.",
    "w - 0.1 * dw -> w * (1 - 0.1 * dw)",
)


step_from_x = slip(
    "The step starts from w. You subtract it from x.",
    "w - 0.1 * dw -> x - 0.1 * dw",
)

divided_by_the_loss = slip(
    "The step is 0.1 times the gradient. You divide by the loss.",
    "0.1 * dw -> 0.1 * dw / loss",
)

sign_of_the_gradient = slip(
    "The step is 0.1 times the gradient itself, not its sign.",
    "0.1 * dw -> 0.1 * ms.ops.sign(dw)",
)

second_step = slip(
    "You take a second step. Return the weight after the first one.",
    "w - 0.1 * dw -> w - 0.1 * dw - 0.1 * ms.grad(lambda w: ((w * x).sum() - y) ** 2)(w - 0.1 * dw)",
)


logits_for_their_gradient = slip(
    "You subtract the value of the logits from the gradient. The superfluous term is their gradient, x: pass has_aux=True.",
    "0.1 * dw -> 0.1 * (dw + x - logits)",
)


hints = (
    "Which function does value_and_grad differentiate when forward returns two outputs?",
    "The step should return the logits but not differentiate them: they are auxiliary.",
    "ms.value_and_grad(forward, has_aux=True): the value is still the pair (loss, logits).",
)
