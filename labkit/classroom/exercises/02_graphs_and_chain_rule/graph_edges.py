"""# Fill in the edges (2 points)

At `x = 2`, `y = 3`: which local derivative belongs to each edge? Answer with a list of five numbers.

[[f]]

| item | edge |
|---|---|
| 0 | from `x` to `u` |
| 1 | from `y` to `u` |
| 2 | from `u` to `v` |
| 3 | from `x` to `v` |
| 4 | from `v` to `z` |
"""

from labkit.classroom.writing import either, judged, wrong
from labkit.tracing import trace

answer = [3, 2, 1, 1, 16]
places = ("x to u", "y to u", "u to v", "x to v", "v to z")
rules = (
    "A product passes the other factor.",
    "A product passes the other factor.",
    "A sum passes the same to each of its terms, whatever they are.",
    "A sum passes the same to each of its terms, whatever they are.",
    "The slope of a square is taken at its argument: compute the value of v first, with both of its terms.",
)
hints = (
    "First the values: u = 6, v = 8, z = 64.",
    "A product passes the other factor, a sum passes 1.",
    "The last one is 2 * v, with v = 8.",
)


def f(x, y):
    u = x * y
    v = u + x
    z = v**2
    return z


def reference():
    graph = trace(f)(2.0, 3.0)
    slopes = {}
    for step in graph.steps:
        for sent in step.contributions:
            slopes[sent.parent.label, step.node.label] = float(sent.value / step.gradient)
    return [slopes[edge] for edge in (("x", "u"), ("y", "u"), ("u", "v"), ("x", "v"), ("v", "z"))]


values_on_the_edges = wrong(
    "Those are the values that travel along the edges. Asked for is how strongly the node reacts to them.",
    answer=[2, 3, 6, 2, 8],
)

own_factor = wrong(
    "In u = x * y the slope towards x is the *other* factor, y: with a larger y, u reacts more strongly to x.",
    {0: 2, 1: 3},
    together=True,
)

square_of_the_input = wrong(
    "The slope of v**2 is 2 * v, at the value that v has here: 8. So the forward run comes first.",
    {4: either(4, 2, 8, 64)},
)

the_whole_path = wrong(
    "That is the product of all slopes up to z. A local derivative looks at one operation alone.", {0: 48, 2: 16}
)

both_ways_at_once = wrong(
    "Each edge has a slope of its own. That x also goes into u does not count for the edge from x to v.",
    {3: either(3, 4)},
)

a_sum_passes_0 = judged("value", {2: 0})
four = judged("structure", [3, 2, 1, 16])
