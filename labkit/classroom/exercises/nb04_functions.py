"""Functions to write in notebook 04: the rule of tanh, the rule of a product of arrays, and a small engine."""

from functools import partial

import numpy as np

from ..compare import same
from ..exercise import PLAIN, Exercise, Misconception, Way, WrongAnswer
from .nb04 import NOTEBOOK

# ---- engine-tanh ----


def _draw_point(rng, signs):
    """`g`, `tanh(x)` and `x`, with these signs of `g` and `x`."""
    g, x = float(signs[0] * rng.uniform(1.2, 3.0)), float(signs[1] * rng.uniform(0.3, 1.5))
    return g, float(np.tanh(x)), x


TANH = Exercise(
    name="engine-tanh",
    notebook=NOTEBOOK,
    title="Add tanh",
    points=2,
    statement="""The derivative of `tanh(x)` is `1 - tanh(x)**2`. Write its rule for the engine: `tanh_rule(g, ans, x)`. `g` has
arrived, `ans` is `tanh(x)`, `x` is the argument. It returns what is sent to `x`. All are numbers.
Use `+ - * /` and `**` alone, so that it also works on boxes.""",
    reference=lambda g, ans, x: g * (1 - ans**2),
    draw=tuple(partial(_draw_point, signs=signs) for signs in ((-1, 1), (1, 1), (-1, -1), (1, -1))),
    arguments=("g", "ans", "x"),
    ways=(
        Way("Use + - * / and ** alone: a function of numbers fails on boxes.", ("math", "cmath", "numpy", "labkit")),
    ),
    misconceptions=(
        Misconception(
            "g-forgotten",
            "That is the local slope alone. What is sent is the slope times what has arrived.",
            lambda i, expected, got: same(1 - i[1] ** 2, got),
        ),
        Misconception(
            "x-for-the-result",
            "You squared x. The derivative has tanh(x) in it: that is ans, computed already.",
            lambda i, expected, got: same(i[0] * (1 - i[2] ** 2), got) or same(1 - i[2] ** 2, got),
        ),
        Misconception(
            "tanh-of-the-result",
            "ans is tanh(x) already. You took the tanh of it once more.",
            lambda i, expected, got: same(i[0] * (1 - np.tanh(i[1]) ** 2), got),
        ),
        Misconception(
            "not-squared",
            "The square is missing: 1 - tanh(x)**2.",
            lambda i, expected, got: same(i[0] * (1 - i[1]), got),
        ),
        Misconception(
            "g-added",
            "g and the slope are multiplied: it is a step along a path.",
            lambda i, expected, got: same(i[0] + 1 - i[1] ** 2, got),
        ),
    ),
    hints=(
        "Every rule is: what arrived, times the local slope.",
        "The local slope is 1 - tanh(x)**2, and tanh(x) is there as ans.",
        "g * (1 - ans**2), or without powers g * (1 - ans * ans).",
    ),
    solution="""
def tanh_rule(g, ans, x):
    return g * (1 - ans * ans)


answer = tanh_rule
""",
    wrong_answers=(
        WrongAnswer("no g", "answer = lambda g, ans, x: 1 - ans**2", "g-forgotten"),
        WrongAnswer("x", "answer = lambda g, ans, x: g * (1 - x**2)", "x-for-the-result"),
        WrongAnswer("twice", "answer = lambda g, ans, x: g * (1 - np.tanh(ans) ** 2)", "tanh-of-the-result"),
        WrongAnswer("no square", "answer = lambda g, ans, x: g * (1 - ans)", "not-squared"),
        WrongAnswer("added", "answer = lambda g, ans, x: g + 1 - ans**2", "g-added"),
        WrongAnswer("plus", "answer = lambda g, ans, x: g * (1 + ans**2)", "value"),
        WrongAnswer("a list", "answer = lambda g, ans, x: [g * (1 - ans**2)]", "kind"),
    ),
)


# ---- engine-program ----

_PROGRAM = """
import math


def run(program, inputs):
    values = list(inputs)
    for op, *places in program:
        args = [values[i] for i in places]
        values.append({"add": sum, "multiply": math.prod, "tanh": lambda a: math.tanh(a[0])}[op](args))
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for node in reversed(range(len(inputs), len(values))):
        op, *places = program[node - len(inputs)]
        if op == "add":
            slopes = 1.0, 1.0
        elif op == "multiply":
            slopes = values[places[1]], values[places[0]]
        else:
            slopes = (1 - values[node] ** 2,)
        for parent, slope in zip(places, slopes):
            grads[parent] += slope * grads[node]
    return values[-1], grads[: len(inputs)]


answer = run
"""


def _execute(program, inputs, source: str = _PROGRAM):
    names: dict = {}
    exec(source, names)
    return names["answer"](program, inputs)


_OVERWRITES = _PROGRAM.replace("grads[parent] += slope", "grads[parent] = slope")
_OWN_FACTOR = _PROGRAM.replace("values[places[1]], values[places[0]]", "values[places[0]], values[places[1]]")
_OF_INPUT = _PROGRAM.replace("values[node] ** 2", "values[places[0]] ** 2")
_FORWARDS = _PROGRAM.replace("reversed(range(len(inputs), len(values)))", "range(len(inputs), len(values))")
_NO_SEED = _PROGRAM.replace("    grads[-1] = 1.0\n", "")
_ONCE_EACH = _PROGRAM.replace("zip(places,", "zip(dict.fromkeys(places),")
_REUSED = _PROGRAM.replace("+= slope * grads[node]", "+= slope")


def _draw_program(rng, inputs, twice=""):
    """Five instructions, all three kinds among them; each uses the value before it, so that all count.

    An instruction called `twice` uses that value two times. With three inputs, the first may count for nothing.
    """
    kinds = [str(k) for k in rng.permutation(["add", "multiply", "tanh", "multiply", "add"])]
    program = []
    for node, kind in enumerate(kinds, inputs):
        other = node - 1 if kind == twice else int(rng.integers(inputs > 2, node))
        both = (node - 1, other) if rng.random() < 0.5 else (other, node - 1)
        program.append((kind, node - 1) if kind == "tanh" else (kind, *both))
    program.append(("multiply", inputs + 4, int(rng.integers(inputs, inputs + 4))))
    values = np.round(rng.uniform(0.4, 1.6, inputs) * rng.choice([-1, 1], inputs), 2)
    return tuple(program), tuple(float(v) for v in values)


PROGRAM = Exercise(
    name="engine-program",
    notebook=NOTEBOOK,
    title="A whole engine",
    points=3,
    statement="""A program is given as data, so there is nothing to record: it *is* the record. For two inputs,

```python
program = (("multiply", 0, 1), ("tanh", 2), ("add", 3, 0))
```

means: the inputs are the values 0 and 1; value 2 is their product; value 3 is `tanh` of value 2; value 4 is the sum of the
values 3 and 0. The last value is the result.

Write `run(program, inputs)`. It returns a tuple: the result, and the list of its derivatives for the inputs.
The operations are `"add"`, `"multiply"` and `"tanh"`. Use `np.tanh` or `math.tanh`, and no labkit.""",
    reference=_execute,
    draw=tuple(
        partial(_draw_program, inputs=inputs, twice=twice)
        for inputs, twice in ((2, ""), (3, ""), (2, "multiply"), (2, "add"), (1, ""))
    ),
    arguments=("program", "inputs"),
    ways=(PLAIN,),
    misconceptions=(
        Misconception(
            "overwritten",
            "The value is right. In the gradients a later part replaces an earlier one: add it.",
            lambda i, expected, got: same(_execute(i[0], i[1], _OVERWRITES), got),
        ),
        Misconception(
            "own-factor",
            "In a product the slope for one factor is the other factor.",
            lambda i, expected, got: same(_execute(i[0], i[1], _OWN_FACTOR), got),
        ),
        Misconception(
            "x-for-the-result",
            "The slope of tanh is 1 - tanh(x)**2. You squared the argument; take the value that came out.",
            lambda i, expected, got: same(_execute(i[0], i[1], _OF_INPUT), got),
        ),
        Misconception(
            "nothing-arrives",
            "All gradients are zero. The walk back needs a 1 at the result, and it begins there, at the last instruction.",
            lambda i, expected, got: same((expected[0], [0.0] * len(i[1])), got),
        ),
        Misconception(
            "slopes-alone",
            "You sent the local slope alone. It has to be multiplied by what has arrived.",
            lambda i, expected, got: same(_execute(i[0], i[1], _REUSED), got),
        ),
        Misconception(
            "one-path-short",
            "The value is right. Does every use send its part, also when the same value is used twice?",
            lambda i, expected, got: same(_execute(i[0], i[1], _ONCE_EACH), got),
        ),
    ),
    hints=(
        "Two loops. The first one appends a value for each instruction; the second one walks back, as in notebook 03.",
        "The gradients are a list as long as the values, zero, with 1.0 at the end.",
        "Slopes: add 1 and 1; multiply the other factor; tanh 1 - (its own value)**2.",
    ),
    solution=_PROGRAM,
    wrong_answers=(
        WrongAnswer("overwrites", _OVERWRITES, "overwritten"),
        WrongAnswer("own factor", _OWN_FACTOR, "own-factor"),
        WrongAnswer("of the input", _OF_INPUT, "x-for-the-result"),
        WrongAnswer("forwards", _FORWARDS, "nothing-arrives"),
        WrongAnswer("no seed", _NO_SEED, "nothing-arrives"),
        WrongAnswer("slopes", _REUSED, "slopes-alone"),
        WrongAnswer("once for each parent", _ONCE_EACH, "one-path-short"),
        WrongAnswer("all gradients", _PROGRAM.replace("grads[: len(inputs)]", "grads"), "structure"),
        WrongAnswer("value alone", _PROGRAM.replace(", grads[: len(inputs)]", ""), "kind"),
        WrongAnswer("the value before", _PROGRAM.replace("return values[-1]", "return values[-2]"), "value"),
    ),
)


# ---- engine-arrays ----

_ARRAYS = """
def multiply_rule(g, a, b):
    def fit(part, value):
        while np.ndim(part) > np.ndim(value):
            part = np.sum(part, axis=0)
        for axis, length in enumerate(np.shape(value)):
            if length == 1:
                part = np.sum(part, axis=axis, keepdims=True)
        return part

    return fit(g * b, a), fit(g * a, b)


answer = multiply_rule
"""


def _products(g, a, b, source: str = _ARRAYS):
    names: dict = {"np": np}
    exec(source, names)
    return names["answer"](g, a, b)


def _draw_factors(rng, kind, swapped, square=False):
    """`b` (or `a`, swapped) is as large as the product, a row of either shape, a column, or one number."""
    rows = int(rng.integers(2, 4))
    columns = rows if square else int(rng.integers(4, 6))
    shapes = {"whole": (rows, columns), "flat": (columns,), "row": (1, columns), "column": (rows, 1), "one": ()}
    shape = shapes[kind]
    g, a, b = (
        np.asarray(rng.integers(1, 6, s) * rng.choice([-1.0, 1.0], s))
        for s in (shapes["whole"], shapes["whole"], shape)
    )
    return (g, b, a) if swapped else (g, a, b)


ARRAYS = Exercise(
    name="engine-arrays",
    notebook=NOTEBOOK,
    title="A product of arrays",
    points=3,
    statement="""In the small engine the rule of a product is `g * b` for `a`, and `g * a` for `b`. For arrays that is not enough:
`a` or `b` may have been repeated. Write `multiply_rule(g, a, b)`: it returns a tuple of the gradients for `a` and for `b`,
arrays with the shapes of `a` and `b`. `g` has the shape of `a * b`.

The smaller one of the two may be one number, a row such as `(4,)` or `(1, 4)`, or a column such as `(3, 1)`.""",
    reference=_products,
    draw=tuple(
        partial(_draw_factors, kind=kind, swapped=swapped, square=square)
        for swapped, square in ((False, False), (True, True))
        for kind in ("flat", "column", "one", "row", "whole")
    ),
    arguments=("g", "a", "b"),
    draws=10,
    misconceptions=(
        Misconception(
            "axes-of-length-1",
            "You undid the axes that are missing. An axis of length 1 was repeated, too: sum over it, with keepdims=True.",
            lambda i, expected, got: any(
                1 in e.shape and np.shape(x) == np.shape(i[0])
                for e, x in zip(map(np.asarray, expected), got, strict=True)
            ),
        ),
        Misconception(
            "not-summed",
            "A part has the shape of the product. Sum it over the axes along which the argument was repeated.",
            lambda i, expected, got: same((i[0] * i[2], i[0] * i[1]), got),
        ),
        Misconception(
            "own-factor",
            "The slope for a is the other factor, b.",
            lambda i, expected, got: (
                all(np.shape(e) == np.shape(x) and not same(e, x) for e, x in zip(expected, got, strict=True))
                and any(same(x, i[0] * v) for x, v in zip(got, i[1:], strict=True))
            ),
        ),
        Misconception(
            "mean",
            "You took the mean over the repeats. Each use sends its part, and the parts add up.",
            lambda i, expected, got: same(_products(i[0], i[1], i[2], _ARRAYS.replace("np.sum", "np.mean")), got),
        ),
        Misconception(
            "keepdims-forgotten",
            "The sum is right, but an axis of length 1 has to stay in the shape: keepdims=True.",
            lambda i, expected, got: any(
                1 in e.shape and np.shape(x) == np.squeeze(e).shape
                for e, x in zip(map(np.asarray, expected), got, strict=True)
            ),
        ),
    ),
    hints=(
        "First g * b and g * a, as for numbers. Then bring each into the shape of its argument.",
        "A missing axis stands at the front: sum over axis 0 until the number of axes is right.",
        "Then for each axis of length 1: np.sum(part, axis=axis, keepdims=True).",
    ),
    solution=_ARRAYS,
    wrong_answers=(
        WrongAnswer("not summed", "answer = lambda g, a, b: (g * b, g * a)", "not-summed"),
        WrongAnswer(
            "own factor", _ARRAYS.replace("fit(g * b, a), fit(g * a, b)", "fit(g * a, a), fit(g * b, b)"), "own-factor"
        ),
        WrongAnswer("mean", _ARRAYS.replace("np.sum", "np.mean"), "mean"),
        WrongAnswer("front axes only", _ARRAYS.replace("if length == 1", "if False"), "axes-of-length-1"),
        WrongAnswer("no keepdims", _ARRAYS.replace("keepdims=True", "keepdims=False"), "keepdims-forgotten"),
        WrongAnswer(
            "a list",
            _ARRAYS.replace("return fit(g * b, a), fit(g * a, b)", "return [fit(g * b, a), fit(g * a, b)]"),
            "kind",
        ),
        WrongAnswer(
            "swapped", _ARRAYS.replace("fit(g * b, a), fit(g * a, b)", "fit(g * a, b), fit(g * b, a)"), "shape"
        ),
        WrongAnswer(
            "g forgotten",
            _ARRAYS.replace("fit(g * b, a), fit(g * a, b)", "fit(b + 0 * g, a), fit(a + 0 * g, b)"),
            "value",
        ),
    ),
)

EXERCISES = (TANH, PROGRAM, ARRAYS)
