"""11 The training step."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import nn, ops


@wrong("step-write", "no class")
def answer(w, x, y, limit):
    layer = nn.Dense(3, 1, weight_init=w, has_bias=False)
    network = nn.WithLossCell(layer, nn.MSELoss())
    optimizer = nn.SGD(layer.trainable_params())
    losses = []
    for _ in range(3):
        loss, grads = ms.value_and_grad(network, None, optimizer.parameters)(x, y)
        optimizer(ops.clip_by_global_norm(grads, limit))
        losses.append(loss)
    return tuple(losses), layer.weight.value()


six = [0, 1.3863, 2.7726, 0, 0.25, -0.75]
wrong("step-zero-loss", "the sign of label minus softmax", [*six[:4], -0.25, 0.75])
right("step-zero-loss", "exact logarithms", [0, np.log(4), 2 * np.log(4), 0, 0.25, -0.75])

loops = [0.64, 0.44, 1.0, 0.8, 0.36, 0.36]
wrong("step-loops", "zero_grad after backward does no harm", [*loops[:2], 0.64, *loops[3:]])
wrong("step-loops", "the second step of an iteration computes a new gradient", [*loops[:4], 0.4096, loops[5]])
wrong("step-loops", "line 1: the second gradient counts twice", [0.64, 0.48, *loops[2:]])
wrong("step-loops", "the second iteration uses the first gradient: both are 2", [0.6, 0.4, 1.0, 0.8, 0.2, 0.2])
right("step-loops", "powers", [0.8**2, 0.44, 1, 0.8, 0.6**2, 0.6**2])


@wrong("step-port", "Nesterov's momentum")
def answer(w, x, y):
    w, x, y = torch.tensor(w, requires_grad=True), torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9, nesterov=True)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, w.detach()


right("step-port", "the losses are tensors", above(", nesterov=True -> ", ".item() -> "))


@right("step-port", "w as a column; the update by hand, under no_grad")
def answer(w, x, y):
    w = torch.tensor(w[:, None], requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y[:, None])
    kept, losses = torch.zeros_like(w), []
    for _ in range(3):
        loss = torch.nn.functional.mse_loss(torch.matmul(x, w), y)
        (g,) = torch.autograd.grad(loss, w)
        kept = 0.9 * kept + g
        with torch.no_grad():
            w -= 0.1 * kept
        losses.append(float(loss))
    return losses, w.detach()[:, 0]


wrong("step-optimizers", "one step instead of two", [0.8, 0.8, 2, 0.9, -199, 0.9])
wrong("step-optimizers", "Momentum keeps the step, times the rate", [0.6, 0.42, 0.38, 0.9, -199, 0.9])
wrong("step-optimizers", "the changes of p", [-0.4, -0.58, 3.8, -0.1, -200, -0.1])
right("step-optimizers", "as sums of steps", [1 - 2 * 0.2, 1 - 0.2 - 0.38, 2 * 0.9 + 2, 0.9, 1 - 200, 0.9])


@right("step-adam", "the correction in the rate, as Adam's paper proposes")
def answer(p, gradients, rate):
    m = v = 0.0 * p
    first = second = 1.0
    for g in gradients:
        first, second = 0.9 * first, 0.999 * second
        m = m + 0.1 * (g - m)
        v = v + 0.001 * (g * g - v)
        root = (1 - second) ** 0.5
        p = p - rate * root / (1 - first) * m / (v**0.5 + 1e-8 * root)
    return p
