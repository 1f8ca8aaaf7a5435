"""e6 A recurrent net."""

import numpy as np
from sheets import above, right, wrong

import labkit.torch as torch


@right("rnn-backward", "forward mode: the derivative of each state is carried along")
def answer(w, u, x, y):
    h = hw = hu = 0.0
    for number in x:
        new = np.tanh(w * h + u * number)
        slope = 1 - new**2
        h, hw, hu = new, slope * (h + w * hw), slope * (number + w * hu)
    return 2 * (h - y) * hw, 2 * (h - y) * hu


@wrong("rnn-backward", "the numbers are read from the start in the backward pass")
def backward(w, u, x, y):
    states = [0.0]
    for number in x:
        states.append(np.tanh(w * states[-1] + u * number))
    g, dw, du = 2 * (states[-1] - y), 0.0, 0.0
    for after, before, number in zip(states[:0:-1], states[-2::-1], x, strict=True):
        g *= 1 - after**2
        dw, du, g = dw + g * before, du + g * number, g * w
    return dw, du


@wrong("rnn-truncate", "only the first k steps are connected")
def follow(w, x, k):
    h, loss = torch.zeros(()), 0.0
    for t, number in enumerate(x):
        if t >= k:
            h = h.detach()
        h = torch.tanh(w * h + number)
        loss = loss + h
    loss.backward()
    return loss.item(), w.grad


right(
    "rnn-truncate",
    "a new tensor from the value",
    above("t >= k -> t and t % k == 0", "h.detach() -> torch.tensor(h.item(), dtype=w.dtype)"),
)
