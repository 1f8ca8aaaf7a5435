"""The functions to write in notebook 06: `grad`, every case."""

from functools import partial

import numpy as np

from ... import mindspore as ms
from ..compare import same
from ..exercise import Exercise, Misconception, Way, WrongAnswer
from .nb06 import NOTEBOOK

# ---- grad-sum-outputs ----


def _summed(w, x, y):
    weight = ms.Tensor(w)

    def outputs(x, y):
        logits = (weight * x).sum()
        return (logits - y) ** 2, logits

    return ms.grad(outputs)(ms.Tensor(x), ms.Tensor(y)).asnumpy()


def _slope_of_loss(w, x, y):
    return 2 * (np.sum(w * x) - y)


def _draw_example(rng):
    return (*rng.uniform(-2, 2, (2, 1, 3)).astype(np.float32), np.float32(rng.uniform(-2, 2)))


SUM_OUTPUTS = Exercise(
    name="grad-sum-outputs",
    notebook=NOTEBOOK,
    title="Two outputs, by hand",
    points=2,
    statement="""A function has two outputs: `logits = sum(w * x)` and `loss = (logits - y)**2`.
Write `by_hand(w, x, y)` in plain NumPy. It returns what `ms.grad(fn)(x, y)` gives for `x` when `has_aux` is left
at `False`.
`w` and `x` have shape `(1, 3)`, `y` is a number; all are float32.""",
    reference=_summed,
    draw=_draw_example,
    arguments=("w", "x", "y"),
    misconceptions=(
        Misconception(
            "first-output-only",
            "You differentiated the loss alone. That is has_aux=True. With has_aux=False every output counts.",
            lambda i, expected, got: same((_slope_of_loss(*i) * i[0]).astype(np.float32), got),
        ),
        Misconception(
            "second-output-only",
            "You differentiated the logits alone. With has_aux=False every output counts, the loss too.",
            lambda i, expected, got: same(i[0], got),
        ),
        Misconception(
            "mean-of-outputs",
            "You averaged the outputs. They are summed: no division by their number.",
            lambda i, expected, got: same(expected / 2, got),
        ),
        Misconception(
            "for-the-weight",
            "This is the gradient for w. grad_position=0 asks for the first argument, x.",
            lambda i, expected, got: same(((_slope_of_loss(*i) + 1) * i[1]).astype(np.float32), got),
        ),
    ),
    hints=(
        "With has_aux=False, the function that is differentiated is loss + logits.",
        "The derivative of sum(w * x) for x is w. What is the derivative of (logits - y)**2 for logits?",
        "Add the two: 2 * (logits - y) * w from the loss, and w from the logits.",
    ),
    solution="""
def by_hand(w, x, y):
    logits = np.sum(w * x)
    return 2 * (logits - y) * w + w


answer = by_hand
""",
    wrong_answers=(
        WrongAnswer("loss only", "answer = lambda w, x, y: 2 * (np.sum(w * x) - y) * w", "first-output-only"),
        WrongAnswer("logits only", "answer = lambda w, x, y: w", "second-output-only"),
        WrongAnswer("mean", "answer = lambda w, x, y: (2 * (np.sum(w * x) - y) * w + w) / 2", "mean-of-outputs"),
        WrongAnswer("for w", "answer = lambda w, x, y: (2 * (np.sum(w * x) - y) + 1) * x", "for-the-weight"),
        WrongAnswer("a constant", "answer = lambda w, x, y: np.array([[6, 9, 12]], np.float32)", "value"),
        WrongAnswer("flat", "answer = lambda w, x, y: ((2 * (np.sum(w * x) - y) + 1) * w)[0]", "shape"),
        WrongAnswer("float64", "answer = lambda w, x, y: (2 * (np.sum(w * x) - y) + 1) * w.astype(float)", "dtype"),
    ),
)


# ---- grad-unpack ----


def _report(x, y):
    def model(x, y):
        return (x**2 * y).sum(), x + y

    (value, _), (dx, dy) = ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)
    return value, dx, dy


UNPACK = Exercise(
    name="grad-unpack",
    notebook=NOTEBOOK,
    title="Value and gradients, unpacked",
    points=2,
    statement="""`model(x, y)` returns `(x**2 * y).sum(), x + y`. Only the first output is to be differentiated.
Write `report(x, y)`: it calls `ms.value_and_grad` once and returns the flat tuple `(value, dx, dy)`:
the first output, its gradient for `x`, its gradient for `y`. `x` and `y` are Tensors of shape `(3,)`.""",
    reference=_report,
    draw=lambda rng: tuple(rng.uniform(0.5, 2, (2, 3)).astype(np.float32)),
    arguments=("x", "y"),
    ways=(Way("Call `ms.value_and_grad` once: it gives all three.", ("walk back",), most=1, least=1),),
    tensors="mindspore",
    misconceptions=(
        Misconception(
            "aux-differentiated",
            "Your gradients belong to the sum of both outputs. Say has_aux=True, and only the first output counts.",
            lambda i, expected, got: same((expected[0], expected[1] + 1, expected[2] + 1), got),
        ),
        Misconception(
            "still-nested",
            "All values are right, but the gradients are still a tuple inside the tuple. "
            "value_and_grad returns a pair; unpack both of its parts.",
            lambda i, expected, got: len(got) == 2 and same(list(expected[1:]), list(got[1])),
        ),
        Misconception(
            "swapped",
            "dx and dy have changed places. Gradients come in the order of grad_position.",
            lambda i, expected, got: same((expected[0], expected[2], expected[1]), got),
        ),
    ),
    hints=(
        "grad_position=(0, 1) asks for both inputs, has_aux=True keeps the second output out of it.",
        "The result is a pair: (outputs, gradients). With has_aux=True the outputs are (value, aux).",
        "Unpack it in one line: (value, aux), (dx, dy) = ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)",
    ),
    solution="""
def model(x, y):
    return (x**2 * y).sum(), x + y


def report(x, y):
    (value, aux), (dx, dy) = ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)
    return value, dx, dy


answer = report
""",
    wrong_answers=(
        WrongAnswer(
            "no has_aux",
            "def model(x, y):\n    return (x**2 * y).sum(), x + y\n\n"
            "def answer(x, y):\n    (v, _), (dx, dy) = ms.value_and_grad(model, (0, 1))(x, y)\n    return v, dx, dy",
            "aux-differentiated",
        ),
        WrongAnswer(
            "nested",
            "def model(x, y):\n    return (x**2 * y).sum(), x + y\n\n"
            "def answer(x, y):\n    return ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)",
            "still-nested",
        ),
        WrongAnswer(
            "positions the other way",
            "def model(x, y):\n    return (x**2 * y).sum(), x + y\n\n"
            "def answer(x, y):\n    (v, _), (dy, dx) = ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)\n"
            "    return v, dx, dy",
            "swapped",
        ),
        WrongAnswer(
            "arrays instead of Tensors",
            "def answer(x, y):\n    x, y = x.asnumpy(), y.asnumpy()\n    return (x**2 * y).sum(), 2 * x * y, x**2",
            "kind",
        ),
    ),
)


# ---- grad-clip ----


def _clip(a, b, max_norm):
    return ms.ops.clip_by_global_norm((a, b), float(max_norm))


def _norm(*arrays):
    return np.sqrt(sum(np.sum(np.square(a)) for a in arrays))


def _draw_gradients(rng, part):
    """Two gradients, and a limit that is this part of their norm: below the norm of one, of both, or above all."""
    a, b = (g / _norm(g) for g in (rng.normal(size=(2, 3)), rng.normal(size=4)))
    a, b = (np.float32(g * rng.uniform(1.0, 1.2)) for g in (a, b))
    return a, b, round(float(_norm(a, b) * part), 3)


CLIP = Exercise(
    name="grad-clip",
    notebook=NOTEBOOK,
    title="Clip by the global norm, yourself",
    points=2,
    statement="""Write `clip(a, b, max_norm)`. `a` and `b` are gradients (Tensors), `max_norm` is a number.
If the norm of all their elements together is larger than `max_norm`, scale both by the same factor so that it becomes
`max_norm`; otherwise leave them as they are. Return a tuple of two Tensors.
Do not use the `clip` functions of `ops`.""",
    reference=_clip,
    draw=tuple(partial(_draw_gradients, part=part) for part in (0.3, 1.5, 0.6, 1.2, 0.9)),
    arguments=("a", "b", "max_norm"),
    ways=(Way("The `clip` functions of `ops` were not to be used.", ("labkit.mindspore.ops.clip*",)),),
    tensors="mindspore",
    misconceptions=(
        Misconception(
            "each-its-own-norm",
            "You clipped each gradient by its own norm. Global means one norm over all elements, and one factor for "
            "all: the direction of the whole step stays.",
            lambda i, expected, got: same(tuple(g * np.float32(min(1, i[2] / _norm(g))) for g in i[:2]), got),
        ),
        Misconception(
            "by-value",
            "You clipped each element. That bends the direction; scaling all by one factor keeps it.",
            lambda i, expected, got: same(tuple(np.clip(g, -np.float32(i[2]), np.float32(i[2])) for g in i[:2]), got),
        ),
        Misconception(
            "always-scaled",
            "You scaled gradients that were already short enough. Clipping never makes a gradient longer.",
            lambda i, expected, got: (
                _norm(*i[:2]) < i[2] and same(tuple(g * np.float32(i[2] / _norm(*i[:2])) for g in i[:2]), got)
            ),
        ),
        Misconception(
            "norms-added",
            "You added the two norms. Add the squares of all elements first, and take one root at the end.",
            lambda i, expected, got: same(
                tuple(g * np.float32(min(1, i[2] / (_norm(i[0]) + _norm(i[1])))) for g in i[:2]), got
            ),
        ),
    ),
    hints=(
        "The global norm is the root of the sum of the squares of all elements of a and of b.",
        "One factor serves both: max_norm / norm where norm is larger than max_norm, else 1.",
        "norm = ((a**2).sum() + (b**2).sum()) ** 0.5; multiply both by max_norm / max(norm, max_norm).",
    ),
    solution="""
def clip(a, b, max_norm):
    norm = float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5
    factor = max_norm / max(norm, max_norm)
    return a * factor, b * factor


answer = clip
""",
    wrong_answers=(
        WrongAnswer(
            "each its own",
            "def answer(a, b, m):\n"
            "    return tuple(g * min(1.0, m / float((g**2).sum().asnumpy()) ** 0.5) for g in (a, b))",
            "each-its-own-norm",
        ),
        WrongAnswer(
            "by value",
            "def answer(a, b, m):\n    return ms.ops.clip_by_value(a, -m, m), ms.ops.clip_by_value(b, -m, m)",
            "by-value",
        ),
        WrongAnswer(
            "always",
            "def answer(a, b, m):\n"
            "    f = m / float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5\n    return a * f, b * f",
            "always-scaled",
        ),
        WrongAnswer(
            "norms added",
            "def answer(a, b, m):\n"
            "    n = float((a**2).sum().asnumpy()) ** 0.5 + float((b**2).sum().asnumpy()) ** 0.5\n"
            "    return a * min(1.0, m / n), b * min(1.0, m / n)",
            "norms-added",
        ),
        WrongAnswer("a list", "def answer(a, b, m):\n    return list(ms.ops.clip_by_global_norm((a, b), m))", "kind"),
    ),
)

EXERCISES = (SUM_OUTPUTS, UNPACK, CLIP)
