"""What a statement forbids is not accepted, whatever it is called; and nobody is refused who did as it says."""

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check, judge_calls
from labkit.classroom.checking import judge_answer
from labkit.evidence import try_call


def defined(source):
    names = {"np": np, "ms": ms, "torch": torch}
    exec(source, names)
    return names["answer"]


FORBIDDEN = {
    "differences": ("graph-by-hand", "finite difference", """
        def f(x, y):
            return (x * y + x) * (x * y)
        def answer(x, y, h=1e-6):
            return f(x, y), (f(x + h, y) - f(x - h, y)) / 2 / h, (f(x, y + h) - f(x, y - h)) / 2 / h
    """),
    "differences in one line": ("graph-by-hand", "finite difference", """
        def answer(x, y):
            h = 1e-5
            a, b, c, d = x + h, x - h, y + h, y - h
            z = (x * y + x) * (x * y)
            return (z, ((a * y + a) * (a * y) - (b * y + b) * (b * y)) / h / 2,
                    ((x * c + x) * (x * c) - (x * d + x) * (x * d)) / h / 2)
    """),
    "a class of one's own": ("graph-by-hand", "plain arithmetic", """
        import autograd
        class Helper:
            def slope(self, i, x, y):
                return float(autograd.grad(lambda x, y: (x * y + x) * (x * y), i)(x, y))
        def answer(x, y):
            return (x * y + x) * (x * y), Helper().slope(0, x, y), Helper().slope(1, x, y)
    """),
    "NumPy": ("engine-tanh", "alone", "from numpy import tanh as t\nanswer = lambda g, ans, x: g * (1 - t(x) ** 2)"),
    "a matrix": ("vector-pull-cumsum", "matrix", "answer = lambda v: v @ np.tril(np.ones((len(v), len(v))))"),
    "a pull": ("vector-columns", "One push", "import labkit\nimport autograd.numpy as anp\n"
        "answer = lambda a, x: labkit.jacrev(lambda x: a @ anp.tanh(x))(x)"),
    "many walks": ("own-hvp", "twice", """
        def answer(x, y, u, v):
            f = lambda x, y: (x * y).sum() ** 2
            (a, b), (c, d) = torch.autograd.functional.hessian(f, (x, y))
            return a @ u + b @ v, c @ u + d @ v
    """),
}  # fmt: skip


@pytest.mark.parametrize("name", FORBIDDEN)
def test_right_results_by_a_forbidden_way_are_told_so(name):
    exercise, words, source = FORBIDDEN[name]
    lines = source.split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    report = check(exercise, defined("\n".join(line[indent:] for line in lines)))
    assert report.kind == "forbidden" and words in report.text, report


HONEST = {
    "graph-by-hand": "def answer(x, y):\n    import labkit\n    eps = 1e-9\n    a = x * y; b = a + x\n"
    "    return b * a, (a + b) * y + a, (a + b) * x  # (f(x + h) - f(x)) / h",
    "engine-tanh": "import math, numpy\nanswer = lambda g, ans, x: g - g * ans**2",
    "vector-pull-cumsum": "answer = lambda v: np.array([v[i:].sum() for i in range(len(v))])",
}


@pytest.mark.parametrize("name", HONEST)
def test_an_unusual_way_that_is_not_forbidden_is_right(name):
    assert check(name, defined(HONEST[name]))


@pytest.mark.parametrize("name", [name for name, exercise in EXERCISES.items() if exercise.ways])
def test_the_solution_goes_the_way_that_is_asked_for(name):
    exercise = EXERCISES[name]
    answer, done = defined(exercise.solution), []
    for drawn in exercise.inputs():
        done.append(try_call(answer, drawn, exercise.tensors, watch=exercise.watched).done)
        assert done[-1] is not None and set(done[-1]) == set(exercise.watched)
    assert judge_answer(exercise, answer)


def test_what_could_not_be_watched_is_not_refused():
    exercise = EXERCISES["engine-tanh"]
    answer = defined("import math\nanswer = lambda g, ans, x: g * (1 - math.tanh(x) ** 2)")
    inputs = list(exercise.inputs())
    assert judge_calls(exercise, inputs, [try_call(answer, drawn) for drawn in inputs])
