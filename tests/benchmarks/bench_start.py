"""From the start of a process to its first gradient, everything compiled as in an installed package."""

import os
import resource
import subprocess
import sys

PROGRAMS = {
    "autograd": "import autograd, autograd.numpy as np; autograd.grad(lambda x: np.sum(x**2))(np.ones(3))",
    "labkit": "import numpy as np, labkit; labkit.grad(lambda x: (x**2).sum())(np.ones(3))",
    "labkit.mindspore": "import labkit.mindspore as ms; ms.grad(lambda x: (x**2).sum())(ms.Tensor([1.0, 1.0, 1.0]))",
    "labkit.torch": "import labkit.torch as t; (t.ones(3, requires_grad=True) ** 2).sum().backward()",
    "numpy alone": "import numpy",
}
TARGET = 1.25  # times the CPU seconds of plain autograd

# what is started often, and the CPU seconds (user and system) that it may take, the fastest of several starts
STARTS = {
    "labkit --help": (["-m", "labkit", "--help"], 0.3),
    "labkit course new": (["-m", "labkit", "course", "new", "fresh"], 1.0),
    "import labkit.classroom": (["-c", "import labkit.classroom"], 0.6),
}


def seconds_of(code, environment):
    return lambda: cpu_seconds(["-c", code], env=environment)


def test_start_to_first_gradient(alternate, tmp_path):
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    ways = {name: seconds_of(code, environment) for name, code in PROGRAMS.items()}
    for way in ways.values():
        way()  # compiles
    ratios = alternate("process start to first gradient, CPU seconds", ways, rounds=25, base="autograd")
    assert max(ratios.values()) <= TARGET, ratios


def cpu_seconds(arguments, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_cpu_seconds_of_what_starts_often(figures, tmp_path):
    taken = {name: [] for name in STARTS}
    for i in range(6):
        for name, (arguments, _) in STARTS.items():
            folder = tmp_path / f"{name} {i}"
            folder.mkdir()
            taken[name].append(cpu_seconds(arguments, cwd=folder))
    figures("CPU time of a start", {name: seconds[1:] for name, seconds in taken.items()})
    assert {name: min(seconds) for name, seconds in taken.items() if min(seconds) > STARTS[name][1]} == {}
