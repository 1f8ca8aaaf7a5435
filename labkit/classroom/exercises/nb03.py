"""The exercises of notebook 03 about the walk back itself: its order, its program, and what broken engines give."""

from functools import partial

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "03_backprop_step_by_step"

# A graph as plain data: for each node a tuple of pairs (parent, local slope), one for each use; none for a leaf.
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


# ---- backprop-orders ----

_TWO_ENDS = """def f(x, y):
    a = 2 * x
    b = y + 1
    c = a * b
    d = a - 3
    z = c + d
    return z"""

_ORDERS = ("z d c b a", "z d c a b", "z c a d b", "z c b d a", "z b d c a", "a b c d z")


def _allowed():
    """Which orders visit each node after all nodes that use it."""
    from .nb02 import _traced

    graph = _traced(_TWO_ENDS, 2.0, 3.0)
    answers = []
    for order in map(str.split, _ORDERS):
        uses = [(p.label, n.label) for n in graph.forward for p in n.parents if p.parents]
        answers.append(all(order.index(user) < order.index(used) for used, user in uses))
    return answers


ORDERS = Exercise(
    name="backprop-orders",
    notebook=NOTEBOOK,
    title="Which orders are allowed?",
    points=1,
    statement=f"""```python
{_TWO_ENDS}
```

Draw the graph. Here are six orders for the walk back; `x` and `y` come last in each of them and are left out. Which are
allowed? Answer with a list of six `True` or `False`.

"""
    + "\n".join(f"{i}. `{order}`" for i, order in enumerate(_ORDERS)),
    reference=_allowed,
    places=_ORDERS,
    misconceptions=(
        Misconception(
            "forwards",
            "The last order is that of the forward run. On the way back nothing has arrived at a yet: begin at z.",
            lambda inputs, expected, got: got[5] is True,
        ),
        Misconception(
            "one-order-only",
            "The run backwards is always allowed, but it is not the only order. c and d do not use each other: "
            "either may be first.",
            lambda inputs, expected, got: same([True, False, False, False, False, False], got),
        ),
        Misconception(
            "as-soon-as-something-arrived",
            "At a something has arrived from c, but d uses a too, and has not sent its part yet.",
            lambda inputs, expected, got: got[2] is True,
        ),
        Misconception(
            "before-anything-arrived",
            "b is used by c alone. As long as c has not been visited, nothing has arrived at b.",
            lambda inputs, expected, got: got[4] is True,
        ),
    ),
    rules=(
        "A node may be visited when everyone who uses it has been: a is used by c and d, b by c, and c and d by z.",
    ),
    hints=(
        "Write down for each node who uses it: a is used by c and d, b by c.",
        "A node may be visited when all of its users have been visited.",
        "Three of the six are allowed.",
    ),
    solution="answer = [True, True, False, True, False, False]",
    wrong_answers=(
        WrongAnswer("forwards", "answer = [False, False, False, False, False, True]", "forwards"),
        WrongAnswer("only one", "answer = [True, False, False, False, False, False]", "one-order-only"),
        WrongAnswer("something", "answer = [True, True, True, True, False, False]", "as-soon-as-something-arrived"),
        WrongAnswer("nothing", "answer = [True, True, False, True, True, False]", "before-anything-arrived"),
        WrongAnswer("b last", "answer = [False, True, False, False, False, False]", "value"),
        WrongAnswer("words", 'answer = ["yes", "yes", "no", "yes", "no", "no"]', "kind"),
    ),
)


# ---- backprop-write ----


def _walk(parents, order=None, send=lambda slope, g: slope * g, store=lambda old, new: old + new, seed=1.0):
    """A walk back with something changed."""
    grads = [0.0] * len(parents)
    grads[-1] = seed
    for node in order or reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] = store(grads[parent], send(slope, grads[node]))
    return grads


def _at_once(parents):
    """Go on to the parents at once, with the sum so far, and again whenever more arrives."""
    grads = [0.0] * len(parents)

    def visit(node, part):
        grads[node] += part
        for parent, slope in parents[node]:
            visit(parent, slope * grads[node])

    visit(len(parents) - 1, 1.0)
    return grads


_WRITE = """
def backward(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads


answer = backward
"""

_AT_ONCE = """
def backward(parents):
    grads = [0.0] * len(parents)

    def visit(node, part):
        grads[node] += part
        for parent, slope in parents[node]:
            visit(parent, slope * grads[node])

    visit(len(parents) - 1, 1.0)
    return grads


answer = backward
"""

WRITE = Exercise(
    name="backprop-write",
    notebook=NOTEBOOK,
    title="Write backward",
    points=3,
    statement="""Write `backward(parents)`. The graph comes as data, as above: `parents[i]` holds a pair
`(parent, slope)` for each use of a value by node `i`. The nodes are in the order they ran; the last one is the result.

Return a list of numbers: the derivative of the result for each node. A node that the result does not depend on gets `0.0`.

For `two_paths` at `x = 2`, `y = 3` that is `[64.0, 32.0, 16.0, 16.0, 1.0]`.""",
    reference=walk_back,
    draw=tuple(
        partial(lambda rng, **how: (draw_graph(rng, **how),), leaves=leaves, **dict.fromkeys(kinds, True))
        for leaves, *kinds in ((3,), (2, "old_first"), (1, "dead"), (3, "old_first", "dead"), (2, "again"))
    ),
    arguments=("parents",),
    draws=8,
    errors=(
        ("KeyError", "Does the result depend on every node? The gradient of one that it does not depend on is 0.0."),
    ),
    misconceptions=(
        Misconception(
            "no-seed",
            "All zeros: the walk back needs a 1 to start with, at the result.",
            lambda i, expected, got: same([0.0] * len(expected), got),
        ),
        Misconception(
            "overwritten",
            "What arrives later replaces what was there. Every use of a value sends a part, and the parts add up.",
            lambda i, expected, got: same(_walk(i[0], store=lambda old, new: new), got),
        ),
        Misconception(
            "forwards",
            "You went through the nodes in the order they ran. The walk back begins at the result, the last node.",
            lambda i, expected, got: same(_walk(i[0], order=range(len(i[0]))), got),
        ),
        Misconception(
            "too-early",
            "You go on to the parents at once, while a part is still to come, and again when it comes. What was sent the "
            "first time counts twice. Visit each node once, after all nodes that use it.",
            lambda i, expected, got: same(_at_once(i[0]), got),
        ),
        Misconception(
            "slopes-alone",
            "You sent the local slope alone. What a node sends is the slope times what has arrived at it.",
            lambda i, expected, got: same(_walk(i[0], send=lambda slope, g: slope), got),
        ),
        Misconception(
            "slopes-added",
            "You added the slope to what arrived. Along a path slopes multiply.",
            lambda i, expected, got: same(_walk(i[0], send=lambda slope, g: slope + g), got),
        ),
    ),
    hints=(
        "Begin with a list of zeros, and put a 1.0 at the result.",
        "Go through reversed(range(len(parents))). Each node sends slope * grads[node] to each of its parents.",
        "In the inner loop: grads[parent] = grads[parent] + slope * grads[node].",
    ),
    solution=_WRITE,
    wrong_answers=(
        WrongAnswer("no seed", _WRITE.replace("    grads[-1] = 1.0\n", ""), "no-seed"),
        WrongAnswer("overwrite", _WRITE.replace("+=", "="), "overwritten"),
        WrongAnswer("forwards", _WRITE.replace("reversed(range(len(parents)))", "range(len(parents))"), "forwards"),
        WrongAnswer("at once", _AT_ONCE, "too-early"),
        WrongAnswer("slopes", _WRITE.replace("slope * grads[node]", "slope"), "slopes-alone"),
        WrongAnswer("added", _WRITE.replace("slope * grads[node]", "slope + grads[node]"), "slopes-added"),
        WrongAnswer("leaves only", _WRITE.replace("return grads", "return grads[:3]"), "structure"),
        WrongAnswer("two uses", _WRITE.replace("parents[node]:", "parents[node][:2]:"), "value"),
        WrongAnswer("seed 2", _WRITE.replace("= 1.0", "= 2.0"), "value"),
    ),
)


# ---- backprop-engines ----

_SHARED = """def f(x):
    a = 2 * x
    b = a + x
    z = b * a
    return z"""


def _engines():
    """The gradient of x from four engines."""
    from ...widgets.labs.wrong_engines import ENGINES, Subject, train

    names: dict = {}
    exec(_SHARED, names)
    chosen = ("right", "overwrite", "recursion", "visited once")
    return [float(train(ENGINES[name], Subject(names["f"], [3.0]))[0].result[0]) for name in chosen]


ENGINE_NUMBERS = Exercise(
    name="backprop-engines",
    notebook=NOTEBOOK,
    title="Four engines, four numbers",
    points=3,
    statement=f"""```python
{_SHARED}
```

At `x = 3`: which gradient for `x` does each engine give? Answer with a list of four numbers. `z` sends to `b` first and then
to `a`; `b` sends to `a` first and then to `x`.

0. the right engine
1. "overwrite": it visits the nodes in the order `z b a x`, and what arrives replaces what was there
2. "recursion": on to the parent at once, with the sum so far, and again whenever more arrives
3. "visited once": on to the parent at once, but never to the same node a second time; what arrives later is added, and not
   passed on""",
    reference=_engines,
    places=("right", "overwrite", "recursion", "visited once"),
    misconceptions=(
        Misconception(
            "one-path-alone",
            "Item 0 is the derivative: x goes into a and into b, and a goes into b and into z. Three paths add up.",
            lambda inputs, expected, got: got[0] in (6, 12, 18, 24, 30),
        ),
        Misconception(
            "overwrite-keeps-the-first",
            "Overwriting keeps what comes *last*, at a as well as at x. The 9 that came first to a is lost.",
            lambda inputs, expected, got: same(expected[0], got[0]) and got[1] in (6, 18, 30),
        ),
        Misconception(
            "parts-not-sums",
            "That would be an engine that passes on the new part alone: slow, but right. This one passes on the sum so "
            "far, so the 6 that a has sent on already goes to x once more.",
            lambda inputs, expected, got: got[2] == expected[0],
        ),
        Misconception(
            "late-part-passed-on",
            "When the 9 arrives at a, a has been visited. The 9 is added there, and x never hears of it.",
            lambda inputs, expected, got: got[3] == expected[0],
        ),
    ),
    rules=(
        "Add up what arrives at a before a sends it on, and the same at x.",
        "What comes last replaces what was there: first at a, then at x.",
        "a is visited each time that something arrives, and sends on all that it has by then. All of that is added up at x.",
        "What arrives at a the second time is not passed on to x. But x is an input: what arrives there from b is added, too.",
    ),
    hints=(
        "The values are a = 6, b = 9, z = 54. So z sends 6 to b and 9 to a. b sends on what it got; a sends it times 2.",
        "Overwrite: a holds 9, then 6. x holds 6, then 2 * 6.",
        "Recursion: a is visited with 6, which sends 12 to x, and later with 15. Visited once: only with the 6.",
    ),
    solution="answer = [36, 12, 48, 18]",
    wrong_answers=(
        WrongAnswer("one path", "answer = [18, 12, 48, 18]", "one-path-alone"),
        WrongAnswer("keeps the first", "answer = [36, 6, 48, 18]", "overwrite-keeps-the-first"),
        WrongAnswer("parts", "answer = [36, 12, 36, 18]", "parts-not-sums"),
        WrongAnswer("passed on", "answer = [36, 12, 48, 36]", "late-part-passed-on"),
        WrongAnswer("another", "answer = [36, 12, 42, 18]", "value"),
        WrongAnswer("three", "answer = [36, 12, 48]", "structure"),
    ),
)

EXERCISES = (ORDERS, WRITE, ENGINE_NUMBERS)
