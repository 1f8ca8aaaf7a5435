"""What a statement forbids is not accepted, whatever it is called; and nobody is refused who did as it says."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import EXERCISES, check
from labkit.classroom.checking import judge_answer
from labkit.classroom.compare import plain_data
from labkit.classroom.ways import PLAIN
from labkit.engine import reverse
from labkit.torch._tape import backward_pass


def defined(source):
    names = {"np": np, "ms": ms, "torch": torch}
    exec(source, names)
    return names["answer"]


def above(name, *change):
    """The solution of an exercise with one change."""
    return EXERCISES[name].solution.replace(*change)


FORBIDDEN = {
    "differences": ("graph-by-hand", "finite difference", """
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
    "a matrix of booleans": ("vector-pull-cumsum", "matrix",
        "answer = lambda v: ((np.arange(len(v))[:, None] >= np.arange(len(v))) * v[:, None]).sum(axis=0)"),
    "a matrix in one row": ("vector-pull-cumsum", "matrix", """
        def answer(v):
            n, places = len(v), np.arange(len(v) ** 2)
            flat = places % n >= places // n
            return np.array([sum(v * flat[j * n : (j + 1) * n]) for j in range(n)])
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
            ill += (patient.measure("norms")[0] != patient.plan.limit,)
            return tuple(p for p, is_ill in zip(("loss", "backward", "finish"), ill) if is_ill), ()
    """),
    "a fault that no measurement rules out": ("ward-diagnose", "rule out", above(
        "ward-diagnose", 'if show("formats")', 'if "half-weights" in clinic.drawing.admission(name).faults and show("formats")'
    )),
    "a patient admitted twice": ("ward-patch", "once", above(
        "ward-patch", 'if patient.measure("shapes")', 'if clinic.admit(name).measure("shapes")'
    )),
    "nothing measured": ("ward-patch", "measure", above(
        "ward-patch",
        'patient.measure("norms")[0] != patient.plan.limit',
        "'clip-early' in clinic.drawing.admission(name).faults",
    )),
    "all losses, then their mean": ("memory-leak", "still held", """
        def answer(w, x, y):
            w = torch.tensor(w, requires_grad=True)
            losses = [(torch.tanh(torch.tensor(row) * w).sum() - label) ** 2 for row, label in zip(x, y)]
            return sum(loss.item() for loss in losses) / len(y)
    """),
    "gradients by a formula": ("parallel-accumulate", "micro-batch", """
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
            ms.grad(lambda h: (h**3).sum())(x**2 * x.sum())
            return ms.grad(lambda x: ((x**2 * x.sum()) ** 3).sum())(x)
    """),
    "a Hessian by a formula": ("own-hvp", "does not come from such a pass", """
        def answer(x, y, u, v):
            s, d = (x * y).sum(), (u * y + x * v).sum()
            return 2 * (d * y + s * v), 2 * (d * x + s * u)
    """),
    "a sign by hand": ("reverse-gradient", "by a backward pass", """
        def answer(w, v, x):
            a, b = torch.autograd.grad(((v * w * x - 1) ** 2).sum(), (w, v))
            return -a, b
    """),
    "a sign by detach": ("reverse-gradient", "torch.autograd.Function", """
        def answer(w, v, x):
            turned = 2 * w.detach() - w
            return torch.autograd.grad(((v * turned * x - 1) ** 2).sum(), (w, v))
    """),
    "straight through by a formula": ("straight-through", "by a backward pass",
        "answer = lambda x, t: (ms.ops.round(x), 2 * (ms.ops.round(x) - t))"),
    "gradients formed": ("many-norms", "form the gradients",
        "answer = lambda x, g: np.array([(np.outer(a, b) ** 2).sum() + b @ b for a, b in zip(x, g)]) ** 0.5"),
    "the whole Hessian": ("own-hvp", "does not come from such a pass", """
        def answer(x, y, u, v):
            f = lambda x, y: (x * y).sum() ** 2
            (a, b), (c, d) = torch.autograd.functional.hessian(f, (x, y))
            return a @ u + b @ v, c @ u + d @ v
    """),
}  # fmt: skip


@pytest.mark.parametrize("name", FORBIDDEN)
def test_right_results_by_a_forbidden_way_are_reported(name):
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
}


@pytest.mark.parametrize("name", HONEST)
def test_an_unusual_way_that_is_not_forbidden_is_right(name):
    assert check(name, defined(HONEST[name]))


@pytest.mark.parametrize("name", ["own-hvp", "memory-leak", "vector-pull-cumsum"])
def test_a_debugger_and_another_thread_make_no_difference(name):
    answer, before = defined(EXERCISES[name].solution), sys.gettrace()
    sys.settrace(lambda *event: None)
    try:
        assert judge_answer(EXERCISES[name], answer)
    finally:
        sys.settrace(before)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(judge_answer, EXERCISES[name], answer).result()


def test_a_time_limit_leaves_nothing_replaced():
    before = dict(vars(backward_pass)), dict(vars(backward_pass.BackwardPass)), dict(vars(reverse))
    answer = defined(
        "def answer(x, y, u, v):\n    while True:\n        try: (x * y).sum().backward()\n        except: pass"
    )
    assert judge_answer(EXERCISES["own-hvp"], answer, 0.1).kind == "timeout"
    assert before == (vars(backward_pass), vars(backward_pass.BackwardPass), vars(reverse))


WORK = {  # asks for passes of its own, or for a patient of the ward
    "grad-fix", "sens-two-parts", "port-detach", "port-to-torch", "port-two-outputs", "reverse-gradient", "straight-through",
    "own-hvp", "step-port", "step-write", "parallel-accumulate", "parallel-words", "ward-diagnose", "ward-patch",
}  # fmt: skip
BY_HAND = re.compile(r"(without|no)\s+automatic\s+differentiation|plain\s+NumPy")


def forgers(exercise):
    """Answers without the work that an exercise asks for, each with its name; the results of those in capitals are right."""
    if exercise.is_prediction:
        right = exercise.expected()
        items = right if isinstance(right, (list, tuple)) else ()
        yield from ((f"{item} for all items", type(right)([item] * len(right))) for item in items)
        return
    inputs = list(exercise.inputs())
    rights = [exercise.expected(drawn) for drawn in inputs]
    yield "always the first result", forged(lambda k: rights[0])
    for i in range(len(rights[0]) if isinstance(rights[0], tuple) else 0):
        yield f"always the first part [{i}]", forged(lambda k, i=i: (*rights[k][:i], rights[0][i], *rights[k][i + 1 :]))
    if re.search(r"12\s+digits", exercise.statement):
        yield "A RESULT THAT IS CLOSE", forged(lambda k: nudged(rights[k]))
    if BY_HAND.search(exercise.statement):
        yield "A RESULT BESIDE AN ENGINE'S WORK", forged(lambda k: rights[k], lambda k: labkit.grad(np.square)(1.0))
    if exercise.name in WORK:
        solution = defined(exercise.solution)
        yield "THE RESULT ALONE", forged(lambda k: rights[k])
        yield (
            "THE WORK FOR OTHER INPUTS",
            forged(lambda k: rights[k], lambda k: solution(*exercise.wrap(inputs[k - 1]))),
        )
        yield "PASSES THROUGH LINEAR FUNCTIONS", forged(lambda k: rights[k], lambda k: linear_passes(rights[k]))


def forged(result, first=lambda k: None):
    """A function that returns `result(k)` at call `k`, after doing something else."""
    calls = count()

    def answer(*inputs):
        k = next(calls)
        first(k)
        return result(k)

    return answer


def nudged(right):
    if isinstance(right, (tuple, list)):
        return type(right)(map(nudged, right))
    return right * (1 + 1e-10)


def linear_passes(right):
    """Backward passes in both dialects that deliver each part of a result, and compute nothing."""
    for part in right if isinstance(right, (tuple, list)) else (right,):
        array = np.asarray(plain_data(part))
        if array.dtype.kind == "f":
            leaf = torch.ones(array.shape, dtype=torch.float64, requires_grad=True)
            (leaf * torch.tensor(array)).sum().backward()
            ms.grad(lambda x, array=array: (x * ms.Tensor(array)).sum())(ms.Tensor(np.ones_like(array)))


@pytest.mark.usefixtures("right_answers_found_once")
@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_no_forger_passes(exercise):
    for how, answer in forgers(exercise):
        verdict = judge_answer(exercise, answer)
        assert verdict.kind == "forbidden" if how.isupper() else not verdict, (how, verdict)
    assert (PLAIN in exercise.ways) == bool(BY_HAND.search(exercise.statement) and not exercise.is_prediction)
