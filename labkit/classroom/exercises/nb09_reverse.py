"""A gradient turned round, to write in notebook 09."""

import numpy as np

from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb09 import NOTEBOOK


def _adversaries(rng):
    """`w`, `v` (numbers) and `x` (four elements), far enough from 0 that no gradient is."""
    w, v = (np.array(a, np.float32) for a in rng.uniform(0.5, 1.5, 2))
    return w, v, rng.uniform(1.5, 3.0, 4).astype(np.float32)


def _loss_of(v, features):
    return ((v * features - 1) ** 2).sum()


def _reversed(w, v, x):
    def turned(h):
        return 2 * h.detach() - h

    return torch.autograd.grad(_loss_of(v, turned(w * x)), (w, v))


def _loss_gradients(w, v, x):
    """The gradients for w and v without anything reversed."""
    left = 2 * (v * w * x - 1)
    return np.sum(left * v * x), np.sum(left * w * x)


def _as_said(part):
    return lambda i, expected, got: same(part(*_loss_gradients(*i)), tuple(map(float, got)))


REVERSE = Exercise(
    name="reverse-gradient",
    notebook=NOTEBOOK,
    title="Turn a gradient round",
    points=3,
    statement="""Write a class `Reverse(torch.autograd.Function)`: forwards it changes nothing, backwards it changes the sign.
Then write `answer(w, v, x)` for leaves that require grad (`w` and `v` are numbers, `x` has four elements). It returns the tuple
of the gradients for `w` and `v` of this loss:

```python
features = Reverse.apply(w * x)
loss = ((v * features - 1) ** 2).sum()
```

A step against these gradients makes the loss smaller by `v` and larger by `w`: two players, one loss.""",
    reference=_reversed,
    draw=_adversaries,
    arguments=("w", "v", "x"),
    tensors="torch",
    errors=(
        ("implement the forward", "forward and backward must be static methods of the class, spelled like this."),
        ("called on an instance", "Call Reverse.apply(...), not Reverse()(...)."),
    ),
    misconceptions=(
        Misconception(
            "nothing-reversed",
            "Both gradients are those of the plain loss. backward gets g, and what it returns goes on to w: return -g.",
            _as_said(lambda w, v: (w, v)),
        ),
        Misconception(
            "both-reversed",
            "Both signs are changed. Only what passes through Reverse on its way to w changes its sign; v is not behind it.",
            _as_said(lambda w, v: (-w, -v)),
        ),
        Misconception(
            "wrong-side",
            "The sign of v has changed, not that of w. Which of the two is behind Reverse on the way back?",
            _as_said(lambda w, v: (w, -v)),
        ),
        Misconception(
            "value-changed",
            "Forwards, your Reverse is not the identity: the features changed their sign, and so the loss is another one.",
            lambda i, expected, got: same(float(_loss_gradients(-i[0], *i[1:])[1]), float(got[1])),
        ),
        Misconception(
            "cut-instead",
            "The gradient for w is 0 or missing: it was cut, not turned round.",
            lambda i, expected, got: got[0] is None or not np.any(got[0]),
        ),
    ),
    hints=(
        "forward(ctx, h) gives h. backward(ctx, g) gives what goes on to the input of Reverse.",
        "Nothing has to be saved for backward: -g needs no value of the forward run.",
        "Two static methods, return h and return -g; then torch.autograd.grad(loss, (w, v)).",
    ),
    solution="""
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        return h

    @staticmethod
    def backward(ctx, g):
        return -g


def players(w, v, x):
    loss = ((v * Reverse.apply(w * x) - 1) ** 2).sum()
    return torch.autograd.grad(loss, (w, v))


answer = players
""",
    wrong_answers=(
        WrongAnswer(
            "plain loss",
            "answer = lambda w, v, x: torch.autograd.grad(((v * (w * x) - 1) ** 2).sum(), (w, v))",
            "nothing-reversed",
        ),
        WrongAnswer(
            "loss reversed",
            "answer = lambda w, v, x: torch.autograd.grad(-((v * (w * x) - 1) ** 2).sum(), (w, v))",
            "both-reversed",
        ),
        WrongAnswer(
            "v behind it",
            """
def answer(w, v, x):
    turned = 2 * v.detach() - v
    return torch.autograd.grad(((turned * (w * x) - 1) ** 2).sum(), (w, v))
""",
            "wrong-side",
        ),
        WrongAnswer(
            "sign changed forwards",
            "answer = lambda w, v, x: torch.autograd.grad(((v * -(w * x) - 1) ** 2).sum(), (w, v))",
            "value-changed",
        ),
        WrongAnswer(
            "detached",
            """
def answer(w, v, x):
    loss = ((v * (w * x).detach() - 1) ** 2).sum()
    return torch.autograd.grad(loss, (w, v), allow_unused=True)
""",
            "cut-instead",
        ),
        WrongAnswer(
            "not connected",
            """
def answer(w, v, x):
    return torch.autograd.grad(((v * (w * x).detach() - 1) ** 2).sum(), (w, v))
""",
            "error",
        ),
        WrongAnswer("w alone", "answer = lambda w, v, x: torch.autograd.grad((w * v * x).sum(), w)", "structure"),
    ),
)

EXERCISES = (REVERSE,)
