"""# Box or number? (1 point)

```python
def f(x):
    a = 2 * 3
    b = a * x
    c = b.value * 5
    d = b + a
    e = sin(1.0)
    return e * d
```

`grad(f)(4.0)` calls `f` with a box. For each of `a`, `b`, `c`, `d`, `e` and the result, in this order: is it `"box"` or
`"number"`? And how many operations are recorded? Answer with a list of six texts and a number.
"""

from labkit.classroom.writing import judged, same, wrong

answer = ["number", "box", "number", "box", "number", "box", 3]


places = (
    "a",
    "b",
    "c",
    "d",
    "e",
    "the result",
    "recorded operations",
)
rules = (
    "An operation gives a box if one of its arguments is a box.",
    "An operation gives a box if one of its arguments is a box.",
    "b.value is what is inside of the box.",
    "An operation gives a box if one of its arguments is a box.",
    "An operation gives a box if one of its arguments is a box.",
    "An operation gives a box if one of its arguments is a box.",
    "An operation is recorded when one of its arguments is a box: count these lines.",
)
hints = (
    "Only x is a box at first. Follow it through the lines.",
    "A box times a number is a box. What is inside a box is a number.",
    "Three of the six are boxes, and each of them was recorded once.",
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


_SEEN = """def f(x):
    a = 2 * 3
    b = a * x
    c = b.value * 5
    d = b + a
    e = sin(1.0)
    return e * d"""


def reference():
    engine = _engine()
    seen: dict = {}
    engine["seen"] = seen
    exec(_SEEN.replace("return e * d", "z = e * d\n    seen.update(locals())\n    return z"), engine)
    engine["recorded"].clear()
    engine["grad"](engine["f"])(4.0)
    kinds = ["box" if isinstance(seen[name], engine["Box"]) else "number" for name in "abcdez"]
    return [*kinds, len(engine["recorded"])]


everything_is_a_box = wrong(
    "An operation makes a box only if one of its arguments is one. For plain numbers it computes, and no more.",
    {0: "box", 4: "box"},
)


value_is_still_a_box = wrong(
    "b.value is what is inside the box: a plain number. From there on nothing is recorded, and the gradient for "
    "this way is lost.",
    {2: "box"},
)


numbers_make_numbers = wrong(
    "One box among the arguments is enough: the result depends on x, so it must be a box, too.",
    when=lambda inputs, expected, got: "number" in (got[1], got[3], got[5]),
    answer=["number", "number", "number", "number", "number", "number", 0],
)


recorded_without_a_box = wrong(
    "The words are right. Recorded are only the operations that make a box: count them.",
    when=lambda inputs, expected, got: same(expected[:6], list(got[:6])) and got[6] in (4, 5, 6),
    answer={6: 6},
)


sin = judged("everything-is-a-box", {4: "box", 6: 4})


two = judged("value", {6: 2})


words_only = judged("structure", ["number", "box", "number", "box", "number", "box"])
