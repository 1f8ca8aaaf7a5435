"""Two functions to write in notebook 13: how long a gradient can be, and a port."""

import math
from functools import partial

import numpy as np

from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb13 import NOTEBOOK

# ---- clip-longest ----


def _shapes(rng):
    rows, columns = (int(n) for n in rng.integers(2, 9, 2))
    return [(rows, columns), (rows,), (int(rng.integers(2, 6)), rows), ()], float(rng.integers(1, 9)) / 2


def _sizes(shapes):
    return [math.prod(shape) for shape in shapes]


LONGEST = Exercise(
    name="clip-longest",
    notebook=NOTEBOOK,
    title="How long can it still be?",
    points=2,
    statement="""A network has parameters of these `shapes`, a list of tuples. Every gradient is clipped by value to
[-limit, limit]. Write `longest(shapes, limit)`: it returns the largest length that all gradients together can still have.
A shape `()` is a single number.""",
    reference=lambda shapes, limit: limit * math.sqrt(sum(_sizes(shapes))),
    draw=_shapes,
    arguments=("shapes", "limit"),
    misconceptions=(
        Misconception(
            "limit-of-the-length",
            "That is the limit of one element. By value nothing limits the length of the whole gradient.",
            lambda i, expected, got: same(i[1], got),
        ),
        Misconception(
            "elements-added-up",
            "You added up the elements. The length is the square root of the sum of their squares.",
            lambda i, expected, got: same(i[1] * sum(_sizes(i[0])), got),
        ),
        Misconception(
            "lengths-added-up",
            "You added up the lengths of the parameters. Lengths of parts do not add up; their squares do.",
            lambda i, expected, got: same(i[1] * sum(map(math.sqrt, _sizes(i[0]))), got),
        ),
        Misconception(
            "parameters-counted",
            "You counted the parameters. What counts is how many elements they have in all.",
            lambda i, expected, got: same(i[1] * math.sqrt(len(i[0])), got),
        ),
    ),
    hints=(
        "When is a gradient clipped by value as long as it can be? What does each element then look like?",
        "n elements, each of them limit or -limit: the sum of the squares is n * limit**2.",
        "n = sum(math.prod(shape) for shape in shapes); math.prod(()) is 1.",
    ),
    solution="""
import math


def longest(shapes, limit):
    elements = sum(math.prod(shape) for shape in shapes)
    return limit * elements**0.5


answer = longest
""",
    wrong_answers=(
        WrongAnswer("limit", "answer = lambda shapes, limit: limit", "limit-of-the-length"),
        WrongAnswer(
            "sum", "answer = lambda shapes, limit: limit * sum(int(np.prod(s)) for s in shapes)", "elements-added-up"
        ),
        WrongAnswer(
            "lengths",
            "answer = lambda shapes, limit: sum(limit * float(np.prod(s)) ** 0.5 for s in shapes)",
            "lengths-added-up",
        ),
        WrongAnswer("parameters", "answer = lambda shapes, limit: limit * len(shapes) ** 0.5", "parameters-counted"),
        WrongAnswer(
            "largest parameter",
            "answer = lambda shapes, limit: limit * max(float(np.prod(s)) for s in shapes) ** 0.5",
            "value",
        ),
    ),
)


# ---- clip-port ----


def _leaves(rng, low, high):
    """Leaves of this size: from large ones come gradients longer than 1, from small ones shorter."""
    return tuple((rng.uniform(low, high, n) * rng.choice([-1, 1], n)).astype(np.float32) for n in (3, 2))


def _clipped_by_torch(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    torch.nn.utils.clip_grad_norm_([x, y], 1.0)
    return x.grad, y.grad


def _plain_gradients(x, y):
    return 2 * x * np.sum(y**2), 2 * y * np.sum(x**2)


def _stretched(*gradients):
    norm = np.float32(np.sqrt(sum(_norm(g) ** 2 for g in gradients)))
    return tuple(g / norm for g in gradients)


def _norm(v):
    return float(np.linalg.norm(v))


CLIP_PORT = Exercise(
    name="clip-port",
    notebook=NOTEBOOK,
    title="Port a clip to PyTorch",
    points=2,
    statement="""Port to PyTorch. Write `port(x, y)`; `x` and `y` are leaves of three and two elements that require grad.
Return both clipped gradients as a tuple.

```python
def fn(x, y):
    return (x**2).sum() * (y**2).sum()


gradients = ms.grad(fn, (0, 1))(x, y)
return ops.clip_by_global_norm(gradients, 1.0)
```""",
    reference=_clipped_by_torch,
    draw=(
        partial(_leaves, low=1.0, high=2.5),
        partial(_leaves, low=0.2, high=0.35),
        partial(_leaves, low=0.5, high=0.7),
    ),
    arguments=("x", "y"),
    tensors="torch",
    misconceptions=(
        Misconception(
            "not-clipped",
            "These gradients are not clipped. clip_grad_norm_ changes .grad, so it has to come after backward.",
            lambda i, expected, got: same(_plain_gradients(*i), got),
        ),
        Misconception(
            "each-alone",
            "You clipped each gradient alone. The global norm is one for both: give both tensors to one call.",
            lambda i, expected, got: same(tuple(g * min(1, 1 / _norm(g)) for g in _plain_gradients(*i)), got),
        ),
        Misconception(
            "by-value",
            "You clipped by value: that is clip_grad_value_. It turns the gradient; the norm does not.",
            lambda i, expected, got: same(tuple(np.clip(g, -1, 1) for g in _plain_gradients(*i)), got),
        ),
        Misconception(
            "stretched",
            "You gave the gradients the length 1 in any case. A clip makes long ones shorter, and leaves short ones alone.",
            lambda i, expected, got: same(_stretched(*_plain_gradients(*i)), got),
        ),
        Misconception(
            "norm-returned",
            "clip_grad_norm_ returns the length before the clip. The clipped gradients are in x.grad and y.grad.",
            lambda i, expected, got: not isinstance(got, (tuple, list)) and np.ndim(got) == 0,
        ),
    ),
    hints=(
        "Three steps: compute the loss and walk back, clip what is in .grad, return what is in .grad.",
        "torch.nn.utils.clip_grad_norm_(tensors, limit) clips the .grad of all tensors by their common norm.",
        "torch.nn.utils.clip_grad_norm_([x, y], 1.0), after backward.",
    ),
    solution="""
def port(x, y):
    loss = (x**2).sum() * (y**2).sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([x, y], 1.0)
    return x.grad, y.grad


answer = port
""",
    wrong_answers=(
        WrongAnswer(
            "too early",
            "def answer(x, y):\n    torch.nn.utils.clip_grad_norm_([x, y], 1.0)\n"
            "    ((x**2).sum() * (y**2).sum()).backward()\n    return x.grad, y.grad",
            "not-clipped",
        ),
        WrongAnswer(
            "two calls",
            "def answer(x, y):\n    ((x**2).sum() * (y**2).sum()).backward()\n"
            "    for leaf in (x, y):\n        torch.nn.utils.clip_grad_norm_(leaf, 1.0)\n    return x.grad, y.grad",
            "each-alone",
        ),
        WrongAnswer(
            "values",
            "def answer(x, y):\n    ((x**2).sum() * (y**2).sum()).backward()\n"
            "    torch.nn.utils.clip_grad_value_([x, y], 1.0)\n    return x.grad, y.grad",
            "by-value",
        ),
        WrongAnswer(
            "the norm",
            "def answer(x, y):\n    ((x**2).sum() * (y**2).sum()).backward()\n"
            "    return torch.nn.utils.clip_grad_norm_([x, y], 1.0)",
            "norm-returned",
        ),
        WrongAnswer(
            "always 1",
            "def answer(x, y):\n    ((x**2).sum() * (y**2).sum()).backward()\n"
            "    norm = ((x.grad**2).sum() + (y.grad**2).sum()) ** 0.5\n    return x.grad / norm, y.grad / norm",
            "stretched",
        ),
        WrongAnswer("no backward", "answer = lambda x, y: (x.grad, y.grad)", "kind"),
    ),
)

EXERCISES = (LONGEST, CLIP_PORT)
