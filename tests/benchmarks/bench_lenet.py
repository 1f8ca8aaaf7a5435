"""A training step of LeNet-5, compiled: against the real frameworks, by batch size, and the memory it takes.

The real frameworks get two threads. Labkit's products are too small to gain from a second one: on a busy machine
`OPENBLAS_NUM_THREADS=1` gives steady figures, where two threads spend their time waiting for each other.
"""

import tracemalloc

import numpy as np
import pytest
from bench_compiled import peers
from peers import digits
from workloads import timed

import labkit.mindspore as ms
from labkit.mindspore import nn, ops

BATCHES = (8, 32, 128, 512)


class Step(nn.Cell):
    """LeNet-5, its loss, and a step of gradient descent with momentum."""

    def __init__(self):
        super().__init__(auto_prefix=False)
        network = nn.SequentialCell(
            nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2d(6, 16, 5, pad_mode="valid"),
            nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(),
            nn.Dense(84, 10),
        )  # fmt: skip
        self.network = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
        self.weights = ms.ParameterTuple(network.trainable_params())
        self.moments = self.weights.clone("moments", "zeros")
        self.differentiated = ms.value_and_grad(self.network, None, self.weights)

    def construct(self, x, y):
        loss, gradients = self.differentiated(x, y)
        for weight, moment, gradient in zip(self.weights, self.moments, gradients, strict=True):
            ops.assign(moment, 0.9 * moment + gradient)
            ops.assign_sub(weight, 0.01 * moment)
        return loss


def step_of(batch, graph=True):
    """One step in one mode, called with the mode set, as a function without arguments."""
    step, (x, y) = Step(), map(ms.Tensor, digits(batch))
    mode = ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE

    def run():
        ms.set_context(mode=mode)
        return step(x, y).item()

    return run


@pytest.fixture(autouse=True)
def mode_put_back():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_step_against_the_real_frameworks(alternate):
    ways = {
        "labkit, graph mode": timed(step_of(32), repeat=5),
        "labkit, eager": timed(step_of(32, graph=False), repeat=2),
    }
    others, started = peers("lenet-32")
    try:
        ratios = alternate("a step of LeNet-5, batch 32", ways | others, rounds=20, base="labkit, graph mode")
    finally:
        for process in started:
            process.communicate()
    if "real torch" in ratios:
        assert 1 / ratios["real torch"] <= 2.5, ratios
    if "real mindspore-graph" in ratios:
        assert ratios["real mindspore-graph"] >= 5, ratios


def test_growth_with_the_batch(alternate):
    ways = {f"batch {n:>4}": timed(step_of(n), repeat=2) for n in BATCHES}
    ratios = alternate("steps of LeNet-5, graph mode", ways, rounds=10, base="batch    8")
    assert ratios["batch  512"] < 2 * 512 / 8, ratios


@pytest.mark.parametrize("batch", BATCHES)
def test_peak_memory_of_a_step(batch, capsys):
    step = step_of(batch)
    step()
    tracemalloc.start()
    step()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    largest = 6 * 28 * 28 * 4 * batch  # what the first layer answers
    with capsys.disabled():
        print(
            f"\nbatch {batch:>4}: at most {peak / 2**20:6.1f} MiB at a time, {peak / largest:4.1f} times the largest layer"
        )
    assert peak < 4 * largest + 12 * 2**20, (peak, largest)


def test_the_loss_falls():
    run = step_of(32)
    losses = [run() for _ in range(100)]
    assert np.mean(losses[-5:]) < losses[0]
