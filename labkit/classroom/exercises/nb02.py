"""The exercises of notebook 02 that predict: names, counts and slopes of a computation graph."""

from typing import Any

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "02_graphs_and_chain_rule"


def _traced(source, *args):
    """The graph of the function `f` that `source` defines: its variables give their names to nodes, as a learner's do."""
    from ...tracing import trace

    names: dict[str, Any] = {}
    exec(compile(source, "<exercise>", "exec"), names)
    return trace(names["f"])(*args)


# ---- graph-names ----


_RENAMED = """def f(x, y):
    a = x * y
    b = a
    a = b + x
    return a / y"""

NAMES = Exercise(
    name="graph-names",
    notebook=NOTEBOOK,
    title="What are the nodes called?",
    points=1,
    statement=f"""Predict the names that `trace` prints for the nodes of `f`, from top to bottom. Answer with a list of texts,
such as `["x", "y", ...]`.

```python
{_RENAMED}
```""",
    reference=lambda: [node.label for node in _traced(_RENAMED, 2.0, 3.0).forward],
    misconceptions=(
        Misconception(
            "assigning-makes-a-node",
            "Only an operation makes a node. b = a gives the same value a second name, and nothing is computed.",
            lambda inputs, expected, got: "b" in got,
        ),
        Misconception(
            "one-name-one-node",
            "There are two values called a, one after the other. The graph keeps both: the second one is a_2.",
            lambda inputs, expected, got: "a_2" not in got and list(got).count("a") <= 2,
        ),
        Misconception(
            "the-result-has-a-name",
            "The result is returned without being given a name, so the graph numbers it: v1.",
            lambda inputs, expected, got: same(expected[:4], list(got[:4])) and (len(got) == 4 or got[4] in "fz"),
        ),
    ),
    rules=(
        "Every input has a node of its own, and they come first.",
        "Every input has a node of its own, and they come first.",
        "A node gets the first name that its value is given; a second name for the same value makes no node.",
        "The same name for another value gets a number, counted from the second one.",
        "A result that was given no name is numbered, counting those without a name alone.",
    ),
    hints=(
        "First the inputs. Then one node for each operation: how many operations are there?",
        "The second value called a gets a number: a_2.",
        "A result without a name is called v1.",
    ),
    solution='answer = ["x", "y", "a", "a_2", "v1"]',
    wrong_answers=(
        WrongAnswer("b too", 'answer = ["x", "y", "a", "b", "a_2", "v1"]', "assigning-makes-a-node"),
        WrongAnswer("b for a", 'answer = ["x", "y", "b", "a", "v1"]', "assigning-makes-a-node"),
        WrongAnswer("a twice", 'answer = ["x", "y", "a", "a", "v1"]', "one-name-one-node"),
        WrongAnswer("a once", 'answer = ["x", "y", "a", "v1"]', "one-name-one-node"),
        WrongAnswer("f", 'answer = ["x", "y", "a", "a_2", "f"]', "the-result-has-a-name"),
        WrongAnswer("no result", 'answer = ["x", "y", "a", "a_2"]', "the-result-has-a-name"),
        WrongAnswer("another number", 'answer = ["x", "y", "a", "a_2", "v3"]', "value"),
        WrongAnswer("one text", 'answer = "x y a a_2 v1"', "kind"),
    ),
)


# ---- graph-count ----


_SHARED = """def f(x, y):
    c = x * y
    d = c + x
    e = c * d
    return e - 1"""


def _paths(graph, start):
    """How many ways lead along the edges from the input `start` to the result."""
    ways: dict = {}
    for node in graph.forward:
        ways[node] = sum(ways[parent] for parent in node.parents) if node.parents else int(node.label == start)
    return ways[graph.outputs[0]]


def _counted():
    graph = _traced(_SHARED, 2.0, 3.0)
    edges = sum(len(node.parents) for node in graph.forward)
    operations = len(graph.forward) - len(graph.inputs)
    return [len(graph.inputs), operations, edges, _paths(graph, "x"), _paths(graph, "y")]


COUNT = Exercise(
    name="graph-count",
    notebook=NOTEBOOK,
    title="Count nodes, edges and paths",
    points=2,
    statement=f"""Draw the graph of `f`. A constant, such as the 1 in the last line, is part of its operation: it is no node.
Answer with a list of five numbers: inputs, operations, edges, paths from `x` to the result, paths from `y`
to the result.

```python
{_SHARED}
```""",
    reference=_counted,
    places=("inputs", "operations", "edges", "paths from x", "paths from y"),
    misconceptions=(
        Misconception(
            "constants-are-nodes",
            "The 1 does not change, so nobody asks for its slope: it is part of the subtraction.",
            lambda inputs, expected, got: got[0] == 3 and got[2] == 8,
        ),
        Misconception(
            "one-input-for-each-use",
            "x is used twice, but it is one value: one node with two edges that leave it.",
            lambda inputs, expected, got: got[0] == 3,
        ),
        Misconception(
            "an-edge-for-each-node",
            "Edges are not counted by the nodes that they leave: c is used twice, and so is x. Count what goes *into* "
            "each operation.",
            lambda inputs, expected, got: same(expected[:2], list(got[:2])) and got[2] in (5, 6),
        ),
        Misconception(
            "the-straight-path-only",
            "There is more than one way. x goes into c and into d, and c goes into d and into e.",
            lambda inputs, expected, got: same(expected[:3], list(got[:3])) and 1 in (got[3], got[4]),
        ),
        Misconception(
            "a-path-for-each-use",
            "x is used twice, but one of its two edges leads to c, and from there two ways go on.",
            lambda inputs, expected, got: same(expected[:3], list(got[:3])) and got[3] == 2,
        ),
    ),
    rules=(
        "Inputs are the arguments of f.",
        "Each operation gives one new value, with a name or without. Inputs are none.",
        "For each operation count the values that go into it; a constant does not count.",
        "Follow each arrow out of x, and at every value that is used twice the path splits.",
        "Follow each arrow out of y, and at every value that is used twice the path splits.",
    ),
    hints=(
        "Draw six circles: x, y, c, d, e and the result. Into how many operations does each arrow lead?",
        "Two values go into each of c, d and e, and one goes into the result.",
        "From c two ways lead to the result. y leads to c alone; x leads to c and to d.",
    ),
    solution="answer = [2, 4, 7, 3, 2]",
    wrong_answers=(
        WrongAnswer("the constant", "answer = [3, 4, 8, 3, 2]", "constants-are-nodes"),
        WrongAnswer("x twice", "answer = [3, 4, 7, 3, 2]", "one-input-for-each-use"),
        WrongAnswer("an edge each", "answer = [2, 4, 5, 3, 2]", "an-edge-for-each-node"),
        WrongAnswer("one way", "answer = [2, 4, 7, 1, 1]", "the-straight-path-only"),
        WrongAnswer("by uses", "answer = [2, 4, 7, 2, 2]", "a-path-for-each-use"),
        WrongAnswer("three operations", "answer = [2, 3, 7, 3, 2]", "value"),
        WrongAnswer("four numbers", "answer = [2, 4, 7, 3]", "structure"),
    ),
)


# ---- graph-edges ----


_EDGES = """def f(x, y):
    u = x * y
    v = u + x
    z = v**2
    return z"""


def _edge_slopes():
    graph = _traced(_EDGES, 2.0, 3.0)
    slopes = {}
    for step in graph.steps:
        for sent in step.contributions:
            slopes[sent.parent.label, step.node.label] = float(sent.value / step.gradient)
    return [slopes[edge] for edge in (("x", "u"), ("y", "u"), ("u", "v"), ("x", "v"), ("v", "z"))]


EDGES = Exercise(
    name="graph-edges",
    notebook=NOTEBOOK,
    title="Fill in the edges",
    points=2,
    statement=f"""At `x = 2`, `y = 3`: which local derivative belongs to each edge? Answer with a list of five numbers.

```python
{_EDGES}
```

| item | edge |
|---|---|
| 0 | from `x` to `u` |
| 1 | from `y` to `u` |
| 2 | from `u` to `v` |
| 3 | from `x` to `v` |
| 4 | from `v` to `z` |""",
    reference=_edge_slopes,
    places=("x to u", "y to u", "u to v", "x to v", "v to z"),
    misconceptions=(
        Misconception(
            "values-on-the-edges",
            "Those are the values that travel along the edges. Asked for is how strongly the node reacts to them.",
            lambda inputs, expected, got: same([2, 3, 6, 2, 8], list(got)),
        ),
        Misconception(
            "own-factor",
            "In u = x * y the slope for x is the *other* factor, y: with a larger y, u reacts more strongly to x.",
            lambda inputs, expected, got: same([2, 3], list(got[:2])),
        ),
        Misconception(
            "square-of-the-input",
            "The slope of v**2 is 2 * v, at the value that v has here: 8. So the forward run comes first.",
            lambda inputs, expected, got: same(expected[:4], list(got[:4])) and got[4] in (2, 4, 8, 64),
        ),
        Misconception(
            "the-whole-path",
            "That is the product of all slopes up to z. A local derivative looks at one operation alone.",
            lambda inputs, expected, got: same(48, got[0]) or same(16, got[2]),
        ),
        Misconception(
            "both-ways-at-once",
            "Each edge has a slope of its own. That x also goes into u does not count for the edge from x to v.",
            lambda inputs, expected, got: got[3] in (3, 4),
        ),
    ),
    rules=(
        "A product passes the other factor.",
        "A product passes the other factor.",
        "A sum passes the same to each of its terms, whatever they are.",
        "A sum passes the same to each of its terms, whatever they are.",
        "The slope of a square is taken at its argument: compute the value of v first, with both of its terms.",
    ),
    hints=(
        "First the values: u = 6, v = 8, z = 64.",
        "A product passes the other factor, a sum passes 1.",
        "The last one is 2 * v, with v = 8.",
    ),
    solution="answer = [3, 2, 1, 1, 16]",
    wrong_answers=(
        WrongAnswer("values", "answer = [2, 3, 6, 2, 8]", "values-on-the-edges"),
        WrongAnswer("own factor", "answer = [2, 3, 1, 1, 16]", "own-factor"),
        WrongAnswer("2 x", "answer = [3, 2, 1, 1, 4]", "square-of-the-input"),
        WrongAnswer("to the end", "answer = [48, 32, 16, 16, 16]", "the-whole-path"),
        WrongAnswer("both ways", "answer = [3, 2, 1, 4, 16]", "both-ways-at-once"),
        WrongAnswer("a sum passes 0", "answer = [3, 2, 0, 1, 16]", "value"),
        WrongAnswer("four", "answer = [3, 2, 1, 16]", "structure"),
    ),
)

EXERCISES = (NAMES, COUNT, EDGES)
