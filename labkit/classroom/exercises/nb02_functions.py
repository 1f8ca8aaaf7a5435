"""The exercises of notebook 02 that ask for functions: local derivatives, paths, a gradient by hand."""

from functools import partial

import numpy as np

from ..compare import same
from ..exercise import NO_DIFFERENCES, PLAIN, Exercise, Misconception, WrongAnswer

NOTEBOOK = "02_graphs_and_chain_rule"


# ---- graph-local ----


def _local(op, a, b):
    return {"add": (1.0, 1.0), "subtract": (1.0, -1.0), "multiply": (b, a), "divide": (1 / b, -a / b**2)}[op]


def _divides_wrongly(i, got, second):
    return i[0] == "divide" and same((1 / i[2], second), got)


_LOCAL = """
def local(op, a, b):
    if op == "add":
        return 1.0, 1.0
    if op == "subtract":
        return 1.0, -1.0
    if op == "multiply":
        return b, a
    return 1 / b, -a / b**2


answer = local
"""


def _operation(rng, op):
    """Two numbers of either sign, of different size."""
    signs = rng.choice([-1, 1], 2)
    return op, float(signs[0] * rng.uniform(1.2, 3.0)), float(signs[1] * rng.uniform(3.5, 6.0))


LOCAL = Exercise(
    name="graph-local",
    notebook=NOTEBOOK,
    title="The local derivatives of four operations",
    points=2,
    statement="""Write `local(op, a, b)`. `op` is `"add"`, `"subtract"`, `"multiply"` or `"divide"`: the operation `a + b`,
`a - b`, `a * b` or `a / b`. Return a tuple: the local derivative for `a`, and the one for `b`.
`a` and `b` are numbers.""",
    reference=_local,
    draw=tuple(partial(_operation, op=op) for op in ("multiply", "subtract", "divide", "add")),
    arguments=("op", "a", "b"),
    draws=12,
    misconceptions=(
        Misconception(
            "own-factor",
            "For a product the local derivative for a is b, the other factor.",
            lambda i, expected, got: i[0] == "multiply" and same((i[1], i[2]), got),
        ),
        Misconception(
            "minus-forgotten",
            "When b grows, a - b gets smaller: its local derivative is -1.",
            lambda i, expected, got: i[0] == "subtract" and same((1, 1), got),
        ),
        Misconception(
            "a-larger-divisor",
            "When b grows, a / b gets smaller, so the local derivative for b is negative.",
            lambda i, expected, got: _divides_wrongly(i, got, i[1] / i[2] ** 2),
        ),
        Misconception(
            "numerator-forgotten",
            "-1 / b**2 belongs to 1 / b. Here the numerator is a, and it stays as a factor.",
            lambda i, expected, got: _divides_wrongly(i, got, -1 / i[2] ** 2),
        ),
        Misconception(
            "divide-the-other-way",
            "a / b is not symmetric. For b: write it as a * b**-1, whose derivative for b is -a * b**-2.",
            lambda i, expected, got: _divides_wrongly(i, got, 1 / i[1]),
        ),
        Misconception(
            "values-returned",
            "That is the value of the operation, not how it reacts to a and to b.",
            lambda i, expected, got: same(
                {"add": i[1] + i[2], "subtract": i[1] - i[2], "multiply": i[1] * i[2], "divide": i[1] / i[2]}[i[0]], got
            ),
        ),
    ),
    hints=(
        "Hold b still and differentiate for a. Then hold a still and differentiate for b.",
        "add: (1, 1). subtract: (1, -1). multiply: (b, a).",
        "divide: a / b is a * b**-1. So (1 / b, -a / b**2).",
    ),
    solution=_LOCAL,
    wrong_answers=(
        WrongAnswer("own factor", _LOCAL.replace("return b, a", "return a, b"), "own-factor"),
        WrongAnswer("no minus", _LOCAL.replace("1.0, -1.0", "1.0, 1.0"), "minus-forgotten"),
        WrongAnswer("no minus in divide", _LOCAL.replace("-a / b**2", "a / b**2"), "a-larger-divisor"),
        WrongAnswer("no numerator", _LOCAL.replace("-a / b**2", "-1 / b**2"), "numerator-forgotten"),
        WrongAnswer("symmetric", _LOCAL.replace("-a / b**2", "1 / a"), "divide-the-other-way"),
        WrongAnswer(
            "values",
            'answer = lambda op, a, b: {"add": a + b, "subtract": a - b, "multiply": a * b, "divide": a / b}[op]',
            "values-returned",
        ),
        WrongAnswer("a list", "answer = lambda op, a, b: [1.0, 1.0]", "kind"),
        WrongAnswer("always ones", "answer = lambda op, a, b: (1.0, 1.0)", "value"),
    ),
)


# ---- graph-paths ----


def _paths(rng, shape):
    return (np.round(rng.uniform(-2.0, 3.0, shape), 2),)


PATHS = Exercise(
    name="graph-paths",
    notebook=NOTEBOOK,
    title="From local derivatives to the derivative",
    points=2,
    statement="""`slopes` is an array with a row for each path from `x` to `z`. A row holds the local derivatives of the edges
along that path. Write `derivative(slopes)`: it returns the derivative of `z` for `x`, a number.""",
    reference=lambda slopes: float(np.sum(np.prod(slopes, axis=1))),
    draw=tuple(partial(_paths, shape=shape) for shape in ((2, 3), (3, 2), (3, 4), (4, 1), (1, 3))),
    arguments=("slopes",),
    misconceptions=(
        Misconception(
            "the-other-way-round",
            "You added along a path and multiplied over paths. Along a path slopes multiply; the paths add up.",
            lambda i, expected, got: same(float(np.prod(np.sum(i[0], axis=1))), got),
        ),
        Misconception(
            "everything-added",
            "Along a path slopes multiply: three times as fast, then twice as fast again, is six times as fast.",
            lambda i, expected, got: same(float(np.sum(i[0])), got),
        ),
        Misconception(
            "everything-multiplied",
            "Each path moves z on its own, and the moves add up. You multiplied over the paths, too.",
            lambda i, expected, got: same(float(np.prod(i[0])), got),
        ),
        Misconception(
            "one-path",
            "That is one path alone. Each path moves z, and the moves add up.",
            lambda i, expected, got: any(same(float(p), got) for p in np.prod(i[0], axis=1)),
        ),
        Misconception(
            "columns",
            "A path is a row. You multiplied down the columns.",
            lambda i, expected, got: same(float(np.sum(np.prod(i[0], axis=0))), got),
        ),
        Misconception(
            "not-added-yet",
            "These are the contributions of the paths. Add them up.",
            lambda i, expected, got: same(np.prod(i[0], axis=1), np.asarray(got, float)),
        ),
    ),
    hints=(
        "There are two rules in this notebook: one for along a path, one for over paths.",
        "np.prod(slopes, axis=1) multiplies along each row.",
        "np.sum(np.prod(slopes, axis=1)).",
    ),
    solution="""
def derivative(slopes):
    return np.sum(np.prod(slopes, axis=1))


answer = derivative
""",
    wrong_answers=(
        WrongAnswer("the other way", "answer = lambda slopes: np.prod(np.sum(slopes, axis=1))", "the-other-way-round"),
        WrongAnswer("sum", "answer = lambda slopes: np.sum(slopes)", "everything-added"),
        WrongAnswer("product", "answer = lambda slopes: np.prod(slopes)", "everything-multiplied"),
        WrongAnswer("first path", "answer = lambda slopes: np.prod(slopes[0])", "one-path"),
        WrongAnswer("largest path", "answer = lambda slopes: np.max(np.prod(slopes, axis=1))", "one-path"),
        WrongAnswer("columns", "answer = lambda slopes: np.sum(np.prod(slopes, axis=0))", "columns"),
        WrongAnswer("an array", "answer = lambda slopes: np.prod(slopes, axis=1)", "not-added-yet"),
        WrongAnswer("mean", "answer = lambda slopes: np.mean(np.prod(slopes, axis=1))", "value"),
    ),
)


# ---- graph-by-hand ----


def _by_hand(x, y):
    a = x * y
    b = a + x
    d_a = b + a
    return b * a, d_a * y + a, d_a * x


_HAND = """
def by_hand(x, y):
    a = x * y
    b = a + x
    z = b * a
    d_b = a
    d_a = b + d_b
    d_x = d_a * y + d_b
    d_y = d_a * x
    return z, d_x, d_y


answer = by_hand
"""


def _values(i):
    """`x, y, a, b` of the inputs `i`."""
    x, y = i
    return x, y, x * y, x * y + x


def _slopes(i, d_a, direct=True, swapped=False):
    """The two derivatives of an answer with this slope at `a`."""
    x, y, a, _ = _values(i)
    d_x, d_y = (d_a * x, d_a * y) if swapped else (d_a * y, d_a * x)
    return [d_x + (a if direct else 0.0), d_y]


def _x_and_y(rng, signs):
    return tuple(float(v) for v in signs * rng.uniform(0.5, 3.0, 2))


HAND = Exercise(
    name="graph-by-hand",
    notebook=NOTEBOOK,
    title="A gradient by hand",
    points=3,
    statement="""The graph is

```python
a = x * y
b = a + x
z = b * a
```

Write `by_hand(x, y)`. It returns a tuple of three numbers: `z`, its derivative for `x`, its derivative for `y`.
Walk back over the graph: first the derivative of `z` for `b`, then for `a`, then for `x` and `y`.
Use plain arithmetic: no finite difference, no labkit.""",
    reference=_by_hand,
    draw=tuple(partial(_x_and_y, signs=signs) for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1))),
    arguments=("x", "y"),
    ways=(
        NO_DIFFERENCES,
        PLAIN,
    ),
    misconceptions=(
        Misconception(
            "through-b-forgotten",
            "a goes into z directly, and also through b. You took the direct edge alone.",
            lambda i, expected, got: same(_slopes(i, _values(i)[3]), list(got[1:])),
        ),
        Misconception(
            "directly-forgotten",
            "a goes into z through b, and also directly: z = b * a. You took the way through b alone.",
            lambda i, expected, got: same(_slopes(i, _values(i)[2]), list(got[1:])),
        ),
        Misconception(
            "x-into-b-forgotten",
            "The derivative for y is right. x has a second edge, directly into b.",
            lambda i, expected, got: same(_slopes(i, sum(_values(i)[2:]), direct=False), list(got[1:])),
        ),
        Misconception(
            "own-factor",
            "In a = x * y the local derivative for x is y, and the one for y is x.",
            lambda i, expected, got: same(_slopes(i, sum(_values(i)[2:]), swapped=True), list(got[1:])),
        ),
        Misconception(
            "contributions-multiplied",
            "What arrives at a from two sides adds up. You multiplied it.",
            lambda i, expected, got: same(_slopes(i, _values(i)[2] * _values(i)[3]), list(got[1:])),
        ),
    ),
    hints=(
        "Draw it. a has two edges that leave it, and so has x.",
        "d_b = a. At a arrive two numbers: b from the product, and d_b * 1 through b. They add up.",
        "d_a = b + d_b. Then d_x = d_a * y + d_b, and d_y = d_a * x.",
    ),
    solution=_HAND,
    wrong_answers=(
        WrongAnswer("direct alone", _HAND.replace("d_a = b + d_b", "d_a = b"), "through-b-forgotten"),
        WrongAnswer("through b alone", _HAND.replace("d_a = b + d_b", "d_a = d_b"), "directly-forgotten"),
        WrongAnswer("x once", _HAND.replace("d_a * y + d_b", "d_a * y"), "x-into-b-forgotten"),
        WrongAnswer(
            "own factor",
            _HAND.replace("d_a * y + d_b", "d_a * x + d_b").replace("d_y = d_a * x", "d_y = d_a * y"),
            "own-factor",
        ),
        WrongAnswer("product", _HAND.replace("d_a = b + d_b", "d_a = b * d_b"), "contributions-multiplied"),
        WrongAnswer("no value", _HAND.replace("return z, d_x, d_y", "return d_x, d_y"), "structure"),
        WrongAnswer("a sum", _HAND.replace("return z, d_x, d_y", "return z, d_x + d_y, d_x + d_y"), "value"),
    ),
)

EXERCISES = (LOCAL, PATHS, HAND)
