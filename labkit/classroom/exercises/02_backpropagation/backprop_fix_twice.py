"""# Fix the engine that fails for x * x (2 points)

This engine visits the nodes in the right order, and it adds contributions. Its gradients are right for `u * v`, but wrong for
`u * u`.

[[still_lost as fixed]]

Find the line that loses a contribution, and fix it.
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


errors = (("KeyError", "sent has no entry for this parent yet. sent.get(parent, 0.0) gives 0.0 then."),)
draw = tuple(
    one
    for equal in (False, True)
    for one in strata(partial(_draw_twice, equal=equal), lambda parents: still_lost.answer(parents) != fixed(parents))
)


@wrong(
    "These are the numbers of the broken engine. A dict holds one value for each key: when the same parent occurs twice, "
    "the second contribution replaces the first one."
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


@wrong("Now both contributions reach grads, but there the last one replaces the earlier ones.")
def overwritten(parents):
    return _walk(parents, kept=0.0)


@wrong(
    "You send one contribution twice wherever a value has two uses. In general the two edges have different local "
    "gradients: each use sends its own contribution."
)
def doubled(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        uses = [parent for parent, _ in parents[node]]
        for parent, slope in dict(parents[node]).items():
            grads[parent] = grads[parent] + uses.count(parent) * slope * grads[node]
    return grads


@wrong(
    "A set holds equal items only once. But u + u uses u twice with the same local gradient, and each use sends its "
    "contribution."
)
def equal_parts_once(parents):
    return _walk(parents, set)


@wrong(
    "sent keeps what earlier nodes have sent, so their contributions are added again. Each node begins with an empty "
    "dict: sent = {} inside the outer loop."
)
def sent_never_emptied(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    sent = {}
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            sent[parent] = sent.get(parent, 0.0) + slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@judged("sent-never-emptied")
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
    "A contribution is the local gradient times the gradient of the node. The gradient of the node is missing.",
    "slope * grads[node] -> slope",
)

all_doubled = slip(
    "Every contribution is doubled, even that of a parent which is used once.",
    "slope * grads[node] -> 2 * slope * grads[node]",
)

forwards = slip(
    "Only the result has sent contributions. The order was right, from the last node to the first; each node adds to grads "
    "when it is visited, and return belongs after the loop.",
    "reversed(range(len(parents))) -> range(len(parents))",
)

slopes_added_to_gradients = slip(
    "A local gradient and the gradient of the node are multiplied, not added.",
    "slope * grads[node] -> slope + grads[node]",
)

ones_everywhere = slip(
    "Only the result begins with 1. All other gradients begin at 0.",
    "[0.0] * len -> [1.0] * len",
)


@wrong("Two contributions of one node to the same parent are multiplied here. They add up.")
def multiplied(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = sent.get(parent, 1.0) * slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong("When the same parent occurs twice, you keep the first contribution and drop the second one. Add both.")
def first_kept(parents):
    return _walk(parents, lambda pairs: dict(pairs[::-1]).items())


@wrong(
    "You add what is in sent after every single use, so an earlier contribution is added again. First collect all of them, "
    "then add."
)
def added_after_every_use(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = sent.get(parent, 0.0) + slope * grads[node]
            for other, part in sent.items():
                grads[other] = grads[other] + part
    return grads


@judged("added-after-every-use")
def added_and_replaced_after_every_use(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = slope * grads[node]
            for other, part in sent.items():
                grads[other] = grads[other] + part
    return grads


@wrong(
    "Contributions are added in two places, directly and through sent: most of them count twice. Keep one of the two."
)
def added_in_both_places(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = slope * grads[node]
            grads[parent] += slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong("Two contributions of one node to the same parent are averaged here. They add up.")
def averaged(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        uses = [parent for parent, _ in parents[node]]
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node] / uses.count(parent)
    return grads


local_gradient_missing = slip(
    "A contribution is the local gradient times the gradient of the node. The local gradient is missing.",
    "slope * grads[node] -> grads[node]",
)


@wrong(
    "When the same parent occurs twice, you double the first contribution. The second one has a local gradient of its own."
)
def first_doubled(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = 2 * sent[parent] if parent in sent else slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong("sent is now right. Then a later contribution replaces what is in grads already: add it there, too.")
def replaced_after_sent(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = sent.get(parent, 0.0) + slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = part
    return grads


@judged("all-doubled")
def doubled_and_still_lost(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in dict(parents[node]).items():
            grads[parent] = grads[parent] + 2 * slope * grads[node]
    return grads


@wrong(
    "A sum in sent begins with grads[parent], and later it is added to grads[parent]: the older contributions count twice. "
    "Begin with 0.0."
)
def begun_with_the_gradient(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = sent.get(parent, grads[parent]) + slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong(
    "The first contribution to a parent counts twice: the default of get is that contribution already, and you add it again. "
    "The default is 0.0."
)
def default_counts_too(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            part = slope * grads[node]
            sent[parent] = sent.get(parent, part) + part
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong("The default of get is 1.0, so every sum in sent begins at 1. It begins at 0.0.")
def sums_begin_at_one(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = sent.get(parent, 1.0) + slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong("You subtract the second contribution from the first one. Add both.")
def second_subtracted(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            part = slope * grads[node]
            sent[parent] = sent[parent] - part if parent in sent else part
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong("You keep the larger of two contributions. Add both.")
def larger_kept(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            part = slope * grads[node]
            sent[parent] = max(sent.get(parent, part), part)
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong("The gradients are right. Return a list: its entry i is the gradient of node i.")
def a_dict(parents):
    return dict(enumerate(fixed(parents)))


begun_without_the_one = slip(
    "All gradients are 0: the 1 at the result is missing.",
    "grads[-1] = 1.0 -> grads[-1] = 0.0",
)

subtracted = slip(
    "Contributions are added. You subtract them.",
    "grads[parent] + part -> grads[parent] - part",
)

seed_at_the_first_node = slip(
    "The 1 belongs at the result, the last node of the list.",
    "grads[-1] -> grads[0]",
)

to_the_node_itself = slip(
    "The contribution belongs to the parent. You add it to the node itself.",
    "grads[parent] = grads[parent] + part -> grads[node] = grads[node] + part",
)


one_use_only = slip(
    "You follow one use of each node only. All pairs in parents[node] count.",
    "in parents[node]: -> in parents[node][:1]:",
)

last_use_only = slip(
    "You follow the last use of each node only. All pairs in parents[node] count.",
    "in parents[node]: -> in parents[node][-1:]:",
)


@wrong(
    "Your key is the local gradient, so of two uses with the same local gradient only the last one counts. Both add up."
)
def local_gradient_as_key(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[slope] = parent, slope * grads[node]
        for parent, part in sent.values():
            grads[parent] = grads[parent] + part
    return grads


averaged_over_pairs = slip(
    "You divide by the number of uses in parents[node]. Each use sends its contribution unchanged.",
    "slope * grads[node] -> slope * grads[node] / len(parents[node])",
)


hints = (
    "For u * u, what is in parents[node]? And what is in sent afterwards?",
    "sent[parent] = ... overwrites. Either add there too, or do without sent.",
    "sent[parent] = sent.get(parent, 0.0) + slope * grads[node] is enough.",
)
