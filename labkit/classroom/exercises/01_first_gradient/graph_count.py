"""# Count nodes, edges and paths (2 points)

Draw the graph of `f`. A constant, such as the 1 in the last line, is part of its operation and is not a node. Answer
with a list of five numbers: the inputs, the operations, the edges, the paths from `x` to the result, and the paths from
`y` to the result.

[[f]]
"""

from labkit.classroom.writing import either, judged, wrong
from labkit.tracing import trace

answer = [2, 4, 7, 3, 2]
places = ("inputs", "operations", "edges", "paths from x", "paths from y")
rules = (
    "Inputs are the arguments of f.",
    "Each operation gives one new value, with or without a name. Inputs are not operations.",
    "For each operation count the values that go into it; a constant does not count.",
    "Follow each arrow out of x. The path splits at every value that is used twice.",
    "Follow each arrow out of y. The path splits at every value that is used twice.",
)
hints = (
    "Draw six circles: x, y, c, d, e and the result. Into how many operations does each of them go?",
    "Two values go into each of c, d and e, and one goes into the result.",
    "From c two paths lead to the result. y leads only to c; x leads to c and to d.",
)


def f(x, y):
    c = x * y
    d = c + x
    e = c * d
    return e - 1


def _paths(graph, start):
    """How many ways lead along the edges from the input `start` to the result."""
    ways: dict = {}
    for node in graph.forward:
        ways[node] = sum(ways[parent] for parent in node.parents) if node.parents else int(node.label == start)
    return ways[graph.outputs[0]]


def reference():
    graph = trace(f)(2.0, 3.0)
    edges = sum(len(node.parents) for node in graph.forward)
    operations = len(graph.forward) - len(graph.inputs)
    return [len(graph.inputs), operations, edges, _paths(graph, "x"), _paths(graph, "y")]


constants_are_nodes = wrong(
    "The 1 does not change and needs no derivative: it is part of the subtraction.", {0: 3, 2: 8}, together=True
)

one_input_for_each_use = wrong(
    "The inputs are x and y. A value that is used twice is one node, and the constant 1 is not a node.", {0: 3}
)

an_edge_for_each_node = wrong(
    "There are more edges than that. Go through the operations one by one, including the last line, and count what goes "
    "*into* each of them: a value that is used twice has two edges.",
    {2: either(3, 4, 5, 6)},
)

the_straight_path_only = wrong(
    "There is more than one path. x goes into c and into d, and c goes into d and into e.", {3: 1, 4: 1}
)

uses_for_paths = wrong(
    "You counted uses. A path leads all the way to the result, and splits again at every value that is used twice.",
    {3: 2, 4: 1},
    together=True,
)

a_path_for_each_use = wrong(
    "x is used twice, but one of its two edges leads to c, and two paths continue from c.", {3: 2}
)

four_numbers = judged("structure", [2, 4, 7, 3])

last_line_left_out = wrong(
    "The last line is an operation, too: e goes into it, and it gives a new value.", {1: 3, 2: 6}, together=True
)

an_operation_left_out = wrong(
    "Each operation counts, also the one in the last line and a second one of the same kind.", {1: 3}
)

a_constant_among_the_operations = wrong(
    "A constant is part of its operation: the 1 is not a node, and returning the result is not an operation.", {1: 5}
)

an_edge_too_many = wrong(
    "There are fewer edges than that: each leads into an operation, and none starts at the constant 1 or at the result.",
    {2: either(8, 9)},
)

inputs_among_the_operations = wrong(
    "Inputs are nodes, but not operations.",
    {1: 6},
)

too_many_paths = wrong(
    "Follow the edges one by one: x goes into c and into d, and y goes into c only.",
    {3: either(4, 5, 6), 4: either(3, 4)},
)


edges_too_many = wrong(
    "There are fewer edges than that. For each operation count the values that go into it; the constant 1 does not count.",
    {2: either(10, 11, 12)},
)

names_as_inputs = wrong("Inputs are the arguments of f. c, d and e are results of operations.", {0: either(4, 5, 6)})

operations_by_kind = wrong("Count every operation, even if its kind has occurred before: * is used twice.", {1: 2})
