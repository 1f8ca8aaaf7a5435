"""The repair of notebook 10: a loss that contains a gradient."""

import numpy as np

from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb10 import NOTEBOOK


def _weights_and_input(rng):
    return rng.uniform(0.6, 1.6, 3).astype(np.float32), rng.uniform(0.6, 1.6, 3).astype(np.float32)


def _gradient(w, x, create_graph=True):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=create_graph, retain_graph=True)
    return torch.autograd.grad(value + (slope**2).sum(), w)[0]


def _parts(w, x):
    """The gradients for w: of the value, of the penalty; and of the penalty for x."""
    return 2 * w * x**2, 16 * w**3 * x**2, 8 * w**4 * x


def _is(part):
    return lambda i, expected, got: same(part(*_parts(*i)), got)


PENALTY = Exercise(
    name="penalty-repair",
    notebook=NOTEBOOK,
    title="Repair the penalty",
    points=2,
    statement="""This function should return the gradient for `w` of a value plus a penalty: the squared length of the value's
gradient for `x`. It runs without an error, and `loss` is right, but what it returns is not. Repair it. `w` and `x` are leaves of
three elements that require grad.

```python
def answer(w, x):
    value = ((w * x) ** 2).sum()
    value.backward(create_graph=True)
    loss = value + (x.grad**2).sum()
    loss.backward()
    return w.grad
```""",
    reference=_gradient,
    draw=_weights_and_input,
    arguments=("w", "x"),
    tensors="torch",
    errors=(
        ("second time", "The first walk freed its saved values. create_graph=True keeps them, and records the walk."),
        ("does not require grad", "What you differentiate has no history. Which of the two walks has to be recorded?"),
    ),
    misconceptions=(
        Misconception(
            "value-counted-twice",
            "The gradient of the value is in it twice. The first backward reaches w as well as x, and the second one adds to "
            "what it left in w.grad.",
            _is(lambda value, penalty, for_x: 2 * value + penalty),
        ),
        Misconception(
            "penalty-without-history",
            "The penalty adds nothing to the gradient: slope was computed without being recorded, so for the second walk it is "
            "a constant. The loss still has a history through value, so nobody complains.",
            _is(lambda value, penalty, for_x: value),
        ),
        Misconception(
            "penalty-alone",
            "That is the gradient of the penalty alone. The value belongs to the loss, too.",
            _is(lambda value, penalty, for_x: penalty),
        ),
        Misconception(
            "for-the-input",
            "That is a gradient for x. Asked is the one for w.",
            lambda i, expected, got: same(_parts(*i)[2] + 2 * i[0] ** 2 * i[1], got),
        ),
        Misconception(
            "length-not-squared",
            "You used the length of the slope. The penalty is its square: no square root.",
            lambda i, expected, got: same(_parts(*i)[0] + _parts(*i)[1] / (4 * np.linalg.norm(i[0] ** 2 * i[1])), got),
        ),
    ),
    hints=(
        "Print w.grad after the first backward. Should anything be there?",
        "You want the gradient for x alone, with its history, and nothing stored anywhere else.",
        "(slope,) = torch.autograd.grad(value, x, create_graph=True) leaves every .grad empty.",
    ),
    solution="""
def repaired(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=True)
    loss = value + (slope**2).sum()
    return torch.autograd.grad(loss, w)[0]


answer = repaired
""",
    wrong_answers=(
        WrongAnswer(
            "as it was",
            """
def answer(w, x):
    value = ((w * x) ** 2).sum()
    value.backward(create_graph=True)
    (value + (x.grad**2).sum()).backward()
    return w.grad
""",
            "value-counted-twice",
        ),
        WrongAnswer(
            "not recorded",
            """
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, retain_graph=True)
    return torch.autograd.grad(value + (slope**2).sum(), w)[0]
""",
            "penalty-without-history",
        ),
        WrongAnswer(
            "value detached",
            """
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=True)
    return torch.autograd.grad(value.detach() + (slope**2).sum(), w)[0]
""",
            "penalty-alone",
        ),
        WrongAnswer(
            "for x",
            """
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=True)
    return torch.autograd.grad(value + (slope**2).sum(), x)[0]
""",
            "for-the-input",
        ),
        WrongAnswer(
            "length",
            """
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x, create_graph=True)
    return torch.autograd.grad(value + torch.sqrt((slope**2).sum()), w)[0]
""",
            "length-not-squared",
        ),
        WrongAnswer(
            "nothing kept",
            """
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (slope,) = torch.autograd.grad(value, x)
    return torch.autograd.grad(value + (slope**2).sum(), w)[0]
""",
            "error",
        ),
    ),
)

EXERCISES = (PENALTY,)
