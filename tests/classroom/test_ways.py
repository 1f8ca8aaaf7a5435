"""What a statement forbids is not accepted, whatever it is called; and nobody is refused who did as it says."""

import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check
from labkit.classroom.checking import judge_answer
from labkit.evidence import try_call


def defined(source):
    names = {"np": np, "ms": ms, "torch": torch}
    exec(source, names)
    return names["answer"]


def above(name, *change):
    """The solution of an exercise with one change."""
    return EXERCISES[name].solution.replace(*change)


FORBIDDEN = {
    "differences": ("graph-by-hand", "a finite difference", """
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
    "a class of one's own": ("graph-by-hand", "without automatic", """
        import autograd
        class Helper:
            def slope(self, i, x, y):
                return float(autograd.grad(lambda x, y: (x * y + x) * (x * y), i)(x, y))
        def answer(x, y):
            return (x * y + x) * (x * y), Helper().slope(0, x, y), Helper().slope(1, x, y)
    """),
    "an engine in a thread": ("graph-by-hand", "without automatic", """
        from concurrent.futures import ThreadPoolExecutor
        import labkit
        def answer(x, y):
            with ThreadPoolExecutor(1) as pool:
                slopes = pool.submit(labkit.grad(lambda x, y: (x * y + x) * (x * y), (0, 1)), x, y).result()
            return (x * y + x) * (x * y), *map(float, slopes)
    """),
    "a matrix": ("vector-pull-cumsum", "matrix", "answer = lambda v: v @ np.tril(np.ones((len(v), len(v))))"),
    "a matrix of booleans": ("vector-pull-cumsum", "matrix",
        "answer = lambda v: ((np.arange(len(v))[:, None] >= np.arange(len(v))) * v[:, None]).sum(axis=0)"),
    "a matrix in one row": ("vector-pull-cumsum", "matrix", """
        def answer(v):
            flat = [float(i >= j) for j in range(len(v)) for i in range(len(v))]
            return np.array([sum(v * flat[j * len(v) : (j + 1) * len(v)]) for j in range(len(v))])
    """),
    "the clip of ops": ("grad-clip", "clip", """
        from labkit.mindspore.ops import clip_by_global_norm as scaled
        answer = lambda a, b, limit: scaled((a, b), float(limit))
    """),
    "a discharge by hand": ("ward-patch", "unchanged", """
        from labkit.classroom import clinic
        def answer(name):
            patient = clinic.admit(name)
            ill = (patient.measure("shapes") == (8, 8), patient.measure("pieces")[0] == 2)
            ill += (patient.measure("arriving")[0] != patient.plan.limit,)
            return tuple(p for p, is_ill in zip(("loss", "backward", "finish"), ill) if is_ill), ()
    """),
    "a sheet by hand": ("ward-diagnose", "unchanged", above(
        "ward-diagnose", "patient.hand_in(found)", "tuple((one, 'told') for one in sorted(found))"
    )),
    "all losses, then their mean": ("memory-leak", "still held", """
        def answer(w, x, y):
            w = torch.tensor(w, requires_grad=True)
            losses = [(torch.tanh(torch.tensor(row) * w).sum() - label) ** 2 for row, label in zip(x, y)]
            return sum(loss.item() for loss in losses) / len(y)
    """),
    "gradients by a formula": ("parallel-accumulate", "backward", """
        def answer(w, x, y, count):
            X, Y = x.detach().numpy().reshape(count, -1, 3), y.detach().numpy().reshape(count, -1)
            g = np.einsum("ki,kij->kj", X @ w.detach().numpy() - Y, X) * 2 / y.numel()
            return torch.tensor(np.cumsum(g, axis=0))
    """),
    "one batch for all words": ("parallel-words", "each micro-batch", """
        def answer(w, x, y, mask, count):
            (((x @ w - y) ** 2 * mask).sum() / mask.sum()).backward()
            return w.grad
    """),
    "both halves in one, beside a decoy": ("sens-two-parts", "once for each half", """
        def answer(x):
            ms.grad(lambda x: x.sum())(x)
            return ms.grad(lambda x: ((x**2 * x.sum()) ** 3).sum())(x)
    """),
    "a Hessian by a formula": ("own-hvp", "delivered", """
        def answer(x, y, u, v):
            s, d = (x * y).sum(), (u * y + x * v).sum()
            return 2 * (d * y + s * v), 2 * (d * x + s * u)
    """),
    "a sign by hand": ("reverse-gradient", "delivered", """
        def answer(w, v, x):
            a, b = torch.autograd.grad(((v * w * x - 1) ** 2).sum(), (w, v))
            return -a, b
    """),
    "straight through by a formula": ("straight-through", "delivered",
        "answer = lambda x, t: (ms.ops.round(x), 2 * (ms.ops.round(x) - t))"),
    "gradients formed": ("many-norms", "formed",
        "answer = lambda x, g: np.array([(np.outer(a, b) ** 2).sum() + b @ b for a, b in zip(x, g)]) ** 0.5"),
    "the whole Hessian": ("own-hvp", "delivered", """
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
    "vector-pull-cumsum": "def answer(v):\n    found = np.zeros(len(v))\n    for j in range(len(v)):\n"
    "        for i in range(j, len(v)):\n            found[j] += v[i]\n    return found",
    "own-hvp": "answer = lambda x, y, u, v: torch.func.jvp(torch.func.grad(lambda x, y: (x * y).sum() ** 2, (0, 1)),"
    " (x, y), (u, v))[1]",
    "many-norms": "answer = lambda x, g: np.array([np.sqrt((a @ a + 1) * (b @ b)) for a, b in zip(x, g)])",
    "sens-two-parts": "def answer(x):\n    h = x**2 * x.sum()\n    seed = ms.grad(lambda h: (h**3).sum())(h)\n"
    "    return ms.grad(lambda x: (x**2 * x.sum() * seed).sum())(x)",
    "memory-leak": "def answer(w, x, y):\n    w, total = torch.tensor(w, requires_grad=True), 0.0\n"
    "    for row, label in zip(x, y):\n        total += ((torch.tanh(torch.tensor(row) * w).sum() - label) ** 2).item()\n"
    "    return total / len(y)",
    "graph-by-hand": "def answer(x, y):\n    import labkit\n    eps = 1e-9\n    a = x * y; b = a + x\n"
    "    return b * a, (a + b) * y + a, (a + b) * x  # (f(x + h) - f(x)) / h",
    "engine-tanh": "import math, numpy\nanswer = lambda g, ans, x: g - g * ans**2",
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
