"""# Which orders are allowed? (1 point)

[[f]]

Draw the graph. Here are six orders for the walk back; `x` and `y` come last in each of them and are left out. Which are
allowed? Answer with a list of six `True` or `False`.

0. `z d c b a`
1. `z d c a b`
2. `z c a d b`
3. `z c b d a`
4. `z b d c a`
5. `a b c d z`
"""

from labkit.classroom.writing import judged, wrong
from labkit.tracing import trace

answer = [True, True, False, True, False, False]
places = ("z d c b a", "z d c a b", "z c a d b", "z c b d a", "z b d c a", "a b c d z")
rules = ("A node may be visited when everyone who uses it has been: a is used by c and d, b by c, and c and d by z.",)
hints = (
    "Write down for each node who uses it: a is used by c and d, b by c.",
    "A node may be visited when all of its users have been visited.",
    "Three of the six are allowed.",
)


def f(x, y):
    a = 2 * x
    b = y + 1
    c = a * b
    d = a - 3
    z = c + d
    return z


def reference():
    """Which orders visit each node after all nodes that use it."""
    graph = trace(f)(2.0, 3.0)
    answers = []
    for order in map(str.split, places):
        uses = [(p.label, n.label) for n in graph.forward for p in n.parents if p.parents]
        answers.append(all(order.index(user) < order.index(used) for used, user in uses))
    return answers


forwards = wrong(
    "The last order is that of the forward run. On the way back nothing has arrived at a yet: begin at z.", {5: True}
)

one_order_only = wrong(
    "The run backwards is always allowed, but it is not the only order. c and d do not use each other: either "
    "may be first.",
    answer=[True, False, False, False, False, False],
)

as_soon_as_something_arrived = wrong(
    "At a something has arrived from c, but d uses a too, and has not sent its part yet.", {2: True}
)

before_anything_arrived = wrong(
    "b is used by c alone. As long as c has not been visited, nothing has arrived at b.", {4: True}
)

b_last = judged("value", {0: False, 3: False})
words = judged("kind", ["yes", "yes", "no", "yes", "no", "no"])
