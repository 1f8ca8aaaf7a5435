"""What several benchmarks time: the documents' network, its data, and how a run is timed."""

import time

import autograd.numpy as anp
import numpy as np

import labkit.mindspore as ms

X, Y, W = np.array([[1, 2, 3]], "float32"), np.array(19, "float32"), np.array([[2, 3, 4]], "float32")


def loss_of_net(x, y, w):
    """The documents' loss as a plain function of arrays."""
    return anp.mean((anp.squeeze(anp.matmul(x, w.T)) - y) ** 2)


class Net(ms.nn.Cell):
    """The documents' network: one dense layer without bias, and the mean squared error."""

    def __init__(self):
        super().__init__()
        self.fc = ms.nn.Dense(3, 1, has_bias=False)
        self.loss = ms.nn.MSELoss()
        self.fc.weight.set_data(ms.Tensor(W))

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return self.loss(logits, y), logits


def timed(run, repeat):
    """Seconds per run, as a function."""

    def measure():
        begin = time.perf_counter()
        for _ in range(repeat):
            run()
        return (time.perf_counter() - begin) / repeat

    return measure
