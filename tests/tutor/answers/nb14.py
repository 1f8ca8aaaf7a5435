"""14 The training step."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import nn, ops


def trained(cell, w, x, y, limit):
    """What `train` does with a cell: the students' own second half, when only the cell is in question."""
    layer = nn.Dense(3, 1, weight_init=w, has_bias=False)
    optimizer = nn.SGD(layer.trainable_params(), 0.1)
    step = cell(nn.WithLossCell(layer, nn.MSELoss()), optimizer, limit)
    losses = tuple(step(x, y) for _ in range(3))
    return losses, layer.weight.value()


@wrong("step-write", "the limit is left at 1")
def answer(w, x, y, limit):
    class MyTrainOneStep(nn.Cell):
        def __init__(self, network, optimizer, limit):
            super().__init__()
            self.network, self.optimizer = network, optimizer

        def construct(self, *batch):
            loss, grads = ms.value_and_grad(self.network, None, self.optimizer.parameters)(*batch)
            self.optimizer(ops.clip_by_global_norm(grads))
            return loss

    return trained(MyTrainOneStep, w, x, y, limit)


wrong(
    "step-write",
    "by value",
    above(
        "optimizer = network, optimizer -> optimizer, self.limit = network, optimizer, limit",
        "clip_by_global_norm(grads) -> clip_by_value(grads, -self.limit, self.limit)",
    ),
)


@wrong("step-write", "two steps only")
def answer(w, x, y, limit):
    layer = nn.Dense(3, 1, weight_init=w, has_bias=False)
    network = nn.WithLossCell(layer, nn.MSELoss())
    optimizer = nn.SGD(layer.trainable_params(), 0.1)
    losses = []
    for _ in range(2):
        loss, grads = ms.value_and_grad(network, None, optimizer.parameters)(x, y)
        optimizer(ops.clip_by_global_norm(grads, limit))
        losses.append(loss)
    return tuple(losses), layer.weight.value()


right(
    "step-write",
    "the rate is left at its default, which is 0.1",
    above("(layer.trainable_params(), 0.1) -> (layer.trainable_params())", "range(2): -> range(3):"),
)


@wrong("step-write", "the loss after the update is returned")
def answer(w, x, y, limit):
    class MyTrainOneStep(nn.Cell):
        def __init__(self, network, optimizer, limit):
            super().__init__()
            self.network, self.optimizer, self.limit = network, optimizer, limit

        def construct(self, *batch):
            _, grads = ms.value_and_grad(self.network, None, self.optimizer.parameters)(*batch)
            self.optimizer(ops.clip_by_global_norm(grads, self.limit))
            return self.network(*batch)

    return trained(MyTrainOneStep, w, x, y, limit)


six = [0, 1.3863, 2.7726, 0, 0.25, -0.75]
wrong("step-zero-loss", "the sign of label minus softmax", [*six[:4], -0.25, 0.75])
right("step-zero-loss", "exact logarithms", [0, np.log(4), 2 * np.log(4), 0, 0.25, -0.75])

loops = [0.64, 0.44, 1.0, 0.8, 0.36, 0.36]
wrong("step-loops", "zero_grad after backward does no harm", [*loops[:2], 0.64, *loops[3:]])
wrong("step-loops", "the second step of a body sees a new gradient", [*loops[:4], 0.4096, loops[5]])
wrong("step-loops", "one round", [0.8, 0.8, 1.0, 1.0, 0.6, 0.6])
wrong("step-loops", "the gradient of the first round stays in the second: both are 2", [0.6, 0.4, 1.0, 0.8, 0.2, 0.2])
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


wrong("step-port", "the losses are tensors", above(", nesterov=True -> ", ".item() -> "))


@wrong("step-port", "the loss after the step")
def answer(w, x, y):
    w, x, y = torch.tensor(w, requires_grad=True), torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        ((x @ w - y) ** 2).mean().backward()
        optimizer.step()
        losses.append(((x @ w - y) ** 2).mean().item())
    return losses, w.detach()


@right("step-port", "the update by hand, under no_grad")
def answer(w, x, y):
    w = torch.tensor(w, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    kept, losses = torch.zeros_like(w), []
    for _ in range(3):
        loss = torch.nn.functional.mse_loss(torch.matmul(x, w), y)
        (g,) = torch.autograd.grad(loss, w)
        kept = 0.9 * kept + g
        with torch.no_grad():
            w -= 0.1 * kept
        losses.append(float(loss))
    return losses, w.detach()
