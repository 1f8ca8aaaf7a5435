"""What a function does on its way: its own calls are counted, and nobody else's."""

import sys

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.evidence import WORDS, doings, try_call
from labkit.evidence.observers import OBSERVERS
from labkit.jail.notebook import names_of_a_notebook


def counted(what, body, x, head="import math\nimport numpy as np\nimport labkit"):
    """How often a cell's function `f(x)` with this body does each of `what`."""
    names = {"ms": ms, "torch": torch}
    exec(f"{head}\ndef f(x):\n    {body}\n", names)
    counts = dict.fromkeys(what, 0)
    with doings(what, counts) as watched:
        names["f"](x)
    assert watched
    return tuple(counts.values())


CALLS = [
    (("math",), "return math.tanh(x) + math.cosh(x)", 0.3, (2,)),
    (("numpy",), "return sum(np.tanh(a) for a in [x, x])", 0.3, (2,)),
    (("numpy",), "return np.float64(x) + np.linalg.norm([x])", 0.3, (2,)),
    (("math", "numpy"), "t = math.tanh; return t(x) + (lambda a: np.exp(a))(x)", 0.3, (1, 1)),
    (("labkit", "walk back"), "return labkit.grad(lambda x: x**2)(x)", 0.3, (1, 1)),
    (("labkit.grad",), "d = getattr(labkit, 'gr' + 'ad'); return d(lambda x: x)(x)", 0.3, (1,)),
    (("labkit.mindspore.ops.clip*",), "return ms.ops.clip_by_global_norm((x,), 1.0)", ms.Tensor([3.0, 4.0]), (1,)),
    (("labkit.mindspore.ops.clip*",), "return ms.ops.tanh(x)", ms.Tensor([3.0, 4.0]), (0,)),
    (("walk back",), "return ms.grad(lambda x: (x**2).sum())(x)", ms.Tensor([3.0]), (1,)),
    (("walk back",), "return ms.jvp(lambda x: ms.ops.relu(x) * x, x, x)", ms.Tensor([3.0]), (0,)),
    (("labkit.torch.Tensor.backward", "walk back"), "(x * x).sum().backward()", torch.tensor([1.0], requires_grad=True), (1, 1)),
    (("push", "walk back"), "return labkit.jvp(lambda x: x**2, (x,), (1.0,))", 0.3, (1, 0)),
    (("table",), "return x @ np.tri(len(x))", np.ones(3), (1,)),
    (("table",), "m = np.zeros((3, 3)); m[0] = x; return m @ x", np.ones(3), (1,)),
    (("table",), "return np.cumsum(x[::-1].reshape(1, -1), axis=1)[0]", np.ones(3), (0,)),
]  # fmt: skip


@pytest.mark.parametrize("what, body, x, times", CALLS)
def test_own_calls_are_counted(what, body, x, times):
    assert counted(what, body, x) == times


HONEST = [
    "from math import tanh; return x",
    "t = np.tanh; return x",
    "return math.tanh(x) if x > 9 else x",
    "return 'math.tanh(x)' and x  # np.tanh(x)",
    "return x if isinstance(x, float) else np",
]


STAND_INS = ("print(x); return x", "sys.stdout.write('x'); sys.stdout.flush(); return x", "display(x); return x",
             "get_ipython().run_line_magic('timeit', '1'); get_ipython().system('ls'); return x")  # fmt: skip


@pytest.mark.parametrize("body", STAND_INS)
def test_what_stands_there_for_something_of_python_or_a_notebook_is_no_use_of_labkit(body, monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    names = names_of_a_notebook()
    names["sys"] = sys
    exec(f"def f(x):\n    {body}", names)
    done = try_call(names["f"], (1.0,), watch=("labkit",)).done
    assert done == {"labkit": 0}


@pytest.mark.parametrize("body", HONEST)
def test_what_is_named_and_not_called_does_not_count(body):
    assert counted(("math", "numpy"), body, 0.3) == (0, 0)


def test_what_a_library_calls_itself_does_not_count():
    assert counted(("numpy",), "return ms.ops.tanh(x)", ms.Tensor([1.0])) == (0,)


STEPS = [
    ("g = lambda x: x * x; h = 1e-5; return (g(x + h) - g(x)) / h", (1, 1)),
    ("return ((x + 1e-5) ** 2 - x * x) / 1e-5", (0, 1)),
    ("g = lambda x: x * x; return g(x) + g(2 * x) + g(x)", (0, 0)),
]


@pytest.mark.parametrize("body, times", STEPS)
def test_a_finite_difference_shows(body, times):
    assert tuple(map(bool, counted(("near calls", "small step"), body, 0.3))) == tuple(map(bool, times))


def test_a_call_keeps_what_it_did_and_nothing_stays_on():
    tried = try_call(lambda x: np.tanh(x), (0.3,), watch=("numpy", "math"))
    assert tried.done == {"numpy": 1, "math": 0} and tried.outcome.value == np.tanh(0.3)
    assert try_call(lambda x: x, (0.3,)).done == {} and sys.gettrace() is None


@pytest.mark.skipif(hasattr(sys, "monitoring"), reason="from Python 3.12 on, a debugger is no hindrance")
def test_where_somebody_traces_nothing_is_claimed():
    sys.settrace(lambda *event: None)
    try:
        assert try_call(lambda x: np.tanh(x), (0.3,), watch=("numpy",)).done is None
    finally:
        sys.settrace(None)


def test_the_words_are_those_of_the_engines():
    assert {"walk back", "push", "near calls", "small step", "table", *OBSERVERS} == set(WORDS)
    assert labkit.engine.reverse_pass.__module__ == "labkit.engine.reverse"
