"""07 value_and_grad, aux and sens."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms


@wrong("sens-repair-aux", "the sign of the step is changed")
def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward)(w)
    return loss, logits, w + 0.1 * dw


wrong(
    "sens-repair-aux",
    "the loss is stopped instead of the logits",
    above("(logits - y) ** 2 -> ms.ops.stop_gradient((logits - y) ** 2)", "logits, w + 0.1 * -> logits, w - 0.1 *"),
)
wrong(
    "sens-repair-aux",
    "the logits are stopped before the loss is made: no gradient at all",
    above("(w * x).sum() -> ms.ops.stop_gradient((w * x).sum())", "logits, w + 0.1 * -> logits, w - 0.1 *"),
)
wrong("sens-repair-aux", "half of the gradient, as there are two outputs", above("+ 0.1 * dw -> - 0.1 * dw / 2"))
right(
    "sens-repair-aux",
    "the logits are stopped on their way out",
    above("2, logits -> 2, ms.ops.stop_gradient(logits)", "logits, w + 0.1 * -> logits, w - 0.1 *"),
)


third = 1 / 3
seeds = [[1, 1, 1], [third] * 3, [0, 1, 0], [2, 0, -1], [6, -2, 4], [1, 0, 0]]
wrong("sens-choose", "the squares for the sum of squares", [*seeds[:4], [9, 1, 4], seeds[5]])
wrong("sens-choose", "counts from 1", [*seeds[:2], [1, 0, 0], *seeds[3:]])
right("sens-choose", "a table of floats", np.array(seeds, float))


@wrong("sens-two-parts", "the gradient for h is returned")
def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    return ms.grad(second)(first(x))


wrong(
    "sens-two-parts",
    "the value is the seed, not the gradient",
    above("return ms.grad(second)(first(x)) -> h = first(x)\n    return ms.grad(first, sens_param=True)(x, h)"),
)
wrong(
    "sens-two-parts",
    "the seed is left out",
    above(
        "return ms.grad(second)(first(x)) -> h = first(x)\n    dh = ms.grad(second)(h)\n    return ms.grad(first)(x)"
    ),
)


@wrong("sens-two-parts", "the halves in the wrong order")
def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    d_first = ms.grad(first)(x)
    return ms.grad(second, sens_param=True)(first(x), d_first.sum())


@right("sens-two-parts", "the inner product with the stopped seed is differentiated")
def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    seed = ms.grad(second)(first(x))
    return ms.grad(lambda x: (first(x) * seed).sum())(x)
