"""What a real tape is opened on: nodes are marked, it plays once, and at its last step it says what to do."""

from dataclasses import replace

import numpy as np
import pytest
from small_tapes import chain, cut_off, value

from labkit.realtape import BackStep, Flat, Saved, Spread, TapeNode, Value
from labkit.widgets.explorer import Explorer, of_tape
from labkit.widgets.explorer.run.findings import findings


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
    assert found(chain("mm", ("sub", square), "mean")) == ["sub broadcasts 4×1 to 4×4: do you want all 16 pairs?"]


def test_what_comes_of_all_pairs():
    square = {"outputs": (((4, 4), "float32", "cpu"),), "spread": Spread(4, 2, True)}
    picture = Explorer(of_tape(chain("mm", ("sub", square), "mean")), "tape")
    assert picture.notice == "sub broadcasts 4 numbers against 4 others: 16 pairs instead of 4."


def test_where_a_gradient_ends_is_told_with_what_gets_nothing():
    tape = chain("mm", "round", "mean", gradients={0: value(0, 0)}, backward=True)
    tape.steps = [BackStep(3, {0: value(1)}, (value(0.5, 0.5),)), BackStep(2, {0: value(0.5, 0.5)}, (value(0, 0),))]
    (words,) = found(tape)
    assert words == "The gradient of w is 0: round has an upstream gradient of norm 0.707 and sends 0."


@pytest.mark.parametrize("early, late, words", [
    (1e-7, 1.0, "shrinks during the backward pass: its norm goes from 1 at v to 1e−07 at w."),
    (1e6, 1.0, "grows during the backward pass: its norm goes from 1 at v to 1e+06 at w."),
    (9e5, 8e5, "are very large, up to 9e+05 at w."), (1.0, 0.1, ""),
])  # fmt: skip
def test_gradients_that_shrink_or_grow_are_told(early, late, words):
    tape = chain("mm", "mm", "mean", backward=True)
    tape.nodes[2].parents = ((1, 0), (4, 0))
    tape.nodes.append(TapeNode(4, "AccumulateGrad", "leaf", outputs=(((2, 1), "float32", "cpu"),), label="v"))
    tape.gradients = {
        i: Value((1, 1), "float32", np.full((1, 1), size, np.float32)) for i, size in ((0, early), (4, late))
    }
    assert "".join(found(tape)).endswith(words)


def test_what_holds_a_gradient_already_and_what_is_frozen():
    held, frozen = found(chain("mm", filled=("w",), frozen=("a", "b")))
    assert held.startswith("w.grad holds a gradient already") and frozen.startswith(
        "Frozen (requires_grad=False): a and b."
    )


def test_what_was_changed_is_said_once():
    saved = (Saved("result", "changed", why="version 1; expected version 0"),)
    assert found(chain(("exp", {"saved": saved}), "mean")) == [
        "What exp saved was changed in place afterwards: backward() raises a RuntimeError there."
    ]


def test_parameters_without_a_path_are_named_and_what_was_detached_is_marked():
    saved = Saved("mat1", shape=(4, 8), dtype="float32", note="detached from h")
    story = of_tape(cut_off(saved))
    (end,) = story.marked
    assert story.nodes[end].title == "h, detached"
    assert story.notices == ["enc.weight and enc.bias get no gradient: no path leads there."]
    assert "labkit.why(lambda: ..., enc.weight)" in story.ending


def test_settings_that_nobody_has_made_are_not_told():
    node = ("addmm", {"settings": {"mat1_sym_strides": [], "alpha": 1}, "outputs": (((4, 1), "float32", "cpu"),)})
    facts = of_tape(chain(node, "mean")).nodes[1].facts
    assert "Settings: alpha = 1." in facts


def test_probabilities_that_sum_to_one_down_the_examples():
    node = {"settings": {"dim": 0}, "outputs": (((4, 3), "float32", "cpu"),)}
    assert found(chain("mm", ("softmax", node), "index", "log"))[0].startswith(
        "softmax runs along dim=0, over the 4 rows"
    )
    assert found(chain("mm", ("softmax", node), "mm")) == []  # weights of an attention over rows may


def test_without_a_backward_the_picture_has_the_tape_alone():
    picture = Explorer(of_tape(chain("mm", "relu", "mean")), "tape")
    assert not picture.story.steps and picture.step == len(way(picture)["said"]) - 1
    assert "The tape was only read" in picture.describe() and all(card["tape"] for card in cards(picture))


def layers(*sizes, op="tanh", slope=0.1):
    """A tape of products with weights whose gradients are so long, and an op between them that passes on a part."""
    parts = [part for i in range(len(sizes)) for part in ("mm", op)]
    tape = chain(*parts, "mean", backward=True)
    leaves = [replace(tape.nodes[0], index=len(tape.nodes) + i, label=f"w{i}") for i in range(len(sizes))]
    for i, leaf in enumerate(leaves):
        node = tape.nodes[2 * i + 1]
        node.parents = (*node.parents, (leaf.index, 0))
        leaf.values = {}
    tape.nodes += leaves
    tape.gradients = {leaf.index: Value((2, 2), "float32", np.eye(2) * n) for leaf, n in zip(leaves, sizes)}
    g = np.ones((4, 2))
    tape.steps = [
        BackStep(2 * i + 2, {0: Value((4, 2), "float32", g)}, (Value((4, 2), "float32", g * slope),))
        for i in reversed(range(len(sizes)))
    ]
    return tape


def test_what_shrinks_most_is_told_with_its_mean():
    (finding,) = [f for f in findings(layers(1e-6, 1e-3, 1.0)) if "during the backward pass" in f.words]
    assert "from 1.41 at w2 to 1.41e−06 at w0" in finding.words
    assert finding.ending == (
        "A step of SGD moves w0 1,000,000 times less than w2. Each tanh multiplies the norm by 0.1 on average."
    )
    (finding,) = [f for f in findings(layers(1e6, 1e3, 1.0, slope=9.0)) if "during the backward pass" in f.words]
    assert "times further than w2. Each tanh multiplies the norm by 9 on average." in finding.ending
    (finding,) = [f for f in findings(layers(1e-6, 1e-3, 1.0, slope=2.0)) if "during the backward pass" in f.words]
    assert "Each" not in finding.ending
