"""Compiled programs against eager ways, in one run: labkit, plain autograd, and the real frameworks where they are.

The real ones run in processes of their own: under this interpreter where they are installed, or under the interpreters that
LABKIT_TORCH_PYTHON and LABKIT_MINDSPORE_PYTHON name. The figures are also drawn, in `.benchmarks/cost.png`.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from workloads import Net, W, X, Y, loss_of_net, timed

import labkit.mindspore as ms
from labkit import engine
from labkit.program import compile_program

PEERS = Path(__file__).with_name("peers.py")
PICTURE = Path(__file__).parents[2] / ".benchmarks" / "cost.png"
rng = np.random.default_rng(0)
IMAGES, LABELS = rng.normal(size=(32, 64)).astype("float32"), rng.integers(0, 10, 32)
ONE_HOT = np.eye(10, dtype="float32")[LABELS]
drawn = {}


class Perceptron(ms.nn.Cell):
    """64 - 128 - 10 with the cross entropy of one-hot labels."""

    def __init__(self):
        super().__init__()
        self.net = ms.nn.SequentialCell(ms.nn.Dense(64, 128), ms.nn.ReLU(), ms.nn.Dense(128, 10))

    def construct(self, x, one_hot):
        return -(ms.ops.log_softmax(self.net(x)) * one_hot).sum() / 32


def ms_way(cell, inputs, positions, graph, has_aux=False):
    """Its value and gradients in one mode, called with the mode set, as a function without arguments."""
    gradient = ms.value_and_grad(cell, positions, cell.trainable_params(), has_aux=has_aux)
    tensors, mode = [ms.Tensor(a) for a in inputs], ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE

    def run():
        ms.set_context(mode=mode)
        return gradient(*tensors)

    return run


def loss_of_mlp(w1, b1, w2, b2):
    h = anp.maximum(anp.matmul(IMAGES, w1.T) + b1, 0)
    h = anp.matmul(h, w2.T) + b2
    h = h - anp.max(h, axis=1, keepdims=True)
    return -anp.sum(ONE_HOT * (h - anp.log(anp.sum(anp.exp(h), axis=1, keepdims=True)))) / 32


def net_ways():
    net = Net()
    plain = autograd.value_and_grad(lambda inputs: loss_of_net(*inputs))
    program = compile_program(engine.value_and_grad(loss_of_net, (0, 1, 2)), X, Y, W)
    return {
        "autograd, eager": lambda: plain((X, Y, W)),
        "labkit, eager": ms_way(net, (X, Y), (0, 1), False, has_aux=True),
        "labkit, graph mode": ms_way(net, (X, Y), (0, 1), True, has_aux=True),
        "labkit, the bare program": lambda: program.run(X, Y, W),
    }


def mlp_ways():
    cell = Perceptron()
    weights = [p.asnumpy() for p in cell.trainable_params()]
    plain = autograd.value_and_grad(lambda ws: loss_of_mlp(*ws))
    return {
        "autograd, eager": lambda: plain(weights),
        "labkit, eager": ms_way(cell, (IMAGES, ONE_HOT), None, False),
        "labkit, graph mode": ms_way(cell, (IMAGES, ONE_HOT), None, True),
    }


def peers(workload):
    """`{name: function returning seconds per run}` of the real frameworks that can be started, and their processes."""
    interpreters = {
        "torch": os.environ.get("LABKIT_TORCH_PYTHON") or (importlib.util.find_spec("torch") and sys.executable),
        "mindspore": os.environ.get("LABKIT_MINDSPORE_PYTHON")
        or (importlib.util.find_spec("mindspore") and sys.executable),
    }
    ways, started = {}, []
    for framework in ("torch", "mindspore-graph", "mindspore-pynative"):
        python = interpreters[framework.partition("-")[0]]
        if not python:
            continue
        command = [python, str(PEERS), framework, workload]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        started.append(process)
        while (line := process.stdout.readline()) and line.strip() != "ready":
            pass
        if line:
            ways[f"real {framework}"] = lambda process=process: ask(process)
    return ways, started


def ask(process):
    process.stdin.write("go\n")
    process.stdin.flush()
    return float(process.stdout.readline())


@pytest.fixture
def compare(alternate):
    """Time labkit's ways, plain autograd and the real frameworks by turns."""

    def run(title, ways, workload, repeat):
        others, started = peers(workload)
        try:
            ways = {name: timed(way, repeat) for name, way in ways.items()} | others
            ratios = alternate(title, ways, rounds=30, base="autograd, eager")
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
            for process in started:
                process.communicate()  # closing its input ends it
        drawn[title] = ratios
        return ratios

    return run


def test_the_net_of_the_documents(compare):
    ratios = compare("value and gradients of Net(3, 1)", net_ways(), "net", repeat=50)
    assert ratios["labkit, graph mode"] <= 0.12, ratios
    assert ratios["labkit, graph mode"] <= 3 * ratios["labkit, the bare program"], ratios
    assert ratios["labkit, graph mode"] < ratios.get("real torch", 1.0), ratios


def test_a_two_layer_perceptron(compare):
    ratios = compare("value and gradients of an MLP 64-128-10, batch 32", mlp_ways(), "mlp", repeat=20)
    assert ratios["labkit, graph mode"] <= 0.6, ratios


def test_compiling_the_net_takes_a_few_milliseconds(alternate):
    gradient = engine.value_and_grad(loss_of_net, (0, 1, 2))
    ways = {
        "one eager gradient": timed(lambda: gradient(X, Y, W), 20),
        "compile the gradient": timed(lambda: compile_program(gradient, X, Y, W), 3),
    }
    title = "compiling Net(3, 1)"
    ratios = alternate(title, ways, rounds=20, base="one eager gradient")
    assert ratios["compile the gradient"] < 50, ratios  # an eager gradient takes some 100 us


def chain(length):
    def run(x):
        for _ in range(length):
            x = x * 1.0001 + 0.1
        return x

    return engine.value_and_grad(run)


def test_compiling_a_long_chain(alternate):
    def sines(y):
        for _ in range(1000):
            y = anp.sin(y) * 1.01
        return y

    x, gradient = np.linspace(0, 1, 10), engine.value_and_grad(sines)
    ways = {
        "one eager gradient": timed(lambda: gradient(x), 1),
        "compile the gradient": timed(lambda: compile_program(gradient, x), 1),
    }
    title = "compiling 1,000 steps of y = sin(y) * 1.01 on ten numbers"
    ratios = alternate(title, ways, rounds=10, base="one eager gradient")
    assert ratios["compile the gradient"] < 12, ratios  # some 7; watched while it is recorded, some 20


def test_long_chains_grow_nearly_linearly(alternate):
    compiling = {f"compile {n:>6} ops and their derivative": timed(lambda n=n: compile_program(chain(n // 2), 1.0), 1)
                 for n in (1000, 3000, 10000)}  # fmt: skip
    ratios = alternate("compiling chains", compiling, rounds=3, base="compile   1000 ops and their derivative")
    programs = {n: compile_program(chain(n // 2), 1.0) for n in (1000, 3000, 10000)}
    running = {f"run {n:>6} ops and their derivative": timed(lambda p=p: p.run(1.0), 10) for n, p in programs.items()}
    alternate("running chains", running, rounds=10, base="run   1000 ops and their derivative")
    assert ratios["compile  10000 ops and their derivative"] < 20, ratios


def test_the_picture_of_the_cost():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    if not drawn:
        pytest.skip("run the comparisons in the same run")
    figure, axes = plt.subplots(1, len(drawn), figsize=(6.2 * len(drawn), 3.4), constrained_layout=True, squeeze=False)
    for ax, (title, ratios) in zip(axes[0], drawn.items(), strict=True):
        names = sorted(ratios, key=ratios.get, reverse=True)
        ours = [
            "#0072B2" if "graph" in n and "labkit" in n else "#56B4E9" if "labkit" in n else "#999999" for n in names
        ]
        bars = ax.barh(names, [ratios[n] for n in names], color=ours)
        ax.bar_label(bars, [f"{ratios[n]:.2f}" for n in names], padding=3)
        ax.set_xscale("log")
        ax.margins(x=0.2)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("time, as a multiple of plain autograd (log scale)")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=130)
    plt.close(figure)
    print(f"drawn: {PICTURE}")
