"""Every number on every card and edge is that of the chain rule, worked out by other means; norms; arrays inside steps."""

import autograd.numpy as np
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

import labkit.torch as torch
from labkit.widgets.explorer.graph.inside import inside
from labkit.widgets.explorer.graph.said import Said
from labkit.widgets.explorer.graph.units import HIGH, Units
from labkit.widgets.explorer.graph.way import Way
from labkit.widgets.explorer.run.folding import Block, folded
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.kit.words import bracketed, number

RANDOM = onp.random.default_rng(0)
X, W, B = (RANDOM.normal(size=size) for size in ((5, 3), (3, 4), (4,)))


def way_of(fun, *args):
    story = of_function(fun, args or fun.leaves, program=False)
    way = Way(story, [n.index for n in story.nodes if not n.leaf], frozenset(), Said(story))
    return way.units, way.written(), way.say


def totals_by_step(program):
    """For each step, the gradient that each node has by then."""
    steps, _ = program.walk()
    found = [{} for _ in range(len(program.ops) + 1)] + [{end: float(program.ends.count(end)) for end in program.ends}]
    for _, _, sent in steps:
        found.append(found[-1] | {parent: total for parent, _, _, total in sent})
    return found


@given(programs(ends=3))
@drawn(16)
def test_every_card_at_every_step(program):
    units, way, _ = way_of(program)
    totals = totals_by_step(program)
    for unit, card in zip(units.units, way["cards"], strict=True):
        (node,) = unit.nodes
        assert card["value"].rpartition(" ")[2] == number(program.values[node]) and card["ran"] == units.ran.get(
            unit, 0
        )
        if node in totals[-1]:
            for step, arrived in enumerate(totals):
                words = [text for when, text in card["gradient"]["texts"] if when <= step]
                assert words[-1:] == ([number(arrived[node])] if node in arrived else [])


@given(programs(ends=2))
@drawn(16)
def test_slopes_on_the_edges_are_the_derivatives(program):
    units, way, _ = way_of(program)
    steps = program.walk()[0]
    sent = {node: [(parent, slope, value) for parent, slope, value, _ in all_sent] for node, _, all_sent in steps}
    for edge, written in zip(units.edges, way["edges"], strict=True):
        along = [(s, v) for parent, s, v in sent.get(edge.end.nodes[0], []) if parent == edge.start.nodes[0]]
        words = [number(along[0][0]), *(bracketed(number(s)) for s, _ in along[1:])] if along else []
        assert written["slope"] == (
            "" if not words else f"×{words[0]}" if len(words) == 1 else f"×({' + '.join(words)})"
        )


@given(programs(ends=2))
@drawn(16)
def test_no_card_covers_another_and_edges_lead_from_rank_to_rank(program):
    units, way, _ = way_of(program)
    for flow, along in zip(way["flows"], (0, 1), strict=True):
        boxes = flow["boxes"]
        for i, (x, y) in enumerate(boxes):
            assert 0 <= x <= flow["width"] - way["wide"] and 0 <= y <= flow["height"] - HIGH
            assert all(abs(x - u) >= way["wide"] or abs(y - v) >= HIGH for u, v in boxes[:i])
        assert all(boxes[e.start.index][along] < boxes[e.end.index][along] for e in units.edges)


def test_cards_carry_the_users_names_and_sums_say_what_came_together():
    def f(x, weight):
        h = np.tanh(x * weight)
        return h**2 + x

    _, way, _ = way_of(f, 1.0, 0.5)
    cards = {card["title"]: card for card in way["cards"]}
    assert cards["tanh"]["value"] == f"h = {number(np.tanh(0.5))}" and cards["tanh"]["gradient"]["title"] == "∂h"
    assert cards["x"]["gradient"]["sums"][0][1].startswith("1 + 0.") and cards["x"]["gradient"]["title"] == "x.grad"
    _, way, _ = way_of(lambda x: np.sum(x * 2 + np.sin(x) + x), onp.ones(3))
    x = next(card for card in way["cards"] if card["kind"] == "leaf")
    assert [words for _, words in x["gradient"]["sums"]] == ["sum of 2", "sum of 3"]
    assert x["tip"][:2] == ["x", "float64 [3]"] and "Sum of " in " ".join(x["gradient"]["tip"])


def test_the_first_bad_value_and_the_first_bad_gradient_are_marked_and_what_is_0_says_so():
    _, way, _ = way_of(lambda x: np.log(x) * 2, -1.0)
    assert [card["title"] for card in way["cards"] if card["bad"]] == ["log"]
    _, way, _ = way_of(lambda x: np.sqrt(x) * 2, 0.0)
    assert [card["title"] for card in way["cards"] if card.get("gradient", {}).get("bad")] == ["x"]
    _, way, _ = way_of(lambda x: np.sum(np.maximum(x - 9.0, 0.0)), X)
    assert next(card for card in way["cards"] if card["title"] == "x")["gradient"]["texts"][-1][1] == "∅ all 0"


# ---- norms ----


def test_the_norms_of_weights_are_those_of_their_gradients_and_other_functions_have_none():
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
    _, way, _ = way_of(net, torch.ones((2, 3)))
    net(torch.ones((2, 3))).sum().backward()
    weights = {name: one for name, one in net.named_parameters() if "weight" in name}
    assert [point["title"] for point in way["norms"]] == list(weights)
    assert [point["norm"] for point in way["norms"]] == pytest.approx([float(w.grad.norm()) for w in weights.values()])
    assert way_of(lambda x: np.sum(np.sin(np.tanh(x * 2) * 3) ** 2), X)[1]["norms"] == []


# ---- arrays inside of steps ----


def layer(x, w, b):
    return np.mean(np.tanh(x @ w + b) ** 2)


def groups(units):
    return {
        step: [(g["words"], [p if isinstance(p, str) else p["name"] for p in g["parts"]]) for g in found]
        for step, found in inside(units, Said(units.story)).items()
    }


def test_a_product_is_seen_with_its_factors():
    units, way, say = way_of(layer, X, W, B)
    found = groups(units)
    assert found[0] == [("What goes in", ["x", "w", "b"])] and found[1] == [("Forward: @", ["x", "·", "w", "=", "x·w"])]
    assert found[3] == [("Forward: tanh", ["x·w + b", "→", "tanh"])]
    assert found[units.last] == [
        ("x gets g·wᵀ", ["g", "·", "wᵀ", "=", "x.grad"]),
        ("w gets xᵀ·g", ["xᵀ", "·", "g", "=", "w.grad"]),
    ]
    for group in way["inside"][units.last]:
        values = [
            onp.reshape([v for (v,) in say.arrays[p["array"]]["at"]], say.arrays[p["array"]]["shape"])
            for p in group["parts"]
            if "array" in p
        ]
        assert values[0] @ values[1] == pytest.approx(values[2], rel=1e-4)


def test_what_is_added_says_so_and_single_numbers_have_no_groups():
    units, *_ = way_of(lambda x: np.sum(np.sin(x) * x), X)
    assert [names[-1] for step in (units.last - 1, units.last) for _, names in groups(units)[step]] == [
        "∂sin",
        "x.grad",
        "+= x.grad",
    ]
    assert groups(way_of(lambda x, y: np.sin(x) * y, 1.0, 2.0)[0]) == {}


def test_in_a_folded_block_what_is_only_transposed_goes_there_at_once():
    story = of_function(lambda x, w: np.sum(np.sin(x @ np.transpose(w)) ** 2), (X, W.T), program=False)
    ops = [n.index for n in story.nodes if not n.leaf]
    units = Units(story, [Block("k", "linear", ops[:2]), *ops[2:]])
    assert {words for words, _ in groups(units)[units.last]} == {"x gets g·w", "w gets gᵀ·x"}


def test_an_unfolded_block_can_be_folded_again():
    def rounds(x):
        for _ in range(40):
            x = np.tanh(x * 0.9)
        return x

    story = of_function(rounds, [0.5], program=False)
    parts = folded(story.nodes)
    block = parts[0]
    shut, wide = (Way(story, parts, frozenset(keys), Said(story)).written() for keys in ([], [block.key]))
    assert [card["opens"] for card in shut["cards"] if card["kind"] == "block"] == [
        part.key for part in parts
    ] and not shut["folds"]
    assert wide["folds"] == [[block.title, "|"]] and len(wide["cards"]) > len(shut["cards"])
