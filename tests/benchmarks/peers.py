"""The same gradients in the real frameworks, in a process of their own: `PYTHON peers.py FRAMEWORK WORKLOAD`.

Prints `ready`, then for every line it reads runs the workload for a while and prints the seconds one run takes.
Frameworks: torch, mindspore-graph, mindspore-pynative. Workloads: net, mlp, lenet-N (a training step of LeNet-5 with
momentum, N images). It imports nothing of labkit, for it may run
under an interpreter that has not got it.
"""

import sys
import time

import numpy as np

X, Y, W = np.array([[1, 2, 3]], "float32"), np.array(19, "float32"), np.array([[2, 3, 4]], "float32")
rng = np.random.default_rng(0)
IMAGES, LABELS = rng.normal(size=(32, 64)).astype("float32"), rng.integers(0, 10, 32)


def torch_net():
    import torch

    torch.set_num_threads(2)
    x, y, w = (torch.tensor(a, requires_grad=True) for a in (X, Y, W))

    def run():
        for leaf in (x, y, w):
            leaf.grad = None
        torch.nn.functional.mse_loss(torch.nn.functional.linear(x, w).squeeze(), y).backward()

    return run


def torch_mlp():
    import torch

    torch.set_num_threads(2)
    net = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    x, labels = torch.tensor(IMAGES), torch.tensor(LABELS)

    def run():
        net.zero_grad()
        torch.nn.functional.cross_entropy(net(x), labels).backward()

    return run


def mindspore_net(graph):
    import mindspore as ms

    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = ms.nn.Dense(3, 1, has_bias=False)
            self.loss = ms.nn.MSELoss()

        def construct(self, x, y):
            logits = self.fc(x).squeeze()
            return self.loss(logits, y), logits

    net, x, y = Net(), ms.Tensor(X), ms.Tensor(Y)
    gradient = ms.value_and_grad(net, (0, 1), net.trainable_params(), has_aux=True)
    return lambda: gradient(x, y)


def mindspore_mlp(graph):
    import mindspore as ms

    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)

    class Loss(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = ms.nn.SequentialCell(ms.nn.Dense(64, 128), ms.nn.ReLU(), ms.nn.Dense(128, 10))
            self.loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

        def construct(self, x, labels):
            return self.loss(self.net(x), labels)

    loss, x, labels = Loss(), ms.Tensor(IMAGES), ms.Tensor(LABELS.astype("int32"))
    gradient = ms.value_and_grad(loss, None, loss.trainable_params())
    return lambda: gradient(x, labels)


def torch_lenet(batch):
    import torch
    from torch import nn

    torch.set_num_threads(2)
    net = nn.Sequential(
        nn.Conv2d(1, 6, 5, bias=False), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5, bias=False), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    x, labels = (torch.tensor(a) for a in digits(batch))
    labels = labels.long()

    def run():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return run


def mindspore_lenet(graph, batch):
    import mindspore as ms
    from mindspore import nn

    ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
    net = nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(6, 16, 5, pad_mode="valid"),
        nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(),
        nn.Dense(84, 10),
    )  # fmt: skip
    loss_of = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss_of, nn.Momentum(net.trainable_params(), 0.01, 0.9)).set_train()
    x, labels = (ms.Tensor(a) for a in digits(batch))
    return lambda: float(step(x, labels).asnumpy())


def digits(batch):
    """Random images of the size of handwritten digits, and classes."""
    drawn = np.random.default_rng(0)
    return drawn.normal(size=(batch, 1, 32, 32)).astype("float32"), drawn.integers(0, 10, batch).astype("int32")


def main(framework, workload):
    workload, _, batch = workload.partition("-")
    graph = framework.endswith("graph")
    if workload == "lenet":
        run = torch_lenet(int(batch)) if framework == "torch" else mindspore_lenet(graph, int(batch))
    elif framework == "torch":
        run = {"net": torch_net, "mlp": torch_mlp}[workload]()
    else:
        run = {"net": mindspore_net, "mlp": mindspore_mlp}[workload](graph)
    for _ in range(5):
        run()
    begin = time.perf_counter()
    run()
    repeat = max(1, min(200, int(0.02 / (time.perf_counter() - begin))))
    print("ready", flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        for _ in range(repeat):
            run()
        print((time.perf_counter() - begin) / repeat, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
