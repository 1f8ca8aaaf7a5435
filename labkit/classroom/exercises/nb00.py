"""The exercises of notebook 00: how notebooks and exercises work."""

from functools import partial
from itertools import product

import numpy as np

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "00_start_here"


# ---- start-order ----


def _order():
    n = 1
    shown = []
    for cell in "BBAB":
        n = 1 if cell == "A" else n + 1
        shown += [n] if cell == "B" else []
    return shown


ORDER = Exercise(
    name="start-order",
    notebook=NOTEBOOK,
    title="The order in which you run cells",
    points=1,
    statement="""A notebook has two cells.

Cell A:

```python
n = 1
```

Cell B:

```python
n = n + 1
print(n)
```

You run A, then B, then B again, then A, then B. What do the three runs of B print?
Answer with a list of three numbers.""",
    reference=_order,
    misconceptions=(
        Misconception(
            "from-the-top",
            "You counted as if A ran before each B. Python keeps n from one run to the next.",
            lambda inputs, expected, got: same([2, 2, 2], got),
        ),
        Misconception(
            "a-ignored",
            "You left out the second run of A. It sets n to 1 again.",
            lambda inputs, expected, got: same([2, 3, 4], got),
        ),
        Misconception(
            "before-adding",
            "B adds 1 first and prints after that.",
            lambda inputs, expected, got: same([1, 2, 1], got),
        ),
    ),
    rules=(
        "Go through the runs in the order in which they happen: what is n when this run of B begins?",
        "Go through the runs in the order in which they happen: what is n when this run of B begins?",
        "A was run once more before this run of B, and it sets n anew.",
    ),
    hints=(
        "The position of a cell on the page does not matter. Only the order of the runs does.",
        "Write down n after each of the five runs.",
        "After A, B, B it is 3. Then A sets it to 1.",
    ),
    solution="answer = [2, 3, 2]",
    wrong_answers=(
        WrongAnswer("from the top", "answer = [2, 2, 2]", "from-the-top"),
        WrongAnswer("A ignored", "answer = [2, 3, 4]", "a-ignored"),
        WrongAnswer("before adding", "answer = [1, 2, 1]", "before-adding"),
        WrongAnswer("every run", "answer = [1, 2, 3, 1, 2]", "structure"),
        WrongAnswer("one number", "answer = 2", "kind"),
    ),
)


# ---- start-shapes ----


def _shapes():
    x = np.zeros((2, 3))
    return [x.shape, x[0].shape, (2 * x).shape, x.sum().shape]


SHAPES = Exercise(
    name="start-shapes",
    notebook=NOTEBOOK,
    title="Shapes",
    points=1,
    statement="""`x` is a NumPy array of zeros with 2 rows and 3 columns. Predict four shapes.
Answer with a list of four tuples. The first one is there already.

```python
x = np.zeros((2, 3))
x.shape          # item 0: (2, 3)
x[0].shape       # item 1
(2 * x).shape    # item 2
x.sum().shape    # item 3
```""",
    reference=_shapes,
    places=("x", "x[0]", "2 * x", "x.sum()"),
    misconceptions=(
        Misconception(
            "row-keeps-two-axes",
            "x[0] is one row. The axis that you picked from is gone, so a single number is left in its shape: (3,).",
            lambda inputs, expected, got: tuple(got[1]) == (1, 3),
        ),
        Misconception(
            "a-column",
            "x[0] is the first row, not the first column. A row has 3 numbers.",
            lambda inputs, expected, got: tuple(got[1]) in ((2,), (2, 1)),
        ),
        Misconception(
            "twice-as-large",
            "2 * x doubles each number. There are as many numbers as before.",
            lambda inputs, expected, got: tuple(got[2]) in ((4, 6), (4, 3), (2, 6)),
        ),
        Misconception(
            "number-has-an-axis",
            "The sum of all numbers is a single number. It has no axis, and its shape is the empty tuple ().",
            lambda inputs, expected, got: tuple(got[3]) in ((1,), (1, 1)),
        ),
    ),
    rules=(
        "A shape has one number for each axis: first the rows.",
        "One row is taken out: its axis is gone, the other one stays.",
        "A number times an array works on every element.",
        "sum() without an axis adds up everything. How many axes does a single number have?",
    ),
    hints=(
        "A shape is a tuple: one number for each axis.",
        "A tuple with one number is written with a comma: (3,). An empty tuple is written ().",
        "2 * x has the shape of x. The sum of all is a single number: no axis at all.",
    ),
    solution="answer = [(2, 3), (3,), (2, 3), ()]",
    wrong_answers=(
        WrongAnswer("two axes", "answer = [(2, 3), (1, 3), (2, 3), ()]", "row-keeps-two-axes"),
        WrongAnswer("a column", "answer = [(2, 3), (2,), (2, 3), ()]", "a-column"),
        WrongAnswer("twice", "answer = [(2, 3), (3,), (4, 6), ()]", "twice-as-large"),
        WrongAnswer("an axis", "answer = [(2, 3), (3,), (2, 3), (1,)]", "number-has-an-axis"),
        WrongAnswer("numbers for tuples", "answer = [(2, 3), 3, (2, 3), ()]", "structure"),
        WrongAnswer("three", "answer = [(2, 3), (3,), (2, 3)]", "structure"),
    ),
)


# ---- start-mend ----

_MEND = """
def mean(values):
    total = 0.0
    for value in values:
        {}
    return {}


answer = mean
"""


def _numbers(rng, count):
    """So many numbers; of four and more the first is there twice, and the last one is negative."""
    values = [float(v) for v in rng.integers(10, 200, count) / 10]
    if count > 3:
        values[1], values[-1] = values[0], -values[-1]
    return (values,)


MEND = Exercise(
    name="start-mend",
    notebook=NOTEBOOK,
    title="Mend the cell",
    points=1,
    statement="""Mend the function that failed: `mean(values)` returns the mean of a list of numbers. It has two slips. One
raises the error that you saw. The other raises none, it gives a wrong number.""",
    reference=lambda values: sum(values) / len(values),
    draw=tuple(partial(_numbers, count=count) for count in (3, 4, 6, 5, 1)),
    arguments=("values",),
    errors=(
        ("totl", "The name in the error was never given a value. Compare it, letter by letter, with the line above."),
    ),
    misconceptions=(
        Misconception(
            "last-value-only",
            "Only the last number is in your total: each one replaces the one before. Add to what is there: total + value.",
            lambda i, expected, got: same(i[0][-1] / len(i[0]), got),
        ),
        Misconception(
            "divided-by-a-value",
            "You divide by the last number. Divide by how many there are: len(values).",
            lambda i, expected, got: same(sum(i[0]) / i[0][-1], got),
        ),
        Misconception(
            "a-sum",
            "This is the sum. The mean is the sum divided by how many numbers there are.",
            lambda i, expected, got: same(sum(i[0]), got),
        ),
        Misconception(
            "returns-too-early",
            "Your function returns inside the loop, after the first number. Move return to the left, below the loop.",
            lambda i, expected, got: same(i[0][0] / len(i[0]), got) or same(i[0][0], got),
        ),
    ),
    hints=(
        "Read the last line of the error. Which name does it not know?",
        "Write total where totl stands. Then try mean([1.0, 2.0, 6.0]): it should be 3.",
        "The mean is total / len(values).",
    ),
    solution=_MEND.format("total = total + value", "total / len(values)"),
    wrong_answers=(
        WrongAnswer("as it was", _MEND.format("total = totl + value", "total / value"), "error"),
        WrongAnswer("half mended", _MEND.format("total = total + value", "total / value"), "divided-by-a-value"),
        WrongAnswer("replaced", _MEND.format("total = value", "total / len(values)"), "last-value-only"),
        WrongAnswer("sum", _MEND.format("total = total + value", "total"), "a-sum"),
        WrongAnswer(
            "too early",
            _MEND.format("total = total + value\n        return total / len(values)", "total"),
            "returns-too-early",
        ),
    ),
)


# ---- start-slope ----


def _points(rng, along, up):
    """The second point lies to the right or the left of the first one, and higher or lower."""
    x1, y1 = rng.uniform(-3, 3, 2).round(2)
    run, rise = rng.uniform(0.5, 4, 2).round(2)
    return float(x1), float(y1), float(x1 + along * run), float(y1 + up * rise)


SLOPE = Exercise(
    name="start-slope",
    notebook=NOTEBOOK,
    title="A function of one line",
    points=1,
    statement="""A straight line goes through the points `(x1, y1)` and `(x2, y2)`. Write `slope(x1, y1, x2, y2)`. It returns
how much `y` changes for each step of 1 in `x`. (`x1` and `x2` are never equal.)""",
    reference=lambda x1, y1, x2, y2: (y2 - y1) / (x2 - x1),
    draw=tuple(partial(_points, along=along, up=up) for along, up in product((1, -1), (1, -1))),
    arguments=("x1", "y1", "x2", "y2"),
    misconceptions=(
        Misconception(
            "upside-down",
            "This is the change of x for each step in y. Divide the change of y by the change of x.",
            lambda i, expected, got: same((i[2] - i[0]) / (i[3] - i[1]), got),
        ),
        Misconception(
            "sign",
            "The size is right, the sign is not. Take both differences in the same order: second point minus first.",
            lambda i, expected, got: same(-expected, got),
        ),
        Misconception(
            "no-parentheses",
            "Python divides before it subtracts. Put each difference in parentheses.",
            lambda i, expected, got: same(i[3] - i[1] / i[2] - i[0], got),
        ),
        Misconception(
            "whole-numbers",
            "You used //, which rounds down to a whole number. Division is written /.",
            lambda i, expected, got: same(float(expected // 1), got),
        ),
        Misconception(
            "change-of-y",
            "This is the change of y alone. Divide it by the change of x.",
            lambda i, expected, got: same(i[3] - i[1], got),
        ),
    ),
    hints=(
        "From the first point to the second: how far in y, how far in x?",
        "The change of y is y2 - y1. The slope is the change of y divided by the change of x.",
        "The whole body is one line: return (y2 - y1) / (...).",
    ),
    solution="""
def slope(x1, y1, x2, y2):
    return (y2 - y1) / (x2 - x1)


answer = slope
""",
    wrong_answers=(
        WrongAnswer("upside down", "answer = lambda x1, y1, x2, y2: (x2 - x1) / (y2 - y1)", "upside-down"),
        WrongAnswer("sign", "answer = lambda x1, y1, x2, y2: (y1 - y2) / (x2 - x1)", "sign"),
        WrongAnswer("a rise upwards", "answer = lambda x1, y1, x2, y2: abs(y2 - y1) / (x2 - x1)", "sign"),
        WrongAnswer("a run to the right", "answer = lambda x1, y1, x2, y2: (y2 - y1) / abs(x2 - x1)", "sign"),
        WrongAnswer("parentheses", "answer = lambda x1, y1, x2, y2: y2 - y1 / x2 - x1", "no-parentheses"),
        WrongAnswer("whole", "answer = lambda x1, y1, x2, y2: (y2 - y1) // (x2 - x1)", "whole-numbers"),
        WrongAnswer("rise", "answer = lambda x1, y1, x2, y2: y2 - y1", "change-of-y"),
        WrongAnswer("printed", "answer = lambda x1, y1, x2, y2: print((y2 - y1) / (x2 - x1))", "printed"),
    ),
)

EXERCISES = (ORDER, SHAPES, MEND, SLOPE)
