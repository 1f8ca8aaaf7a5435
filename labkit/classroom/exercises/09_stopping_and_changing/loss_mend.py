"""# Mend the loss that says inf (3 points)

This is the cross-entropy of two classes, as it is written in textbooks. In float32 it works until the network is very sure of
itself: make it fail first, with one large number. Then mend it: `answer(z, y)` returns the tuple of the loss and its
gradient with respect to `z`, both finite and exact, however large `z` is. Where the network is sure and wrong, the
gradient is not 0.
`z` and `y` are Tensors of six elements; `y` is 0 or 1.

[[as_it_was as answer]]
"""

from functools import partial

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, wrong


def answer(z, y):
    def loss(z):
        largest = ms.ops.maximum(z, ms.Tensor(0.0))
        return (largest - y * z + ms.ops.log(1 + ms.ops.exp(-ms.ops.abs(z)))).mean()

    return ms.value_and_grad(loss)(z)


def _outputs(rng, low, high):
    """Six outputs of a network, of both signs, and classes: some are right, some wrong."""
    z, y = np.array([-1, -1, -1, 1, 1, 1]) * rng.uniform(low, high, 6), np.array([0, 0, 1, 0, 1, 1])
    order = rng.permutation(6)
    return z[order].astype(np.float32), y[order].astype(np.float32)


draw = (partial(_outputs, low=0.2, high=3.0), partial(_outputs, low=95.0, high=200.0))
tensors = "mindspore"
errors = (("'clip'", "In MindSpore it is ops.clip_by_value. But think first: what is the slope of a clipped number?"),)


@wrong(
    "There is inf or nan in it: log was given 0, or exp a number that is too large. Write the loss so that exp only sees "
    "numbers that are not positive.",
    when=lambda i, expected, got: not all(np.isfinite(part).all() for part in got),
)
def as_it_was(z, y):
    def loss(z):
        p = ms.ops.sigmoid(z)
        return -(y * ms.ops.log(p) + (1 - y) * ms.ops.log(1 - p)).mean()

    return ms.value_and_grad(loss)(z)


def _of_p(z, y, safe):
    def loss(z):
        p = safe(ms.ops.sigmoid(z))
        return -(y * ms.ops.log(p) + (1 - y) * ms.ops.log(1 - p)).mean()

    return ms.value_and_grad(loss)(z)


@wrong(
    "Everything is finite now. But where the network is sure and wrong the gradient is 0: it will never learn otherwise. What "
    "is clipped or rounded to 1 has no slope; write the loss with z, not with the sigmoid.",
    when=lambda i, expected, got: bool(np.any((np.abs(expected[1]) > 0.1) & (np.abs(got[1]) < 0.01))),
)
def clipped(z, y):
    return _of_p(z, y, lambda p: ms.ops.clip_by_value(p, 1e-6, 1 - 1e-6))


@judged("clipped")
def a_little_more_than_nothing(z, y):
    def loss(z):
        p = ms.ops.sigmoid(z)
        return -(y * ms.ops.log(p + 1e-6) + (1 - y) * ms.ops.log(1 - p + 1e-6)).mean()

    return ms.value_and_grad(loss)(z)


@wrong("You added the six losses up. The loss is their mean.")
def sum_of_all(z, y):
    value, gradient = answer(z, y)
    return value * 6, gradient * 6


@wrong("The classes are exchanged: y = 1 wants a large z.")
def classes_exchanged(z, y):
    return answer(z, 1 - y)


@wrong("The term with y is left out: that is the loss as if every y were 0.")
def without_y(z, y):
    return answer(z, 0 * y)


@judged("structure")
def loss_alone(z, y):
    return (answer(z, y)[0],)


hints = (
    "With p = sigmoid(z), log(p) is -log(1 + exp(-z)), and log(1 - p) is -log(1 + exp(z)). Put that in, and simplify.",
    "The loss of one example is log(1 + exp(z)) - y * z. And log(1 + exp(z)) is max(z, 0) + log(1 + exp(-|z|)).",
    "(ops.maximum(z, ms.Tensor(0.0)) - y * z + ops.log(1 + ops.exp(-ops.abs(z)))).mean(), and value_and_grad of that",
)
