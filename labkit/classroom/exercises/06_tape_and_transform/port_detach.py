"""# Port detach (1 point)

`x` moves towards a target that is computed from `x` but detached. Port the program to MindSpore: write `port(x)` for a Tensor
of four elements, which returns `x` after the second step. Let MindSpore compute the gradients.

[[_program as program]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.ways import DELIVERED, delivered
from labkit.classroom.writing import Way, judged, same, slip, wrong


def port(x):
    def loss(x):
        target = ms.ops.stop_gradient(0.5 * x + 1)
        return ((x - target) ** 2).sum()

    for _ in range(2):
        x = x - 0.25 * ms.grad(loss)(x)
    return x


def _program(x):
    for _ in range(2):
        target = (0.5 * x + 1).detach()
        loss = ((x - target) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            x -= 0.25 * x.grad
        x.grad = None
    return x


def reference(x):
    return ms.Tensor(_program(torch.tensor(x.asnumpy(), requires_grad=True)).detach().numpy())


def draw(rng):
    return ((rng.choice([-1, 1], 4) * rng.uniform(2.5, 4.0, 4) + 2).astype(np.float32),)


tensors = "mindspore"
errors = (
    ("'detach'", "MindSpore has no detach. To treat a value as a constant, it has ops.stop_gradient."),
    ("'backward'", "A MindSpore Tensor has no history for a backward pass. Pass the function itself to ms.grad."),
)


@wrong(
    "x did not move. Either you do not assign the new x to x, or the gradient is 0: only the target is stopped, and the loss "
    "has to be computed from x inside the function that ms.grad differentiates."
)
def all_stopped(x):
    stop = ms.ops.stop_gradient
    for _ in range(2):
        x = x - 0.25 * ms.grad(lambda x: (stop(x - (0.5 * x + 1)) ** 2).sum())(x)
    return x


@wrong("The target is constant only during a step: the program computes a new target from the new x.")
def target_of_the_first_step(x):
    target = 0.5 * x + 1
    for _ in range(2):
        x = x - 0.25 * ms.grad(lambda x: ((x - target) ** 2).sum())(x)
    return x


@wrong("This is a target, not the x that moves towards it.")
def value_instead(x):
    return 0.5 * port(x) + 1


@wrong("You stopped the wrong side: x is constant, and the target moves.")
def wrong_side(x):
    stop = ms.ops.stop_gradient
    for _ in range(2):
        x = x - 0.25 * ms.grad(lambda x: ((stop(x) - (0.5 * x + 1)) ** 2).sum())(x)
    return x


@judged("shape")
def a_loss(x):
    return ((x - (0.5 * x + 1)) ** 2).sum()


def _both_steps(inputs, expected, got, done):
    (x,) = inputs
    after = x - 0.25 * (x - 2)
    return all(delivered(one - 2, done, ((one / 2 - 1) ** 2).sum()) for one in (x, after))


mean = slip(
    "The loss is a sum. You took the mean.",
    "** 2).sum() -> ** 2).mean()",
)

one_step = slip(
    "The program takes two steps. A return inside the loop ends it after the first.",
    "range(2) -> range(1)",
)

three_steps = slip(
    "The program takes two steps.",
    "range(2) -> range(3)",
)

uphill = slip(
    "x moves against the gradient: subtract.",
    "x - 0.25 -> x + 0.25",
)

whole_gradient = slip(
    "The rate 0.25 is missing.",
    "0.25 * ms.grad -> ms.grad",
)

target_without_one = slip(
    "The target is 0.5 * x + 1. The 1 is missing.",
    "0.5 * x + 1 -> 0.5 * x",
)


brackets_moved = slip(
    "The target is 0.5 * x + 1: only x is halved.",
    "0.5 * x + 1 -> 0.5 * (x + 1)",
)

rate_doubled = slip(
    "x moves all the way to the target. With a rate of 0.25 it moves half of the way.",
    "0.25 * ms.grad -> 0.5 * ms.grad",
)

error_not_squared = slip(
    "x moves by 0.25 in each step, whatever it is: the square is missing in the loss, or the gradient in the step.",
    "((x - target) ** 2) -> (x - target)",
)


step_for_x = slip(
    "Either you replace x by the step (x becomes x minus the step), or the loss adds the target instead of subtracting it.",
    "x = x - 0.25 * -> x = 0.25 * ",
)


@wrong("The gradient is computed once, before the loop. Each step needs the gradient at its own x.")
def gradient_of_the_first_step(x):
    return x - 2 * 0.25 * (x - 2)


@judged("target-of-the-first-step")
def target_before_the_loop(x):
    target = ms.ops.stop_gradient(0.5 * x + 1)
    for _ in range(2):
        x = x - 0.25 * 2 * (x - target)
    return x


not_stopped = slip(
    "Your steps are half as long as they should be: either the target was differentiated, too (use ops.stop_gradient), or "
    "the 2 of the square is missing.",
    "ms.ops.stop_gradient(0.5 * x + 1) -> 0.5 * x + 1",
)


@judged("step-for-x")
def target_added(x):
    for _ in range(2):
        x = x - 0.5 * (x + 0.5 * x + 1)
    return x


@judged("not-stopped")
def two_missing(x):
    for _ in range(2):
        x = x - 0.25 * (x - 0.5 * x - 1)
    return x


one_subtracted = slip(
    "The target is 0.5 * x + 1, and the loss subtracts all of it. The 1 has the wrong sign.",
    "ms.ops.stop_gradient(0.5 * x + 1) -> ms.ops.stop_gradient(0.5 * x - 1)",
)


@wrong(
    "You return the gradient. The exercise asks for x after the second step.",
    when=lambda i, expected, got: same(expected - 2, got) or same((expected - 2) / 0.75, got),
)
def gradient_returned(x):
    return port(x) - 2


@wrong("The gradients accumulate. The program resets x.grad after each step, so each step uses its own gradient only.")
def gradients_accumulate(x):
    total = 0
    for _ in range(2):
        target = 0.5 * x + 1
        total = total + 2 * (x - target)
        x = x - 0.25 * total
    return x


@wrong("You return the loss. The exercise asks for x after the second step.")
def loss_returned(x):
    x = port(x)
    return ((x - 0.5 * x - 1) ** 2).sum()


@wrong("The target is 0.5 * x + 1. The 0.5 is missing.")
def half_missing(x):
    for _ in range(2):
        x = x - 0.5 * (x - (x + 1))
    return x


@wrong("The rate is 0.25.")
def small_rate(x):
    for _ in range(2):
        x = x - 0.05 * (x - (0.5 * x + 1))
    return x


@wrong("You subtract the loss itself. A step subtracts 0.25 times its gradient.")
def loss_for_its_gradient(x):
    for _ in range(2):
        x = x - 0.25 * ((x - (0.5 * x + 1)) ** 2).sum()
    return x


@wrong("A step is subtracted from x, not multiplied by it.")
def x_multiplied(x):
    for _ in range(2):
        x = x * 0.5 * (x - (0.5 * x + 1))
    return x


@wrong("The target is 0.5 * x + 1. The term with x is missing.")
def x_missing_in_the_target(x):
    for _ in range(2):
        x = x - 0.5 * (x - 1)
    return x


@wrong("The loss contains x - target. The target is missing.")
def target_missing(x):
    for _ in range(2):
        x = x - 0.5 * x
    return x


@wrong("The loss is the square of x - target, not twice the difference.")
def twice_for_squared(x):
    for _ in range(2):
        x = x - 0.25 * 2
    return x


@wrong("The target is 0.5 * x + 1. You subtract 0.5 * x.")
def x_subtracted_in_the_target(x):
    for _ in range(2):
        x = x - 0.5 * (x - (1 - 0.5 * x))
    return x


@wrong("The target is 0.5 * x + 1: x is multiplied by 0.5.")
def half_added(x):
    for _ in range(2):
        x = x - 0.5 * (x - (0.5 + x + 1))
    return x


ways = (Way(DELIVERED, ("passes",), holds=_both_steps),)
hints = (
    "The detached target has a value, but the tape does not connect it to x.",
    "MindSpore's name for it is ops.stop_gradient. Call it inside the function that you differentiate.",
    "target = ms.ops.stop_gradient(0.5 * x + 1) inside loss(x); then x = x - 0.25 * ms.grad(loss)(x), twice",
)
