"""18 Capstone: diagnose a sick run."""

import numpy as np
from sheets import above, right, wrong

import labkit.torch as torch

wrong("sick-bytes", "bits", [32000, 32_000_000, 32000, 64000, 64_000_000])
wrong("sick-bytes", "both are counted: p and y", [8000, 8000, 8000, 12000, 12000])
right("sick-bytes", "products", [1000 * 4, 1000**2 * 4, 1000 * 4, 1000 * 8, 1000**2 * 8])


def length(*arrays):
    return np.sqrt(sum(np.sum(g**2) for g in arrays))


@wrong("sick-order", "None for a skipped step")
def answer(a, b, scale, limit):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return None
    a, b = a / scale, b / scale
    factor = min(1.0, limit / length(a, b))
    return a * factor, b * factor


wrong(
    "sick-order",
    "always scaled to the limit",
    above("None -> ()", "min(1.0, limit / length(a, b)) -> limit / length(a, b)"),
)


@wrong("sick-order", "nan is checked, inf is not")
def answer(a, b, scale, limit):
    if np.isnan(a).any() or np.isnan(b).any():
        return ()
    a, b = a / scale, b / scale
    factor = min(1.0, limit / length(a, b))
    return a * factor, b * factor


wrong("sick-order", "no check", above("    if np.isnan(a).any() or np.isnan(b).any():\n        return ()\n -> "))


@right("sick-order", "one factor of limit, scale and norm; the norm shows the overflow")
def answer(a, b, scale, limit):
    norm = np.hypot(np.linalg.norm(a), np.linalg.norm(b))
    if not np.isfinite(norm):
        return ()
    factor = 1 / max(scale, norm / limit)
    return a * factor, b * factor


names = ["broadcast", "scale", "detach", "clip", "reset"]
wrong("sick-name", "a layer that does not move is a reset", ["broadcast", "scale", "reset", "clip", "detach"])
right("sick-name", "a tuple", tuple(names))


@wrong("sick-loop", "the broadcast is left in")
def answer(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        hidden = torch.tanh(x @ w1)
        loss = ((hidden @ w2 - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


wrong(
    "sick-loop",
    "only one of the two is returned changed: w2 is cut as well",
    above("[w1, w2], -> [w1],", "hidden @ w2 -> (hidden @ w2).squeeze()"),
)


@wrong("sick-loop", "emptied once, before the loop")
def answer(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    optimizer.zero_grad()
    for _ in range(4):
        hidden = torch.tanh(x @ w1)
        loss = ((hidden @ w2 - y.reshape(-1, 1)) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


wrong(
    "sick-loop",
    "emptied between backward and step",
    above("    optimizer.zero_grad()\n -> ", "loss.backward() -> loss.backward()\n        optimizer.zero_grad()"),
)


@right("sick-loop", "NumPy and the derivatives by hand")
def answer(x, y, w1, w2):
    for _ in range(4):
        hidden = np.tanh(x @ w1)
        d_out = 2 * (hidden @ w2 - y[:, None]) / len(y)
        d_hidden = d_out @ w2.T * (1 - hidden**2)
        w1, w2 = w1 - 0.1 * x.T @ d_hidden, w2 - 0.1 * hidden.T @ d_out
    return w1, w2
