"""Programs of many small eager ops, each written once for whatever `torch` it is given.

`PYTHON eager_loads.py WORKLOAD` runs it under the real PyTorch on one thread: it prints `ready`, then the CPU seconds of a run
for every line it reads. It imports nothing of labkit, for it may run under an interpreter that has not got it.
"""

import math
import sys
import time

CHAIN, SCALAR_STEPS, DEEP = 1000, 300, 20_000


def chain(torch):
    """1,000 steps of y = sin(y) * 1.01 on ten numbers, forward and backward."""
    x = torch.linspace(0, 1, 10).requires_grad_()

    def run():
        y = x
        for _ in range(CHAIN):
            y = torch.sin(y) * 1.01
        y.sum().backward()

    return run


def scalar_indexing(torch):
    """Every element of an 8 x 8 matrix taken by its two indices, its square added up."""
    x = torch.linspace(0, 1, 64).reshape(8, 8).requires_grad_()

    def run():
        total = torch.zeros(())
        for i in range(8):
            for j in range(8):
                total = total + x[i, j] * x[i, j]
        total.backward()

    return run


def small_convolutions(torch):
    """Four convolutions of 3 x 3 with their activations, on one 8 x 8 image."""
    nn = torch.nn
    net = nn.Sequential(*(m for _ in range(4) for m in (nn.Conv2d(2, 2, 3, padding=1), nn.ReLU())))
    x = torch.linspace(-1, 1, 128).reshape(1, 2, 8, 8)

    def run():
        net.zero_grad()
        net(x).sum().backward()

    return run


def polynomial(torch):
    """Twenty steps of the tutorial that fits a third-order polynomial to a sine, by an optimizer."""
    x = torch.linspace(-math.pi, math.pi, 2000)
    y = torch.sin(x)
    xx = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
    model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
    loss_fn = torch.nn.MSELoss(reduction="sum")
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)

    def run():
        for _ in range(20):
            loss = loss_fn(model(xx), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return run


def layers(torch):
    """Eight times (Linear, BatchNorm, ReLU), 16 wide, a batch of 8, forward and backward."""
    nn = torch.nn
    net = nn.Sequential(*(m for _ in range(8) for m in (nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU())))
    x = torch.linspace(-1, 1, 128).reshape(8, 16)

    def run():
        net.zero_grad()
        net(x).sum().backward()

    return run


def scalar_steps(torch):
    """300 steps of gradient descent on one number."""

    def run():
        w = torch.tensor(3.0, requires_grad=True)
        for _ in range(SCALAR_STEPS):
            loss = (w * 2.0 - 1.0) ** 2
            loss.backward()
            with torch.no_grad():
                w -= 0.01 * w.grad
            w.grad = None

    return run


def deep_graph(torch):
    """20,000 steps of y = y + y * 1e-6 built and let go, as PyTorch's `test_free_deep_graph` has 150,000."""
    x = torch.ones(10, requires_grad=True)

    def run():
        y = x.clone()
        for _ in range(DEEP):
            y = y + y * 0.000001

    return run


WORKLOADS = {
    f.__name__: f for f in (chain, scalar_indexing, small_convolutions, polynomial, layers, scalar_steps, deep_graph)
}


def seconds(run):
    """The CPU seconds of a run."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def main(workload):
    import torch

    torch.set_num_threads(1)
    run = WORKLOADS[workload](torch)
    run()
    print("ready", flush=True)
    for _ in sys.stdin:
        print(seconds(run), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
