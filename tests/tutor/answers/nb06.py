"""06 grad, every case."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
from labkit.mindspore import ops

wrong("grad-slip", "believes the guide", 3.0)
wrong("grad-slip", "the gradient for x of the first output alone", 2.0)
wrong("grad-slip", "both outputs depend on y", 2.5)
wrong("grad-slip", "y is added, so it has no gradient", 0.0)
wrong("grad-slip", "the value of the first output plus that of the second", 4.0)
wrong("grad-slip", "a tuple of both gradients", (3.0, 1.0))
right("grad-slip", "a whole number", 1)
right("grad-slip", "a NumPy scalar", np.float32(1))

seven = ["dx", "dy", ("dx", "dy"), ("dw",), ("dx", ("dw",)), (("dx", "dy"), ("dw",)), "ValueError"]
wrong(
    "grad-structures",
    "a list of one weight gives a bare gradient",
    [*seven[:3], "dw", ("dx", "dw"), (("dx", "dy"), "dw"), seven[6]],
)
wrong("grad-structures", "everything in one flat tuple", [*seven[:4], ("dx", "dw"), ("dx", "dy", "dw"), seven[6]])
wrong(
    "grad-structures",
    "one position gives a tuple of one",
    [("dx",), ("dy",), *seven[2:4], (("dx",), ("dw",)), *seven[5:]],
)
wrong("grad-structures", "asked for nothing, it gives an empty tuple", [*seven[:6], ()])
wrong("grad-structures", "with weights, positions are ignored", [*seven[:4], ("dw",), ("dw",), seven[6]])
wrong("grad-structures", "the wrong type of error", [*seven[:6], "TypeError"])
wrong("grad-structures", "None means the first input", [*seven[:3], ("dx", ("dw",)), *seven[4:6], "dx"])
wrong("grad-structures", "the weights come first", [*seven[:4], (("dw",), "dx"), (("dw",), ("dx", "dy")), seven[6]])
wrong("grad-structures", "position 1 counts from 1: it is dx", ["dx", "dx", *seven[2:]])
right("grad-structures", "a tuple of seven", tuple(seven))


@wrong("grad-sum-outputs", "the inner derivative is forgotten: w is missing")
def by_hand(w, x, y):
    logits = np.sum(w * x)
    return 2 * (logits - y) + w


wrong("grad-sum-outputs", "the loss alone", above("(logits - y) + w -> (logits - y) * w"))
wrong("grad-sum-outputs", "the gradient for w", above("(logits - y) + w -> (logits - y) * x + x"))
wrong("grad-sum-outputs", "the factor 2 is forgotten", above("2 * (logits - y) -> (logits - y) * w"))
wrong("grad-sum-outputs", "a tuple of the two gradients", above("2 * (logits - y) + -> w, 2 * (logits - y) *"))
wrong("grad-sum-outputs", "the sign of the error", above("(logits - y) + -> (y - logits) * w +"))
wrong("grad-sum-outputs", "summed to one number", above("2 * (logits - y) + w -> np.sum((2 * (logits - y) + 1) * w)"))


@wrong("grad-sum-outputs", "the logits alone")
def by_hand(w, x, y):
    return w


@wrong("grad-sum-outputs", "the outputs' values are added, no gradient")
def by_hand(w, x, y):
    logits = np.sum(w * x)
    return logits + (logits - y) ** 2


@wrong("grad-sum-outputs", "the mean for the sum in the logits")
def by_hand(w, x, y):
    logits = np.mean(w * x)
    return (2 * (logits - y) + 1) * w / w.size


@right("grad-sum-outputs", "factored, with a matrix product")
def by_hand(w, x, y):
    (logits,) = (w @ x.T).ravel()
    return (1 + 2 * (logits - y)) * w


@wrong("grad-unpack", "the second output is reported")
def report(x, y):
    def model(x, y):
        return (x**2 * y).sum(), x + y

    (_, value), (dx, dy) = ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)
    return value, dx, dy


wrong("grad-unpack", "both outputs are returned as the value", above("(_, value) -> value"))
wrong("grad-unpack", "unpacks as a flat tuple, and fails", above("(_, value), (dx, dy) -> value, dx, dy"))


@wrong("grad-unpack", "has_aux is left out: both outputs count")
def report(x, y):
    def model(x, y):
        return (x**2 * y).sum(), x + y

    (value, _), (dx, dy) = ms.value_and_grad(model, (0, 1))(x, y)
    return value, dx, dy


wrong("grad-unpack", "dx and dy are exchanged", above("model, (0, 1))(x, -> model, (1, 0), has_aux=True)(x,"))


@wrong("grad-unpack", "the structure is not flattened")
def report(x, y):
    def model(x, y):
        return (x**2 * y).sum(), x + y

    return ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)


@wrong("grad-unpack", "grad_position is left out: one gradient, and its elements are unpacked")
def report(x, y):
    def model(x, y):
        return (x**2 * y).sum(), x + y

    (value, _), dx = ms.value_and_grad(model, has_aux=True)(x, y)
    return value, dx, dx


@wrong("grad-unpack", "value_and_grad is called twice")
def report(x, y):
    def model(x, y):
        return (x**2 * y).sum(), x + y

    (value, _), dx = ms.value_and_grad(model, 0, has_aux=True)(x, y)
    _, dy = ms.value_and_grad(model, 1, has_aux=True)(x, y)
    return value, dx, dy


@wrong("grad-unpack", "by hand, without the call that was asked for")
def report(x, y):
    return (x**2 * y).sum(), 2 * x * y, x**2


@right("grad-unpack", "indices for unpacking")
def report(x, y):
    model = lambda x, y: ((x**2 * y).sum(), x + y)
    result = ms.value_and_grad(model, grad_position=(0, 1), weights=None, has_aux=True)(x, y)
    return (result[0][0], *result[1])


@right("grad-unpack", "the second output is left out of the function")
def report(x, y):
    value, gradients = ms.value_and_grad(lambda x, y: (x**2 * y).sum(), (0, 1))(x, y)
    return (value, gradients[0], gradients[1])


wrong(
    "grad-errors",
    "asking for nothing gives nothing",
    ["fine", "TypeError", "RuntimeError", "ValueError", "ValueError", "fine"],
)
wrong(
    "grad-errors",
    "a list is as good as a tuple",
    ["ValueError", "fine", "RuntimeError", "ValueError", "ValueError", "fine"],
)
wrong(
    "grad-errors",
    "a position too large is an IndexError, as for a list",
    ["ValueError", "TypeError", "IndexError", "ValueError", "ValueError", "fine"],
)
wrong("grad-errors", "-1 is the last input", ["ValueError", "TypeError", "RuntimeError", "fine", "ValueError", "fine"])
wrong(
    "grad-errors",
    "without other outputs has_aux changes nothing",
    ["ValueError", "TypeError", "RuntimeError", "ValueError", "fine", "fine"],
)
wrong(
    "grad-errors",
    "a tuple of one is refused",
    ["ValueError", "TypeError", "RuntimeError", "ValueError", "ValueError", "ValueError"],
)
wrong(
    "grad-errors",
    "all errors are TypeErrors",
    ["TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "fine"],
)
wrong(
    "grad-errors",
    "a wrong number of outputs is a TypeError",
    ["ValueError", "TypeError", "RuntimeError", "ValueError", "TypeError", "fine"],
)
wrong(
    "grad-errors",
    "indices: too large is an error, negative is not",
    ["ValueError", "TypeError", "IndexError", "fine", "ValueError", "fine"],
)
right("grad-errors", "the types themselves", [ValueError, TypeError, RuntimeError, ValueError, ValueError, "fine"])


@wrong("grad-clip", "the comparison is the wrong way round")
def clip(a, b, max_norm):
    norm = float(ops.sqrt((a**2).sum() + (b**2).sum()).asnumpy())
    if norm < max_norm:
        return a * (max_norm / norm), b * (max_norm / norm)
    return a, b


wrong("grad-clip", "the root is forgotten", above("ops.sqrt -> ", "norm < max_norm -> norm > max_norm"))


@wrong("grad-clip", "each is clipped alone")
def clip(a, b, max_norm):
    def one(g):
        norm = (g**2).sum() ** 0.5
        return g * (max_norm / norm) if float(norm.asnumpy()) > max_norm else g

    return one(a), one(b)


@wrong("grad-clip", "scaled also when the norm is small enough")
def clip(a, b, max_norm):
    norm = ops.sqrt((a**2).sum() + (b**2).sum())
    return a * max_norm / norm, b * max_norm / norm


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


@wrong("grad-clip", "the largest element takes the place of the norm")
def clip(a, b, max_norm):
    norm = max(float(ops.abs(a).max().asnumpy()), float(ops.abs(b).max().asnumpy()))
    if norm > max_norm:
        return a * (max_norm / norm), b * (max_norm / norm)
    return a, b


@wrong("grad-clip", "every element is limited")
def clip(a, b, max_norm):
    limited = lambda g: ms.Tensor(np.clip(g.asnumpy(), -max_norm, max_norm))
    return limited(a), limited(b)


@wrong("grad-clip", "the function of ops that was not to be used")
def clip(a, b, max_norm):
    return ops.clip_by_global_norm((a, b), max_norm)


@wrong("grad-clip", "the mean of the squares")
def clip(a, b, max_norm):
    norm = float(ops.sqrt((a**2).mean() + (b**2).mean()).asnumpy())
    factor = min(1.0, max_norm / norm)
    return a * factor, b * factor


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


wrong("grad-mend", "a tuple of positions, and no more", above(", has_aux=True -> "))
wrong(
    "grad-mend",
    "has_aux is forgotten",
    above("dw, dx) = ms.value_and_grad(forward, (0, 1), has_aux=True -> dx, dw) = ms.value_and_grad(forward, (0, 1)"),
)
wrong(
    "grad-mend",
    "still a list",
    above("dw, dx) = ms.value_and_grad(forward, (0, 1) -> dx, dw) = ms.value_and_grad(forward, [0, 1]"),
)
right(
    "grad-mend",
    "the positions the other way round",
    above("logits), (dw, dx) = ms.value_and_grad(forward, (0, 1) -> _), (dw, dx) = ms.value_and_grad(forward, (1, 0)"),
)


@wrong("grad-mend", "the structure of value_and_grad is returned")
def report(x, w, y):
    def forward(x, w, y):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    return ms.value_and_grad(forward, (0, 1), has_aux=True)(x, w, y)


@wrong("grad-mend", "half of the gradient: the factor 2 is lost")
def report(x, w, y):
    error = (w * x).sum() - y
    return error**2, error * w, error * x


@right("grad-mend", "the loss alone is the output")
def report(x, w, y):
    loss, (dx, dw) = ms.value_and_grad(lambda x, w: ((w * x).sum() - y) ** 2, (0, 1))(x, w)
    return loss, dx, dw
