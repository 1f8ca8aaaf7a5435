"""# Port accumulation (1 point)

Four losses, one step: `backward` adds up their gradients. Port the program to MindSpore: write `port(x, v)`; `x` is a
scalar Tensor, `v` has four elements. It returns `x` after the second step.

[[_program as program]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.writing import wrong


def port(x, v):
    one = ms.grad(lambda x, c: (x * c - 1) ** 2)
    for _ in range(2):
        total = ms.Tensor(0.0)
        for i in range(4):
            total = total + one(x, v[i])
        x = x - 0.01 * total
    return x


def _program(x, v):
    for _ in range(2):
        for i in range(4):
            ((x * v[i] - 1) ** 2).backward()
        with torch.no_grad():
            x -= 0.01 * x.grad
        x.grad = None
    return x


def reference(x, v):
    found = _program(torch.tensor(x.asnumpy(), requires_grad=True), torch.tensor(v.asnumpy()))
    return ms.Tensor(found.detach().numpy())


def draw(rng):
    return np.array(rng.uniform(0.5, 2.5), np.float32), rng.uniform(1.0, 2.5, 4).astype(np.float32)


tensors = "mindspore"
errors = (("'backward'", "A MindSpore Tensor has no history to walk back. Hand the function itself to ms.grad."),)


def _one(x, c):
    return (x * c - 1) ** 2


@wrong("Each step took the last gradient alone. Nothing accumulates in MindSpore: add the gradients up yourself.")
def last_only(x, v):
    for _ in range(2):
        for c in v:
            g = ms.grad(_one)(x, c)
        x = x - 0.01 * g
    return x


@wrong("You averaged. backward adds; it never divides by the number of calls.")
def averaged(x, v):
    for _ in range(2):
        x = x - 0.01 * ms.grad(lambda x: ((x * v - 1) ** 2).mean())(x)
    return x


@wrong("You summed before squaring: the program squares each difference, then the gradients add up.")
def squared_sum(x, v):
    for _ in range(2):
        x = x - 0.01 * ms.grad(lambda x: (x * v - 1).sum() ** 2)(x)
    return x


@wrong("You took a step after each gradient. The program takes one for all four, which belong to the same x.")
def stepped_each_time(x, v):
    for _ in range(2):
        for c in v:
            x = x - 0.01 * ms.grad(_one)(x, c)
    return x


@wrong(
    "The second step still has the gradients of the first. The program empties .grad after a step: begin with 0 again."
)
def never_emptied(x, v):
    total = 0.0
    for _ in range(2):
        for c in v:
            total = total + ms.grad(_one)(x, c)
        x = x - 0.01 * total
    return x


hints = (
    "x.grad holds the sum of four gradients. What holds it in MindSpore, and where does it begin again?",
    "Make the gradient function once, outside the loops, and add up what it returns for the same x.",
    "one = ms.grad(lambda x, c: (x * c - 1) ** 2); inside, total = total + one(x, v[i]); then one step",
)
