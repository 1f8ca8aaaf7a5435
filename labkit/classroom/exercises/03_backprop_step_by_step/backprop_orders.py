"""# What does each order give? (2 points)

[[f]]

At `x = 1`, `y = 2`, six engines walk back, each in an order of its own. Each visits a node once, and sends on what has arrived
by then; what comes later is added there, and goes no further. `x` and `y` come last and are left out. What do they get?
Answer with a list of six pairs: what `x` gets, and what `y` gets. Order 0, the run backwards, gives `(8, 2)`.

0. `z d c b a`
1. `z c b d a`
2. `z c a d b`
3. `z d a c b`
4. `z b d c a`
5. `a b c d z`
"""

from labkit.classroom.writing import either, judged, wrong
from labkit.tracing import trace

answer = [(8, 2), (8, 2), (6, 2), (2, 2), (8, 0), (0, 0)]
places = ("z d c b a", "z c b d a", "z c a d b", "z d a c b", "z b d c a", "a b c d z")
rules = (
    "Once 1 is at c and at d, c sends 3 to a and 2 to b, and d sends 1 to a. When a and b are visited, which have come?",
)
hints = (
    "The values are a = 2, b = 3. So z sends 1 to c and to d, c sends 3 to a and 2 to b, d sends 1 to a.",
    "What a has by its visit, times 2, goes to x. What b has by its visit goes to y.",
    "An order is allowed if each node comes after all who use it: a after c and d, b after c. Two of the six are.",
)


def f(x, y):
    a = 2 * x
    b = y + 1
    c = a * b
    d = a - 3
    z = c + d
    return z


def reference():
    """What x and y get if each node is visited once, in these orders."""
    graph = trace(f)(1.0, 2.0)
    by_name = {node.label: node for node in graph.forward}
    sent = {step.node.label: step for step in graph.steps}
    found = []
    for order in map(str.split, places):
        arrived = dict.fromkeys(by_name, 0.0) | {"z": 1.0}
        for name in order:
            whole = float(sent[name].gradient)
            for part in sent[name].contributions:
                arrived[part.parent.label] += float(part.value) / whole * arrived[name]
        found.append((arrived["x"], arrived["y"]))
    return found


forwards = wrong(
    "The last order is that of the forward run. When a and b are visited, nothing has arrived there yet: they send on 0.",
    {5: either((8, 2), (2, 1))},
)

as_soon_as_something_arrived = wrong(
    "At a something has arrived, but a second part comes after its visit. It stays there, and x never hears of it.",
    {2: either((8, 2)), 3: either((8, 2))},
)

before_anything_arrived = wrong(
    "b is used by c alone. As long as c has not been visited, nothing has arrived at b: it sends 0 to y.",
    {4: either((8, 2), (6, 2), (2, 2), (0, 2))},
)

nothing_from_a_wrong_order = wrong(
    "An order that is not allowed still gives numbers. What has arrived at a by its visit is sent on, times 2.",
    {2: either((0, 0), (0, 2)), 3: either((0, 0), (0, 2))},
)

without_the_last_slope = wrong(
    "The edge from x to a has the slope 2: what a has by its visit goes to x twice as large.",
    {0: (4, 2), 1: (4, 2), 2: (3, 2), 3: (1, 2)},
)

own_factor_sent = wrong(
    "The slope of a product is the *other* factor: c sends b = 3 to a, and a = 2 to b.",
    {0: (6, 3), 1: (6, 3), 2: (4, 3)},
)

replaced = wrong(
    "At a two parts add up, 3 from c and 1 from d. You kept the one that came last.", {0: (6, 2), 1: (2, 2)}
)

one_order_only = wrong(
    "The run backwards is not the only order that is right. c and d do not use each other: either may be first, as long "
    "as a comes after both.",
    {1: either((6, 2), (2, 2), (8, 0), (6, 0), (2, 0), (0, 2), (0, 0))},
)

exchanged = judged("value", [(2, 8), (2, 8), (2, 6), (2, 2), (0, 8), (0, 0)])
for_x_alone = judged("structure", [8, 8, 6, 2, 8, 0])
