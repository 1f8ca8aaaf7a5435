"""# Box or number? (1 point)

[[f]]

`grad(f)(4.0)` calls `f` with a box. Which of `a`, `b`, `c`, `d`, `e` and the result, in this order, are a `"box"` and which a
`"number"`? How many operations does the engine record? Answer with a list of six strings and a number.
"""

import math
import operator
import sys

from labkit.classroom.writing import either, judged, wrong

answer = ["number", "box", "number", "box", "number", "box", 3]
places = ("a", "b", "c", "d", "e", "the result", "recorded operations")
rules = (
    "An operation gives a box if one of its arguments is a box.",
    "An operation gives a box if one of its arguments is a box.",
    "b.value is the number inside the box.",
    "An operation gives a box if one of its arguments is a box.",
    "An operation gives a box if one of its arguments is a box.",
    "An operation gives a box if one of its arguments is a box.",
    "An operation is recorded when one of its arguments is a box: count these lines.",
)
hints = (
    "Only x is a box at first. Follow it through the lines.",
    "A box times a number is a box. What is inside a box is a number.",
    "Three of the six are boxes, and the engine recorded each of them once.",
)


class Box:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return _add(self, other)

    def __mul__(self, other):
        return _multiply(self, other)

    def __rmul__(self, other):
        return _multiply(other, self)


RECORDED = []


def _primitive(function):
    def op(*args):
        if not any(isinstance(a, Box) for a in args):
            return function(*args)
        RECORDED.append(function.__name__)
        return Box(function(*(a.value if isinstance(a, Box) else a for a in args)))

    return op


_add, _multiply, sin = map(_primitive, (operator.add, operator.mul, math.sin))


def f(x):
    a = 2 * 3
    b = a * x
    c = b.value * 5
    d = b + a
    e = sin(1.0)
    return e * d


def reference():
    seen = {}

    def look(frame, event, result):
        if event == "return" and frame.f_code is f.__code__:
            seen.update(frame.f_locals, result=result)

    RECORDED.clear()
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        f(Box(4.0))
    finally:
        sys.setprofile(before)
    return [*("box" if isinstance(seen[name], Box) else "number" for name in [*"abcde", "result"]), len(RECORDED)]


everything_is_a_box = wrong(
    "An operation makes a box only if one of its arguments is one. With plain numbers it only computes.",
    {0: "box", 4: "box"},
)

value_is_still_a_box = wrong(
    "b.value is what is inside the box: a plain number. From there on nothing is recorded, and the gradient along this path "
    "is lost.",
    {2: "box"},
)

numbers_make_numbers = wrong(
    "One box among the arguments is enough: the result depends on x, so it must be a box, too.",
    {1: "number", 3: "number", 5: "number"},
    answer=["number"] * 6 + [0],
)

recorded_without_a_box = wrong("Only the operations that make a box are recorded: count them.", {6: either(4, 5, 6, 7)})

sin_of_a_number = judged("everything-is-a-box", {4: "box", 6: 4})
two = judged("too-few-recorded", {6: 2})
words_only = judged("structure", ["number", "box", "number", "box", "number", "box"])

too_few_recorded = wrong(
    "An operation is recorded when one of its arguments is a box, also in the last line.",
    {6: either(1, 2, 0)},
)
