"""05 grad and value_and_grad."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms

wrong("grad-slip", "believes the guide", 3.0)
right("grad-slip", "a whole number", 1)

seven = ["dx", "dy", ("dx", "dy"), ("dw",), ("dx", ("dw",)), (("dx", "dy"), ("dw",)), "ValueError"]
wrong("grad-structures", "everything in one flat tuple", [*seven[:4], ("dx", "dw"), ("dx", "dy", "dw"), seven[6]])
wrong("grad-structures", "without positions and weights, it gives an empty tuple", [*seven[:6], ()])
wrong("grad-structures", "with weights, positions are ignored", [*seven[:4], ("dw",), ("dw",), seven[6]])
wrong("grad-structures", "None means the first input", [*seven[:3], ("dx", ("dw",)), *seven[4:6], "dx"])
right("grad-structures", "a tuple of seven", tuple(seven))


@right("grad-sum-outputs", "factored, with a matrix product")
def by_hand(w, x, y):
    (logits,) = (w @ x.T).ravel()
    return (1 + 2 * (logits - y)) * w


wrong("grad-sum-outputs", "the inner w is missing", above("(1 + 2 * (logits - y)) * w -> 2 * (logits - y) + w"))
wrong("grad-sum-outputs", "the gradient of the loss only", above("1 + 2 * -> 2 *"))
wrong(
    "grad-sum-outputs",
    "a mean for the sum",
    above("(w @ x.T).ravel() -> [np.mean(w * x)]", ")) * w -> )) * w / w.size"),
)


@wrong("grad-fix", "still exchanged")
def report(x, w, y):
    def forward(x, w, y):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), (dw, dx) = ms.value_and_grad(forward, (0, 1), has_aux=True)(x, w, y)
    return loss, dx, dw


right("grad-fix", "the positions in reverse", above("(0, 1) -> (1, 0)"))


@right("sens-repair-aux", "the logits are stopped where they are returned")
def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, ms.ops.stop_gradient(logits)

    (loss, logits), dw = ms.value_and_grad(forward)(w)
    return loss, logits, w - 0.1 * dw


wrong("sens-repair-aux", "uphill", above("ms.ops.stop_gradient(logits) -> logits", "w - -> w +"))
wrong("sens-repair-aux", "half the gradient", above("ms.ops.stop_gradient(logits) -> logits", "* dw -> * dw / 2"))

third = 1 / 3
upstream = [[1, 1, 1], [third] * 3, [0, 1, 0], [2, 0, -1], [6, -2, 4], [1, 0, 0]]
wrong("sens-choose", "the squares for the sum of squares", [*upstream[:4], [9, 1, 4], upstream[5]])
wrong("sens-choose", "counts from 1", [*upstream[:2], [1, 0, 0], *upstream[3:]])
right("sens-choose", "a table of floats", np.array(upstream, float))


@right("sens-two-parts", "the inner product with a constant upstream gradient is differentiated")
def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    sens = ms.grad(second)(first(x))
    return ms.grad(lambda x: (first(x) * sens).sum())(x)


wrong("sens-two-parts", "the gradient for h", above("ms.grad(lambda x: (first(x) * sens).sum())(x) -> sens"))
wrong("sens-two-parts", "h is the upstream gradient", above("ms.grad(second)(first(x)) -> first(x)"))
wrong("sens-two-parts", "the upstream gradient is left out", above("(first(x) * sens).sum() -> first(x).sum()"))
wrong(
    "sens-two-parts",
    "the halves in the wrong order",
    above(
        "grad(second)(first(x)) -> grad(first)(x)",
        "(lambda x: (first(x) * sens).sum())(x) -> (second, sens_param=True)(first(x), sens.sum())",
    ),
)
