"""06 grad, every case."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
from labkit.mindspore import ops

wrong("grad-slip", "believes the guide", 3.0)
right("grad-slip", "a whole number", 1)

seven = ["dx", "dy", ("dx", "dy"), ("dw",), ("dx", ("dw",)), (("dx", "dy"), ("dw",)), "ValueError"]
wrong("grad-structures", "everything in one flat tuple", [*seven[:4], ("dx", "dw"), ("dx", "dy", "dw"), seven[6]])
wrong("grad-structures", "asked for nothing, it gives an empty tuple", [*seven[:6], ()])
wrong("grad-structures", "with weights, positions are ignored", [*seven[:4], ("dw",), ("dw",), seven[6]])
wrong("grad-structures", "None means the first input", [*seven[:3], ("dx", ("dw",)), *seven[4:6], "dx"])
right("grad-structures", "a tuple of seven", tuple(seven))


@wrong("grad-sum-outputs", "the inner derivative is forgotten: w is missing")
def by_hand(w, x, y):
    logits = np.sum(w * x)
    return 2 * (logits - y) + w


wrong("grad-sum-outputs", "the loss alone", above("(logits - y) + w -> (logits - y) * w"))


@wrong("grad-sum-outputs", "the mean for the sum in the logits")
def by_hand(w, x, y):
    logits = np.mean(w * x)
    return (2 * (logits - y) + 1) * w / w.size


@right("grad-sum-outputs", "factored, with a matrix product")
def by_hand(w, x, y):
    (logits,) = (w @ x.T).ravel()
    return (1 + 2 * (logits - y)) * w


@wrong("grad-clip", "the norms are added, not their squares")
def clip(a, b, max_norm):
    norm = ops.sqrt((a**2).sum()) + ops.sqrt((b**2).sum())
    if float(norm.asnumpy()) <= max_norm:
        return a, b
    return a * max_norm / norm, b * max_norm / norm


@wrong("grad-clip", "divided by the norm, and not scaled to max_norm")
def clip(a, b, max_norm):
    norm = float(ops.sqrt((a**2).sum() + (b**2).sum()).asnumpy())
    if norm > max_norm:
        return a / norm, b / norm
    return a, b


@right("grad-clip", "one factor, min, and NumPy's norm")
def clip(a, b, max_norm):
    whole = np.concatenate([a.asnumpy().ravel(), b.asnumpy().ravel()])
    factor = min(1.0, float(max_norm / np.linalg.norm(whole)))
    return a * factor, b * factor


@wrong("grad-mend", "still exchanged")
def report(x, w, y):
    def forward(x, w, y):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), (dw, dx) = ms.value_and_grad(forward, (0, 1), has_aux=True)(x, w, y)
    return loss, dx, dw


right(
    "grad-mend",
    "the positions the other way round",
    above("logits), (dw, dx) = ms.value_and_grad(forward, (0, 1) -> _), (dw, dx) = ms.value_and_grad(forward, (1, 0)"),
)
