"""Boxes stand for every node, edges for every use, and every step is reached once."""

from itertools import pairwise

import autograd.numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from small_programs import programs

from labkit.widgets.explorer.graph.units import Units
from labkit.widgets.explorer.run.folding import Block, blocks, folded, visible
from labkit.widgets.explorer.run.recorded import of_function


def units_of(program):
    story = of_function(program, program.leaves, program=False)
    return Units(story, [n.index for n in story.nodes if not n.leaf])


def in_blocks(draw, story):
    """The ops of a story in blocks, cut anywhere."""
    ops = [n.index for n in story.nodes if not n.leaf]
    cuts = sorted({0, len(ops), *draw(st.sets(st.integers(0, len(ops)), max_size=4))})
    pieces = [ops[a:b] for a, b in pairwise(cuts)]
    return [Block(str(k), str(k), piece) if len(piece) > 1 else piece[0] for k, piece in enumerate(pieces)]


@drawn(20)
@given(programs(ends=2), st.data())
def test_every_use_is_an_edge_or_inside_a_block(program, data):
    story = of_function(program, program.leaves, program=False)
    units = Units(story, in_blocks(data.draw, story))
    along = [use for edge in units.edges for use in edge.uses]
    assert len(along) == len(set(along))
    for node in story.nodes:
        for place, parent in enumerate(node.parents):
            end = units.home[node.index]
            if (node.index, place) not in along:
                assert end.block and (parent in end.nodes or parent in end.inside)
    for edge in units.edges:
        for node, place in edge.uses:
            assert node in edge.end.nodes and story.nodes[node].parents[place] in edge.start.nodes


@drawn(20)
@given(programs(ends=2), st.data())
def test_edges_lead_forwards_and_no_two_join_the_same_boxes(program, data):
    story = of_function(program, program.leaves, program=False)
    units = Units(story, in_blocks(data.draw, story))
    assert all(e.start not in units.ran or units.ran[e.start] < units.ran[e.end] for e in units.edges)
    ends = [(e.start.index, e.end.index) for e in units.edges]
    assert len(ends) == len(set(ends))


@drawn(20)
@given(programs(ends=3))
def test_steps_are_counted_forwards_then_back(program):
    units = units_of(program)
    steps, _ = program.walk()
    assert units.forward == len(program.ops) and units.seed == units.forward + 1
    assert [units.at[i].nodes[0] for i in range(1, units.forward + 1)] == [
        len(program.leaves) + i for i in range(len(program.ops))
    ]
    assert [units.at[units.seed + 1 + i].nodes[0] for i in range(len(steps))] == [node for node, _, _ in steps]
    assert units.last == units.seed + len(steps)


@drawn(20)
@given(programs(ends=3))
def test_arrivals_add_up_to_the_totals(program):
    units, (_, totals) = units_of(program), program.walk()
    for node, arrivals in units.arrivals.items():
        assert float(arrivals[-1].total) == pytest.approx(totals[node])
        assert sum(float(a.value) for a in arrivals) == pytest.approx(totals[node])
        assert [a.when for a in arrivals] == sorted(a.when for a in arrivals)
        assert (arrivals[0].source is None) == (node in program.ends)
    assert units.arrivals.keys() == totals.keys()


@drawn(20)
@given(programs(ends=2), st.data())
def test_what_goes_along_the_edges_is_what_is_sent(program, data):
    story = of_function(program, program.leaves, program=False)
    units = Units(story, in_blocks(data.draw, story))
    for edge in units.edges:
        for sent in units.sent_along(edge):
            assert sent.parent in edge.start.nodes
        walked = {step.node for step in story.steps}
        assert len(units.sent_along(edge)) == sum(node in walked for node, _ in edge.uses)


@drawn(20)
@given(programs(ends=2), st.data())
def test_places_rise_and_a_step_of_the_folded_run_has_its_place_in_the_unfolded_one(program, data):
    story = of_function(program, program.leaves, program=False)
    parts = in_blocks(data.draw, story)
    whole = Units(story, visible(parts, frozenset(b.key for b in blocks(parts))))
    some = Units(story, parts)
    for units in (whole, some):
        assert len(units.places) == units.last + 1
        assert all(a < b for a, b in pairwise(units.places))
    assert set(some.places) <= set(whole.places) or len(whole.walked) < len(whole.ops)


def test_a_leaf_has_one_box_however_often_it_is_used():
    story = of_function(lambda x, w: np.sin(x) * w + w * x, [1.0, 2.0])
    units = Units(story, [n.index for n in story.nodes if not n.leaf])
    assert sorted(u.lead.title for u in units.units if u.lead.leaf) == ["w", "x"]
    (edge,) = Units(of_function(lambda x: x * x, [3.0]), [1]).edges
    assert edge.uses == [(1, 0), (1, 1)]


def test_parameters_and_many_leaves_that_one_block_alone_uses_are_inside_it():
    story = of_function(lambda x, w, b: np.tanh(x * w + b), [1.0, 2.0, 3.0])
    units = Units(story, [Block("k", "k", [3, 4]), 5])
    (block,) = (u for u in units.units if u.block)
    assert block.inside == () and len(units.units) == 5
    for node in story.leaves[1:]:
        node.title = f"fc.{node.title}"
    units = Units(story, [Block("k", "k", [3, 4]), 5])
    (block,) = (u for u in units.units if u.block)
    assert block.inside == (1, 2) and [u.lead.title for u in units.units if not u.block] == ["tanh", "x"]
    story = of_function(lambda x, w, b, c: x * w + b * c, [1.0, 2.0, 3.0, 4.0])
    (unit,) = Units(story, [Block("k", "k", [4, 5, 6])]).units
    assert unit.inside == (0, 1, 2, 3)


def test_an_input_has_an_edge_to_each_block_that_uses_it():
    story = of_function(lambda x, w: np.sin(np.sin(x * w) * w) * w, [1.0, 2.0])
    ops = [n.index for n in story.nodes if not n.leaf]
    units = Units(story, [Block(f"{i}", f"{i}", ops[i : i + 2]) for i in (0, 2)] + ops[4:])
    along = [sent for e in units.edges if e.start.lead.title == "w" for sent in units.sent_along(e)]
    assert len(along) == 3 and sum(s.value for s in along) == story.steps[-1].sent[1].total


def test_a_box_shows_the_value_that_leaves_it():
    story = of_function(lambda x: (np.sin(x) * 2, np.cos(x)), [1.0])
    units = Units(story, [Block("k", "k", [n.index for n in story.nodes if not n.leaf])])
    assert units.ops[0].lead.title == "cos"


@pytest.mark.parametrize("fun, last", [(lambda x: x, 1), (lambda x: 3.0, 0), (lambda x: (x, x * 2), 3)])
def test_runs_with_no_or_few_ops(fun, last):
    story = of_function(fun, [1.0])
    units = Units(story, [n.index for n in story.nodes if not n.leaf])
    assert units.last == last and len(units.places) == last + 1


def test_a_long_run_has_as_many_boxes_as_ops_and_one_leaf():
    def deep(x):
        for _ in range(1200):
            x = np.sin(x) * 1.0
        return x

    story = of_function(deep, [1.0], program=False)
    units = Units(story, visible(folded(story.nodes), frozenset(b.key for b in blocks(folded(story.nodes)))))
    assert (len(units.ops), len(units.units), len(units.edges)) == (2400, 2401, 2400)
