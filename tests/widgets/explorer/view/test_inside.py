"""Inside a step its arrays are seen, at that step alone, and what is done with them gives what comes out."""

import autograd.numpy as np
import numpy as onp
import pytest

import labkit
import labkit.torch as torch
from labkit.widgets.explorer.run.folding import Block
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.rules import product_of
from labkit.widgets.explorer.run.story import Node, Sent, Step, Story
from labkit.widgets.explorer.view import inside as module
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.arrays import Tiles
from labkit.widgets.kit.scene import latest

RANDOM = onp.random.default_rng(0)
X, W, B = (RANDOM.normal(size=size) for size in ((5, 3), (3, 4), (4,)))


def units_of(fun, *args, parts=None):
    story = of_function(fun, args, program=False)
    return Units(story, parts or [n.index for n in story.nodes if not n.leaf])


def layer(x, w, b):
    return np.mean(np.tanh(x @ w + b) ** 2)


def groups(units):
    return {step: list(found) for step, found in module._steps(units)}


def told(group):
    return [part if isinstance(part, str) else part.name for part in group.parts]


def test_single_numbers_need_no_panel():
    assert module.inside(units_of(lambda x, y: np.sin(x) * y, 1.0, 2.0)) == ([], {})


def test_very_many_boxes_have_none():
    assert module.inside(units_of(lambda x: sum(np.sin(x) for _ in range(module.MOST_BOXES)), X)) == ([], {})


def test_forwards_operands_and_their_result():
    found = groups(units_of(layer, X, W, B))
    assert told(found[1][0]) == ["x", "·", "w", "=", "x·w"] and told(found[3][0]) == ["x·w + b", "→", "tanh"]
    assert found[2][0].parts[0].value == pytest.approx(X @ W)
    assert told(found[0][0]) == ["x", "w", "b"]


def test_on_the_way_back_a_product_is_seen_with_its_factors():
    units = units_of(layer, X, W, B)
    to_x, to_w = groups(units)[units.last]
    assert (to_x.words, told(to_x)) == ("x gets g·wᵀ", ["g", "·", "wᵀ", "=", "x.grad"])
    assert (to_w.words, told(to_w)) == ("w gets xᵀ·g", ["xᵀ", "·", "g", "=", "w.grad"])
    for group in (to_x, to_w):
        left, right, result = (part.value for part in group.parts if isinstance(part, Tiles))
        assert left @ right == pytest.approx(result)


def test_what_is_added_to_what_came_before_says_so():
    units = units_of(lambda x: np.sum(np.sin(x) * x), X)
    assert [told(group)[-1] for step in (units.last - 1, units.last) for group in groups(units)[step]] == [
        "∂sin", "x.grad", "+= x.grad",
    ]  # fmt: skip


def test_in_a_folded_block_what_is_only_transposed_goes_there_at_once():
    def linear(x, w):
        return np.sum(np.sin(x @ np.transpose(w)) ** 2)

    story = of_function(linear, (X, W.T), program=False)
    ops = [n.index for n in story.nodes if not n.leaf]
    units = Units(story, [Block("k", "linear", ops[:2]), *ops[2:]])
    words = {group.words for group in groups(units)[units.last]}
    assert words == {"x gets g·w", "w gets gᵀ·x"}


def test_the_marks_of_a_step_are_seen_at_that_step_alone():
    units = units_of(layer, X, W, B)
    (panel,), _ = module.inside(units)
    assert panel.live
    *marks, note = panel.marks
    assert note.text == module.NOTE
    seen = [{i for i in range(units.last + 1) if latest(m.vary["step"]["state"], i, "") == ""} for m in marks]
    assert all(len(steps) == 1 for steps in seen) and set().union(*seen) == set(range(units.last + 1))
    later = {m.text for m, steps in zip(marks, seen, strict=True) if min(steps) > units.seed}
    assert "x gets g·wᵀ" in later  # so nothing is told before it is asked


def test_there_are_layouts_for_less_room_and_few_marks():
    units = units_of(layer, X, W, B)
    (panel,), _ = module.inside(units)
    layouts = [panel]
    while layouts[-1].narrow:
        layouts.append(layouts[-1].narrow)
    assert [found.width <= room + 6 for found, room in zip(layouts, module.LAYOUTS.values(), strict=True)] == [True] * 3
    assert all(len(found.marks) <= module.MOST_MARKS for found in layouts)
    (light,), _ = module.inside(units, light=True)
    assert len(light.marks) <= 2 * module.MOST_LIGHT and "middle" not in light.narrow.name


def test_a_linear_layer_of_the_torch_dialect_is_written_as_its_formula():
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 2)
    x, y = torch.randn(5, 3), torch.randn(5, 2)
    loss = torch.nn.functional.mse_loss(layer(x), y)
    story = labkit.show(loss).story
    units = Units(story, [n.index for n in story.nodes if not n.leaf])
    (group,) = next(found for found in groups(units).values() if found[0].words == "Forward: addmm")
    left, dot, right, plus, added, equals, result = group.parts
    assert (dot, plus, equals) == ("·", "+", "=") and right.name.endswith("ᵀ")
    assert left.value @ right.value + added.value == pytest.approx(result.value, rel=1e-4)


def test_where_only_zeros_arrive_that_is_said():
    units = units_of(lambda x: np.sum(np.maximum(np.sin(x) - 9.0, 0.0)), X)
    assert [group.words for group in groups(units)[units.last]] == ["x gets only zeros, as g is"]


def test_links_lead_to_what_an_array_is_of():
    units = units_of(layer, X, W, B)
    (panel,), _ = module.inside(units)
    leaf = next(unit for unit in units.units if unit.lead.title == "x")
    assert {f"n{leaf.index}", f"g{leaf.index}"} <= {mark.link for mark in panel.marks}


def linear(value=None, bias=True):
    """A tape of a linear layer whose input needs no gradient, as the real PyTorch records it, and the steps back."""
    g, b = RANDOM.normal(size=(5, 4)), RANDOM.normal(size=4)
    shapes = [((4,), b), ((4, 3), W.T), ((5, 3), X), ((3, 4), None), ((5, 4), value), ((), onp.ones(()))]
    parents = [(), (), (), (1,), (0, 3, 2), (4,)]
    nodes = [
        Node(i, title, title if of else "input", "", of, array, dims, "float64")
        for i, (title, of, (dims, array)) in enumerate(zip(("b", "w", "x", "t", "addmm", "sum"), parents, shapes))
    ]
    nodes[5].seed = onp.ones(())
    to_b = g.sum(0) if bias else 2 * g.sum(0)
    sent = (Sent(0, 0, to_b, to_b, None), Sent(3, 1, X.T @ g, X.T @ g, None))
    back = [Step(5, onp.ones(()), (Sent(4, 0, g, g, None),)), Step(4, g, sent)]
    turned = Step(3, X.T @ g, (Sent(1, 0, (X.T @ g).T, (X.T @ g).T, None),))
    return Story("f", nodes, [*back, turned])


def test_a_product_in_one_op_is_drawn_with_what_it_is_made_of():
    story = linear()
    block = Block("0", "0: Linear", [3, 4])
    for parts in ([block, 5], [3, 4, 5]):
        units = Units(story, parts)
        (group,) = groups(units)[units.ran[units.home[4]]]
        assert told(group)[:6] == ["x", "·", "wᵀ", "+", "b", "="]
        assert group.parts[2].value == pytest.approx(W) and group.parts[-1].value is None


@pytest.mark.parametrize("story", [linear(bias=False), linear(onp.ones((5, 4)))])
def test_what_the_numbers_do_not_bear_out_is_no_product(story):
    assert product_of(story, story.nodes[4]) == []
