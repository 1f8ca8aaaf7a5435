"""A story's nodes know what they are called and what they are."""

import numpy as np
import pytest

from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.story import Node, Story


def node(index, title, **more):
    return Node(
        index, title, title, more.pop("name", ""), more.pop("parents", ()), np.array(1.0), (), "float64", **more
    )


def test_a_node_is_called_by_its_name_else_by_what_made_it():
    assert node(0, "x").called == "x"
    assert node(1, "tanh", parents=(0,)).called == "the result of tanh"
    assert node(1, "tanh", parents=(0,), name="h").called == "h"


def test_leaves_have_no_parents_and_outputs_have_a_seed():
    nodes = [node(0, "x"), node(1, "tanh", parents=(0,)), node(2, "sin", parents=(1,), seed=np.array(1.0))]
    story = Story("f", nodes, [])
    assert [n.title for n in story.leaves] == ["x"] and [n.title for n in story.outputs] == ["sin"]


@pytest.mark.parametrize(
    "dtype, has", [("float32", True), ("bfloat16", True), ("float8_e5m2", True), ("int64", False), ("bool", False)]
)
def test_only_floats_have_gradients_in_the_frameworks(dtype, has):
    assert Node(0, "x", "input", "", (), None, (), dtype).differentiable is has


def test_every_node_stands_at_its_index_leaves_first():
    story = of_function(lambda x, y: (x * y + x) * y, [1.0, 2.0])
    assert [n.index for n in story.nodes] == list(range(len(story.nodes)))
    assert [n.leaf for n in story.nodes] == [True, True, False, False, False]
    assert all(p < n.index for n in story.nodes for p in n.parents)
