"""Functions to write in notebook 07: aux outputs, a seed vector."""

import numpy as np

from ... import mindspore as ms
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb07 import NOTEBOOK

# ---- sens-repair-aux ----


def _step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward, has_aux=True)(w)
    return loss, logits, w - 0.1 * dw


def _moved(factor):
    """The weight after a step with `factor(slope of the loss for the logits)` times x."""

    def weight(w, x, y):
        slope = 2 * (np.sum(w * x) - y)
        return np.asarray(w - 0.1 * factor(slope) * x, np.float32)

    return lambda i, expected, got: same(weight(*i), got[2])


def _draw_step(rng):
    w, x = rng.uniform(-1, 1, (2, 3)).astype(np.float32)
    return w, x, np.array(rng.uniform(1, 2), np.float32)


AS_GIVEN = """
def answer(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward{options})(w)
    return loss, logits, w {sign} 0.1 * dw
"""

REPAIR = Exercise(
    name="sens-repair-aux",
    notebook=NOTEBOOK,
    title="Repair: the loss is right, the step is not",
    points=2,
    statement="""This step is to go downhill on the *loss*. It returns the loss, the logits and the new weight, and it has to
return all three. The loss that it returns is right, and yet the weight goes to the wrong place. Mend it.
`w` and `x` are Tensors of three elements, `y` is a Tensor with one number.

```python
def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward)(w)
    return loss, logits, w - 0.1 * dw
```""",
    reference=_step,
    draw=_draw_step,
    arguments=("w", "x", "y"),
    tensors="mindspore",
    misconceptions=(
        Misconception(
            "still-summed",
            "The weight still goes downhill on loss + logits. One word to value_and_grad says that only the first output "
            "counts.",
            _moved(lambda slope: slope + 1),
        ),
        Misconception(
            "logits-only",
            "Now the weight goes downhill on the logits alone. The first output is the one that counts.",
            _moved(lambda slope: 1),
        ),
        Misconception(
            "uphill",
            "That is uphill: a step against the gradient subtracts it.",
            _moved(lambda slope: -slope),
        ),
        Misconception(
            "difference-of-outputs",
            "You subtracted the logits from the loss. They are not to count at all: neither +1 nor -1.",
            _moved(lambda slope: slope - 1),
        ),
    ),
    hints=(
        "Which function does value_and_grad differentiate when forward returns two outputs?",
        "The logits are to be returned, but not to be differentiated: they are auxiliary.",
        "ms.value_and_grad(forward, has_aux=True): the value is still the pair (loss, logits).",
    ),
    solution="""
def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward, has_aux=True)(w)
    return loss, logits, w - 0.1 * dw


answer = step
""",
    wrong_answers=(
        WrongAnswer("as it was", AS_GIVEN.format(options="", sign="-"), "still-summed"),
        WrongAnswer(
            "other order",
            "def answer(w, x, y):\n"
            "    (logits, loss), dw = ms.value_and_grad(\n"
            "        lambda w: ((w * x).sum(), ((w * x).sum() - y) ** 2), has_aux=True)(w)\n"
            "    return loss, logits, w - 0.1 * dw",
            "logits-only",
        ),
        WrongAnswer("plus", AS_GIVEN.format(options=", has_aux=True", sign="+"), "uphill"),
        WrongAnswer(
            "minus",
            "def answer(w, x, y):\n"
            "    g = ms.grad(lambda w: ((w * x).sum() - y) ** 2 - (w * x).sum())(w)\n"
            "    return ((w * x).sum() - y) ** 2, (w * x).sum(), w - 0.1 * g",
            "difference-of-outputs",
        ),
        WrongAnswer(
            "logits left out",
            "def answer(w, x, y):\n"
            "    loss, dw = ms.value_and_grad(lambda w: ((w * x).sum() - y) ** 2)(w)\n"
            "    return loss, w - 0.1 * dw",
            "structure",
        ),
        WrongAnswer("no step", "answer = lambda w, x, y: (((w * x).sum() - y) ** 2, (w * x).sum(), w)", "value"),
    ),
)


# ---- sens-examples ----


def _weighted(w, x, y, c):
    return ms.grad(lambda w: ((x * w).sum(1) - y) ** 2, sens_param=True)(w, c)


def _rows(w, x, y):
    """The gradient of each example's loss for w."""
    return 2 * ((x * w).sum(1) - y)[:, None] * x


def _seeded(seed):
    def recognises(i, expected, got):
        w, x, y, c = i
        return same(np.asarray(seed(c) @ _rows(w, x, y), np.float32), got)

    return recognises


def _draw_examples(rng):
    n = int(rng.integers(3, 6))
    w, x, y = rng.uniform(-1, 1, 2), rng.uniform(-1, 1, (n, 2)), rng.uniform(-1, 1, n)
    return tuple(a.astype(np.float32) for a in (w, x, y, rng.uniform(0.5, 3, n)))


EXAMPLES = Exercise(
    name="sens-examples",
    notebook=NOTEBOOK,
    title="Examples that count more",
    points=2,
    statement="""Some examples are more important than others. `losses` returns one loss for each example:

```python
def losses(w):
    return ((x * w).sum(1) - y) ** 2
```

Write `weighted(w, x, y, c)`: it returns the gradient for `w` in which example `i` counts `c[i]` times. Leave `losses` as it is
(define it inside), and use a seed. All arguments are Tensors: `w` of shape `(2,)`, `x` of `(n, 2)`, `y` and `c` of `(n,)`.""",
    reference=_weighted,
    draw=_draw_examples,
    arguments=("w", "x", "y", "c"),
    tensors="mindspore",
    misconceptions=(
        Misconception(
            "all-alike",
            "Every example counts once: that is grad without a seed. Hand over c.",
            _seeded(np.ones_like),
        ),
        Misconception(
            "mean-taken",
            "You divided by the number of examples. A seed multiplies rows, and the rows are added: no mean.",
            _seeded(lambda c: c / len(c)),
        ),
        Misconception(
            "normalised",
            "You divided the weights by their sum. Example i is to count c[i] times, just that.",
            _seeded(lambda c: c / c.sum()),
        ),
        Misconception(
            "squared",
            "Each weight came in squared. It belongs outside the square, on the loss of its example.",
            _seeded(lambda c: c**2),
        ),
    ),
    hints=(
        "losses has n outputs. How much each of them counts is what sens says.",
        "ms.grad(losses, sens_param=True) takes what losses takes, and then the seed.",
        "ms.grad(losses, sens_param=True)(w, c)",
    ),
    solution="""
def weighted(w, x, y, c):
    def losses(w):
        return ((x * w).sum(1) - y) ** 2

    return ms.grad(losses, sens_param=True)(w, c)


answer = weighted
""",
    wrong_answers=(
        WrongAnswer(
            "no seed", "answer = lambda w, x, y, c: ms.grad(lambda w: ((x * w).sum(1) - y) ** 2)(w)", "all-alike"
        ),
        WrongAnswer(
            "mean",
            "answer = lambda w, x, y, c: ms.grad(lambda w: (c * ((x * w).sum(1) - y) ** 2).mean())(w)",
            "mean-taken",
        ),
        WrongAnswer(
            "normalised",
            "answer = lambda w, x, y, c: ms.grad(lambda w: ((x * w).sum(1) - y) ** 2, sens_param=True)(w, c / c.sum())",
            "normalised",
        ),
        WrongAnswer(
            "inside the square",
            "answer = lambda w, x, y, c: ms.grad(lambda w: (c * ((x * w).sum(1) - y)) ** 2)(w)",
            "squared",
        ),
        WrongAnswer(
            "on the inputs",
            "answer = lambda w, x, y, c: ms.grad(lambda w: (((c * x.T).T * w).sum(1) - y) ** 2)(w)",
            "value",
        ),
        WrongAnswer(
            "a row each",
            "answer = lambda w, x, y, c: ms.jacrev(lambda w: ((x * w).sum(1) - y) ** 2)(w)",
            "shape",
        ),
        WrongAnswer(
            "sens left out",
            "answer = lambda w, x, y, c: ms.grad(lambda w: ((x * w).sum(1) - y) ** 2)(w, c)",
            "error",
        ),
    ),
)

EXERCISES = (REPAIR, EXAMPLES)
