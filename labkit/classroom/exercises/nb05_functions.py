"""Functions to write in notebook 05: broadcasting undone, a Jacobian by columns."""

from functools import partial

import autograd.numpy as anp
import numpy as np

from ... import engine
from ..compare import same
from ..exercise import Exercise, Misconception, Way, WrongAnswer
from .nb05 import NOTEBOOK

# ---- vector-unbroadcast ----


def _stretched(g, shape):
    """The axes of `g` along which an array of `shape` was repeated: those in front, and those of length 1."""
    front = g.ndim - len(shape)
    return tuple(range(front)), tuple(front + i for i, n in enumerate(shape) if n == 1 and g.shape[front + i] > 1)


def _unbroadcast(g, shape):
    return engine.vjp(lambda b: b + np.zeros(g.shape), np.zeros(shape))[1](g)[0]


def _draw_broadcast(rng, ones, cube=False):
    """`ones`: for each axis of `b`, whether it has length 1; `cube`: all axes of `g` are equally long."""
    sizes = [int(rng.integers(2, 5))] * 3 if cube else [int(n) for n in rng.permutation([2, 3, 4])]
    kept = sizes[3 - len(ones) :]
    return rng.integers(-9, 10, sizes).astype(float), tuple(1 if one else n for one, n in zip(ones, kept))


def _same_numbers(expected, got):
    return got.shape != expected.shape and got.size == expected.size and same(expected, got.reshape(expected.shape))


def _first_of(g, shape):
    front, inner = _stretched(g, shape)
    taken = tuple(0 if i in front else slice(0, 1) if i in inner else slice(None) for i in range(g.ndim))
    return g[taken]


UNBROADCAST = Exercise(
    name="vector-unbroadcast",
    notebook=NOTEBOOK,
    title="Undo a broadcast",
    points=2,
    statement="""In `y = x + b` the array `b` is broadcast to the shape of `y`. `g` is the gradient that arrives at `y`.
Write `unbroadcast(g, shape)`: it returns the gradient for `b`, where `shape` is the shape of `b` (a tuple).
`g` has three axes. `b` may have fewer axes, and it may have axes of length 1.""",
    reference=_unbroadcast,
    draw=(
        partial(_draw_broadcast, ones=(True, False)),
        partial(_draw_broadcast, ones=(False, True), cube=True),
        partial(_draw_broadcast, ones=(False,)),
        partial(_draw_broadcast, ones=(True, False, True)),
        partial(_draw_broadcast, ones=()),
    ),
    arguments=("g", "shape"),
    misconceptions=(
        Misconception(
            "not-undone",
            "You returned the gradient as it arrives. b is smaller than that: each of its numbers was used several times, "
            "and gets one sum.",
            lambda i, expected, got: same(i[0], got),
        ),
        Misconception(
            "axes-left",
            "The numbers are right, the shape is not. Axes that b does not have must go; axes of length 1 that it has "
            "must stay (keepdims=True).",
            lambda i, expected, got: _same_numbers(expected, got),
        ),
        Misconception(
            "mean",
            "You took the mean. Contributions add up: every place where b was used counts once.",
            lambda i, expected, got: same(expected * expected.size / i[0].size, got),
        ),
        Misconception(
            "one-place-only",
            "You took the gradient of one of the places where b was used. All of them count.",
            lambda i, expected, got: same(_first_of(*i), got),
        ),
        Misconception(
            "stretched-forgotten",
            "You summed over the axes in front. An axis of length 1 that was stretched repeats b as well: sum over it, too.",
            lambda i, expected, got: same(i[0].sum(_stretched(*i)[0]), got),
        ),
    ),
    hints=(
        "Where a value is used several times, its contributions add up (notebook 03). Along which axes was b repeated?",
        "First sum over the axes in front: there are g.ndim - len(shape) of them. Each time axis 0 goes.",
        "Then, for every axis i with shape[i] == 1: g = g.sum(axis=i, keepdims=True).",
    ),
    solution="""
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, length in enumerate(shape):
        if length == 1:
            g = g.sum(axis=axis, keepdims=True)
    return g


answer = unbroadcast
""",
    wrong_answers=(
        WrongAnswer("as it arrives", "answer = lambda g, shape: g", "not-undone"),
        WrongAnswer(
            "all axes kept",
            "answer = lambda g, shape: g.sum(tuple(i for i in range(3) if i < 3 - len(shape) or "
            "shape[i - 3 + len(shape)] == 1), keepdims=True)",
            "axes-left",
        ),
        WrongAnswer(
            "all axes gone",
            "answer = lambda g, shape: g.sum(tuple(i for i in range(3) if i < 3 - len(shape) or "
            "shape[i - 3 + len(shape)] == 1))",
            "axes-left",
        ),
        WrongAnswer(
            "mean",
            "answer = lambda g, shape: g.mean(tuple(i for i in range(3) if i < 3 - len(shape) or "
            "shape[i - 3 + len(shape)] == 1)).reshape(shape)",
            "mean",
        ),
        WrongAnswer(
            "the first place",
            "def answer(g, shape):\n    while g.ndim > len(shape):\n        g = g[0]\n"
            "    for i, n in enumerate(shape):\n        g = g.take([0], axis=i) if n == 1 else g\n    return g",
            "one-place-only",
        ),
        WrongAnswer(
            "only in front",
            "def answer(g, shape):\n    while g.ndim > len(shape):\n        g = g.sum(axis=0)\n    return g",
            "stretched-forgotten",
        ),
        WrongAnswer("reshaped", "answer = lambda g, shape: g.reshape(shape)", "error"),
        WrongAnswer("one number", "answer = lambda g, shape: np.full(shape, g.sum())", "value"),
    ),
)


# ---- vector-columns ----


def _jacobian(a, x):
    return engine.jacrev(lambda x: a @ anp.tanh(x))(x)


def _draw_weights(rng):
    m, n = int(rng.integers(2, 4)), int(rng.integers(4, 6))
    return rng.uniform(-2, 2, (m, n)).round(2), rng.uniform(-1, 1, n).round(2)


COLUMNS = Exercise(
    name="vector-columns",
    notebook=NOTEBOOK,
    title="Repair: a Jacobian by pushes",
    points=2,
    statement="""This function is to return the Jacobian of `f(x) = a @ tanh(x)`, one push per input.
`a` has shape `(m, n)`, `x` has shape `(n,)`. Two things are wrong. Mend them.

```python
def jacobian(a, x):
    def f(x):
        return a @ np.tanh(x)

    pushes = [jvp(f, (x,), (t,))[0] for t in np.eye(len(x))]
    return np.array(pushes)
```""",
    reference=_jacobian,
    draw=_draw_weights,
    arguments=("a", "x"),
    ways=(Way("One push for each input is asked for, and no walk back.", ("walk back",)),),
    misconceptions=(
        Misconception(
            "still-transposed",
            "The numbers are right, but they are the transpose. np.array puts what it gets into rows, and a push gives "
            "a column.",
            lambda i, expected, got: same(expected.T, got),
        ),
        Misconception(
            "outputs-instead-of-slopes",
            "These are outputs of f, not slopes. jvp returns a pair: the output, and the derivative along t.",
            lambda i, expected, got: (
                same(np.stack([i[0] @ np.tanh(i[1])] * len(i[1]), axis=1), got)
                or same(np.stack([i[0] @ np.tanh(i[1])] * len(i[1])), got)
            ),
        ),
        Misconception(
            "reshaped",
            "The shape is right, but the numbers are shuffled: reshape does not transpose. Put each push into a column.",
            lambda i, expected, got: same(expected.T.reshape(expected.shape), got),
        ),
        Misconception(
            "tanh-forgotten",
            "That is a, the Jacobian of a @ x. By the chain rule each column also has the slope of tanh as a factor.",
            lambda i, expected, got: same(i[0], got),
        ),
    ),
    hints=(
        "Print what jvp returns for one t. Which of the two do you want?",
        "A push gives a column, with one number per output. How many rows does the result need?",
        "np.stack(pushes, axis=1) puts each array into a column; .T after np.array does the same.",
    ),
    solution="""
import autograd.numpy as np
from labkit import jvp


def jacobian(a, x):
    def f(x):
        return a @ np.tanh(x)

    pushes = [jvp(f, (x,), (t,))[1] for t in np.eye(len(x))]
    return np.stack(pushes, axis=1)


answer = jacobian
""",
    wrong_answers=(
        WrongAnswer(
            "rows",
            "from labkit import jvp\nanswer = lambda a, x: np.array("
            "[jvp(lambda x: a @ np.tanh(x), (x,), (t,))[1] for t in np.eye(len(x))])",
            "still-transposed",
        ),
        WrongAnswer(
            "as it was",
            "from labkit import jvp\nanswer = lambda a, x: np.array("
            "[jvp(lambda x: a @ np.tanh(x), (x,), (t,))[0] for t in np.eye(len(x))])",
            "outputs-instead-of-slopes",
        ),
        WrongAnswer(
            "outputs in columns",
            "from labkit import jvp\nanswer = lambda a, x: np.array("
            "[jvp(lambda x: a @ np.tanh(x), (x,), (t,))[0] for t in np.eye(len(x))]).T",
            "outputs-instead-of-slopes",
        ),
        WrongAnswer(
            "reshaped",
            "from labkit import jvp\nanswer = lambda a, x: np.array("
            "[jvp(lambda x: a @ np.tanh(x), (x,), (t,))[1] for t in np.eye(len(x))]).reshape(a.shape)",
            "reshaped",
        ),
        WrongAnswer("the matrix itself", "answer = lambda a, x: a.copy()", "tanh-forgotten"),
        WrongAnswer(
            "units of the output",
            "from labkit import jvp\nanswer = lambda a, x: np.stack("
            "[jvp(lambda x: a @ np.tanh(x), (x,), (t,))[1] for t in np.eye(len(a))], 1)",
            "error",
        ),
    ),
)

EXERCISES = (UNBROADCAST, COLUMNS)
