"""Repairs of notebook 03 around the walk back: repeated arrays, and a gradient that is never reset."""

import numpy as np

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb03 import NOTEBOOK
from .nb03_mend import run_source

# ---- backprop-mend-shapes ----

_SHAPES = """def mended(x, w, b):
    h = x * w + b
    d_h = 2 * h
    d_w = d_h * x
    d_b = d_h
    return d_w, d_b
"""

_SUMMED = """
def mended(x, w, b):
    h = x * w + b
    d_h = 2 * h
    d_w = np.sum(d_h * x, axis=0)
    d_b = np.sum(d_h)
    return d_w, d_b


answer = mended
"""


def _gradients(x, w, b):
    d_h = 2 * (x * w + b)
    return np.sum(d_h * x, axis=0), np.sum(d_h)


SHAPES = Exercise(
    name="backprop-mend-shapes",
    notebook=NOTEBOOK,
    title="Mend the engine that forgets the repeats",
    points=2,
    statement=f"""The loss is `np.sum((x * w + b) ** 2)`. `x` has several rows of 3 numbers, `w` has shape `(3,)`, and `b` is one
number. This walk back keeps its gradients in the shape in which they come back.

```python
{_SHAPES}```

Mend it. It returns the gradients for `w` and for `b`, each in the shape of its value.""",
    reference=_gradients,
    draw=lambda rng: (
        rng.integers(-4, 5, (int(rng.integers(4, 7)), 3)).astype(float),
        rng.integers(1, 5, 3) * rng.choice([-1.0, 1.0], 3),
        float(rng.integers(1, 6)),
    ),
    arguments=("x", "w", "b"),
    misconceptions=(
        Misconception(
            "as-it-came-back",
            "A gradient still has the shape of h. It has an entry for each use, and the uses of one number add up.",
            lambda i, expected, got: np.shape(got[0]) == i[0].shape or np.shape(got[1]) == i[0].shape,
        ),
        Misconception(
            "mean",
            "You took the mean. Every use moves the loss, and the moves add up: sum.",
            lambda i, expected, got: (
                same(np.mean(2 * (i[0] * i[1] + i[2]) * i[0], axis=0), got[0])
                or same(np.mean(2 * (i[0] * i[1] + i[2])), got[1])
            ),
        ),
        Misconception(
            "wrong-axis",
            "Sum over the axis along which w was repeated: down the rows, axis 0. Its three numbers stay apart.",
            lambda i, expected, got: np.shape(got[0]) == i[0].shape[:1],
        ),
        Misconception(
            "everything-summed",
            "w has three numbers, so its gradient has three. You added them all up.",
            lambda i, expected, got: np.shape(got[0]) == (),
        ),
        Misconception(
            "b-is-one-number",
            "b is one number and was repeated along both axes. Its gradient is one number, too.",
            lambda i, expected, got: same(expected[0], got[0]) and np.shape(got[1]) in ((3,), (1,), (1, 3)),
        ),
    ),
    hints=(
        "Write the shapes below the lines: h, d_h and d_w have the shape of x.",
        "w was repeated for each row. b was repeated for each row and each column.",
        "np.sum(d_h * x, axis=0) and np.sum(d_h).",
    ),
    solution=_SUMMED,
    wrong_answers=(
        WrongAnswer("as it was", _SHAPES + "\n\nanswer = mended\n", "as-it-came-back"),
        WrongAnswer("only w", _SUMMED.replace("np.sum(d_h)", "d_h"), "as-it-came-back"),
        WrongAnswer("mean", _SUMMED.replace("np.sum(d", "np.mean(d"), "mean"),
        WrongAnswer("axis 1", _SUMMED.replace("axis=0", "axis=1"), "wrong-axis"),
        WrongAnswer("all of w", _SUMMED.replace(", axis=0", ""), "everything-summed"),
        WrongAnswer("b by columns", _SUMMED.replace("np.sum(d_h)", "np.sum(d_h, axis=0)"), "b-is-one-number"),
        WrongAnswer("no factor 2", _SUMMED.replace("2 * h", "h"), "value"),
        WrongAnswer("a list", _SUMMED.replace("return d_w, d_b", "return [d_w, d_b]"), "kind"),
    ),
)


# ---- backprop-mend-reset ----

_NEVER_RESET = """def mended(x, y, w, steps, rate):
    path = []
    grad = 0.0
    for _ in range(steps):
        error = x * w - y
        grad = grad + 2 * error * x
        grad = grad + 2 * w
        w = w - rate * grad
        path.append(w)
    return path
"""

_RESET = """
def mended(x, y, w, steps, rate):
    path = []
    for _ in range(steps):
        grad = 0.0
        error = x * w - y
        grad = grad + 2 * error * x
        grad = grad + 2 * w
        w = w - rate * grad
        path.append(w)
    return path


answer = mended
"""


def _trained(x, y, w, steps, rate):
    path = []
    for _ in range(steps):
        w = w - rate * (2 * (x * w - y) * x + 2 * w)
        path.append(w)
    return path


RESET = Exercise(
    name="backprop-mend-reset",
    notebook=NOTEBOOK,
    title="Mend the training that remembers too much",
    points=2,
    statement=f"""`w` is trained for the loss `(x * w - y)**2 + w**2`. `w` is used twice, so two parts arrive in each step, and
`grad` adds them up. All arguments are numbers.

```python
{_NEVER_RESET}```

It returns the values of `w` after each step, and after the first step they are wrong. Mend it.""",
    reference=_trained,
    draw=lambda rng: (
        float(rng.integers(1, 4) * rng.choice([-1, 1])), float(rng.integers(3, 9)), float(rng.integers(4, 8)),
        int(rng.integers(3, 6)), float(rng.choice([0.03125, 0.0625])),
    ),
    arguments=("x", "y", "w", "steps", "rate"),
    misconceptions=(
        Misconception(
            "never-reset",
            "The gradient of the first step is still in grad when the second step adds its own. Set it to zero in "
            "each step.",
            lambda i, expected, got: same(run_source(_NEVER_RESET, i), got),
        ),
        Misconception(
            "overwritten",
            "Now nothing of the step before is left, but a part of *this* step is lost, too. Set grad to zero once in "
            "each step, and go on adding within it.",
            lambda i, expected, got: same(run_source(_RESET.replace("grad + 2 * w", "2 * w"), i), got),
        ),
        Misconception(
            "reset-too-late",
            "grad is set to zero before w is changed: the step uses nothing, and w stays where it was.",
            lambda i, expected, got: same([i[2]] * i[3], got),
        ),
        Misconception(
            "uphill",
            "w goes the wrong way. The loss falls against the gradient: w - rate * grad.",
            lambda i, expected, got: same(run_source(_RESET.replace("w - rate", "w + rate"), i), got),
        ),
    ),
    hints=(
        "What is in grad when the second step begins? What should be there?",
        "One line stands in the wrong place.",
        "Move grad = 0.0 into the loop, to its beginning.",
    ),
    solution=_RESET,
    wrong_answers=(
        WrongAnswer("as it was", _NEVER_RESET + "\n\nanswer = mended\n", "never-reset"),
        WrongAnswer("overwrites", _RESET.replace("grad + 2 * w", "2 * w"), "overwritten"),
        WrongAnswer(
            "too late",
            _RESET.replace("        grad = 0.0\n", "").replace("        w = w", "        grad = 0.0\n        w = w")
            .replace("    path = []\n", "    path = []\n    grad = 0.0\n"),
            "reset-too-late",
        ),
        WrongAnswer("uphill", _RESET.replace("w - rate", "w + rate"), "uphill"),
        WrongAnswer("the last w", _RESET.replace("return path", "return w"), "kind"),
        WrongAnswer("half a step", _RESET.replace("w - rate", "w - 0.5 * rate"), "value"),
    ),
)  # fmt: skip

EXERCISES = (SHAPES, RESET)
