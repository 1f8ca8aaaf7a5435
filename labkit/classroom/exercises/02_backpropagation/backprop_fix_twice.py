"""# Fix the engine that fails for x * x (2 points)

This engine visits the nodes in the right order, and it adds. For `u * v` it is right, and for `u * u` it is wrong.

[[still_lost as fixed]]

Find the line in which a contribution is lost, and fix it.
"""

from functools import partial

from labkit.classroom.exercises.graphs import draw_graph
from labkit.classroom.writing import judged, slip, strata, wrong


def fixed(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            part = slope * grads[node]
            grads[parent] = grads[parent] + part
    return grads


def _draw_twice(rng, equal):
    """A random graph in which at least one op uses the same value twice, with two slopes or (`equal`) with one."""
    parents = list(draw_graph(rng))
    node = int(rng.integers(4, len(parents)))
    slopes = rng.choice([-3.0, -2.0, 2.0, 3.0, 4.0], 2, replace=False)
    parents[node] = tuple((node - 1, float(slope)) for slope in slopes[[0, 0 if equal else 1]])
    return (tuple(parents),)


draw = tuple(
    one
    for equal in (False, True)
    for one in strata(partial(_draw_twice, equal=equal), lambda parents: still_lost.answer(parents) != fixed(parents))
)


@wrong(
    "These are the numbers of the broken engine. A dict holds one value for each key: when the same parent comes "
    "twice, the second part replaces the first one."
)
def still_lost(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


def _walk(parents, uses=lambda pairs: pairs, kept=1.0):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in uses(parents[node]):
            grads[parent] = kept * grads[parent] + slope * grads[node]
    return grads


@wrong("Now both parts come to grads, but there the last one replaces what was there.")
def overwritten(parents):
    return _walk(parents, kept=0.0)


@wrong(
    "You send a part twice wherever a value has two uses. The two edges have different slopes, in general: each "
    "use sends its own part."
)
def doubled(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        uses = [parent for parent, _ in parents[node]]
        for parent, slope in dict(parents[node]).items():
            grads[parent] = grads[parent] + uses.count(parent) * slope * grads[node]
    return grads


@wrong("A set holds what is equal only once. But u + u uses u twice with the same slope, and each use sends its part.")
def equal_parts_once(parents):
    return _walk(parents, set)


@judged("value")
def sent_kept_from_node_to_node(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    sent = {}
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            sent[parent] = slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@judged("structure")
def leaves_only(parents):
    return fixed(parents)[:3]


slope_only = slip(
    "A part is the local slope times the gradient of the node. The gradient is missing.",
    "slope * grads[node] -> slope",
)

all_doubled = slip(
    "Every part is doubled, also that of a parent which is used once.",
    "slope * grads[node] -> 2 * slope * grads[node]",
)

forwards = slip(
    "The order was right: from the result to the inputs.",
    "reversed(range(len(parents))) -> range(len(parents))",
)

slopes_added_to_gradients = slip(
    "A slope and a gradient are multiplied along an edge, not added.",
    "slope * grads[node] -> slope + grads[node]",
)

ones_everywhere = slip(
    "Only the result begins with 1. All other gradients begin at 0.",
    "[0.0] * len -> [1.0] * len",
)


hints = (
    "For u * u, what is in parents[node]? And what is in sent afterwards?",
    "sent[parent] = ... overwrites. Either add there too, or do without sent.",
    "sent[parent] = sent.get(parent, 0.0) + slope * grads[node] is enough.",
)
