"""14 Diagnosis."""

import numpy as np
from sheets import above, right, wrong

import labkit.torch as torch

leaks = ["float32", "float64", "float16", "float32", "float64", "float32", "float64", "float32", "float32"]
wrong("fp-leak-find", "a list of Python numbers is float64", ["float64", *leaks[1:]])
wrong("fp-leak-find", "the gradient has the type of the result", [*leaks[:8], "float64"])
right("fp-leak-find", "a tuple", tuple(leaks))


@wrong("nan-repair", "a small number is added under the root")
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(torch.abs(x) + 1e-4), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


right(
    "nan-repair",
    "relu before the root: its rule selects 0, it does not multiply",
    above("torch.where(x > 0, w * torch.sqrt(torch.abs(x) + 1e-4), 0.0) -> w * torch.sqrt(torch.relu(x))"),
)

wrong("sick-bytes", "kilobytes", [4, 4000, 4, 8, 8000])
wrong("sick-bytes", "both are counted: p and y", [8000, 8000, 8000, 12000, 12000])
right("sick-bytes", "products", [1000 * 4, 1000**2 * 4, 1000 * 4, 1000 * 8, 1000**2 * 8])


@right("sick-order", "one factor of limit, scale and norm; the norm shows the overflow")
def answer(a, b, scale, limit):
    norm = np.hypot(np.linalg.norm(a), np.linalg.norm(b))
    if not np.isfinite(norm):
        return ()
    factor = 1 / max(scale, norm / limit)
    return a * factor, b * factor


wrong("sick-order", "None for a skipped step", above("() -> None"))
wrong("sick-order", "nan is checked, inf is not", above("not np.isfinite -> np.isnan"))

names = ["broadcast", "scale", "detach", "clip", "reset"]
wrong("sick-name", "a layer that does not move is a reset", ["broadcast", "scale", "reset", "clip", "detach"])
right("sick-name", "a tuple", tuple(names))


@right("sick-loop", "NumPy and the derivatives by hand")
def answer(x, y, w1, w2):
    for _ in range(4):
        hidden = np.tanh(x @ w1)
        d_out = 2 * (hidden @ w2 - y[:, None]) / len(y)
        d_hidden = d_out @ w2.T * (1 - hidden**2)
        w1, w2 = w1 - 0.1 * x.T @ d_hidden, w2 - 0.1 * hidden.T @ d_out
    return w1, w2
