"""What a real tape is opened on: nodes are marked, it plays once, and at its last step it says what to do."""

from dataclasses import replace

import numpy as np
import pytest
from small_tapes import chain, cut_off, homes, value

from labkit.realtape import BackStep, Flat, Saved, Spread, TapeNode, Value
from labkit.widgets.explorer import Explorer, of_tape
from labkit.widgets.explorer.run.findings import findings, sound
from labkit.widgets.explorer.run.story import titled


def way(picture):
    return picture.data["ways"][picture.opened]


def cards(picture):
    return way(picture)["cards"]


def found(tape):
    return [finding.words for finding in findings(tape)]


@pytest.mark.parametrize("flat, words", [
    (Flat(8, 1.0), "No gradient passes relu: all its 8 numbers are 0, where its slope is 0."),
    (Flat(32, 0.6, 5, 8, 4), "5 of 8 units of relu are 0 for all 4 examples: they pass no gradient."),
])  # fmt: skip
def test_a_closed_relu_is_marked(flat, words):
    tape = chain("mm", ("relu", {"flat": flat}), "mean")
    assert found(tape) == [words]
    picture = Explorer(of_tape(tape), "tape")
    assert [card["title"] for card in cards(picture) if card["marked"]] == ["relu"]
    assert picture.step == way(picture)["last"] and picture.notice == words


@pytest.mark.parametrize("node", [
    ("relu", {"flat": Flat(8, 0.9)}), ("relu", {"flat": Flat(32, 0.5, 3, 8, 4)}), ("relu", {"flat": Flat(6, 0.9, 2, 2, 3)}),
    ("tanh", {"flat": Flat(8, 0.8)}), ("sub", {"outputs": (((4, 3), "float32", "cpu"),)}), "softmax", "log_softmax",
])  # fmt: skip
def test_what_happens_in_any_run_is_no_finding(node):
    assert found(chain("mm", node, "mean")) == []


def test_scores_squashed_twice_and_a_column_that_meets_a_row():
    assert "cross_entropy expects the scores before sigmoid" in found(chain("sigmoid", "log_softmax"))[0]
    square = {"outputs": (((4, 4), "float32", "cpu"),), "spread": Spread(4, 2)}
    assert found(chain("mm", ("sub", square), "mean")) == [
        "sub makes 4×4 of 4×1: does each number have to meet each of a row of 4?"
    ]


def test_what_comes_of_all_pairs():
    square = {"outputs": (((4, 4), "float32", "cpu"),), "spread": Spread(4, 2, True)}
    picture = Explorer(of_tape(chain("mm", ("sub", square), "mean")), "tape")
    assert picture.notice == "sub broadcasts 4 numbers against 4 others: 16 pairs instead of 4."


def test_where_a_gradient_ends_is_told_with_what_gets_nothing():
    tape = chain("mm", "round", "mean", gradients={0: value(0, 0)}, backward=True)
    tape.steps = [BackStep(3, {0: value(1)}, (value(0.5, 0.5),)), BackStep(2, {0: value(0.5, 0.5)}, (value(0, 0),))]
    (words,) = found(tape)
    assert words == "The gradient of w is 0: it ends at round, where 0.707 arrives and 0 goes on."


@pytest.mark.parametrize("early, late, words", [
    (1e-7, 1.0, "shrinks during the backward pass: its norm goes from 1 at v to 1e−07 at w."),
    (1e6, 1.0, "grows during the backward pass: its norm goes from 1 at v to 1e+06 at w."),
    (9e5, 8e5, "are very large, up to 9e+05 at w."), (1.0, 0.1, ""),
])  # fmt: skip
def test_gradients_that_shrink_or_grow_are_coloured(early, late, words):
    tape = chain("mm", "mm", "mean", backward=True)
    tape.nodes[2].parents = ((1, 0), (4, 0))
    tape.nodes.append(TapeNode(4, "AccumulateGrad", "leaf", outputs=(((2, 1), "float32", "cpu"),), label="v"))
    tape.gradients = {
        i: Value((1, 1), "float32", np.full((1, 1), size, np.float32)) for i, size in ((0, early), (4, late))
    }
    assert "".join(found(tape)).endswith(words) and all(finding.coloured for finding in findings(tape))


def test_what_holds_a_gradient_already_and_what_is_frozen():
    held, frozen = found(chain("mm", filled=("w",), frozen=("a", "b")))
    assert held.startswith("w.grad holds something already") and frozen.startswith(
        "Frozen (requires_grad=False): a and b."
    )


def test_parameters_without_a_path_stand_beside_the_graph():
    few, many = (
        Explorer(of_tape(chain("mm", "mean", unreached=names)), "tape") for names in (("a", "b"), tuple("abcdef"))
    )
    for picture, titles in ((few, {"a", "b"}), (many, {"6 parameters"})):
        marked = [(card["title"], card["value"]) for card in cards(picture) if card["marked"]]
        assert marked == [(title, "no path to loss") for title in sorted(titles)]


def test_what_was_changed_is_said_once():
    saved = (Saved("result", "changed", why="version 1; expected version 0"),)
    assert found(chain(("exp", {"saved": saved}), "mean")) == [
        "What exp saved was changed in place afterwards: backward() raises a RuntimeError there."
    ]


def test_the_gap_is_drawn_from_the_module_to_the_data_without_a_history():
    data = Saved("mat1", shape=(4, 8), dtype="float32")
    picture = Explorer(of_tape(cut_off(data, homes=homes("enc", True))), "tape")
    story = picture.story
    (pile,) = [node for node in story.nodes if node.cut is not None]
    ((end, _),) = pile.cut
    assert (pile.title, pile.brief, story.nodes[end].title) == ("enc: Linear", "no path to loss", "mat1: no grad_fn")
    assert {pile.index, end} == story.marked and "mat1 has no grad_fn" in way(picture)["said"][-1]
    assert [edge["cut"] for edge in way(picture)["edges"] if edge["cut"]] == ["cut, or unused?"]
    (card,) = [card for card in cards(picture) if card["title"] == pile.title]
    assert card["tip"][1].startswith("No path of the tape leads to enc.weight")


def test_settings_that_nobody_has_made_are_not_told():
    node = ("addmm", {"settings": {"mat1_sym_strides": [], "alpha": 1}, "outputs": (((4, 1), "float32", "cpu"),)})
    facts = of_tape(chain(node, "mean")).nodes[1].facts
    assert "Settings: alpha = 1." in facts


@pytest.mark.parametrize("saved, after, title", [
    (Saved("mat1", shape=(4, 8), dtype="float32", label="x"), True, "x"),  # the user's: an input, as far as is known
    (Saved("mat1", shape=(4, 8), dtype="float32", note="a view of x"), True, "x, a view"),
    (Saved("mat1", shape=(4, 8), dtype="float32"), False, "data (mat1)"),  # made by a head that comes later, and unused
])  # fmt: skip
def test_no_edge_is_drawn_where_nothing_says_that_it_was_there(saved, after, title):
    picture = Explorer(of_tape(cut_off(saved, homes=homes("enc", after))), "tape")
    (pile,) = [node for node in picture.story.nodes if node.cut is not None]
    assert not pile.cut and title in {node.title for node in picture.story.leaves}
    assert not [edge for edge in way(picture)["edges"] if edge["cut"]]


@pytest.mark.parametrize("names, cuts", [
    (("blocks.0.b.weight", "blocks.1.b.weight"), {"blocks.0.a: Linear": [3], "blocks.1.a: Linear": [2]}),
    (("one.weight", "two.weight"), {"blocks.0.a: Linear": [], "blocks.1.a: Linear": []}),  # either may be of either
])  # fmt: skip
def test_of_several_data_that_is_behind_a_cut_which_meets_a_neighbour(names, cuts):
    saved = [(Saved("mat1", shape=(4, 8), dtype="float32", memory=memory),) for memory in (1, 2)]
    first, second = names
    tape = chain(("addmm", {"saved": saved[0]}), ("addmm", {"saved": saved[1]}), "mean", unreached=(
        "blocks.0.a.weight", "blocks.1.a.weight"))  # fmt: skip
    tape.nodes[0].label = second  # of the first op on the tape
    tape.nodes[1].parents = ((0, 0), None)
    tape.nodes.append(TapeNode(4, "AccumulateGrad", "leaf", outputs=(((4, 4), "float32", "cpu"),), label=first))
    tape.nodes[2].parents = ((1, 0), (4, 0), None)
    tape.homes = {f"blocks.{i}.a.weight": (f"blocks.{i}.a", "Linear", True, "") for i in (0, 1)}
    story = of_tape(tape)
    assert {node.title: [i for i, _ in node.cut] for node in story.nodes if node.cut is not None} == cuts


def test_what_was_made_with_them_and_came_without_a_history_was_detached():
    saved = Saved("mat1", shape=(4, 8), dtype="float32", note="detached from h")
    story = of_tape(cut_off(saved, homes=homes("enc", True, "h")))
    cuts = [(story.nodes[i].title, words) for node in story.nodes for i, words in node.cut or ()]
    assert cuts == [("h, detached", "detached")] and story.ending.startswith("Here the way back ends: h was detached")


def test_frozen_modules_that_are_not_on_the_tape_stand_before_it():
    data = Saved("mat1", shape=(4, 8), dtype="float32")
    tape = cut_off(data, frozen=("enc.weight", "enc.bias"), homes=homes("enc", True))
    tape.unreached = ()
    story = of_tape(tape)
    (pile,) = [node for node in story.nodes if node.cut is not None]
    assert (pile.title, pile.brief, [words for _, words in pile.cut]) == ("enc: Linear", "frozen", ["no history"])
    assert not story.marked


def test_probabilities_that_sum_to_one_down_the_examples():
    node = {"settings": {"dim": 0}, "outputs": (((4, 3), "float32", "cpu"),)}
    assert found(chain("mm", ("softmax", node), "index", "log"))[0].startswith("softmax goes down the 4 rows (dim=0)")
    assert found(chain("mm", ("softmax", node), "mm")) == []  # weights of an attention over rows may


def test_without_a_backward_its_order_is_told_without_numbers():
    story = of_tape(chain("mm", "relu", "mean"))
    assert [story.nodes[step.node].op for step in story.steps] == ["mean", "relu", "mm"] and not story.stepped
    picture = Explorer(story, "tape")
    said = way(picture)["said"]
    assert said[-1] == "Then @ runs backward, towards w." and any("backward=True adds the numbers" in s for s in said)
    assert picture.step == len(said) - 1


def test_the_order_ends_where_backward_would_raise():
    saved = (Saved("result", "changed", why="version 1; expected version 0"),)
    story = of_tape(chain("mm", ("exp", {"saved": saved}), "mean"))
    assert [story.nodes[step.node].op for step in story.steps] == ["mean", "exp"] and not story.steps[-1].sent


def layers(*sizes, op="tanh", slope=0.1, lengths=()):
    """A tape of products with weights whose gradients are so long, and an op between them that passes on a part."""
    parts = [part for i in range(len(sizes)) for part in ("mm", op)]
    tape = chain(*parts, "mean", backward=True)
    leaves = [replace(tape.nodes[0], index=len(tape.nodes) + i, label=f"w{i}") for i in range(len(sizes))]
    for i, leaf in enumerate(leaves):
        node = tape.nodes[2 * i + 1]
        node.parents = (*node.parents, (leaf.index, 0))
        leaf.values = {0: Value((2, 2), "float32", np.eye(2) * lengths[i])} if lengths else {}
    tape.nodes += leaves
    tape.gradients = {leaf.index: Value((2, 2), "float32", np.eye(2) * n) for leaf, n in zip(leaves, sizes)}
    g = np.ones((4, 2))
    tape.steps = [
        BackStep(2 * i + 2, {0: Value((4, 2), "float32", g)}, (Value((4, 2), "float32", g * slope),))
        for i in reversed(range(len(sizes)))
    ]
    return tape


def test_what_shrinks_most_is_told_with_its_mean():
    (finding,) = [f for f in findings(layers(1e-6, 1e-3, 1.0)) if f.coloured]
    assert "from 1.41 at w2 to 1.41e−06 at w0" in finding.words
    assert finding.ending == (
        "A step of SGD moves w0 1,000,000 times less than w2. Each tanh multiplies the length by 0.1 on average."
    )
    (finding,) = [f for f in findings(layers(1e6, 1e3, 1.0, slope=9.0)) if f.coloured]
    assert "times further than w2. Each tanh multiplies the length by 9 on average." in finding.ending
    (finding,) = [f for f in findings(layers(1e-6, 1e-3, 1.0, slope=2.0)) if f.coloured]
    assert "Each" not in finding.ending


@pytest.mark.parametrize("sizes, lengths, verdict", [
    ((0.1, 0.2, 0.5), (1.0, 1.0, 10.0), "Sound. The gradient norms of all 3 weights are within a factor of 5."
     " SGD moves each by lr × 0.05 to 0.2 of its norm."),
    ((0.1, 0.2, 0.5), (), "Sound. The gradient norms of all 3 weights are within a factor of 5."),
    ((0.001, 0.2, 0.5), (), "The gradient norms of all 3 weights are within a factor of 500."),
    ((1e-9, 2e-9, 5e-9), (1.0, 1.0, 1e-3), "The gradient norms of all 3 weights are within a factor of 5. With a "
     "learning rate of 1, SGD moves 2 of 3 by less than rounding. SGD moves each by lr × 1e−09 to 5e−06 of its norm."),
])  # fmt: skip
def test_a_run_in_which_nothing_is_found_ends_in_a_verdict(sizes, lengths, verdict):
    tape = layers(*sizes, lengths=lengths)
    assert not list(findings(tape))
    found = sound(tape)
    assert found.words == verdict and found.sound == verdict.startswith("Sound")
    assert (found.low, found.high) == pytest.approx((min(sizes) * 2**0.5, max(sizes) * 2**0.5))
    story = of_tape(tape)
    assert story.ending == verdict and story.heading == titled("loss", found)
