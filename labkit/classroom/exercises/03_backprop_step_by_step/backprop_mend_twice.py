"""# Mend the engine that fails for x * x (2 points)

This engine goes in the right order, and it adds. For `u * v` it is right, for `u * u` it is wrong.

```python
def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads
```

Find the line where something is lost, and mend it.
"""

from functools import partial

from labkit.classroom.writing import judged, strata, wrong


def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            part = slope * grads[node]
            grads[parent] = grads[parent] + part
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


def walk_back(parents: Parents) -> list[float]:
    """The derivative of the last node for each node, right."""
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads


def run_source(source, i):
    """What a planted engine gives for the inputs `i`."""
    names: dict = {}
    exec(source, names)
    return names["mended"](*i)


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


def _draw_twice(rng, equal):
    """A random graph in which at least one op uses the same value twice, with two slopes or (`equal`) with one."""
    parents = list(draw_graph(rng))
    node = int(rng.integers(4, len(parents)))
    slopes = rng.choice([-3.0, -2.0, 2.0, 3.0, 4.0], 2, replace=False)
    parents[node] = tuple((node - 1, float(slope)) for slope in slopes[[0, 0 if equal else 1]])
    return (tuple(parents),)


reference = walk_back


draw = tuple(
    one
    for equal in (False, True)
    for one in strata(partial(_draw_twice, equal=equal), lambda p: run_source(_LOST, (p,)) != walk_back(p))
)


@wrong(
    "These are the numbers of the broken engine. A dict holds one value for each key: when the same parent comes "
    "twice, the second part replaces the first one.",
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


@wrong("Now both parts come to grads, but there the last one replaces what was there.")
def overwritten(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            part = slope * grads[node]
            grads[parent] = part
    return grads


@wrong(
    "You send a part twice wherever a value has two uses. The two edges have different slopes, in general: each "
    "use sends its own part.",
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
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in set(parents[node]):
            part = slope * grads[node]
            grads[parent] = grads[parent] + part
    return grads


@judged("value")
def sent_outside_the_loop_emptied_too_late(parents):
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
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            part = slope * grads[node]
            grads[parent] = grads[parent] + part
    return grads[:3]


hints = (
    "For u * u, what is in parents[node]? And what is in sent afterwards?",
    "sent[parent] = ... overwrites. Either add there too, or do without sent.",
    "sent[parent] = sent.get(parent, 0.0) + slope * grads[node] is enough.",
)
