"""# Two outputs, by hand (2 points)

A function `fn(x, y)` has a fixed weight `w` and two outputs: `logits = sum(w * x)` and `loss = (logits - y)**2`. Write
`by_hand(w, x, y)` in plain NumPy; it returns the same as `ms.grad(fn)(x, y)` with the default `has_aux=False`. `w` and `x`
have the shape `(1, 3)`, and `y` is a number; all are float32.
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import PLAIN, judged, slip, wrong


def by_hand(w, x, y):
    logits = np.sum(w * x)
    return 2 * (logits - y) * w + w


def reference(w, x, y):
    weight = ms.Tensor(w)

    def outputs(x, y):
        logits = (weight * x).sum()
        return (logits - y) ** 2, logits

    return ms.grad(outputs)(ms.Tensor(x), ms.Tensor(y)).asnumpy()


def draw(rng):
    return (*rng.uniform(-2, 2, (2, 1, 3)).astype(np.float32), np.float32(rng.uniform(-2, 2)))


@wrong("You differentiated only the loss, as has_aux=True does. With has_aux=False every output counts.")
def first_output_only(w, x, y):
    return 2 * (np.sum(w * x) - y) * w


@wrong("You differentiated the logits alone. With has_aux=False every output counts, the loss too.")
def second_output_only(w, x, y):
    return w


@wrong("You averaged the outputs. They are summed: no division by their number.")
def mean_of_outputs(w, x, y):
    return (2 * (np.sum(w * x) - y) * w + w) / 2


@wrong("This is the gradient with respect to w. grad_position=0 asks for the first argument, x.")
def for_the_weight(w, x, y):
    return (2 * (np.sum(w * x) - y) + 1) * x


@judged("value")
def a_constant(w, x, y):
    return np.array([[6, 9, 12]], np.float32)


@judged("shape")
def flat(w, x, y):
    return ((2 * (np.sum(w * x) - y) + 1) * w)[0]


two_missing = slip(
    "The 2 of the square is missing in the derivative of the loss.",
    "2 * (logits - y) -> (logits - y)",
)

inner_derivative_missing = slip(
    "The derivative of logits with respect to x is w. It is missing.",
    "(logits - y) * w + w -> (logits - y) + 1 + 0 * w",
)

one_for_w = slip(
    "The derivative of logits with respect to x is w, not 1.",
    "* w + w -> * w + 1",
)

subtracted = slip(
    "The outputs are added: the derivative of logits is added to that of the loss.",
    "* w + w -> * w - w",
)

mean_of_the_products = slip(
    "logits is a sum, not a mean.",
    "np.sum(w * x) -> np.mean(w * x)",
)

error_turned_round = slip(
    "The sign of the error is wrong: it is logits - y.",
    "(logits - y) -> (y - logits)",
)

y_forgotten = slip(
    "y is missing: the derivative of (logits - y)**2 is 2 * (logits - y).",
    "(logits - y) -> logits",
)

loss_itself = slip(
    "You multiplied w by the loss itself. Its derivative with respect to logits is 2 * (logits - y).",
    "2 * (logits - y) * w -> (logits - y) ** 2 * w",
)


inner_derivative_missing_in_the_loss = slip(
    "In the derivative of the loss the inner derivative is missing: that of logits with respect to x is w.",
    "(logits - y) * w + w -> (logits - y) + w",
)

multiplied = slip(
    "The gradients of the two outputs are added. You multiply them.",
    "* w + w -> * w * w",
)

value_added = slip(
    "You add the value of logits. Its gradient with respect to x is w.",
    "* w + w -> * w + logits",
)

not_summed = slip(
    "logits is one number, the sum over all elements of w * x.",
    "np.sum(w * x) -> w * x",
)

x_for_w = slip(
    "The derivative of logits with respect to x is w. In the term of the logits you used x.",
    "* w + w -> * w + x",
)

x_for_w_in_the_loss = slip(
    "The derivative of logits with respect to x is w. In the term of the loss you used x.",
    "(logits - y) * w + w -> (logits - y) * x + w",
)


logits_for_the_inner_derivative = slip(
    "The inner derivative of the loss is that of logits with respect to x: w. You multiply by logits itself.",
    "(logits - y) * w + w -> (logits - y) * logits + w",
)

sign_of_y = slip(
    "The loss contains logits - y. You add y.",
    "(logits - y) -> (logits + y)",
)


values_for_derivatives = slip(
    "You multiply w by the values of the outputs. The derivative of the loss contains 2 * (logits - y), and that of logits "
    "is 1.",
    "2 * (logits - y) * w + w -> (logits - y) ** 2 * w + logits * w",
)


chained = slip(
    "Neither output is the input of the other one: their gradients are added, not chained.",
    "(logits - y) * w + w -> (logits - y) * w * (1 + w)",
)


brackets_missing = slip(
    "2 and w multiply the whole bracket (logits - y), y as well.",
    "2 * (logits - y) * w -> 2 * logits * w - y",
)


@wrong("You return the sum of the outputs' values. The exercise asks for the gradient with respect to x.")
def values_summed(w, x, y):
    logits = np.sum(w * x)
    return logits + (logits - y) ** 2


error_missing = slip(
    "The derivative of the loss is 2 * (logits - y) * w. The error logits - y is missing.",
    "2 * (logits - y) -> 2",
)

two_for_both = slip(
    "The 2 belongs to the loss alone: the derivative of logits is w.",
    "2 * (logits - y) * w + w -> 2 * ((logits - y) * w + w)",
)

square_left = slip(
    "The derivative of the square is 2 * (logits - y). You keep the square.",
    "2 * (logits - y) * w -> 2 * (logits - y) ** 2 * w",
)

w_squared = slip(
    "The derivative of logits with respect to x is w. You multiply by w once more.",
    "2 * (logits - y) * w -> 2 * (logits - y) * w * w",
)

x_besides = slip(
    "The derivative of logits with respect to x is w. x is not a factor of it.",
    "2 * (logits - y) * w -> 2 * (logits - y) * w * x",
)


@wrong("This is the gradient with respect to y. grad_position=0 asks for the first argument, x.")
def for_y(w, x, y):
    return -2 * (np.sum(w * x) - y)


averaged_over_elements = slip(
    "The loss is one number: nothing is averaged over the elements of x.",
    "2 * (logits - y) * w -> 2 * (logits - y) * w / 3",
)


ways = (PLAIN,)
hints = (
    "With has_aux=False, the function that is differentiated is loss + logits.",
    "sum(w * x) has the derivative w with respect to x. What is the derivative of (logits - y)**2 with respect to logits?",
    "Add the two: 2 * (logits - y) * w from the loss, and w from the logits.",
)
