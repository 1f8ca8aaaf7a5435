"""Folding covers every op once, in the order they ran, and is the same every time."""

from itertools import pairwise

import autograd.numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

import labkit
import labkit.mindspore as ms
from labkit.engine import Scope
from labkit.mindspore import nn
from labkit.widgets.explorer.run.folding import (
    FEW,
    WHOLE,
    Block,
    blocks,
    folded,
    open_while_few,
    paths,
    visible,
)
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.story import Node

scopes = st.lists(
    st.builds(Scope, st.sampled_from(["conv", "fc"]), st.just("Dense"), st.integers(1, 2)), max_size=3
).map(tuple)


@st.composite
def chains(draw, most=400):
    """Nodes of one chain, in pieces that repeat, in scopes."""
    pieces = draw(
        st.lists(st.tuples(st.text("abc", min_size=1, max_size=6), st.integers(1, 40), scopes), min_size=1, max_size=6)
    )
    ops = [(op, scope) for ops, times, scope in pieces for op in ops * times][:most]
    nodes = [Node(0, "x", "input", "", (), None, (), "float64")]
    for op, scope in ops:
        nodes.append(Node(len(nodes), op, op, "", (len(nodes) - 1,), None, (), "float64", scope=scope))
    return nodes


def shape(parts):
    return [(p.key, p.title, shape(p.parts)) if isinstance(p, Block) else p for p in parts]


@drawn(20)
@given(chains())
def test_every_op_is_covered_once_and_in_order(nodes):
    covered = [i for p in folded(nodes) for i in (p.ops if isinstance(p, Block) else [p])]
    assert covered == list(range(1, len(nodes)))


@drawn(20)
@given(chains())
def test_no_block_has_many_parts_and_none_is_empty(nodes):
    parts = folded(nodes)
    for held in (parts, *(block.parts for block in blocks(parts))):
        assert len(held) <= FEW and (held is parts or len(held) > 1)


@drawn(20)
@given(chains())
def test_keys_are_unique_and_folding_is_deterministic(nodes):
    keys = [b.key for b in blocks(folded(nodes))]
    assert len(keys) == len(set(keys))
    assert shape(folded(nodes)) == shape(folded(nodes))


@drawn(20)
@given(chains(), st.data())
def test_every_way_of_unfolding_covers_every_op_once_and_makes_no_cycle(nodes, data):
    """A block is a stretch of the run, so an edge between parts leads from an earlier part to a later one."""
    parts = folded(nodes)
    opened = frozenset(data.draw(st.sets(st.sampled_from([b.key for b in blocks(parts)] or [""]))))
    seen = visible(parts, opened)
    stretches = [p.ops if isinstance(p, Block) else [p] for p in seen]
    assert [i for ops in stretches for i in ops] == list(range(1, len(nodes)))
    home = {i: k for k, ops in enumerate(stretches) for i in ops}
    assert all(home[p] <= home[n.index] for n in nodes for p in n.parents if p in home)


@drawn(20)
@given(chains(), st.integers(1, 200))
def test_unfolded_as_far_as_there_is_room_a_whole_level_at_a_time(nodes, most):
    parts = folded(nodes)
    opened = open_while_few(parts, most)
    assert len(visible(parts, opened)) <= max(most, len(parts))
    closed = frozenset(p.key for p in visible(parts, opened) if isinstance(p, Block))
    assert not closed or len(visible(parts, opened | closed)) > most


@drawn(20)
@given(chains())
def test_paths_lead_from_the_outside_to_each_block(nodes):
    parts = folded(nodes)
    for key, path in paths(parts).items():
        assert path[-1] == key
        opened = frozenset(path[:-1])
        assert key in [p.key for p in visible(parts, opened) if isinstance(p, Block)]
        for k in range(1, len(path)):
            assert key not in [p.key for p in visible(parts, opened - {path[k - 1]}) if isinstance(p, Block)]


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.act = nn.Dense(4, 3), nn.Dense(3, 3), nn.Tanh()

    def construct(self, x):
        return self.fc2(self.act(self.fc2(self.act(self.fc1(x))))).sum()


def test_cells_fold_under_their_names_and_calls():
    story = of_function(Two(), [ms.Tensor(np.ones((2, 4)), ms.float32)])
    found = {b.key: b.title for b in blocks(folded(story.nodes))}
    assert found == {"fc1": "fc1: Dense", "fc2": "fc2: Dense", "fc2 (2)": "fc2 (2): Dense"}


def test_the_derivative_of_a_cell_inside_a_derivative_is_a_block_of_its_own():
    net = Two()
    story = of_function(lambda x: ms.grad(net)(x).sum(), [ms.Tensor(np.ones((2, 4)), ms.float32)])
    outer = [p for p in folded(story.nodes) if isinstance(p, Block)]
    assert [b.title for b in outer] == ["Two", "derivative of Two"]
    for block, derived in zip(outer, (False, True), strict=True):
        assert all(bool(story.nodes[i].derives) is derived for i in block.ops)


def test_what_a_stretch_is_called():
    def named(ops):
        nodes = [Node(0, "x", "input", "", (), None, (), "float64")]
        for op in ops:
            nodes.append(Node(len(nodes), op, op, "", (len(nodes) - 1,), None, (), "float64"))
        return [block.title for block in folded(nodes)]

    assert named("abcdefghijklmno") == ["a, b, c", "d, e, f", "g, h, i", "j, k, l", "m, n, o"]
    longer = [f"{letter}-{place}" for place, letter in enumerate("abcdefghijklmnopqrstuvwxyz")]
    assert named(longer)[0] == "a-0 … f-5, 6 ops"
    assert named([f"{name}, a long one" if i % 6 < 5 else name for i, name in enumerate(longer)])[0] == "… f-5, 6 ops"
    assert named([f"{name}, which is long" for name in longer])[0] == "6 ops"


def test_a_short_run_opens_whole():
    parts = folded(of_function(lambda x: np.sin(np.cos(x)) * x, [0.5], program=False).nodes)
    assert open_while_few(parts, WHOLE) == frozenset() and visible(parts, frozenset()) == parts == [1, 2, 3]


def test_a_deep_chain_without_any_order_is_folded_fast_enough_to_recurse():
    """Every stretch that is folded covers a share of what is left, so the recursion stays shallow."""
    random = np.random.RandomState(0)
    nodes = [Node(0, "x", "input", "", (), None, (), "float64")]
    for op in random.randint(0, 3, 6000):
        nodes.append(Node(len(nodes), str(op), str(op), "", (len(nodes) - 1,), None, (), "float64"))
    parts = folded(nodes)
    assert len(parts) <= FEW and sum(len(p.ops) if isinstance(p, Block) else 1 for p in parts) == 6000


def test_a_higher_derivative_of_a_deep_chain_folds():
    def deep(x):
        for _ in range(50):
            x = np.sin(x)
        return x

    parts = folded(of_function(labkit.grad(deep), [0.5], program=False).nodes)
    assert len(parts) <= FEW


@pytest.mark.parametrize("nodes", [[], [Node(0, "x", "input", "", (), None, (), "float64")]])
def test_a_run_of_no_ops_has_no_parts(nodes):
    assert folded(nodes) == [] and open_while_few([], 10) == frozenset() and paths([]) == {}


def test_blocks_come_outer_ones_first():
    inner = Block("a/b", "b", [2, 3])
    assert [b.key for b in blocks([Block("a", "a", [1, inner]), 4])] == ["a", "a/b"]
    assert list(pairwise(Block("a", "a", [1, inner]).ops)) == [(1, 2), (2, 3)]
