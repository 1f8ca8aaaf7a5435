"""The repairs of notebook 03: each exercise shows a broken engine and asks for it mended."""

from functools import partial

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer, strata
from .nb03 import NOTEBOOK, draw_graph, walk_back

# ---- backprop-mend-order ----

_EARLY = """def mended(parents, output):
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
"""

_ORDERED = """
def mended(parents, output):
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


answer = mended
"""

_ONCE = """
def mended(parents, output):
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


answer = mended
"""

_COUNTED = _ORDERED.replace("            used += 1\n", "").replace("    return", "    used = len(order)\n    return")


def _draw_shuffled(rng, old_first):
    """A random graph whose numbers tell nothing, and the number of its result."""
    parents = draw_graph(rng, ops=5, old_first=old_first)
    new = [int(number) for number in rng.permutation(len(parents))]
    mixed: list[tuple] = [()] * len(parents)
    for node, pairs in enumerate(parents):
        mixed[new[node]] = tuple((new[p], slope) for p, slope in pairs)
    return tuple(mixed), new[-1]


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


def walk_in(parents, order, output):
    """A walk back in a given order: the gradients, and how many slopes were used."""
    grads, used = [0.0] * len(parents), 0
    grads[output] = 1.0
    for node in order:
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
    return grads, used


def _needs_the_order(parents, output):
    """Wrong are: by the numbers, level by level, and an order made without the first or the last parents."""
    order, levels = _ordered(parents, output), [output]
    for node in levels:
        levels += [p for p, _ in dict(parents[node]).items() if p not in levels]
    shorter = [_ordered([pairs[part] for pairs in parents], output) for part in (slice(1, None), slice(-1))]
    others = [range(len(parents))[::-1], levels, *shorter]
    upwards = walk_in(parents, range(len(parents)), output) != walk_in(parents, order[::-1], output)
    return upwards and all(walk_in(parents, other, output) != walk_in(parents, order, output) for other in others)


def run_source(source, i):
    """What a planted engine gives for the inputs `i`."""
    names: dict = {}
    exec(source, names)
    return names["mended"](*i)


ORDER = Exercise(
    name="backprop-mend-order",
    notebook=NOTEBOOK,
    title="Mend the engine that goes on too early",
    points=3,
    statement=f"""Here the numbers of the nodes tell nothing about the order: a node may have a smaller number than its
parents. `output` is the number of the result. `used` counts how often a local slope was used.

```python
{_EARLY}```

This engine gives wrong gradients and uses slopes too often. Mend it. It returns the same two things: the list of gradients,
and how often it used a slope. Each edge needs its slope only once.""",
    reference=lambda parents, output: walk_in(parents, _ordered(parents, output), output),
    draw=tuple(
        one
        for old_first in (False, True)
        for one in strata(partial(_draw_shuffled, old_first=old_first), _needs_the_order)
    ),
    arguments=("parents", "output"),
    misconceptions=(
        Misconception(
            "still-too-early",
            "These are the numbers of the broken engine: a node sends the sum so far, and sends it again with the next "
            "part. First make the order, then walk.",
            lambda i, expected, got: same(run_source(_EARLY, i), got),
        ),
        Misconception(
            "every-path",
            "The gradients are right now, but you go along every path by itself, and there can be 2^n of them. "
            "Wait until everything has arrived at a node, then send it on once.",
            lambda i, expected, got: same(expected[0], got[0]) and got[1] > expected[1],
        ),
        Misconception(
            "late-parts-lost",
            "You visit each node once, but too early: what arrives after its visit is not passed on.",
            lambda i, expected, got: same(run_source(_ONCE, i), got),
        ),
        Misconception(
            "numbers-are-no-order",
            "You went by the numbers of the nodes. Here they are shuffled: find the order from the parents.",
            lambda i, expected, got: same(walk_in(i[0], range(len(i[0]))[::-1], i[1]), got)
            or same(walk_in(i[0], range(len(i[0])), i[1]), got),
        ),
        Misconception(
            "counted-wrongly",
            "The gradients are right. Only the count is not: add 1 each time a slope is multiplied.",
            lambda i, expected, got: same(expected[0], got[0]) and got[1] != expected[1],
        ),
    ),
    hints=(
        "Two parts: first a list of the nodes in an order that is allowed, then one walk over it.",
        "place(node) of section 2 puts the parents of a node into the list before the node itself.",
        "Then for node in reversed(order): send slope * grads[node] to each parent, and count.",
    ),
    solution=_ORDERED,
    wrong_answers=(
        WrongAnswer("as it was", _EARLY + "\n\nanswer = mended\n", "still-too-early"),
        WrongAnswer(
            "parts", _EARLY.replace("visit(parent, slope * grads[node])", "visit(parent, slope * part)")
            + "\n\nanswer = mended\n", "every-path",
        ),
        WrongAnswer("once", _ONCE, "late-parts-lost"),
        WrongAnswer(
            "numbers", _ORDERED.replace("reversed(order)", "reversed(range(len(parents)))"), "numbers-are-no-order"
        ),
        WrongAnswer("upwards", _ORDERED.replace("reversed(order)", "range(len(parents))"), "numbers-are-no-order"),
        WrongAnswer("counts nodes", _COUNTED, "counted-wrongly"),
        WrongAnswer("the order itself", _ORDERED.replace("reversed(order)", "order"), "value"),
        WrongAnswer("gradients alone", _ORDERED.replace("return grads, used", "return grads"), "kind"),
    ),
)  # fmt: skip


# ---- backprop-mend-twice ----

_LOST = """def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads
"""

_KEPT = """
def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            part = slope * grads[node]
            grads[parent] = grads[parent] + part
    return grads


answer = mended
"""

_SET = _KEPT.replace("parents[node]:", "set(parents[node]):")
_DOUBLED = """def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        uses = [parent for parent, _ in parents[node]]
        for parent, slope in dict(parents[node]).items():
            grads[parent] = grads[parent] + uses.count(parent) * slope * grads[node]
    return grads
"""


def _draw_twice(rng, equal):
    """A random graph in which at least one op uses the same value twice, with two slopes or (`equal`) with one."""
    parents = list(draw_graph(rng))
    node = int(rng.integers(4, len(parents)))
    slopes = rng.choice([-3.0, -2.0, 2.0, 3.0, 4.0], 2, replace=False)
    parents[node] = tuple((node - 1, float(slope)) for slope in slopes[[0, 0 if equal else 1]])
    return (tuple(parents),)


TWICE = Exercise(
    name="backprop-mend-twice",
    notebook=NOTEBOOK,
    title="Mend the engine that fails for x * x",
    points=2,
    statement=f"""This engine goes in the right order, and it adds. For `u * v` it is right, for `u * u` it is wrong.

```python
{_LOST}```

Find the line where something is lost, and mend it.""",
    reference=walk_back,
    draw=tuple(
        one
        for equal in (False, True)
        for one in strata(partial(_draw_twice, equal=equal), lambda p: run_source(_LOST, (p,)) != walk_back(p))
    ),
    arguments=("parents",),
    misconceptions=(
        Misconception(
            "still-lost",
            "These are the numbers of the broken engine. A dict holds one value for each key: when the same parent comes "
            "twice, the second part replaces the first one.",
            lambda i, expected, got: same(run_source(_LOST, i), got),
        ),
        Misconception(
            "overwritten",
            "Now both parts come to grads, but there the last one replaces what was there.",
            lambda i, expected, got: same(run_source(_KEPT.replace("grads[parent] + part", "part"), i), got),
        ),
        Misconception(
            "doubled",
            "You send a part twice wherever a value has two uses. The two edges have different slopes, in general: "
            "each use sends its own part.",
            lambda i, expected, got: same(run_source(_DOUBLED, i), got),
        ),
        Misconception(
            "equal-parts-once",
            "A set holds what is equal only once. But u + u uses u twice with the same slope, and each use sends its part.",
            lambda i, expected, got: same(run_source(_SET, i), got),
        ),
    ),
    hints=(
        "For u * u, what is in parents[node]? And what is in sent afterwards?",
        "sent[parent] = ... overwrites. Either add there too, or do without sent.",
        "sent[parent] = sent.get(parent, 0.0) + slope * grads[node] is enough.",
    ),
    solution=_KEPT,
    wrong_answers=(
        WrongAnswer("as it was", _LOST + "\n\nanswer = mended\n", "still-lost"),
        WrongAnswer("overwrites", _KEPT.replace("grads[parent] + part", "part"), "overwritten"),
        WrongAnswer(
            "sent outside the loop, emptied too late",
            _LOST.replace("        sent = {}\n", "").replace("    for node", "    sent = {}\n    for node")
            + "\n\nanswer = mended\n",
            "value",
        ),
        WrongAnswer("a set", _SET, "equal-parts-once"),
        WrongAnswer("doubled", _DOUBLED + "\n\nanswer = mended\n", "doubled"),
        WrongAnswer("leaves only", _KEPT.replace("return grads", "return grads[:3]"), "structure"),
    ),
)

EXERCISES = (ORDER, TWICE)
