"""18 Capstone: diagnose a sick run."""

import numpy as np
from sheets import above, right, wrong

import labkit.torch as torch

five = [4000, 4_000_000, 4000, 8000, 8_000_000]
wrong("sick-bytes", "a column minus a row is a column", [4000, 4000, 4000, 8000, 8000])
wrong("sick-bytes", "float64 is cut to float32", [4000, 4_000_000, 4000, 4000, 4_000_000])
wrong("sick-bytes", "two vectors make a table as well", [4000, 4_000_000, 4_000_000, 8000, 8_000_000])
wrong("sick-bytes", "elements, not bytes", [1000, 1_000_000, 1000, 1000, 1_000_000])
wrong("sick-bytes", "float32 has 8 bytes, float64 has 16", [8000, 8_000_000, 8000, 16000, 16_000_000])
wrong("sick-bytes", "bits", [32000, 32_000_000, 32000, 64000, 64_000_000])
wrong("sick-bytes", "one too many zeros is missing", [4000, 400_000, 4000, 8000, 800_000])
wrong("sick-bytes", "the two columns of the last but one make a table", [4000, 4_000_000, 4000, 8_000_000, 8_000_000])
wrong("sick-bytes", "both are counted: p and y", [8000, 8000, 8000, 12000, 12000])
right("sick-bytes", "products", [1000 * 4, 1000**2 * 4, 1000 * 4, 1000 * 8, 1000**2 * 8])

wrong("sick-skips", "the number of the first good step", [7, 16384, 100])
wrong("sick-skips", "the gradient of 3 is forgotten: 65504 alone decides", [5, 2**15, 100])
wrong("sick-skips", "the exponent", [6, 14, 100])
wrong("sick-skips", "a static scale is skipped once", [6, 16384, 1])
wrong("sick-skips", "a static scale never skips", [6, 16384, 0])
wrong("sick-skips", "the scale as it does not overflow: 65504 / 3", [6, 21834, 100])
wrong("sick-skips", "an overflow counts with the window: all are skipped", [100, 2**20, 100])
wrong("sick-skips", "one step more for safety", [7, 8192, 100])
right("sick-skips", "a power", [6, 2**14, 100])


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
    "only the first one is checked",
    above("(np.isfinite(a).all() and np.isfinite(b).all()) -> np.isfinite(a).all()", "None -> ()"),
)
wrong("sick-order", "skipped only when both overflow", above("and -> or", "None -> ()"))
wrong(
    "sick-order",
    "always scaled to the limit",
    above("None -> ()", "min(1.0, limit / length(a, b)) -> limit / length(a, b)"),
)
wrong("sick-order", "zeros for a skipped step", above("None -> np.zeros_like(a), np.zeros_like(b)"))
wrong(
    "sick-order",
    "unscaled twice: the limit is divided as well",
    above("None -> ()", "b = a / scale, b / -> b, limit = a / scale, b / scale, limit /"),
)


@wrong("sick-order", "nan is checked, inf is not")
def answer(a, b, scale, limit):
    if np.isnan(a).any() or np.isnan(b).any():
        return ()
    a, b = a / scale, b / scale
    factor = min(1.0, limit / length(a, b))
    return a * factor, b * factor


wrong("sick-order", "no check", above("    if np.isnan(a).any() or np.isnan(b).any():\n        return ()\n -> "))


@wrong("sick-order", "clipped before it is unscaled")
def answer(a, b, scale, limit):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    factor = min(1.0, limit / length(a, b))
    return a * factor / scale, b * factor / scale


@wrong("sick-order", "each is clipped alone")
def answer(a, b, scale, limit):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    a, b = a / scale, b / scale
    return a * min(1.0, limit / length(a)), b * min(1.0, limit / length(b))


@wrong("sick-order", "by value")
def answer(a, b, scale, limit):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    return np.clip(a / scale, -limit, limit), np.clip(b / scale, -limit, limit)


@right("sick-order", "one factor of limit, scale and norm; the norm shows the overflow")
def answer(a, b, scale, limit):
    norm = np.hypot(np.linalg.norm(a), np.linalg.norm(b))
    if not np.isfinite(norm):
        return ()
    factor = 1 / max(scale, norm / limit)
    return a * factor, b * factor


names = ["broadcast", "scale", "detach", "clip", "reset"]
wrong("sick-name", "inf in the gradient is a missing clip", ["broadcast", "clip", "detach", "scale", "reset"])
wrong("sick-name", "a layer that does not move is a reset", ["broadcast", "scale", "reset", "clip", "detach"])
wrong("sick-name", "a loss that stays is a cut graph", ["detach", "scale", "broadcast", "clip", "reset"])
wrong("sick-name", "a loss that rises and falls is a missing clip", ["broadcast", "scale", "detach", "reset", "clip"])
wrong("sick-name", "a loss that never moves is a cut graph", ["broadcast", "detach", "scale", "clip", "reset"])
wrong("sick-name", "the words in the order of the text", ["detach", "reset", "broadcast", "scale", "clip"])
wrong(
    "sick-name",
    "small steps are a small scale; inf is a reset that is missing",
    ["broadcast", "reset", "detach", "scale", "clip"],
)
wrong("sick-name", "one name twice", ["broadcast", "scale", "detach", "scale", "reset"])
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
    "zero_grad is forgotten",
    above(
        "        optimizer.zero_grad()\n -> ", "(hidden @ w2 - y) ** 2).mean( -> (hidden @ w2 - y[:, None]) ** 2).mean("
    ),
)
wrong("sick-loop", "the labels are a row: still a broadcast", above("tensor(y) -> tensor(y).reshape(1, -1)"))
wrong(
    "sick-loop",
    "only one of the two is returned changed: w2 is cut as well",
    above("[w1, w2], -> [w1],", "hidden @ w2 -> (hidden @ w2).squeeze()"),
)
wrong(
    "sick-loop",
    "the sum for the mean",
    above("(hidden @ w2 - y) ** 2).mean( -> ((hidden @ w2).squeeze() - y) ** 2).sum("),
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


@wrong("sick-loop", "the detach is left in")
def answer(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for _ in range(4):
        hidden = torch.tanh(x @ w1).detach()
        loss = (((hidden @ w2).squeeze() - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


@wrong("sick-loop", "two of the three: only the broadcast is mended")
def answer(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for _ in range(4):
        hidden = torch.tanh(x @ w1).detach()
        loss = (((hidden @ w2)[:, 0] - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


@right("sick-loop", "NumPy and the derivatives by hand")
def answer(x, y, w1, w2):
    for _ in range(4):
        hidden = np.tanh(x @ w1)
        d_out = 2 * (hidden @ w2 - y[:, None]) / len(y)
        d_hidden = d_out @ w2.T * (1 - hidden**2)
        w1, w2 = w1 - 0.1 * x.T @ d_hidden, w2 - 0.1 * hidden.T @ d_out
    return w1, w2
