"""# It fails, and then it is wrong (3 points)

This program should return, from one backward pass, the loss and its gradients with respect to `x` and `w`, as the flat tuple
`(loss, dx, dw)`, but it fails. Fix the program, and do not stop when the error is gone: print the result, and check it by hand
with small numbers. `x` and `w` are Tensors of three elements, and `y` is a Tensor with one number.

[[as_it_was as report]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.ways import delivered
from labkit.classroom.writing import Way, judged, slip, wrong


def report(x, w, y):
    def forward(x, w, y):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), (dx, dw) = ms.value_and_grad(forward, (0, 1), has_aux=True)(x, w, y)
    return loss, dx, dw


def draw(rng):
    x, w = (rng.uniform(0.5, 2.0, (2, 3)) * rng.choice([-1, 1], (2, 3))).astype(np.float32)
    return x, w, np.array(rng.uniform(-2, 2), np.float32)


tensors = "mindspore"
errors = (
    (
        "iteration over a 0-d tensor",
        "A Tensor with one number cannot be unpacked. When forward returns the loss alone, the value is one Tensor, not a pair.",
    ),
    ("must be int or tuple", "A list is not a tuple here: grad_position is an int or a tuple of ints."),
    ("weights you provided", "The third argument is weights. Give the other one its name: has_aux=True."),
    ("exceed input size", "Positions count the arguments of forward from 0: x, w, y."),
)


@judged("error")
def as_it_was(x, w, y):
    def forward(x, w, y):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), (dw, dx) = ms.value_and_grad(forward, [0, 1])(x, w, y)
    return loss, dx, dw


def _asked(positions, x, w, y, aux=True):
    def forward(x, w, y):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    return ms.value_and_grad(forward, positions, has_aux=aux)(x, w, y)


@wrong("The error is gone, and two mistakes are left: the gradients are of loss + logits, and dx and dw are exchanged.")
def only_the_error(x, w, y):
    (loss, _), (dw, dx) = _asked((0, 1), x, w, y, aux=False)
    return loss, dx, dw


@wrong("That is the logits, not the loss. The value is what forward returned: the loss comes first.", parts=(0,))
def logits_for_the_loss(x, w, y):
    (_, logits), (dx, dw) = _asked((0, 1), x, w, y)
    return logits, dx, dw


@judged("logits-kept")
def logits_too(x, w, y):
    (loss, logits), (dx, dw) = _asked((0, 1), x, w, y)
    return loss, logits, dx, dw


not_flat = slip(
    "The result is one flat tuple: (loss, dx, dw). You return the gradients as a tuple inside it.",
    "return loss, dx, dw -> return loss, (dx, dw)",
)

logits_kept = slip(
    "The result is (loss, dx, dw), without the logits.",
    "return loss, dx, dw -> return loss, logits, dx, dw",
)

error_not_squared = slip(
    "The loss that forward returned was right: it is squared.",
    "(logits - y) ** 2, -> logits - y,",
)


gradient_for_y = slip(
    "Positions count from 0: x is 0, w is 1, y is 2. You ask for y.",
    "(0, 1), has_aux -> (0, 2), has_aux",
)

gradient_for_y_first = slip(
    "These are gradients with respect to y and w. x is position 0.",
    "(0, 1), has_aux -> (2, 1), has_aux",
)

gradients_alone = slip(
    "The loss is missing. The result is (loss, dx, dw).",
    "return loss, dx, dw -> return dx, dw",
)

loss_last = slip(
    "The loss comes first: (loss, dx, dw).",
    "return loss, dx, dw -> return dx, dw, loss",
)

same_gradient_twice = slip(
    "You return dx twice. The last one is dw.",
    "return loss, dx, dw -> return loss, dx, dx",
)


outputs_summed = slip(
    "The gradients are those of loss + logits. Only the loss should count: has_aux=True.",
    ", has_aux=True -> ",
)


exchanged = slip(
    "dx and dw are exchanged: gradients come in the order of the positions, and x is position 0.",
    "(dx, dw) = -> (dw, dx) =",
)


counted_from_one = slip(
    "These are the gradients with respect to w and y. Positions count from 0: x is 0, w is 1.",
    "(0, 1), has_aux -> (1, 2), has_aux",
)


logits_differentiated = slip(
    "The gradients are those of the logits. With has_aux=True the first output of forward is differentiated: it has to be "
    "the loss.",
    "return (logits - y) ** 2, logits -> return logits, (logits - y) ** 2",
    "(loss, logits), (dx, dw) = -> (logits, loss), (dx, dw) =",
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

outputs_added_by_hand = slip(
    "You add loss and logits. The result has the loss, and only the loss is differentiated: has_aux=True.",
    "(logits - y) ** 2, logits\n -> (logits - y) ** 2 + logits, logits\n",
)

uphill = slip(
    "The gradients have the wrong sign. Return them unchanged.",
    "return loss, dx, dw -> return loss, -dx, -dw",
)


gradients_added = slip(
    "dx is the gradient with respect to x alone. You add dw to it.",
    "return loss, dx, dw -> return loss, dx + dw, dw",
)


dw_twice = slip(
    "You return dw twice. The first one is dx.",
    "return loss, dx, dw -> return loss, dw, dw",
)


ways = (
    Way(
        "One run gives the loss and both gradients: differentiate once, with respect to x and w.",
        ("passes",),
        holds=lambda i, expected, got, done: len(done["passes"]) == 1 and delivered(got[1:], done, got[0]),
    ),
)
hints = (
    "The message names what it expected. Two more mistakes raise no error: which function is differentiated, and "
    "which name gets which gradient?",
    "forward returns two outputs, and only the first should be differentiated. Also, x comes before w.",
    "(loss, logits), (dx, dw) = ms.value_and_grad(forward, (0, 1), has_aux=True)(x, w, y)",
)
