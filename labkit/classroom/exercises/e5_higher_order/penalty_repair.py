"""# Repair the penalty (2 points)

This function should return the gradient with respect to `w` of a value plus a penalty, the squared norm of the value's
gradient with respect to `x`. It runs without an error, and `loss` is right, but the gradient that it returns is wrong. Repair
the function. `w` and `x` are leaf tensors of three elements that require grad.

[[value_counted_twice as answer]]
"""

import numpy as np

from labkit import torch
from labkit.classroom.writing import judged, same, slip, wrong


def answer(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=True)
    loss = value + (slope**2).sum()
    return torch.autograd.grad(loss, w)[0]


def draw(rng):
    return tuple((rng.uniform(0.6, 1.6, (2, 3)) * rng.choice([-1, 1], (2, 3))).astype(np.float32))


tensors = "torch"
errors = (
    (
        "second time",
        "The first backward pass freed its saved values. create_graph=True keeps them, and records that pass.",
    ),
    (
        "does not require grad",
        "The value that you differentiate has no history. Record the first backward pass: create_graph=True.",
    ),
)


@wrong(
    "Your result contains the gradient of the value twice. A backward pass from the value also reaches w, and another one adds "
    "to w.grad."
)
def value_counted_twice(w, x):
    value = ((w * x) ** 2).sum()
    value.backward(create_graph=True)
    loss = value + (x.grad**2).sum()
    loss.backward()
    return w.grad


def _gradient(w, x, penalty=lambda slope: (slope**2).sum(), **how):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, **how)
    return torch.autograd.grad(value + penalty(slope), w)[0]


@wrong(
    "The penalty adds nothing to your gradient. Is it the square of the gradient with respect to x, with its history "
    "(create_graph=True, no detach), not reset before? Do you differentiate the whole loss?"
)
def penalty_without_history(w, x):
    return _gradient(w, x, retain_graph=True)


@wrong("That is the gradient of the penalty alone. The value belongs to the loss, too.")
def penalty_alone(w, x):
    return _gradient(w, x, create_graph=True) - torch.autograd.grad(((w * x) ** 2).sum(), w)[0]


@wrong("That is a gradient with respect to x. The exercise asks for the one with respect to w.")
def for_the_input(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=True)
    return torch.autograd.grad(value + (slope**2).sum(), x)[0]


@wrong("You used the norm of the gradient. The penalty is its square: no square root.")
def length_not_squared(w, x):
    return _gradient(w, x, lambda slope: torch.sqrt((slope**2).sum()), create_graph=True)


@judged("error")
def nothing_kept(w, x):
    return _gradient(w, x)


penalty_not_squared = slip(
    "The penalty is the squared norm: the elements of the gradient are squared before they are added.",
    "(slope**2).sum() -> slope.sum()",
)

penalty_subtracted = slip(
    "The penalty is added to the value.",
    "value + (slope -> value - (slope",
)

mean_of_squares = slip(
    "The squared norm is a sum. You took the mean.",
    "(slope**2).sum() -> (slope**2).mean()",
)

sum_squared = slip(
    "The elements are squared before they are added. You squared their sum.", "(slope**2).sum() -> slope.sum() ** 2"
)
gradient_of_w = slip(
    "The penalty contains the gradient with respect to x. You used the gradient with respect to w.",
    "torch.autograd.grad(value, x, -> torch.autograd.grad(value, w,",
)
penalty_halved = slip("The penalty has no factor 1/2.", "(slope**2).sum() -> (slope**2).sum() / 2")
value_squared = slip(
    "The penalty is the squared norm of the gradient, not of the value.", "(slope**2).sum() -> value**2"
)
gradient_at_the_sum = slip(
    "You return the sum of the gradient. The exercise asks for the gradient itself.",
    "grad(loss, w)[0] -> grad(loss, w)[0].sum()",
)

mean_in_the_value = slip("The value is a sum of squares. You took their mean.", "** 2).sum() -> ** 2).mean()")
value_not_squared = slip(
    "The value is the sum of the squares of w * x. The square is missing.", "((w * x) ** 2) -> (w * x)"
)
penalty_of_w = slip("The penalty is the squared norm of the gradient, not of w.", "(slope**2).sum() -> (w**2).sum()")
largest_squared = slip(
    "The squared norm adds all squares. You took the largest.", "(slope**2).sum() -> (slope**2).max()"
)
value_times_penalty = slip(
    "The penalty is added to the value. You multiplied by it.", "value + (slope -> value * (slope"
)


@judged("for-the-input")
def stored_for_the_input(w, x):
    value = ((w * x) ** 2).sum()
    value.backward(create_graph=True)
    (value + (x.grad**2).sum()).backward()
    return x.grad


penalty_twice = slip("The penalty counts once.", "(slope**2).sum() -> 2 * (slope**2).sum()")


@wrong("You added the gradient with respect to x. The exercise asks for the one with respect to w alone.")
def both_gradients(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=True)
    return sum(torch.autograd.grad(value + (slope**2).sum(), (w, x)))


@wrong(
    "Your result is 0. If you reset w.grad, do it before the last backward pass, which adds its gradient to it.",
    when=lambda i, expected, got: same(0 * expected, got),
)
def emptied_too_late(w, x):
    return 0 * _gradient(w, x, create_graph=True)


hints = (
    "Print w.grad after the first backward. Should anything be there?",
    "You want only the gradient with respect to x, with its history, and nothing stored anywhere else.",
    "(slope,) = torch.autograd.grad(value, x, create_graph=True) leaves every .grad empty.",
)
