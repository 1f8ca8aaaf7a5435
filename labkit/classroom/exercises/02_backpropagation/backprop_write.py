"""# Write the backward pass (3 points)

Write `backward(parents)`. The graph is data, as above: `parents[i]` has a pair `(parent, local gradient)` for each use of a
value by node `i`. The nodes are in the order of the forward pass, and the last node is the result.

Return a list with the gradient of every node. A node that the result does not depend on gets `0.0`. For `two_paths` at
`x = 2`, `y = 3` the list is `[64.0, 32.0, 16.0, 16.0, 1.0]`.
"""

from functools import partial

import numpy as np

from labkit.classroom.exercises.graphs import draw_graph
from labkit.classroom.writing import judged, slip, wrong


def backward(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads


draw = tuple(
    partial(lambda rng, **how: (draw_graph(rng, **how),), leaves=leaves, **dict.fromkeys(kinds, True))
    for leaves, *kinds in ((3,), (2, "old_first"), (1, "dead"), (3, "old_first", "dead"), (2, "again"))
)
draws = 8
errors = (("KeyError", "Does the result depend on every node? The gradient of one that it does not depend on is 0.0."),)


def _walk(parents, order=reversed, seed=1.0, part=lambda slope, g: slope * g, kept=1.0, uses=None):
    grads = [0.0] * len(parents)
    grads[-1] = seed
    for node in order(range(len(parents))):
        for parent, slope in parents[node][:uses]:
            grads[parent] = kept * grads[parent] + part(slope, grads[node])
    return grads


@wrong("All zeros: the backward pass starts with a 1 at the result.")
def no_seed(parents):
    return [0.0] * len(parents)


@wrong("A later contribution replaces an earlier one. Every use of a value contributes, and the contributions add up.")
def overwritten(parents):
    return _walk(parents, kept=0.0)


@wrong(
    "Only the result has sent contributions; its parents have not. Go through the nodes "
    "from the last one to the first, and return after the loop."
)
def forwards(parents):
    return _walk(parents, order=list)


@wrong(
    "You visit the parents after every contribution. What you send on at the first visit counts twice. Visit each node "
    "once, after all nodes that use it."
)
def too_early(parents):
    grads = [0.0] * len(parents)

    def visit(node, part):
        grads[node] += part
        for parent, slope in parents[node]:
            visit(parent, slope * grads[node])

    visit(len(parents) - 1, 1.0)
    return grads


@wrong(
    "A node that is used twice is visited twice here, and at its second visit it sends its whole sum again. Recursion needs an "
    "order: visit each node once, after all nodes that use it."
)
def recursion(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0

    def visit(node):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
        for parent, _ in parents[node]:
            visit(parent)

    visit(len(parents) - 1)
    return grads


@wrong(
    "You visit each node once, but some of them before all nodes that use them have sent their contribution. Visit a node "
    "after all nodes that use it."
)
def once_too_early(parents):
    grads, done = [0.0] * len(parents), set()
    grads[-1] = 1.0

    def visit(node):
        if node not in done:
            done.add(node)
            for parent, slope in parents[node]:
                grads[parent] += slope * grads[node]
            for parent, _ in parents[node]:
                visit(parent)

    visit(len(parents) - 1)
    return grads


@wrong("You sent the local gradient alone. What a node sends is the local gradient times its own gradient.")
def slopes_alone(parents):
    return _walk(parents, part=lambda slope, g: slope)


@wrong("You added the local gradient to the upstream gradient. Along a path they are multiplied.")
def slopes_added(parents):
    return _walk(parents, part=lambda slope, g: slope + g)


@wrong("You return the gradients of the inputs only. The list has one for every node.")
def leaves_only(parents):
    return [grad for grad, pairs in zip(backward(parents), parents) if not pairs]


@wrong(
    "A node that the result does not depend on gets 0.0, not None.",
    when=lambda i, expected, got: len(got) == len(expected) and any(g is None for g in got),
)
def none_for_unused(parents):
    return [grad or None for grad in backward(parents)]


@wrong("Return a list: its entry i is the gradient of node i.", when=lambda i, expected, got: isinstance(got, dict))
def a_dict(parents):
    return dict(enumerate(backward(parents)))


@judged("value")
def two_uses(parents):
    return _walk(parents, uses=2)


@judged("value")
def seed_2(parents):
    return _walk(parents, seed=2.0)


ones_everywhere = slip(
    "Only the result begins with 1. All other gradients begin at 0; otherwise each node adds a 1 of its own.",
    "[0.0] * len -> [1.0] * len",
)

one_of_two_uses = slip(
    "If an operation uses a value twice, as in u * u, both pairs count. A dict keeps only one of them.",
    "in parents[node]: -> in dict(parents[node]).items():",
)

in_reverse = slip(
    "The gradients are right, but in the opposite order. Node 0 comes first.",
    "return grads -> return grads[::-1]",
)

first_node_only = slip(
    "You return the gradient of the first node only. Return the list of all of them.",
    "return grads -> return grads[0]",
)

result_left_out = slip(
    "The derivative of the result with respect to itself is 1. It belongs in the list.",
    "return grads -> return grads[:-1]",
)

parent_for_node = slip(
    "Only the result has a gradient: nothing was sent on. The loop begins at the last node, and each node sends the local "
    "gradient times its own gradient.",
    "slope * grads[node] -> slope * grads[parent]",
)

one_input_only = slip(
    "You follow one use of each node only. All pairs in parents[i] count.",
    "in parents[node]: -> in parents[node][:1]:",
)


first_node_left_out = slip(
    "Node 0 gets no gradient: your condition treats the parent 0 as if there were none.",
    "grads[parent] += slope * grads[node] -> grads[parent] += (parent > 0) * slope * grads[node]",
)


local_gradient_missing = slip(
    "You passed on the gradient of the node unchanged. Multiply it by the local gradient of the edge.",
    "slope * grads[node] -> grads[node]",
)

to_the_node_itself = slip(
    "The contribution belongs to the parent. You add it to the node itself.",
    "grads[parent] += -> grads[node] +=",
)

seed_at_the_first_node = slip(
    "The 1 belongs at the result, the last node of the list.",
    "grads[-1] = 1.0 -> grads[0] = 1.0",
)

averaged = slip(
    "You divide by the number of pairs. The contributions of an operation are not averaged.",
    "slope * grads[node] -> slope * grads[node] / len(parents[node])",
)

subtracted = slip(
    "Contributions are added. You subtract them.",
    "grads[parent] += slope -> grads[parent] -= slope",
)


@wrong("You keep the first contribution to a node and drop the later ones. All of them add up.")
def first_kept(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] = grads[parent] or slope * grads[node]
    return grads


@wrong(
    "You multiply the local gradients of each node's own inputs. The gradient of a node comes from the nodes that use it."
)
def own_local_gradients(parents):
    return [float(np.prod([slope for _, slope in pairs])) for pairs in parents]


@wrong(
    "You add the local gradients of each node's own inputs. The gradient of a node comes from the nodes that use it."
)
def own_local_gradients_added(parents):
    return [float(sum(slope for _, slope in pairs)) for pairs in parents]


def _by_list(parents, at, seen=None):
    """A backward pass that takes the next node from a list of nodes that are waiting."""
    grads, waiting = [0.0] * len(parents), [len(parents) - 1]
    grads[-1] = 1.0
    while waiting:
        node = waiting.pop(at)
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
            if seen is None or parent not in seen:
                waiting.append(parent)
                if seen is not None:
                    seen.add(parent)
    return grads


@wrong(
    "You go through the nodes level by level. A short path reaches a node before a longer one has sent its contribution. Visit "
    "a node after all nodes that use it."
)
def level_by_level(parents):
    return _by_list(parents, 0, set())


@wrong(
    "You visit each node once, but follow one path to its end before the other contributions have arrived. Visit a node "
    "after all nodes that use it."
)
def latest_first(parents):
    return _by_list(parents, -1, set())


@judged("recursion")
def a_list_of_visits(parents):
    return _by_list(parents, 0)


@judged("recursion")
def latest_visit_first(parents):
    return _by_list(parents, -1)


averaged_over_uses = slip(
    "Contributions are added, not averaged.",
    "grads[parent] += slope * grads[node] -> "
    "grads[parent] += slope * grads[node] / sum(p == parent for pairs in parents for p, _ in pairs)",
)


last_node_only = slip(
    "You return the gradient of the last node only, which is 1. Return the list of all of them.",
    "return grads -> return grads[-1]",
)


@wrong(
    "You follow every path separately, and a later path replaces the gradient of an earlier one. The contributions add "
    "up."
)
def last_path(parents):
    grads = [0.0] * len(parents)

    def visit(node, part):
        grads[node] = part
        for parent, slope in parents[node]:
            visit(parent, slope * part)

    visit(len(parents) - 1, 1.0)
    return grads


@wrong(
    "Contributions to one node are multiplied here. They add up, and all gradients but that of the result begin at 0."
)
def contributions_multiplied(parents):
    grads = [1.0] * len(parents)
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] *= slope * grads[node]
    return grads


@wrong("The largest contribution to a node is kept. All of them add up.")
def largest_kept(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] = max(grads[parent], slope * grads[node])
    return grads


one_node_off = slip(
    "Each node sends along its own pairs, parents[node]. You take those of the node before.",
    "in parents[node]: -> in parents[node - 1]:",
)

a_sum = slip(
    "You return one number, the sum of the gradients. Return the list of them.",
    "return grads -> return sum(grads)",
)


hints = (
    "Start with a list of zeros, and set the gradient of the result to 1.0.",
    "Go through reversed(range(len(parents))). Each node sends slope * grads[node] to each of its parents.",
    "In the inner loop: grads[parent] = grads[parent] + slope * grads[node].",
)
