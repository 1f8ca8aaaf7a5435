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
wrong(
    "step-write",
    "the optimizer is not called",
    above(
        "optimizer = network, optimizer -> optimizer, self.limit = network, optimizer, limit",
        "self.optimizer(ops.clip_by_global_norm(grads)) -> grads = ops.clip_by_global_norm(grads, self.limit)",
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


@wrong("step-write", "not clipped")
def answer(w, x, y, limit):
    class MyTrainOneStep(nn.Cell):
        def __init__(self, network, optimizer, limit):
            super().__init__()
            self.network, self.optimizer, self.limit = network, optimizer, limit
            self.gradient = ms.value_and_grad(network, None, optimizer.parameters)

        def construct(self, *batch):
            loss, grads = self.gradient(*batch)
            self.optimizer(grads)
            return loss

    return trained(MyTrainOneStep, w, x, y, limit)


@wrong("step-write", "the clip's result is thrown away")
def answer(w, x, y, limit):
    class MyTrainOneStep(nn.Cell):
        def __init__(self, network, optimizer, limit):
            super().__init__()
            self.network, self.optimizer, self.limit = network, optimizer, limit

        def construct(self, *batch):
            loss, grads = ms.value_and_grad(self.network, None, self.optimizer.parameters)(*batch)
            ops.clip_by_global_norm(grads, self.limit)
            self.optimizer(grads)
            return loss

    return trained(MyTrainOneStep, w, x, y, limit)


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


@wrong("step-write", "gradients of the inputs in place of the parameters")
def answer(w, x, y, limit):
    class MyTrainOneStep(nn.Cell):
        def __init__(self, network, optimizer, limit):
            super().__init__()
            self.network, self.optimizer, self.limit = network, optimizer, limit

        def construct(self, *batch):
            loss, grads = ms.value_and_grad(self.network, 0)(*batch)
            self.optimizer(ops.clip_by_global_norm((grads,), self.limit))
            return loss

    return trained(MyTrainOneStep, w, x, y, limit)


@wrong("step-write", "a new layer for each step")
def answer(w, x, y, limit):
    losses = []
    for _ in range(3):
        layer = nn.Dense(3, 1, weight_init=w, has_bias=False)
        network = nn.WithLossCell(layer, nn.MSELoss())
        optimizer = nn.SGD(layer.trainable_params(), 0.1)
        loss, grads = ms.value_and_grad(network, None, optimizer.parameters)(x, y)
        optimizer(ops.clip_by_global_norm(grads, limit))
        losses.append(loss)
    return tuple(losses), layer.weight.value()


@right("step-write", "a TrainOneStepCell whose construct is written anew, and an own global norm")
def answer(w, x, y, limit):
    class MyTrainOneStep(nn.TrainOneStepCell):
        def __init__(self, network, optimizer, limit):
            super().__init__(network, optimizer)
            self.limit = limit
            self.both = ms.value_and_grad(network, None, optimizer.parameters)

        def construct(self, *batch):
            loss, grads = self.both(*batch)
            norm = sum(float((g**2).sum().asnumpy()) for g in grads) ** 0.5
            factor = min(1.0, self.limit / norm)
            self.optimizer(tuple(g * factor for g in grads))
            return loss

    return trained(MyTrainOneStep, w, x, y, limit)


six = [0, 1.3863, 2.7726, 0, 0.25, -0.75]
wrong("step-zero-loss", "what is 0 has the gradient 0", [*six[:4], 0, six[5]])
wrong("step-zero-loss", "the formula's gradient is the softmax, too", [*six[:3], 0.25, *six[4:]])
wrong("step-zero-loss", "a label of zeros costs ln 4", [1.3863, *six[1:]])
wrong("step-zero-loss", "labels are normalised", [*six[:2], 1.3863, *six[3:]])
wrong("step-zero-loss", "the probability for the loss", [0, 0.25, 0.5, 0, 0.25, -0.75])
wrong("step-zero-loss", "the sign of label minus softmax", [*six[:4], -0.25, 0.75])
wrong("step-zero-loss", "the minus of the logarithm is forgotten", [0, -1.3863, -2.7726, 0, 0.25, -0.75])
wrong("step-zero-loss", "the gradient at the right class is that of the others", [*six[:5], 0.25])
wrong("step-zero-loss", "the mean over the four classes", [0, 0.3466, 0.6931, 0, 0.0625, -0.1875])
right("step-zero-loss", "exact logarithms", [0, np.log(4), 2 * np.log(4), 0, 0.25, -0.75])

loops = [0.64, 0.44, 1.0, 0.8, 0.36, 0.36]
wrong("step-loops", "gradients do not pile up", [0.64, 0.64, 1.0, 0.8, 0.36, 0.64])
wrong("step-loops", "zero_grad after backward does no harm", [*loops[:2], 0.64, *loops[3:]])
wrong("step-loops", "the order within the loop does not matter", [*loops[:3], 0.64, *loops[4:]])
wrong("step-loops", "a second step without a gradient of its own does nothing", [*loops[:4], 0.64, loops[5]])
wrong("step-loops", "the second step of a body sees a new gradient", [*loops[:4], 0.4096, loops[5]])
wrong("step-loops", "the slope of w**2 is w", [0.81, 0.71, 1.0, 0.9, 0.64, 0.64])
wrong("step-loops", "one round", [0.8, 0.8, 1.0, 1.0, 0.6, 0.6])
wrong("step-loops", "step first fails to move in both rounds", [*loops[:3], 1.0, *loops[4:]])
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


wrong("step-port", "zero_grad is forgotten", above(", nesterov=True -> ", "        optimizer.zero_grad()\n -> "))
wrong("step-port", "without momentum", above(", momentum=0.9, nesterov=True -> "))
wrong("step-port", "the losses are tensors", above(", nesterov=True -> ", ".item() -> "))
wrong("step-port", "the sum for the mean", above(", nesterov=True -> ", "mean -> sum"))
wrong(
    "step-port",
    "the optimizer is made anew in each step, and so is its momentum",
    above(
        "    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9, nesterov=True)\n -> ",
        "for _ in range(3): -> for _ in range(3):\n        optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)",
    ),
)
wrong("step-port", "momentum 0.1 and rate 0.9: exchanged", above("1, momentum=0.9, nesterov=True -> 9, momentum=0.1"))


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


@wrong("step-port", "zero_grad between backward and step")
def answer(w, x, y):
    w, x, y = torch.tensor(w, requires_grad=True), torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    losses = []
    for _ in range(3):
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.item())
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
