"""# Mend the engine that confuses boxes (3 points)

An argument is described by the levels of its boxes, from the outside in: `(2, 1)` is a box of level 2 around a
box of level 1 around a number, and `()` is a number. `mended(a, b)` says which nodes *one* operation on two
arguments records: a list of pairs, the level of the node and the positions of the arguments that were opened for it.

[[still_all_at_once as mended]]

It opens all boxes at once, and so confuses the runs. Mend it. For `a = (2, 1)` and `b = (1,)` the answer
is `[(2, [0]), (1, [0, 1])]`: in the run of level 2 only `a` is a variable; in the run of level 1 both are.
"""

from labkit.classroom.writing import judged, wrong


def mended(a, b):
    args, nodes = [a, b], []
    while any(args):
        level = max(levels[0] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels and levels[0] == level]
        nodes.append((level, opened))
        args = [levels[1:] if i in opened else levels for i, levels in enumerate(args)]
    return nodes


def _nodes(a, b, choose=max, together=False, node=lambda level, opened: (level, opened)):
    args, nodes = [a, b], []
    while any(args):
        level = choose(levels[0] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels and (together or levels[0] == level)]
        nodes.append(node(level, opened))
        args = [levels[1:] if i in opened else levels for i, levels in enumerate(args)]
    return nodes


def draw(rng):
    """The levels of two arguments, from the outside in; they are never opened at once by luck."""
    while True:
        a, b = (tuple(sorted(rng.choice(4, int(rng.integers(0, 4)), replace=False) + 1)[::-1]) for _ in range(2))
        a, b = tuple(map(int, a)), tuple(map(int, b))
        if a and b and _nodes(a, b) not in (_nodes(a, b, together=True), _nodes(a, b, min)):
            return a, b


draws = 8


@wrong(
    "These are the nodes of the broken engine. A box of a lower level is a constant for this run: leave it "
    "closed, it is opened in a later round."
)
def still_all_at_once(a, b):
    args, nodes = [a, b], []
    while any(args):
        level = max(levels[0] for levels in args if levels)
        opened = [i for i, levels in enumerate(args) if levels]
        nodes.append((level, opened))
        args = [levels[1:] if i in opened else levels for i, levels in enumerate(args)]
    return nodes


@wrong(
    "You open the lowest level first. But that one may be inside another box. The highest level is the innermost "
    "run, and it is always on the outside."
)
def lowest_first(a, b):
    return _nodes(a, b, choose=min)


@wrong(
    "The boxes of the highest level are opened, and then you stop. What is inside may be boxes, too: go on until "
    "all arguments are numbers."
)
def inner_levels_forgotten(a, b):
    return mended(a, b)[:1]


@wrong("Two arguments may have the same level. Then both are opened, and the node has two parents.")
def one_argument_only(a, b):
    return _nodes(a, b, node=lambda level, opened: (level, opened[:1]))


@wrong("The nodes are right, their order is not: from the highest level down.")
def in_another_order(a, b):
    return mended(a, b)[::-1]


@judged("structure")
def levels_alone(a, b):
    return _nodes(a, b, node=lambda level, opened: level)


@judged("structure")
def always_both(a, b):
    return _nodes(a, b, node=lambda level, opened: (level, [0, 1]))


@judged("kind")
def names_of_levels(a, b):
    return _nodes(a, b, node=lambda level, opened: (opened, level))


@judged("value")
def levels_from_0(a, b):
    return _nodes(a, b, node=lambda level, opened: (level - 1, opened))


hints = (
    "Which boxes belong to the run of `level`? Not all that are on the outside.",
    "Only one line is wrong: the one that makes opened.",
    "opened = [i for i, levels in enumerate(args) if levels and levels[0] == level].",
)
