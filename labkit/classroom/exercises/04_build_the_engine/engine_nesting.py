"""# What does nesting give? (3 points)

Predict what each line gives. Answer with a list of five numbers. Write down the inner function first: what is it, as a
formula in `x`?

0. `grad(grad(lambda x: x * x * x * x))(2.0)`
1. `grad(lambda x: x * grad(lambda y: x + y)(5.0))(1.0)`
2. `grad(lambda x: x * grad(lambda y: x * x * y)(3.0))(2.0)`
3. `grad(lambda x: grad(lambda y: x * y * y)(x))(2.0)`
4. `grad(lambda x: grad(lambda y: x * x)(x))(4.0)`
"""

from labkit.classroom.writing import either, judged, same, wrong

answer = [48, 1, 12, 8, 0]


rules = (
    "Differentiate the formula twice, and only then put in the number.",
    "The inner grad is for y alone. Write it down as a formula in x, multiply, and differentiate for x.",
    "The inner grad is for y alone. Write it down as a formula in x, multiply, and differentiate for x.",
    "Differentiate for y, then put x in for y. What comes out is a formula in x, which the outer grad differentiates.",
    "Does the inner function use y at all? The outer grad differentiates what the inner one gives, not its function.",
)
hints = (
    "The inner gradients of the first three, as formulas in x: 4 * x**3, then 1, then x * x.",
    "Item 3: for y the derivative is 2 * x * y. It is taken at y = x.",
    "Differentiate 4 * x**3, x * 1, x * x * x, 2 * x**2 and 0 for x.",
)


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


_NESTED = (
    "grad(grad(lambda x: x * x * x * x))(2.0)",
    "grad(lambda x: x * grad(lambda y: x + y)(5.0))(1.0)",
    "grad(lambda x: x * grad(lambda y: x * x * y)(3.0))(2.0)",
    "grad(lambda x: grad(lambda y: x * y * y)(x))(2.0)",
    "grad(lambda x: grad(lambda y: x * x)(x))(4.0)",
)


def reference():
    return [float(eval(line, _engine())) for line in _NESTED]


first_derivative_only = wrong(
    "Item 0: the inner grad gives 4 * x**3. The outer one differentiates that once more.",
    {0: either(16, 32)},
)


confused_boxes = wrong(
    "For the inner grad x is a constant: x + y has the slope 1 for y. The slope 1 for x is not its business.",
    {1: 2},
)


inner_is_a_number = wrong(
    "The inner gradient of item 2 is x * x, not the number 4. It moves when x moves, so the outer grad sees x * x * x.",
    {2: 4, 3: 4},
)


point_before_derivative = wrong(
    "The inner grad first differentiates for y alone, which gives 2 * x * y. Only then y = x is put in.",
    {3: 12},
)


called_at_x = wrong(
    "The function does not use y, so its derivative for y is 0, wherever it is taken. What the outer grad gets is 0.",
    when=lambda inputs, expected, got: same(expected[:4], list(got[:4])) and got[4] in (2, 8, 16),
    answer={4: 8},
)


another = judged("value", {3: 9})


four = judged("structure", [48, 1, 12, 8])
