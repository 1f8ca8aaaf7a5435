"""The arcs lead each value that the backward half uses from its box to the op that uses it, and fade once it was used."""

import re

import autograd.numpy as np
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from small_programs import programs

from labkit.widgets.explorer.run.folding import Block
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.view.graph import graph
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.scene import latest
from labkit.widgets.kit.still import visible_marks


def units_of(fun, *args, blocks=()):
    story = of_function(fun, args or fun.leaves, program=False)
    ops, parts = [n.index for n in story.nodes if not n.leaf], []
    for size in blocks:
        piece, ops = ops[:size], ops[size:]
        parts += [Block(str(len(parts)), "block", piece)] if len(piece) > 1 else piece
    return Units(story, [*parts, *ops])


def wanted(units):
    """The pairs of boxes that arcs must join: who holds a value, and whose backward reads it."""
    return {
        (units.home[i], user)
        for user in units.walked
        for n in user.nodes
        for i in units.story.nodes[n].saved
        if i in units.home
    }


def touching(panel, x, y):
    """The links of the boxes whose rim a point lies on."""
    rects = [(m.link, at) for m, at, _, _ in visible_marks(panel, {"step": 0, "colour": 0}) if m.tag == "rect"]
    return {
        link
        for link, at in rects
        if at["x"] - 0.6 <= x <= at["x"] + at["width"] + 0.6 and at["y"] - 0.6 <= y <= at["y"] + at["height"] + 0.6
    }


def joined(panel):
    """`[(link at the start, link at the end, states)]` of every arc."""
    found = []
    for mark in panel.marks:
        if mark.role == "saved":
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", mark.at["d"])]
            (start,), (end,) = touching(panel, *numbers[:2]), touching(panel, *numbers[-2:])
            found.append((start, end, mark.vary["step"]["state"]))
    return found


@given(programs(ends=2), st.lists(st.integers(1, 5), max_size=3))
@drawn(13)
def test_every_value_that_is_used_has_an_arc_to_its_user_and_no_other_has(program, sizes):
    units = units_of(program, blocks=sizes)
    found = [(start, end) for start, end, _ in joined(graph(units, {}))]
    assert len(found) == len(set(found))
    assert set(found) == {(f"n{home.index}", f"g{user.index}") for home, user in wanted(units)}


@given(programs(ends=2))
@drawn(8)
def test_an_arc_lasts_from_when_its_value_is_there_until_it_was_used(program):
    units = units_of(program)
    for start, end, states in joined(graph(units, {})):
        home, user = (units.units[int(link[1:])] for link in (start, end))
        for step in range(units.last + 1):
            there, used = units.ran.get(home, 0), units.walked[user]
            expected = "pending" if step < there else "" if step < used else "now" if step == used else "released"
            assert latest(states, step, "") == expected


def test_arcs_carry_the_names_of_their_values_where_they_are_few():
    def f(x, w):
        h = np.tanh(x * w)
        return h**2 * w

    names = [m.text for m in graph(units_of(f, 1.0, 2.0), {}).marks if m.role == "savedtext"]
    assert {"x", "w", "h"} <= set(names)
    many = graph(units_of(lambda x: np.prod(np.stack([np.sin(x * i) for i in range(12)])), 0.5), {})
    assert not [m for m in many.marks if m.role == "savedtext"]


def test_a_folded_block_says_how_many_values_it_keeps():
    units = units_of(lambda x: np.tanh(np.sin(np.exp(x)) * x), 0.5, blocks=[4])
    words = [m.text for m in graph(units, {}).marks if m.role == "savedtext"]
    kept = {i for n in units.ops[0].nodes for i in units.story.nodes[n].saved if i in units.ops[0].nodes}
    assert f"{len(kept)} values" in words
