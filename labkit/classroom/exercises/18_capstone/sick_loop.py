"""# Mend a loop with three faults (3 points)

This loop runs without an error. It has three faults, and you have met all of them. Mend it. The arguments are
NumPy arrays of the shapes `x` (6, 2), `y` (6,), `w1` (2, 3), `w2` (3, 1).

```python
def answer(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        hidden = torch.tanh(x @ w1).detach()
        loss = ((hidden @ w2 - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()
```
"""

import numpy as np

from labkit import torch
from labkit.classroom.writing import judged, same, wrong


def answer(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        hidden = torch.tanh(x @ w1)
        loss = (((hidden @ w2)[:, 0] - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


STEPS, RATE = 4, 0.1


def _trained(x, y, w1, w2, detached=False, adds=False, table=False):
    """Both weights after STEPS steps, by plain formulas, with the faults that are asked for."""
    x, y, w1, w2 = (np.array(a, float) for a in (x, y, w1, w2))
    g1, g2 = np.zeros_like(w1), np.zeros_like(w2)
    for _ in range(STEPS):
        hidden = np.tanh(x @ w1)
        out = hidden @ w2
        error = (out - y).mean(axis=1, keepdims=True) if table else out - y[:, None]
        back = 2 * error / len(x)
        new2 = hidden.T @ back
        new1 = x.T @ ((back @ w2.T) * (1 - hidden**2))
        g1, g2 = (g1 + new1, g2 + new2) if adds else (new1, new2)
        w1, w2 = w1 if detached else w1 - RATE * g1, w2 - RATE * g2
    return w1.astype(np.float32), w2.astype(np.float32)


def _was(**faults):
    return lambda i, expected, got: same(_trained(*i, **faults), tuple(got))


reference = _trained


def draw(rng):
    x = rng.uniform(-1, 1, (6, 2)).astype(np.float32)
    y = rng.uniform(1, 2, 6).astype(np.float32)
    return x, y, rng.uniform(-1, 1, (2, 3)).astype(np.float32), rng.uniform(-1, 1, (3, 1)).astype(np.float32)


@wrong("All three faults are still there: one in the network, one in the loss, one in the loop.")
def unchanged(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        hidden = torch.tanh(x @ w1).detach()
        loss = ((hidden @ w2 - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


@wrong(
    "w1 does not move: detach cuts it off.",
    when=lambda i, expected, got: same(i[2], got[0]),
)
def still_detached(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        hidden = torch.tanh(x @ w1).detach()
        loss = (((hidden @ w2)[:, 0] - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


@wrong(
    "The gradients of earlier steps are still in .grad. Empty it before each backward.",
    when=lambda i, expected, got: _was(adds=True)(i, expected, got) or _was(adds=True, table=True)(i, expected, got),
)
def still_adds(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        hidden = torch.tanh(x @ w1)
        loss = (((hidden @ w2)[:, 0] - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


@wrong("(6, 1) minus (6,) is a table of 6 by 6. Give both sides the same shape.")
def still_a_table(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        hidden = torch.tanh(x @ w1)
        loss = ((hidden @ w2 - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


@judged("still-adds")
def detach_alone_mended(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(4):
        hidden = torch.tanh(x @ w1)
        loss = ((hidden @ w2 - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


@judged("value")
def too_many_steps(x, y, w1, w2):
    w1, w2 = torch.tensor(w1, requires_grad=True), torch.tensor(w2, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w1, w2], lr=0.1)
    for step in range(5):
        optimizer.zero_grad()
        hidden = torch.tanh(x @ w1)
        loss = (((hidden @ w2)[:, 0] - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w1.detach().numpy(), w2.detach().numpy()


hints = (
    "Print the shape of hidden @ w2 - y, and w1.grad after the first step.",
    "Which lines of a training step are missing? In which order do they stand: zero_grad, forward, backward, step.",
    "Take detach away from hidden, write (hidden @ w2)[:, 0] - y, and call optimizer.zero_grad().",
)
