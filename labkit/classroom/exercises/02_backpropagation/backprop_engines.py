"""# Four engines, four numbers (3 points)

[[f]]

At `x = 3`, which gradient does each engine compute for `x`? Answer with a list of four numbers. In every
engine, `z` sends to `b` first and then to `a`, and `b` sends to `a` first and then to `x`.

0. the right engine
1. "overwrite" visits the nodes in the order `z b a x`, and a new contribution replaces the previous one
2. "recursion" visits the parent after every contribution, with the sum so far
3. "visited once" visits the parent after its first contribution, but never visits a node again: it adds later contributions,
   but does not send them on
"""

from labkit.classroom.writing import either, judged, wrong

answer = [36, 12, 48, 18]
places = ("right", "overwrite", "recursion", "visited once")
rules = (
    "Add up all contributions to a before a passes its gradient on; the same at x.",
    "The last contribution replaces the earlier one: first at a, then at x.",
    "a is visited after each contribution and sends on its sum so far. x adds up everything that it gets.",
    "The second contribution to a is not passed on to x. But x is an input: the contribution from b is added, too.",
)
hints = (
    "The values are a = 6, b = 9, z = 54. So z sends 6 to b and 9 to a. b passes on its gradient, and a passes on twice its "
    "gradient.",
    "Overwrite: a holds 9, then 6. x holds 6, then 2 * 6.",
    "Recursion: a is visited with 6, which sends 12 to x, and later with 15. Visited once: only with the 6.",
)


def f(x):
    a = 2 * x
    b = a + x
    z = b * a
    return z


def reference():
    """The gradient of x from four engines."""
    from labkit.widgets.labs.wrong_engines import ENGINES, backward_passes

    chosen = ("right", "overwrite", "recursion", "visited once")
    return [float(backward_passes(ENGINES[name], f, [3.0])[0].result[0]) for name in chosen]


one_path_alone = wrong(
    "Item 0 is the derivative: x goes into a and into b, and a goes into b and into z. Three paths add up.",
    {0: either(6, 12, 18, 24, 30)},
)

overwrite_keeps_the_first = wrong(
    "Overwriting keeps what comes *last*, at a as well as at x. The 9 that reached a first is lost.",
    {1: either(18, 30)},
)

direct_contribution_kept = wrong(
    "b sends 6 to x. a is visited after b, so the contribution of a comes last and replaces the 6.",
    {1: 6},
)

parts_not_sums = wrong(
    "That would be an engine that passes on only the new contribution: slow, but right. This one passes on the sum so far, "
    "so the 6 that a has sent on already goes to x once more.",
    {2: 36},
)

late_part_passed_on = wrong(
    "When a gets the 9, it has already been visited. The 9 is added there, but is never sent on to x.", {3: 36}
)

another = judged("value", {2: 45})
three = judged("structure", [36, 12, 48])

nothing_lost_by_overwriting = wrong(
    "Overwriting loses contributions, so it cannot give the right gradient here: of two contributions to a node it keeps "
    "only the last one.",
    {1: 36},
)

visited_once_loses_nothing_at_x = wrong(
    "x is an input: what b sends to it directly is added. Only what a gets after its visit is lost.",
    {3: either(12, 6, 30)},
)


value_of_z = wrong("54 is the value of z. The exercise asks for gradients of x.", {0: 54})

counted_twice = wrong(
    "The right engine uses each of the five edges once: a collects both of its contributions before it sends anything.",
    {0: either(42, 48, 60, 66)},
)

a_comes_first = wrong(
    "The order is different: z sends to b first, so a is first visited with what b sends, and only later with the 9.",
    {2: 54, 3: 24},
)

direct_edge_forgotten = wrong(
    "b also sends to x directly. That contribution is missing.",
    {2: 42},
)

last_visit_only = wrong(
    "The contribution that a sent at its first visit stays at x. The second visit adds to it, and b adds its own "
    "contribution.",
    {2: either(30, 12)},
)

a_keeps_both = wrong(
    "Here contributions replace each other. You added some of them.",
    {1: either(42, 24)},
)


first_visit_only = wrong(
    "You count one visit of a. Recursion visits a after each contribution, and a sends on its sum so far.",
    {2: either(18, 24)},
)

as_recursion = wrong('That is "recursion". Here a is visited only once.', {3: 48})
