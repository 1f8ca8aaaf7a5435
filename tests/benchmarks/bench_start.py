"""From the start of a process to its first gradient, everything compiled as in an installed package."""

import os
import subprocess
import sys
import time

PROGRAMS = {
    "autograd": "import autograd, autograd.numpy as np; autograd.grad(lambda x: np.sum(x**2))(np.ones(3))",
    "labkit": "import numpy as np, labkit; labkit.grad(lambda x: (x**2).sum())(np.ones(3))",
    "labkit.mindspore": "import labkit.mindspore as ms; ms.grad(lambda x: (x**2).sum())(ms.Tensor([1.0, 1.0, 1.0]))",
    "labkit.torch": "import labkit.torch as t; (t.ones(3, requires_grad=True) ** 2).sum().backward()",
    "numpy alone": "import numpy",
}
TARGET = 1.6


def seconds_of(code, environment):
    def run():
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
        return time.perf_counter() - begin

    return run


def test_start_to_first_gradient(alternate, tmp_path):
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    ways = {name: seconds_of(code, environment) for name, code in PROGRAMS.items()}
    for way in ways.values():
        way()  # compiles
    ratios = alternate("process start to first gradient", ways, rounds=25, base="autograd")
    assert max(ratios.values()) <= TARGET, ratios
