"""# Write backward (3 points)

Write `backward(parents)`. The graph comes as data, as above: `parents[i]` holds a pair
`(parent, slope)` for each use of a value by node `i`. The nodes are in the order they ran; the last one is the result.

Return a list of numbers: the derivative of the result for each node. A node that the result does not depend on gets `0.0`.

For `two_paths` at `x = 2`, `y = 3` that is `[64.0, 32.0, 16.0, 16.0, 1.0]`.
"""

from functools import partial

from labkit.classroom.writing import judged, wrong


def backward(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads


Parents = tuple[tuple[tuple[int, float], ...], ...]


def draw_graph(rng, leaves=3, ops=4, old_first=False, dead=False, again=False) -> Parents:
    """A random graph in the order it ran. An op uses the node before it, and mostly one more: any, also the same once more.

    `old_first`: the one more comes first. `dead`: one op uses old nodes alone, so that the node before it is in vain.
    `again`: one op has a third use, the same as its first.
    """
    parents: list[tuple] = [()] * leaves
    in_vain = leaves + 1 + int(rng.integers(0, ops - 1)) if dead else -1
    for node in range(leaves, leaves + ops):
        newest = node - 1 if node != in_vain else node - 2
        used = [newest, int(rng.integers(0, newest + 1))][: 2 if node == leaves + 1 or rng.random() < 0.8 else 1]
        slopes = rng.choice([-3.0, -2.0, 2.0, 3.0, 4.0], 2)
        pairs = tuple(zip(used, map(float, slopes)))[:: -1 if old_first else 1]
        parents.append((*pairs, *pairs[: again and node == leaves + 1]))
    last = len(parents) - 1
    ends = (last, 2.0), (int(rng.integers(leaves, last)), float(rng.choice([3.0, 5.0])))
    return (*parents, ends[:: -1 if old_first else 1])


def reference(parents: Parents) -> list[float]:
    """The derivative of the last node for each node, right."""
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
errors = (
    (
        "KeyError",
        "Does the result depend on every node? The gradient of one that it does not depend on is 0.0.",
    ),
)


@wrong("All zeros: the walk back needs a 1 to start with, at the result.")
def no_seed(parents):
    grads = [0.0] * len(parents)
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads


@wrong("What arrives later replaces what was there. Every use of a value sends a part, and the parts add up.")
def overwritten(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] = slope * grads[node]
    return grads


@wrong("You went through the nodes in the order they ran. The walk back begins at the result, the last node.")
def forwards(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in range(len(parents)):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads


@wrong(
    "You go on to the parents at once, while a part is still to come, and again when it comes. What was sent the "
    "first time counts twice. Visit each node once, after all nodes that use it.",
)
def too_early(parents):
    grads = [0.0] * len(parents)

    def visit(node, part):
        grads[node] += part
        for parent, slope in parents[node]:
            visit(parent, slope * grads[node])

    visit(len(parents) - 1, 1.0)
    return grads


@wrong("You sent the local slope alone. What a node sends is the slope times what has arrived at it.")
def slopes_alone(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope
    return grads


@wrong("You added the slope to what arrived. Along a path slopes multiply.")
def slopes_added(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope + grads[node]
    return grads


@judged("structure")
def leaves_only(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads[:3]


@judged("value")
def two_uses(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node][:2]:
            grads[parent] += slope * grads[node]
    return grads


@judged("value")
def seed_2(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 2.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads


hints = (
    "Begin with a list of zeros, and put a 1.0 at the result.",
    "Go through reversed(range(len(parents))). Each node sends slope * grads[node] to each of its parents.",
    "In the inner loop: grads[parent] = grads[parent] + slope * grads[node].",
)
