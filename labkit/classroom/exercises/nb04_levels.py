"""The repair of notebook 04: which boxes an operation opens."""

from collections.abc import Callable

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb04 import NOTEBOOK

# ---- engine-mend-levels ----

_CONFUSED = """def mended(a, b):
    args, nodes = [a, b], []
    while any(args):
        level = max(levels[0] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels]
        nodes.append((level, opened))
        args = [levels[1:] if i in opened else levels for i, levels in enumerate(args)]
    return nodes
"""

_MENDED = """
def mended(a, b):
    args, nodes = [a, b], []
    while any(args):
        level = max(levels[0] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels and levels[0] == level]
        nodes.append((level, opened))
        args = [levels[1:] if i in opened else levels for i, levels in enumerate(args)]
    return nodes


answer = mended
"""


def _nodes(a, b, choose: Callable = max, together=False):
    args, nodes = [list(a), list(b)], []
    while any(args):
        level = choose(levels[0] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels and (together or levels[0] == level)]
        nodes.append((level, opened))
        args = [levels[1:] if i in opened else levels for i, levels in enumerate(args)]
    return nodes


def _draw_boxes(rng):
    """The levels of two arguments, from the outside in; they are never opened at once by luck."""
    while True:
        a, b = (tuple(sorted(rng.choice(4, int(rng.integers(0, 4)), replace=False) + 1)[::-1]) for _ in range(2))
        a, b = tuple(map(int, a)), tuple(map(int, b))
        if a and b and _nodes(a, b) not in (_nodes(a, b, together=True), _nodes(a, b, min)):
            return a, b


LEVELS = Exercise(
    name="engine-mend-levels",
    notebook=NOTEBOOK,
    title="Mend the engine that confuses boxes",
    points=3,
    statement=f"""An argument is described by the levels of its boxes, from the outside in: `(2, 1)` is a box of level 2 around a
box of level 1 around a number, and `()` is a number. `mended(a, b)` says which nodes *one* operation on two
arguments records: a list of pairs, the level of the node and the positions of the arguments that were opened for it.

```python
{_CONFUSED}```

It opens all boxes at once, and so confuses the runs. Mend it. For `a = (2, 1)` and `b = (1,)` the answer
is `[(2, [0]), (1, [0, 1])]`: in the run of level 2 only `a` is a variable; in the run of level 1 both are.""",
    reference=_nodes,
    draw=_draw_boxes,
    arguments=("a", "b"),
    draws=8,
    misconceptions=(
        Misconception(
            "still-all-at-once",
            "These are the nodes of the broken engine. A box of a lower level is a constant for this run: leave it closed, "
            "it is opened in a later round.",
            lambda i, expected, got: same(_nodes(i[0], i[1], together=True), got),
        ),
        Misconception(
            "lowest-first",
            "You open the lowest level first. But that one may be inside another box. The highest level is the innermost "
            "run, and it is always on the outside.",
            lambda i, expected, got: same(_nodes(i[0], i[1], min), got),
        ),
        Misconception(
            "inner-levels-forgotten",
            "The boxes of the highest level are opened, and then you stop. What is inside may be boxes, too: go on until "
            "all arguments are numbers.",
            lambda i, expected, got: same(expected[:1], got),
        ),
        Misconception(
            "one-argument-only",
            "Two arguments may have the same level. Then both are opened, and the node has two parents.",
            lambda i, expected, got: same([(level, opened[:1]) for level, opened in expected], got),
        ),
        Misconception(
            "in-another-order",
            "The nodes are right, their order is not: from the highest level down.",
            lambda i, expected, got: same(expected[::-1], got),
        ),
    ),
    hints=(
        "Which boxes belong to the run of `level`? Not all that are on the outside.",
        "Only one line is wrong: the one that makes opened.",
        "opened = [i for i, levels in enumerate(args) if levels and levels[0] == level].",
    ),
    solution=_MENDED,
    wrong_answers=(
        WrongAnswer("as it was", _CONFUSED + "\n\nanswer = mended\n", "still-all-at-once"),
        WrongAnswer("lowest first", _MENDED.replace("max(", "min("), "lowest-first"),
        WrongAnswer("once", _MENDED.replace("while any(args):", "if True:"), "inner-levels-forgotten"),
        WrongAnswer(
            "the first alone",
            _MENDED.replace("nodes.append((level, opened))", "nodes.append((level, opened[:1]))"),
            "one-argument-only",
        ),
        WrongAnswer("upwards", _MENDED.replace("return nodes", "return nodes[::-1]"), "in-another-order"),
        WrongAnswer("levels alone", _MENDED.replace("(level, opened)", "level"), "structure"),
        WrongAnswer("names of levels", _MENDED.replace("(level, opened)", "(opened, level)"), "kind"),
        WrongAnswer("levels from 0", _MENDED.replace("(level, opened)", "(level - 1, opened)"), "value"),
        WrongAnswer("always both", _MENDED.replace("(level, opened)", "(level, [0, 1])"), "structure"),
    ),
)

EXERCISES = (LEVELS,)
