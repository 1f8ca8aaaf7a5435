"""The exercises of notebook 01 about functions of many numbers: a gradient by differences, and what it costs."""

import numpy as np

from ..compare import same
from ..exercise import Exercise, Misconception, Way, WrongAnswer

NOTEBOOK = "01_slopes"


def _f(x):
    return np.sum(x * x * x) + x[0] * x[1]


# ---- fd-gradient ----


def _by_differences(x, h):
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved = x.copy()
        moved[i] += h
        gradient[i] = (_f(moved) - _f(x)) / h
    return gradient


def _exact(x, h):
    found = 3 * x * x
    found[0] += x[1]
    found[1] += x[0]
    return found


def _never_back(x, h):
    moved, gradient = x.copy(), np.zeros(len(x))
    for i in range(len(x)):
        moved[i] += h
        gradient[i] = (_f(moved) - _f(x)) / h
    return gradient


def _all_at_once(x, h):
    return (_f(x + h) - _f(x)) / h


_HEAD = """def f(x):
    return np.sum(x * x * x) + x[0] * x[1]


def by_differences(x, h):
"""
_TAIL = """

answer = by_differences
"""
_LOOP = (
    _HEAD
    + """    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved = x.copy()
        moved[i] += h
        gradient[i] = (f(moved) - f(x)) / h
    return gradient
"""
    + _TAIL
)

GRADIENT = Exercise(
    name="fd-gradient",
    notebook=NOTEBOOK,
    title="Repair the gradient by differences",
    points=3,
    statement="""`by_differences(x, h)` should return the forward difference of `f` for each of the numbers in the array `x`, as
a new array. It should leave `x` as it is. This version has two mistakes. Repair it, and do not use the exact derivative.

```python
def f(x):
    return np.sum(x * x * x) + x[0] * x[1]


def by_differences(x, h):
    moved = x
    gradient = np.zeros(len(x))
    for i in range(len(x)):
        moved[i] += h
        gradient[i] = (f(moved) - f(x)) / h
    return gradient
```""",
    reference=_by_differences,
    draw=lambda rng: (rng.uniform(0.5, 2.0, int(rng.integers(3, 6))), float(rng.choice([0.05, 0.1, 0.2, 0.3]))),
    arguments=("x", "h"),
    ways=(Way("The exact derivative was not to be used: take differences of `f`.", ("walk back", "push")),),
    misconceptions=(
        Misconception(
            "never-moved-back",
            "The first number is right. When it is the turn of the second one, the first one is still moved.",
            lambda i, expected, got: same(_never_back(*i), got),
        ),
        Misconception(
            "the-derivative-itself",
            "That is the exact derivative. Asked for is what the difference gives, with its truncation error.",
            lambda i, expected, got: same(_exact(*i), got),
        ),
        Misconception(
            "all-at-once",
            "You moved all numbers together. A derivative for one of them needs the others to stand still.",
            lambda i, expected, got: same(float(_all_at_once(*i)), float(np.ravel(got)[0])),
        ),
        Misconception(
            "central",
            "That is the central difference. Asked for is the forward one: from x to x + h.",
            lambda i, expected, got: same(_exact(*i) + i[1] ** 2, got),
        ),
        Misconception(
            "not-divided",
            "That is how far f moves. A slope is that distance divided by how far x moved.",
            lambda i, expected, got: same(i[1] * expected, got),
        ),
        Misconception(
            "compared-with-itself",
            "Every number is 0: f(moved) and f(x) are the same. Writing moved = x makes no second array.",
            lambda i, expected, got: not np.any(got),
        ),
    ),
    hints=(
        "After moved = x there are two names for one array. What is f(moved) - f(x) then?",
        "x.copy() makes a new array. Where does it belong, before the loop or inside it?",
        "Inside the loop: moved = x.copy(), then moved[i] += h. Each turn starts from the x that was given.",
    ),
    solution=_LOOP,
    wrong_answers=(
        WrongAnswer(
            "as it was",
            _LOOP.replace("        moved = x.copy()\n", "").replace("    gradient =", "    moved = x\n    gradient ="),
            "mutated",
        ),
        WrongAnswer(
            "copied once",
            _LOOP.replace("        moved = x.copy()\n", "").replace(
                "    gradient =", "    moved = x.copy()\n    gradient ="
            ),
            "never-moved-back",
        ),
        WrongAnswer(
            "moved and put back too early",
            _LOOP.replace("moved[i] += h\n", "moved[i] += h\n        moved[i] -= h\n"),
            "compared-with-itself",
        ),
        WrongAnswer(
            "exact",
            _HEAD + "    found = 3 * x * x\n    found[0] += x[1]\n    found[1] += x[0]\n    return found\n" + _TAIL,
            "the-derivative-itself",
        ),
        WrongAnswer("all", _HEAD + "    return (f(x + h) - f(x)) / h + 0 * x\n" + _TAIL, "all-at-once"),
        WrongAnswer("one number", _HEAD + "    return (f(x + h) - f(x)) / h\n" + _TAIL, "all-at-once"),
        WrongAnswer(
            "central",
            _LOOP.replace("moved[i] += h", "moved[i] += h\n        back = x.copy()\n        back[i] -= h").replace(
                "(f(moved) - f(x)) / h", "(f(moved) - f(back)) / (2 * h)"
            ),
            "central",
        ),
        WrongAnswer("not divided", _LOOP.replace("(f(moved) - f(x)) / h", "f(moved) - f(x)"), "not-divided"),
        WrongAnswer("a list", _LOOP.replace("return gradient", "return list(gradient)"), "kind"),
    ),
)


# ---- fd-cost ----


def _runs(count, central=False):
    """How often a function of `count` numbers runs for its gradient by differences."""
    runs = []

    def f(x):
        runs.append(1)
        return 0.0

    x = np.zeros(count)
    here = None if central else f(x)
    for i in range(count):
        moved = x.copy()
        moved[i] += 1.0
        other = f(-moved) if central else here
        assert f(moved) == other
    return len(runs)


COST = Exercise(
    name="fd-cost",
    notebook=NOTEBOOK,
    title="How often does the function run?",
    points=2,
    statement="""A function takes `n` numbers and returns one. You want its derivative for each of the `n` numbers. `f(x)` is
computed once and kept. How often does the function run? Answer with a list of five whole numbers.

| item | difference | n |
|---|---|---|
| 0 | forward | 1 |
| 1 | forward | 10 |
| 2 | central | 1 |
| 3 | central | 10 |
| 4 | forward | 500 |""",
    reference=lambda: [_runs(1), _runs(10), _runs(1, True), _runs(10, True), _runs(500)],
    places=("forward, 1", "forward, 10", "central, 1", "central, 10", "forward, 500"),
    misconceptions=(
        Misconception(
            "two-for-each",
            "f(x) is the same for all n differences. It is computed once and kept.",
            lambda inputs, expected, got: got[1] == 20,
        ),
        Misconception(
            "f-of-x-forgotten",
            "A forward difference also needs f(x): one run more.",
            lambda inputs, expected, got: got[0] == 1 and got[1] == 10,
        ),
        Misconception(
            "central-keeps-too",
            "A central difference does not use f(x). It runs at x + h and at x - h for each number, and shares nothing.",
            lambda inputs, expected, got: same(expected[:2], list(got[:2])) and got[3] in (11, 21),
        ),
        Misconception(
            "all-move-together",
            "One move of all numbers together gives one slope, not n of them. Each number needs a run of its own.",
            lambda inputs, expected, got: got[1] in (1, 2),
        ),
    ),
    rules=(
        "A forward difference compares each moved point with f(x), which is computed once for all of them.",
        "A forward difference compares each moved point with f(x), which is computed once for all of them.",
        "A central difference takes a point on either side of x. Does it need f(x) itself?",
        "Every number of the input is moved to either side. Does a central difference need f(x) itself?",
        "A forward difference compares each moved point with f(x), which is computed once for all of them.",
    ),
    hints=(
        "Count for n = 2 with pencil and paper. Which runs can be shared?",
        "Forward: f(x) once, and one run for each number.",
        "Central: two runs for each number, and f(x) is not needed at all.",
    ),
    solution="answer = [2, 11, 2, 20, 501]",
    wrong_answers=(
        WrongAnswer("twice n", "answer = [2, 20, 2, 20, 1000]", "two-for-each"),
        WrongAnswer("without f(x)", "answer = [1, 10, 2, 20, 500]", "f-of-x-forgotten"),
        WrongAnswer("shared", "answer = [2, 11, 3, 21, 501]", "central-keeps-too"),
        WrongAnswer("together", "answer = [2, 2, 2, 2, 2]", "all-move-together"),
        WrongAnswer("the last one", "answer = [2, 11, 2, 20, 500]", "value"),
        WrongAnswer("too few", "answer = [2, 11]", "structure"),
    ),
)

EXERCISES = (GRADIENT, COST)
