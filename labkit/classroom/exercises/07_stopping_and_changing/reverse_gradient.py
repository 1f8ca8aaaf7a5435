"""# Reverse a gradient (3 points)

Write a class `Reverse(torch.autograd.Function)` whose forward pass returns its input and whose backward pass changes the sign
of the gradient. Then write `answer(w, v, x)` for leaf tensors that require grad (`w` and `v` are numbers, `x` has four
elements). It returns the tuple of the gradients of this loss with respect to `w` and `v`:

```python
features = Reverse.apply(w * x)
loss = ((v * features - 1) ** 2).sum()
```

A step against these gradients makes the loss smaller through `v` and larger through `w`, as in adversarial training.
"""

import numpy as np

from labkit import torch
from labkit.classroom.ways import DELIVERED, delivered
from labkit.classroom.writing import Way, judged, slip, wrong


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        return h

    @staticmethod
    def backward(ctx, g):
        return -g


def answer(w, v, x):
    loss = ((v * Reverse.apply(w * x) - 1) ** 2).sum()
    return torch.autograd.grad(loss, (w, v))


def draw(rng):
    """`w`, `v` (numbers) and `x` (four elements), far enough from 0 that no gradient is."""
    w, v = (np.array(a, np.float32) for a in rng.uniform(0.5, 1.5, 2) * rng.choice([-1, 1], 2))
    return w, v, rng.uniform(1.5, 3.0, 4).astype(np.float32)


tensors = "torch"
errors = (
    ("takes 1 positional argument but 2", "forward(ctx, h) and backward(ctx, g): both get ctx first."),
    ("implement the forward", "forward and backward must be static methods of the class, spelled like this."),
    ("Legacy autograd function", "Call Reverse.apply(...), not Reverse()(...)."),
    ("'Reverse' object is not callable", "The class itself is not called: Reverse.apply(...)."),
    (
        "have been used in the graph",
        "No gradient reaches w or v. backward of Reverse returns -g, not None, and nothing before the loss may be detached.",
    ),
    ("takes no arguments", "The class itself is not called: Reverse.apply(...)."),
)


@wrong(
    "Both signs are changed. Reverse changes the sign of the gradient that passes through it to w; the gradient of v "
    "does not pass through it."
)
def both_reversed(w, v, x):
    return torch.autograd.grad(-((v * (w * x) - 1) ** 2).sum(), (w, v))


@wrong(
    "The sign of v has changed, not that of w. Which of the two gradients passes through Reverse in the backward pass?"
)
def wrong_side(w, v, x):
    turned = 2 * v.detach() - v
    return torch.autograd.grad(((turned * (w * x) - 1) ** 2).sum(), (w, v))


@wrong(
    "The gradient for w is 0 or missing. Reverse passes the gradient on with the opposite sign: backward returns -g.",
    when=lambda i, expected, got: got[0] is None or not np.any(got[0]),
)
def cut_instead(w, v, x):
    loss = ((v * (w * x).detach() - 1) ** 2).sum()
    return torch.autograd.grad(loss, (w, v), allow_unused=True)


@judged("error")
def not_connected(w, v, x):
    return torch.autograd.grad(((v * (w * x).detach() - 1) ** 2).sum(), (w, v))


@judged("structure")
def w_alone(w, v, x):
    return torch.autograd.grad((w * v * x).sum(), w)


def _through_the_loss(inputs, expected, got, done):
    w, v, x = inputs
    return delivered(got, done, ((v * w * x - 1) ** 2).sum())


def _turned(inputs, expected, got, done):
    return any(np.array_equal(sent, [-g for g in arrived]) for arrived, sent in done["custom rules"])


mean = slip(
    "The loss is a sum. You took the mean.",
    "** 2).sum() -> ** 2).mean()",
)

exchanged = slip(
    "The two gradients are exchanged: the one for w comes first.",
    "(w, v)) -> (v, w))",
)


upstream_lost = slip(
    "backward returns -1 for each element. It receives the upstream gradient g: return -g.",
    "return -g -> return 0 * g - 1",
)

gradient_for_x = slip(
    "These are gradients with respect to other leaves. The exercise asks for w and v.",
    "(w, v)) -> (x, v))",
)

doubled = slip(
    "backward changes the sign and nothing else: -g, without a factor.",
    "return -g -> return -2 * g",
)

square_missing = slip(
    "The square is missing in the loss.",
    "((v * Reverse.apply(w * x) - 1) ** 2) -> (v * Reverse.apply(w * x) - 1)",
)

input_as_factor = slip(
    "You multiply by the input of Reverse. backward returns -g, without another factor.",
    "    def forward(ctx, h):\n        return h\n -> "
    "    def forward(ctx, h):\n        ctx.save_for_backward(h)\n        return h\n",
    "return -g -> return -g * ctx.saved_tensors[0]",
)


nothing_reversed = slip(
    "The gradient for w has the same sign as without Reverse. backward returns -g for the upstream gradient g, and "
    "Reverse.apply is used once, around w * x.",
    "return -g -> return g",
)


value_changed = slip(
    "Your Reverse is not the identity in the forward pass: the features have the opposite sign, so the loss is different.",
    "return h -> return -h",
)


one_missing = slip(
    "The - 1 is missing in the loss.",
    "* Reverse.apply(w * x) - 1) -> * Reverse.apply(w * x))",
)

gradient_for_x_instead_of_v = slip(
    "These are the gradients with respect to w and x. The exercise asks for w and v.",
    "(w, v)) -> (w, x))",
)


added_for_multiplied = slip(
    "v multiplies the features. You add them.",
    "v * Reverse.apply -> v + Reverse.apply",
)

one_added = slip(
    "The loss subtracts 1. You add 1.",
    "- 1) ** 2 -> + 1) ** 2",
)

always_negative = slip(
    "backward returns -g, whatever sign g has. You make it negative.",
    "return -g -> return -abs(g)",
)

halved = slip(
    "backward changes the sign and nothing else: -g, without a factor.",
    "return -g -> return -0.5 * g",
)

square_passed_on = slip(
    "backward returns -g, not its square.",
    "return -g -> return -g * g",
)

summed_upstream = slip(
    "backward returns -g, element by element. You sum g.",
    "return -g -> return -g.sum() * torch.ones_like(g)",
)

features_without_x = slip(
    "The features are w * x. x is missing.",
    "Reverse.apply(w * x) -> Reverse.apply(w)",
)

w_added = slip(
    "The features are w * x. You add w and x.",
    "Reverse.apply(w * x) -> Reverse.apply(w + x)",
)


reciprocal = slip(
    "backward returns -g. You divide by g.",
    "return -g -> return -1 / g",
)


value_doubled = slip(
    "Your Reverse is not the identity in the forward pass: the features are twice as large.",
    "return h\n -> return 2 * h\n",
)


ways = (
    Way(DELIVERED, ("passes",), holds=_through_the_loss),
    Way("Let the backward of a torch.autograd.Function change the sign.", ("custom rules",), holds=_turned),
)
hints = (
    "forward(ctx, h) returns h. backward(ctx, g) returns the gradient of the input of Reverse.",
    "You need not save anything for backward: -g needs no value from the forward pass.",
    "Two static methods, return h and return -g; then torch.autograd.grad(loss, (w, v)).",
)
