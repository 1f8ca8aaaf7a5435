"""# What are the nodes called? (1 point)

Predict the names that `trace` prints for the nodes of `f`, from top to bottom. Answer with a list of texts,
such as `["x", "y", ...]`.

[[f]]
"""

from labkit.classroom.writing import judged, same, wrong
from labkit.tracing import trace

answer = ["x", "y", "a", "a_2", "v1"]
rules = (
    "Every input has a node of its own, and they come first.",
    "Every input has a node of its own, and they come first.",
    "A node gets the first name that its value is given; a second name for the same value makes no node.",
    "The same name for another value gets a number, counted from the second one.",
    "A result that was given no name is numbered, counting those without a name alone.",
)
hints = (
    "First the inputs. Then one node for each operation: how many operations are there?",
    "The second value called a gets a number: a_2.",
    "A result without a name is called v1.",
)


def f(x, y):
    a = x * y
    b = a
    a = b + x
    return a / y


def reference():
    return [node.label for node in trace(f)(2.0, 3.0).forward]


assigning_makes_a_node = wrong(
    "Only an operation makes a node. b = a gives the same value a second name, and nothing is computed.",
    when=lambda inputs, expected, got: "b" in got,
    answer=["x", "y", "a", "b", "a_2", "v1"],
)

one_name_one_node = wrong(
    "There are two values called a, one after the other. The graph keeps both: the second one is a_2.",
    when=lambda inputs, expected, got: "a_2" not in got and list(got).count("a") <= 2,
    answer={3: "a"},
)

the_result_has_a_name = wrong(
    "The result is returned without being given a name, so the graph numbers it: v1.",
    when=lambda inputs, expected, got: same(expected[:4], list(got[:4])) and (len(got) == 4 or got[4] in "fz"),
    answer={4: "f"},
)

b_for_a = judged("assigning-makes-a-node", {2: "b", 3: "a"})
a_once = judged("one-name-one-node", ["x", "y", "a", "v1"])
no_result = judged("the-result-has-a-name", ["x", "y", "a", "a_2"])
another_number = judged("value", {4: "v3"})
one_text = judged("kind", "x y a a_2 v1")
