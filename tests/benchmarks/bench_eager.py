"""Programs of many small eager ops: ours against plain autograd and, where it is, the real PyTorch on one thread.

The real one runs in a process of its own: under this interpreter where it is installed, or under the one that
LABKIT_TORCH_PYTHON names. Times are CPU seconds. The aims: at most 4 times PyTorch, and on the chain 2 times plain autograd.
"""

import importlib.util
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from autograd.core import make_vjp
from eager_loads import CHAIN, DEEP, SCALAR_STEPS, WORKLOADS, seconds

import labkit.torch as torch


def line(n, *shape):
    return np.linspace(-1, 1, n, dtype="float32").reshape(*shape)


def chain():
    def fun(y):
        for _ in range(CHAIN):
            y = anp.sin(y) * 1.01
        return anp.sum(y)

    return partial(autograd.grad(fun), line(10, 10))


def scalar_indexing():
    fun = lambda x: sum(x[i, j] * x[i, j] for i in range(8) for j in range(8))
    return partial(autograd.grad(fun), line(64, 8, 8))


def polynomial():
    x = np.linspace(-np.pi, np.pi, 2000, dtype="float32")
    xx, y = np.stack([x, x**2, x**3], 1), np.sin(x)
    gradient = autograd.grad(lambda wb: anp.sum(anp.square(anp.dot(xx, wb[0]) + wb[1] - y)))

    def run():
        ps, squares = [line(3, 3), line(1, 1)], [0.0, 0.0]
        for _ in range(20):
            gs = gradient(ps)
            squares = [0.99 * s + 0.01 * g * g for s, g in zip(squares, gs, strict=True)]
            ps = [p - 1e-3 * g / (np.sqrt(s) + 1e-8) for p, g, s in zip(ps, gs, squares, strict=True)]

    return run


def layers():
    def fun(parameters):
        h = line(128, 8, 16)
        for w, b, gamma, beta in parameters:
            h = anp.dot(h, w) + b
            h = (h - anp.mean(h, 0)) / anp.sqrt(anp.var(h, 0) + 1e-5) * gamma + beta
            h = anp.maximum(h, 0)
        return anp.sum(h)

    return partial(autograd.grad(fun), [(line(256, 16, 16), *(line(16, 16) for _ in range(3))) for _ in range(8)])


def scalar_steps():
    gradient = autograd.grad(lambda w: (w * 2.0 - 1.0) ** 2)

    def run():
        w = 3.0
        for _ in range(SCALAR_STEPS):
            w = w - 0.01 * gradient(w)

    return run


def deep_graph():
    def fun(y):
        for _ in range(DEEP):
            y = y + y * 0.000001
        return anp.sum(y)

    return lambda: make_vjp(fun, np.ones(10)) and None


PLAIN = {f.__name__: f for f in (chain, scalar_indexing, polynomial, layers, scalar_steps, deep_graph)}


@pytest.fixture
def real_torch():
    """`start(workload)` gives a function that returns the CPU seconds of a run under the real PyTorch, None without it."""
    python, started = os.environ.get("LABKIT_TORCH_PYTHON"), []
    python = python or (importlib.util.find_spec("torch") and sys.executable)

    def start(workload):
        command = [python, str(Path(__file__).with_name("eager_loads.py")), workload]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline().strip() == "ready"

        def ask():
            process.stdin.write("go\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        return ask

    yield start if python else None
    for process in started:
        process.communicate()  # closing its input ends it


@pytest.mark.parametrize("workload", WORKLOADS)
def test_many_small_ops(alternate, real_torch, workload):
    ours, title = partial(seconds, WORKLOADS[workload](torch)), WORKLOADS[workload].__doc__.rstrip(".")
    others = {"plain autograd": partial(seconds, PLAIN[workload]())} if workload in PLAIN else {}
    if real_torch:
        others["real torch"] = real_torch(workload)
    for name, other in others.items():
        ways = {name: other, "labkit.torch": ours}
        for way in ways.values():
            way()
        alternate(f"{title}: against {name}", ways, rounds=4 if workload == "deep_graph" else 20, base=name)
