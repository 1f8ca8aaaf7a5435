"""13b A recurrent net."""

import numpy as np
from sheets import above, right, wrong

import labkit.torch as torch


def states_of(w, u, x):
    """All states of the unit, the first of them 0."""
    hs = [0.0]
    for number in x:
        hs.append(np.tanh(w * hs[-1] + u * number))
    return hs


@wrong("rnn-backward", "the slope of the square is the error alone")
def answer(w, u, x, y):
    hs, dw, du = states_of(w, u, x), 0.0, 0.0
    dh = hs[-1] - y
    for t in range(len(x) - 1, -1, -1):
        da = dh * (1 - hs[t + 1] ** 2)
        dw, du, dh = dw + da * hs[t], du + da * x[t], da * w
    return dw, du


wrong(
    "rnn-backward",
    "the slope of tanh at the state before",
    above("hs[-1] - y -> 2 * (hs[-1] - y)", "hs[t + 1] * -> hs[t] *"),
)
wrong("rnn-backward", "goes back through u", above("hs[-1] - y -> 2 * (hs[-1] - y)", "da * w -> da * u"))


@wrong("rnn-backward", "assigned at each step, not added up")
def answer(w, u, x, y):
    hs = states_of(w, u, x)
    dh = 2 * (hs[-1] - y)
    for t in range(len(x) - 1, -1, -1):
        da = dh * (1 - hs[t + 1] ** 2)
        dw, du, dh = da * hs[t], da * x[t], da * w
    return dw, du


@right("rnn-backward", "forward in time: the derivative of each state is carried along")
def answer(w, u, x, y):
    h = hw = hu = 0.0
    for number in x:
        new = np.tanh(w * h + u * number)
        slope = 1 - new**2
        h, hw, hu = new, slope * (h + w * hw), slope * (number + w * hu)
    return 2 * (h - y) * hw, 2 * (h - y) * hu


wrong("rnn-reach", "four multiplications", [0.0625, 16, 1, 2, 0, 4])
wrong("rnn-reach", "the sign of -1 forgotten", [0.125, 8, 1, 1, 0, 2])
wrong("rnn-reach", "detach changes nothing", [0.125, 8, -1, 1, 8, 2])
wrong("rnn-reach", "behind a cut everything is 0", [0.125, 8, -1, 1, 0, 0])
wrong("rnn-reach", "the last number counts like the first", [0.125, 8, -1, 8, 0, 2])


@wrong("rnn-horizon", "compared with tiny, not with tiny times the first length")
def horizon(w, g, tiny):
    for k in range(1000):
        g = w @ g
        if np.sqrt((g**2).sum()) < tiny:
            return k + 1
    return 0


@wrong("rnn-horizon", "one too few")
def horizon(w, g, tiny):
    first = np.linalg.norm(g)
    for k in range(1000):
        g = w @ g
        if np.linalg.norm(g) < tiny * first:
            return k
    return 0


@wrong("rnn-horizon", "forwards")
def horizon(w, g, tiny):
    first = np.linalg.norm(g)
    for k in range(1, 1001):
        g = w.T @ g
        if np.linalg.norm(g) < tiny * first:
            return k
    return 0


@wrong("rnn-horizon", "the largest eigenvalue for every step")
def horizon(w, g, tiny):
    rate = max(abs(np.linalg.eigvals(w)))
    for k in range(1, 1001):
        if rate**k < tiny:
            return k
    return 0


@right("rnn-horizon", "powers of the matrix")
def horizon(w, g, tiny):
    power = np.eye(len(g))
    for k in range(1, 1001):
        power = power @ w
        if np.linalg.norm(power @ g) < tiny * np.linalg.norm(g):
            return k
    return 0


@wrong("rnn-truncate", "only the first k steps hang together")
def follow(w, x, k):
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        if t >= k:
            h = h.detach()
        h = torch.tanh(w * h + number)
        loss = loss + h
    loss.backward()
    return loss.item(), w.grad


wrong("rnn-truncate", "detached, but not assigned", above("if t >= k: -> if t % k == 0:", "h = h.detach -> h.detach"))
wrong("rnn-truncate", "a new state at each cut", above("if t >= k: -> if t % k == 0:", "h.detach() -> torch.zeros(())"))


@wrong("rnn-truncate", "after the step instead of before it")
def follow(w, x, k):
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        h = torch.tanh(w * h + number)
        if t % k == 0:
            h = h.detach()
        loss = loss + h
    loss.backward()
    return loss.item(), w.grad


@right("rnn-truncate", "a tensor made anew from the value")
def follow(w, x, k):
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        h = torch.tensor(h.item(), dtype=w.dtype) if t and t % k == 0 else h
        h = torch.tanh(w * h + number)
        loss = loss + h
    loss.backward()
    return float(loss), w.grad
