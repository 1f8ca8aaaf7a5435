"""The exercises of notebook 04: what is a box, what nesting gives, and which boxes an operation opens."""

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "04_build_the_engine"

# ---- the small engine of the notebook, to run predictions on ----

_ENGINE = """
import math
import operator
from itertools import count


class Node:
    def __init__(self, op, value, parents=(), pull=None):
        self.op, self.value, self.parents, self.pull = op, value, parents, pull


class Box:
    def __init__(self, value, node, level):
        self.value, self.node, self.level = value, node, level

    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return multiply(self, other)

    def __radd__(self, other):
        return add(other, self)

    def __rmul__(self, other):
        return multiply(other, self)


recorded = []


def primitive(function, *rules):
    def op(*args):
        level = max((a.level for a in args if isinstance(a, Box)), default=0)
        if level == 0:
            return function(*args)
        opened = [i for i, a in enumerate(args) if isinstance(a, Box) and a.level == level]
        values = [a.value if i in opened else a for i, a in enumerate(args)]
        ans = op(*values)
        parents = [args[i].node for i in opened]
        recorded.append(function.__name__)
        return Box(ans, Node(function.__name__, ans, parents, lambda g: [rules[i](g, ans, *values) for i in opened]), level)

    return op


add = primitive(operator.add, lambda g, ans, a, b: g, lambda g, ans, a, b: g)
multiply = primitive(operator.mul, lambda g, ans, a, b: g * b, lambda g, ans, a, b: g * a)
sin = primitive(math.sin, lambda g, ans, x: g * cos(x))
cos = primitive(math.cos, lambda g, ans, x: g * sin(x) * -1.0)
levels = count(1)


def walk_back(end):
    order = []

    def place(node):
        if node not in order:
            for parent in node.parents:
                place(parent)
            order.append(node)

    place(end)
    totals = {end: 1.0}
    for node in reversed(order):
        for parent, part in zip(node.parents, node.pull(totals[node]) if node.parents else ()):
            totals[parent] = totals[parent] + part if parent in totals else part
    return totals


def grad(f):
    def gradient(x):
        root, level = Node("input", x), next(levels)
        result = f(Box(x, root, level))
        if not isinstance(result, Box) or result.level != level:
            return 0.0
        return walk_back(result.node).get(root, 0.0)

    return gradient
"""


def _engine() -> dict:
    """Its names."""
    names: dict = {}
    exec(_ENGINE, names)
    return names


# ---- engine-boxes ----

_SEEN = """def f(x):
    a = 2 * 3
    b = a * x
    c = b.value * 5
    d = b + a
    e = sin(1.0)
    return e * d"""


def _boxes():
    engine = _engine()
    seen: dict = {}
    engine["seen"] = seen
    exec(_SEEN.replace("return e * d", "z = e * d\n    seen.update(locals())\n    return z"), engine)
    engine["recorded"].clear()
    engine["grad"](engine["f"])(4.0)
    kinds = ["box" if isinstance(seen[name], engine["Box"]) else "number" for name in "abcdez"]
    return [*kinds, len(engine["recorded"])]


BOXES = Exercise(
    name="engine-boxes",
    notebook=NOTEBOOK,
    title="Box or number?",
    points=1,
    statement=f"""```python
{_SEEN}
```

`grad(f)(4.0)` calls `f` with a box. For each of `a`, `b`, `c`, `d`, `e` and the result, in this order: is it `"box"` or
`"number"`? And how many operations are recorded? Answer with a list of six texts and a number.""",
    reference=_boxes,
    places=("a", "b", "c", "d", "e", "the result", "recorded operations"),
    misconceptions=(
        Misconception(
            "everything-is-a-box",
            "An operation makes a box only if one of its arguments is one. For plain numbers it computes, and no more.",
            lambda inputs, expected, got: got[0] == "box" or got[4] == "box",
        ),
        Misconception(
            "value-is-still-a-box",
            "b.value is what is inside the box: a plain number. From there on nothing is recorded, and the gradient "
            "for this way is lost.",
            lambda inputs, expected, got: got[2] == "box",
        ),
        Misconception(
            "numbers-make-numbers",
            "One box among the arguments is enough: the result depends on x, so it must be a box, too.",
            lambda inputs, expected, got: "number" in (got[1], got[3], got[5]),
        ),
        Misconception(
            "recorded-without-a-box",
            "The words are right. Recorded are only the operations that make a box: count them.",
            lambda inputs, expected, got: same(expected[:6], list(got[:6])) and got[6] in (4, 5, 6),
        ),
    ),
    rules=(
        "An operation gives a box if one of its arguments is a box.",
        "An operation gives a box if one of its arguments is a box.",
        "b.value is what is inside of the box.",
        "An operation gives a box if one of its arguments is a box.",
        "An operation gives a box if one of its arguments is a box.",
        "An operation gives a box if one of its arguments is a box.",
        "An operation is recorded when one of its arguments is a box: count these lines.",
    ),
    hints=(
        "Only x is a box at first. Follow it through the lines.",
        "A box times a number is a box. What is inside a box is a number.",
        "Three of the six are boxes, and each of them was recorded once.",
    ),
    solution='answer = ["number", "box", "number", "box", "number", "box", 3]',
    wrong_answers=(
        WrongAnswer("all", 'answer = ["box", "box", "box", "box", "box", "box", 6]', "everything-is-a-box"),
        WrongAnswer("sin", 'answer = ["number", "box", "number", "box", "box", "box", 4]', "everything-is-a-box"),
        WrongAnswer("value", 'answer = ["number", "box", "box", "box", "number", "box", 4]', "value-is-still-a-box"),
        WrongAnswer(
            "numbers",
            'answer = ["number", "number", "number", "number", "number", "number", 0]',
            "numbers-make-numbers",
        ),
        WrongAnswer("six", 'answer = ["number", "box", "number", "box", "number", "box", 6]', "recorded-without-a-box"),
        WrongAnswer("two", 'answer = ["number", "box", "number", "box", "number", "box", 2]', "value"),
        WrongAnswer("words only", 'answer = ["number", "box", "number", "box", "number", "box"]', "structure"),
    ),
)


# ---- engine-nesting ----

_NESTED = (
    "grad(grad(lambda x: x * x * x * x))(2.0)",
    "grad(lambda x: x * grad(lambda y: x + y)(5.0))(1.0)",
    "grad(lambda x: x * grad(lambda y: x * x * y)(3.0))(2.0)",
    "grad(lambda x: grad(lambda y: x * y * y)(x))(2.0)",
    "grad(lambda x: grad(lambda y: x * x)(x))(4.0)",
)


NESTING = Exercise(
    name="engine-nesting",
    notebook=NOTEBOOK,
    title="What does nesting give?",
    points=3,
    statement="Predict what each line gives. Answer with a list of five numbers. Write down the inner function first: what is "
    "it, as a formula in `x`?\n\n" + "\n".join(f"{i}. `{line}`" for i, line in enumerate(_NESTED)),
    reference=lambda: [float(eval(line, _engine())) for line in _NESTED],
    misconceptions=(
        Misconception(
            "first-derivative-only",
            "Item 0: the inner grad gives 4 * x**3. The outer one differentiates that once more.",
            lambda inputs, expected, got: got[0] in (16, 32),
        ),
        Misconception(
            "confused-boxes",
            "For the inner grad x is a constant: x + y has the slope 1 for y. The slope 1 for x is not its business.",
            lambda inputs, expected, got: got[1] == 2,
        ),
        Misconception(
            "inner-is-a-number",
            "The inner gradient of item 2 is x * x, not the number 4. It moves when x moves, so the outer grad sees x * x * x.",
            lambda inputs, expected, got: got[2] == 4 or got[3] == 4,
        ),
        Misconception(
            "point-before-derivative",
            "The inner grad first differentiates for y alone, which gives 2 * x * y. Only then y = x is put in.",
            lambda inputs, expected, got: got[3] == 12,
        ),
        Misconception(
            "called-at-x",
            "The function does not use y, so its derivative for y is 0, wherever it is taken. What the outer grad gets is 0.",
            lambda inputs, expected, got: same(expected[:4], list(got[:4])) and got[4] in (2, 8, 16),
        ),
    ),
    rules=(
        "Differentiate the formula twice, and only then put in the number.",
        "The inner grad is for y alone. Write it down as a formula in x, multiply, and differentiate for x.",
        "The inner grad is for y alone. Write it down as a formula in x, multiply, and differentiate for x.",
        "Differentiate for y, then put x in for y. What comes out is a formula in x, which the outer grad differentiates.",
        "Does the inner function use y at all? The outer grad differentiates what the inner one gives, not its function.",
    ),
    hints=(
        "The inner gradients of the first three, as formulas in x: 4 * x**3, then 1, then x * x.",
        "Item 3: for y the derivative is 2 * x * y. It is taken at y = x.",
        "Differentiate 4 * x**3, x * 1, x * x * x, 2 * x**2 and 0 for x.",
    ),
    solution="answer = [48, 1, 12, 8, 0]",
    wrong_answers=(
        WrongAnswer("a cube", "answer = [32, 1, 12, 8, 0]", "first-derivative-only"),
        WrongAnswer("confused", "answer = [48, 2, 12, 8, 0]", "confused-boxes"),
        WrongAnswer("a number", "answer = [48, 1, 4, 8, 0]", "inner-is-a-number"),
        WrongAnswer("x for y at once", "answer = [48, 1, 12, 12, 0]", "point-before-derivative"),
        WrongAnswer("at x", "answer = [48, 1, 12, 8, 8]", "called-at-x"),
        WrongAnswer("another", "answer = [48, 1, 12, 9, 0]", "value"),
        WrongAnswer("four", "answer = [48, 1, 12, 8]", "structure"),
    ),
)

EXERCISES = (BOXES, NESTING)
