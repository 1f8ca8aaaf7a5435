"""# Fix the engine that sends gradients too early (3 points)

In this exercise the numbers of the nodes do not give an order: a node may have a smaller number than its parents. `output` is
the number of the result, and `used` counts how many times a local gradient is used.

[[still_too_early as fixed]]

The engine computes wrong gradients, and it uses local gradients too often. Fix the engine so that it returns the list of the
right gradients, and a count that equals the number of edges.
"""

from functools import partial

from labkit.classroom.exercises.graphs import draw_graph
from labkit.classroom.writing import judged, same, slip, strata, wrong


def fixed(parents, output):
    order = []

    def place(node):
        if node not in order:
            for parent, slope in parents[node]:
                place(parent)
            order.append(node)

    place(output)
    grads = [0.0] * len(parents)
    grads[output] = 1.0
    used = 0
    for node in reversed(order):
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
    return grads, used


def _shuffled(rng, parents):
    """The same graph with numbers that tell nothing, and the number of its result."""
    new = [int(number) for number in rng.permutation(len(parents))]
    mixed: list[tuple] = [()] * len(parents)
    for node, pairs in enumerate(parents):
        mixed[new[node]] = tuple((new[p], slope) for p, slope in pairs)
    return tuple(mixed), new[-1]


def _draw_shuffled(rng, old_first):
    return _shuffled(rng, draw_graph(rng, ops=5, old_first=old_first))


def _draw_used_twice(rng):
    """Two nodes that one node uses twice, and another one once more, at the end of a longer branch."""
    slopes = iter(rng.choice([2.0, 3.0, 4.0], 20).tolist())
    parents = [(), (), ((0, next(slopes)), (1, next(slopes)))]
    for turn in (1, -1):
        used = len(parents) - 1
        parents.append(((used, next(slopes)), (used, next(slopes))))
        parents += [((one, next(slopes)),) for one in (used, used + 2, used + 3)]
        parents.append(((used + 4, next(slopes)), (used + 1, next(slopes)))[::turn])
    return _shuffled(rng, parents)


def _ordered(parents, output):
    """The nodes that the output depends on, each after all nodes that use it."""
    order = []

    def place(node):
        if node not in order:
            for parent, _ in parents[node]:
                place(parent)
            order.append(node)

    place(output)
    return order[::-1]


def _walk(parents, order, output):
    """A backward pass in a given order: the gradients, and how many local gradients were used."""
    grads, used = [0.0] * len(parents), 0
    grads[output] = 1.0
    for node in order:
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
    return grads, used


def _once_for_each_user(parents, output, at):
    """An order in which a user counts once, also one that uses a node twice; the node `at` this place is taken next."""
    users = [p for node in _ordered(parents, output) for p in dict(parents[node])]
    waiting, order, ready = [users.count(node) for node in range(len(parents))], [], [output]
    while ready:
        order.append(ready.pop(at))
        for parent, _ in parents[order[-1]]:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.append(parent)
    return order


def _needs_the_order(parents, output):
    """Wrong are: by the numbers, level by level, and an order made without the first or the last parents."""
    order, levels = _ordered(parents, output), [output]
    for node in levels:
        levels += [p for p, _ in dict(parents[node]).items() if p not in levels]
    shorter = [_ordered([pairs[part] for pairs in parents], output) for part in (slice(1, None), slice(-1))]
    others = [range(len(parents))[::-1], levels, *shorter]
    upwards = _walk(parents, range(len(parents)), output) != _walk(parents, order[::-1], output)
    return upwards and all(_walk(parents, other, output) != _walk(parents, order, output) for other in others)


draw = (
    *(
        one
        for old_first in (False, True)
        for one in strata(partial(_draw_shuffled, old_first=old_first), _needs_the_order)
    ),
    _draw_used_twice,
)


@wrong(
    "These are the numbers of the broken engine: a node sends the sum so far, and sends it again with the next "
    "contribution. First find the order, then run the backward pass."
)
def still_too_early(parents, output):
    grads = [0.0] * len(parents)
    used = 0

    def visit(node, part):
        nonlocal used
        grads[node] += part
        for parent, slope in parents[node]:
            used += 1
            visit(parent, slope * grads[node])

    visit(output, 1.0)
    return grads, used


@wrong(
    "You follow every path separately, and there can be 2^n of them. Wait until a node has all its contributions, then send on "
    "their sum once.",
)
def every_path(parents, output):
    grads = [0.0] * len(parents)
    used = 0

    def visit(node, part):
        nonlocal used
        grads[node] += part
        for parent, slope in parents[node]:
            used += 1
            visit(parent, slope * part)

    visit(output, 1.0)
    return grads, used


@wrong("You visit each node once, but too early: a contribution that comes after its visit is not passed on.")
def late_parts_lost(parents, output):
    grads = [0.0] * len(parents)
    grads[output] = 1.0
    seen, used = set(), 0

    def visit(node):
        nonlocal used
        seen.add(node)
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
            if parent not in seen:
                visit(parent)

    visit(output)
    return grads, used


@wrong(
    "You used the numbers of the nodes as the order. Here the numbers are shuffled: find the order from the parents."
)
def numbers_are_no_order(parents, output):
    return _walk(parents, reversed(range(len(parents))), output)


@wrong(
    "The gradients are right, but the count is not: add 1 each time a local gradient is multiplied.",
    when=lambda i, expected, got: same(expected[0], got[0]) and got[1] != expected[1],
)
def counted_wrongly(parents, output):
    return fixed(parents, output)[0], len(_ordered(parents, output))


@judged("numbers-are-no-order")
def upwards(parents, output):
    return _walk(parents, range(len(parents)), output)


@judged("numbers-are-no-order")
def from_the_output(parents, output):
    return _walk(parents, reversed(range(output + 1)), output)


@judged("numbers-are-no-order")
def sorted_order(parents, output):
    return _walk(parents, sorted(_ordered(parents, output), reverse=True), output)


@judged("not-reversed")
def the_order_itself(parents, output):
    return _walk(parents, _ordered(parents, output)[::-1], output)


@judged("kind")
def gradients_alone(parents, output):
    return fixed(parents, output)[0]


not_reversed = slip(
    "Only the output has a gradient. The backward pass starts there: an order that has parents before the nodes that use them "
    "is gone through in reverse.",
    "reversed(order) -> order",
)

placed_before_its_uses = slip(
    "You add a node to the order before its parents are visited, so a node that is used twice comes before its "
    "second use. Append it after the loop, and go through the order in reverse.",
    "            for parent, slope in parents[node]:\n                place(parent)\n            "
    "order.append(node) ->             order.append(node)\n            for parent, slope in parents[node]:\n     "
    "           place(parent)",
    "reversed(order) -> order",
)

replaced = slip(
    "A later contribution replaces an earlier one. Contributions to one node add up.",
    "grads[parent] += -> grads[parent] =",
)

the_last_node = slip(
    "The result is the node `output`, which need not be the last one of the list.",
    "grads[output] = 1.0 -> grads[-1] = 1.0",
)

slopes_only = slip(
    "You pass on the local gradient only. Multiply it by the gradient of the node.",
    "slope * grads[node] -> slope",
)

ones_everywhere = slip(
    "Only the output begins with 1. All other gradients begin at 0.",
    "[0.0] * len -> [1.0] * len",
)


@wrong(
    "You go through the nodes level by level. A short path reaches a node before a longer one has arrived, so the node "
    "passes on too little: a node comes after all nodes that use it."
)
def level_by_level(parents, output):
    grads, used = [0.0] * len(parents), 0
    grads[output] = 1.0
    queue, seen = [output], {output}
    while queue:
        node = queue.pop(0)
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
            if parent not in seen:
                seen.add(parent)
                queue.append(parent)
    return grads, used


nothing_sent = slip(
    "All gradients are 0. The output's own gradient is 1: set it before the backward pass.",
    "    grads[output] = 1.0\n -> ",
)

local_gradient_missing = slip(
    "You pass on the gradient of the node unchanged. Multiply it by the local gradient of the edge.",
    "slope * grads[node] -> grads[node]",
)

to_the_node_itself = slip(
    "The contribution belongs to the parent. You add it to the node itself.",
    "grads[parent] += -> grads[node] +=",
)

added_along_an_edge = slip(
    "A local gradient and the gradient of the node are multiplied, not added.",
    "slope * grads[node] -> slope + grads[node]",
)

two_edges_as_one = slip(
    "An operation that uses a value twice has two edges to it. A dict keeps only one of them.",
    "for parent, slope in parents[node]:\n            used -> "
    "for parent, slope in dict(parents[node]).items():\n            used",
)


@wrong(
    "A node is in your order once for each path to it, and each time it sends its whole gradient. Add it only if it is not there "
    "yet."
)
def several_times_in_the_order(parents, output):
    order = []

    def place(node):
        for parent, _ in parents[node]:
            place(parent)
        order.append(node)

    place(output)
    return _walk(parents, reversed(order), output)


@judged("several-times-in-the-order")
def a_list_of_visits(parents, output):
    grads, used, waiting = [0.0] * len(parents), 0, [output]
    grads[output] = 1.0
    while waiting:
        node = waiting.pop(0)
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
            waiting.append(parent)
    return grads, used


@judged("several-times-in-the-order")
def latest_visit_first(parents, output):
    grads, used, waiting = [0.0] * len(parents), 0, [output]
    grads[output] = 1.0
    while waiting:
        node = waiting.pop()
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
            waiting.append(parent)
    return grads, used


@wrong(
    "You visit each node once, but follow one path to its end before the other contributions have arrived. Visit a node "
    "after all nodes that use it."
)
def latest_first(parents, output):
    grads, used, waiting, seen = [0.0] * len(parents), 0, [output], {output}
    grads[output] = 1.0
    while waiting:
        node = waiting.pop()
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return grads, used


nothing_passed_on = slip(
    "Only the output has a gradient: nothing was passed on. Set its 1 before the loop, and each node passes on the local "
    "gradient times its own gradient.",
    "slope * grads[node] -> slope * grads[parent]",
)


subtracted = slip(
    "Contributions are added. You subtract them.",
    "grads[parent] += slope -> grads[parent] -= slope",
)


@wrong(
    "You count how many nodes use a node. A node that uses it twice sends two contributions: count the edges, and wait for "
    "all."
)
def users_counted(parents, output):
    return _walk(parents, _once_for_each_user(parents, output, -1), output)


@judged("users-counted")
def users_counted_in_a_queue(parents, output):
    return _walk(parents, _once_for_each_user(parents, output, 0), output)


hints = (
    "Work in two parts: first list the nodes in a topological order, then go through the list once.",
    "place(node) of section 2 puts the parents of a node into the list before the node itself.",
    "Then for node in reversed(order): send slope * grads[node] to each parent, and count.",
)
