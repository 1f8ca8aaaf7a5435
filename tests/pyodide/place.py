"""What the browser's Python has, and what labkit makes of it: run by `test_place.py` under Pyodide."""

import contextlib
import io
import random
import sys
import time

import numpy as np

import labkit
import labkit.mindspore as ms
from labkit import parallel
from labkit.cli import main
from labkit.engine import is_own
from labkit.evidence import call
from labkit.messages.install_hints import in_browser
from labkit.mindspore import ops
from labkit.mindspore.communication import get_rank, init
from labkit.precision import FORMATS


def for_ever():
    while True:
        pass


def caught_for_ever():
    while True:
        try:
            here = 1
            here += 1
        except:  # noqa: E722
            pass


def in_a_comprehension():
    return [n for n in range(10**12) if n < 0]


def in_somebody_elses_code():
    exec("while True:\n    try: pass\n    except: pass")


assert in_browser() and sys.platform == "emscripten"

# Every loop of Python code is left, whatever it catches, without a thread or a signal.
for function in (for_ever, caught_for_ever, in_a_comprehension, in_somebody_elses_code, caught_for_ever):
    began = time.monotonic()
    outcome = call(function, (), seconds=0.3)
    assert outcome.kind == "timeout" and time.monotonic() - began < 10, (function.__name__, outcome)

# The standard library is in a zip, and nobody's own code.
assert not is_own(random.__file__) and not is_own(contextlib.__file__) and not is_own(np.__file__) and is_own(__file__)


@ms.jit
def entered(x):
    with contextlib.nullcontext():
        return ops.exp(x)


assert entered(ms.Tensor(0.0)).asnumpy() == 1.0

# What is missing is told without a command that cannot be given.
told = []
for missing in (lambda: FORMATS["bfloat16"].dtype, lambda: parallel.Group(lambda: 1.0)):
    try:
        missing()
    except ImportError as error:
        told.append(str(error))
assert len(told) == 2 and not any("pip" in text for text in told), told
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    assert main(["doctor"]) == 0
assert "The engine works." in printed.getvalue() and "pip" not in printed.getvalue()


def train():
    init()
    return float(ops.AllReduce()(ms.Tensor([1.0 + get_rank()]))[0])


assert parallel.in_turn(train, 4) == [10.0] * 4
assert set(labkit.show(lambda x: x**2, 2.0).still_bundle()[0]) == {"text/plain", "text/html"}


assert labkit.grad(lambda x: sum(x for _ in range(5000)))(1.0) == 5000.0
print("fine")
