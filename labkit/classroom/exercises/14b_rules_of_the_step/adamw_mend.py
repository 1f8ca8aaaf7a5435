"""# Mend the weight decay (3 points)

`adam` takes one step for each of the `gradients` (a list of arrays) and returns the new `p`. The weight decay is added to
the gradient, so it is divided by the size of the gradients like everything else. Mend it: make it AdamW, where each step
first shortens `p` by `rate * decay` times itself, and the rest does not know of the decay.

[[as_it_was as adam]]
"""

from functools import partial

import numpy as np

from labkit import torch
from labkit.classroom.writing import judged, wrong


def adam(p, gradients, rate, decay):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        p = p - rate * decay * p
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        mean, square = m / (1 - 0.9**t), v / (1 - 0.999**t)
        p = p - rate * mean / (np.sqrt(square) + 1e-8)
    return p


def _slopes(rng, steps, low, high):
    """So many gradients of four elements, of sizes between two powers of ten."""
    sizes = 10.0 ** rng.uniform(low, high, 4)
    gradients = [sizes * rng.uniform(0.3, 2, 4) * rng.choice([-1, 1], 4) for _ in range(steps)]
    p = rng.uniform(1, 3, 4) * rng.choice([-1, 1], 4)
    return p, gradients, float(rng.uniform(0.05, 0.3)), float(rng.uniform(0.2, 0.9))


draw = (
    partial(_slopes, steps=3, low=-1, high=2), partial(_slopes, steps=7, low=-1, high=1),
    partial(_slopes, steps=2, low=-5, high=-4), partial(_slopes, steps=1, low=-7, high=-6),
)  # fmt: skip


def reference(p, gradients, rate, decay):
    leaf = torch.tensor(p, requires_grad=True)
    optimizer = torch.optim.AdamW([leaf], lr=rate, weight_decay=decay)
    for g in gradients:
        leaf.grad = torch.tensor(g)
        optimizer.step()
    return leaf.detach().numpy()


@wrong("That is Adam with L2, as it was. Take the decay out of the gradient, and shorten p itself.")
def as_it_was(p, gradients, rate, decay):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        g = g + decay * p
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        mean, square = m / (1 - 0.9**t), v / (1 - 0.999**t)
        p = p - rate * mean / (np.sqrt(square) + 1e-8)
    return p


def _adam(p, gradients, rate, decay, shorten, after=False):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        p = p if after else shorten(p)
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        p = p - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        p = shorten(p) if after else p
    return p


@wrong("The decay is gone altogether. Each step shortens p by rate * decay times itself.")
def no_decay(p, gradients, rate, decay):
    return _adam(p, gradients, rate, decay, lambda p: p)


@wrong("The decay is not multiplied by the rate: p = p - rate * decay * p.")
def without_the_rate(p, gradients, rate, decay):
    return _adam(p, gradients, rate, decay, lambda p: p - decay * p)


@wrong("You shortened p after the step. Each step first shortens p.")
def after_the_step(p, gradients, rate, decay):
    return _adam(p, gradients, rate, decay, lambda p: p - rate * decay * p, after=True)


@wrong("You made p longer. The decay takes away: p = p - rate * decay * p.")
def longer(p, gradients, rate, decay):
    return _adam(p, gradients, rate, decay, lambda p: p + rate * decay * p)


@judged("value")
def decays_once(p, gradients, rate, decay):
    return _adam(p - rate * decay * p, gradients, rate, decay, lambda p: p)


hints = (
    "The line g = g + decay * p has to go.",
    "Shorten p at the beginning of each step: it is multiplied by 1 - rate * decay.",
    "p = p - rate * decay * p, and then the four lines of Adam as they are.",
)
