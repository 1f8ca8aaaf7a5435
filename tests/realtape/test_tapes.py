"""The recorded tapes of ten models of the real PyTorch, drawn without it. `tests/tools/recorded.py torch` records them."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from stored_tapes import of_json

from labkit.engine import Summary
from labkit.realtape import FREED, KEPT, PACKED, BackStep, Saved, Tape, TapeNode, Value
from labkit.widgets.explorer import Explorer, of_tape

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))


@cache
def tape(name):
    return of_json(json.dumps(RECORDED[name]))


@cache
def picture(name, view="tape"):
    return Explorer(of_tape(tape(name)), view, 8 if name.endswith("_run") else 150)


def cards(shown):
    return shown.data["ways"][shown.opened]["cards"]


def texts(shown):
    """All that is written on cards, and below those of the tape."""
    nodes = [card.get("tape", {}) for card in cards(shown)]
    found = [
        *(card[key] for card in cards(shown) for key in ("title", "value")),
        *(node.get(key) for node in nodes for key in ("title", "saves")),
    ]
    return [words for words in found if words]


@pytest.mark.parametrize("name", RECORDED)
def test_a_tape_is_drawn_node_by_node(name):
    story = of_tape(tape(name))
    assert [n.grad_fn for n in story.nodes if not n.leaf] == [n.name for n in tape(name).nodes if not n.leaf]
    for node in story.nodes:
        assert all(parent < node.index for parent in node.parents)
    assert picture(name).describe().startswith(tape(name).name)


@pytest.mark.parametrize("name", [name for name in RECORDED if tape(name).steps])
def test_gradients_add_up_to_what_arrives(name):
    story = of_tape(tape(name))
    arrived = {step.node: step.gradient for step in story.steps}
    last = {}
    for step in story.steps:
        for sent in step.sent:
            last[sent.parent] = sent
    for i, sent in last.items():
        if i in arrived and not isinstance(sent.total, Summary) and np.shape(sent.total) == np.shape(arrived[i]):
            np.testing.assert_array_equal(sent.total, arrived[i])
    for leaf, value in tape(name).gradients.items():
        label = tape(name).nodes[leaf].label
        node = next(n for n in story.leaves if n.title == label)
        assert last[node.index].total is value.numbers


def test_the_way_back_is_that_of_the_engine():
    """Each node runs after all that it gets its gradient from."""
    for name in RECORDED:
        ran = [step.node for step in tape(name).steps]
        place = {node: i for i, node in enumerate(ran)}
        for node in tape(name).nodes:
            for parent in node.parents:
                if parent is not None and parent[0] in place and node.index in place:
                    assert place[node.index] < place[parent[0]]


def test_what_is_packed_freed_and_not_kept_is_told():
    packed, freed = picture("checkpointing"), picture("bug_freed")
    assert "packed by a hook and not read: 11" in packed.describe()
    assert "checkpoint: unpacking it would run the forward again" in packed.describe()
    assert any("(packed)" in words for words in texts(packed))
    assert "saved tensors freed" in freed.describe() and any(card.get("tape", {}).get("gone") for card in cards(freed))
    assert {saved.state for saved in tape("bug_freed").saved} == {FREED}
    assert "not kept by the tape" in packed.describe() and any("not kept" in words for words in texts(packed))
    tip = next(card["tip"] for card in cards(packed) if card["title"] == "linear")
    assert any("Saves mat1: packed by a hook" in line for line in tip)


def test_what_is_saved_is_told_with_shape_and_bytes():
    relu = next(n for n in tape("lenet").nodes if n.name == "ReluBackward0")
    assert [s.told() for s in relu.saved] == ["result: float32 [2, 6, 28, 28], 37.6 kB"]
    assert "332 kB without parameters and buffers" in tape("lenet").summary()
    tip = next(card["tip"] for card in cards(picture("lenet")) if card["title"] == "relu")
    assert "Saves result: float32 [2, 6, 28, 28], 37.6 kB" in tip


def test_frozen_and_detached_tensors_are_leaves_without_a_node():
    frozen = of_tape(tape("mlp"))
    assert tape("mlp").frozen == ("net.0.bias",) and "net.0.bias" in picture("mlp").describe()
    assert "net.0.bias" not in [leaf.title for leaf in frozen.leaves]  # nothing saved it
    custom = [s for s in tape("custom").saved if s.name == "ctx.far"]
    assert custom and custom[0].dtype == "bool"
    node = TapeNode(1, "MulBackward0", "mul", ((0, 0), None), (((2,), "float32", "cpu"),))
    node.saved = (Saved("other", shape=(2,), dtype="float32", bytes=8, memory=5, label="h", note="detached from h"),)
    leaf = TapeNode(0, "AccumulateGrad", "leaf", outputs=(((2,), "float32", "cpu"),), label="w")
    story = of_tape(Tape("loss", ((1, 0),), [leaf, node]))
    assert [n.title for n in story.leaves] == ["w", "h, detached"] and story.nodes[2].parents == (0, 1)
    boxes = texts(Explorer(story, "tape"))
    assert boxes.count("AccumulateGrad") == 1


def test_the_first_nan_and_the_part_without_a_path_are_found():
    said = picture("bug").describe().replace("\n", " ")
    assert "The first inf among the gradients comes from the backward of sqrt (SqrtBackward0)" in said
    assert "The first nan is made of it in the backward of pow 2 (PowBackward0)" in said
    assert "net.unused.weight and net.unused.bias get no gradient: no path leads there." in said


def test_modules_fold_as_layers():
    shown = picture("resnet_run")
    assert [part.title for part in shown.parts if not isinstance(part, int)][:2] == ["0: Conv2d", "1: Residual"]
    found = {*texts(shown), *(title for title, _ in shown.data["ways"][shown.opened]["folds"])}
    assert {"0: Conv2d", "5: Linear", "1: Residual"} <= found
    assert any(words.startswith("saves ") and words.endswith(" kB") for words in texts(shown))
    assert "norm" in str([node.scope for node in shown.story.nodes])


def test_an_extra_backward_says_that_it_ran_and_gives_no_choice_of_retaining():
    said = picture("mlp").describe().replace("\n", " ")
    assert (
        "labkit ran an extra backward pass for this picture, with your hooks and the recomputation of checkpoints"
        in said
    )
    assert "backward=True runs an extra backward" in picture("transformer").describe().replace("\n", " ")
    shown = picture("mlp")
    assert shown.step == shown.data["ways"][shown.opened]["last"]  # it is there already
    assert not any(card.get("tape", {}).get("frees") for card in cards(shown))


def test_slopes_are_those_of_single_numbers():
    one, three = (Value((), "float32", np.array(x, np.float32)) for x in (1, 3))
    nodes = [
        TapeNode(0, "AccumulateGrad", "leaf", outputs=(((), "float32", "cpu"),), label="w"),
        TapeNode(1, "MulBackward0", "mul", ((0, 0), None), (((), "float32", "cpu"),)),
    ]
    nodes[1].saved = (Saved("other", KEPT, (), "float64", 8, value=Value((), "float64", np.array(3.0))),)
    made = Tape("y", ((1, 0),), nodes, backward=True, gradients={0: three})
    made.steps = [BackStep(1, {0: one}, (three, None))]
    story = of_tape(made)
    assert story.nodes[1].title == "× 3" and story.steps[0].sent[0].slope == 3


def test_what_a_hook_has_packed_is_said():
    assert Saved("a", PACKED, why="h").told() == "a: packed by a hook (h), not unpacked"
