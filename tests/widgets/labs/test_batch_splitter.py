"""The batch splitter shows the gradients of the parts of a batch, and what combines to that of the whole batch."""

import json
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from labkit.widgets.kit.scene import holds, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.batch_splitter.scene import BatchSplitter
from labkit.widgets.labs.batch_splitter.split import COMBINE, COUNTS, SAMPLES, SHARDS


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return BatchSplitter()


def test_parts_make_up_the_whole_batch():
    for (count, _), split in usual().splits.items():
        assert len(split.sizes) == len(split.parts) == count and sum(split.sizes) == SAMPLES


def test_the_gradients_are_those_of_the_formula():
    rng = np.random.default_rng(3)
    x = rng.uniform(0.5, 2.0, SAMPLES)
    y = 2.0 * x + rng.normal(0.0, 1.0, SAMPLES)
    slopes = 2 * (3.5 * x - y) * x
    split = usual().splits[4, "uneven"]
    assert split.big == pytest.approx(slopes.mean(), rel=1e-12)
    assert split.parts == pytest.approx([*slopes[:3], slopes[3:].mean()], rel=1e-12)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("shards", SHARDS)
def test_weighted_is_always_right_and_the_sum_is_n_times_too_long(count, shards):
    split = usual().splits[count, shards]
    assert split.error("weighted") < 1e-12
    assert split.combined("sum") == pytest.approx(count * split.combined("mean"))


def test_the_mean_is_right_for_even_parts_alone():
    for split in usual().splits.values():
        if len(set(split.sizes)) == 1:
            assert split.error("mean") < 1e-12
        else:
            assert split.error("mean") > 0.05


def test_every_state_says_whether_the_gradients_agree():
    for (count, shards), split in usual().splits.items():
        for how in COMBINE:
            words = usual().describe(parts=str(count), shards=shards, combine=how)
            assert ("the gradient of the big batch." in words) == (split.error(how) < 1e-12)


def columns(**dials):
    """The columns seen, from left to right and up, the y of the level they have together, and of the one they should have."""
    seen = list(visible_marks(usual().scene.panels[0], usual().scene.state(**dials)))
    found = sorted((at for mark, at, _, _ in seen if mark.role == "op"), key=lambda at: (at["x"], -at["y"]))
    level = next(at["y"] + 2 for mark, at, _, _ in seen if mark.role == "backbar" and at["width"] > 100)
    aim = next(at["d"] for mark, at, _, _ in seen if mark.role == "outline")
    return found, level, float(aim.partition("L")[0].split()[1])


@pytest.mark.parametrize("count", [2, 4, 6])
@pytest.mark.parametrize("how", ["mean", "weighted"])
def test_the_level_is_that_of_columns_as_wide_as_they_count(count, how):
    split = usual().splits[count, "uneven"]
    found, *_ = columns(parts=str(count), shards="uneven", combine=how)
    assert len(found) == count
    heights = np.array([at["height"] for at in found])
    assert heights / heights[0] == pytest.approx(np.array(split.parts) / split.parts[0], rel=0.02)
    widths = np.array([at["width"] for at in found])
    counted = np.array([1] * count if how == "mean" else split.sizes)
    assert widths / widths.sum() == pytest.approx(counted / counted.sum(), abs=0.03)


def test_of_a_sum_the_columns_stand_upon_each_other():
    found, level, aim = columns(parts="3", shards="even", combine="sum")
    base, *_ = (at["y"] + at["height"] for at in found)
    for below, above in pairwise(found):
        assert above["y"] + above["height"] == pytest.approx(below["y"], abs=0.2)
    assert found[-1]["y"] == pytest.approx(level, abs=0.2)
    assert (base - level) / (base - aim) == pytest.approx(3, rel=0.02)


def test_the_two_levels_are_one_where_the_gradients_agree():
    for shards, how in (("even", "mean"), ("uneven", "weighted"), ("uneven", "mean")):
        _, level, aim = columns(parts="4", shards=shards, combine=how)
        assert (abs(level - aim) < 0.2) == (usual().splits[4, shards].error(how) < 1e-12)


@pytest.mark.parametrize("count", COUNTS[1:])
@pytest.mark.parametrize("shards", SHARDS)
@pytest.mark.parametrize("how", COMBINE)
def test_the_question_before_a_cut_is_about_what_comes(count, shards, how):
    split, state = usual().splits[count, shards], usual().scene.state(shards=shards, combine=how)
    (ask,) = (ask for ask in usual().scene.dials[0].asks[COUNTS.index(count)] if holds(ask.when, state))
    assert f"{split.sizes[0]}, " in ask.question or f"{split.sizes[0]} and {split.sizes[1]} samples" in ask.question
    if (shards, how) == ("even", "sum"):
        assert ask.answer == pytest.approx(count * split.big)
    else:
        assert ask.answer == ("yes, exactly" if split.error(how) < 1e-12 else "no") and ask.answer in ask.choices
    for wrong, words in ask.slips:
        assert words.endswith(".") and wrong != ask.answer and (not ask.choices or wrong in ask.choices)


def test_while_one_predicts_another_choice_begins_with_the_whole_batch():
    assert [dial.resets for dial in usual().scene.dials] == [{}, {"parts": 0}, {"parts": 0}]


def test_it_is_small_and_can_be_drawn():
    assert len(json.dumps(to_json(usual().scene), allow_nan=False)) < 150_000
    assert usual().svg("dark", shards=1).startswith("<svg")


def test_the_batch_is_cut_where_the_cuts_are_dragged():
    picture = BatchSplitter()
    picture.respond({"set": {"cut 1": 2}, "at": picture.state})
    picture.respond({"set": {"cut 2": 7}})
    assert picture.splits[3, "yours"].sizes == [2, 5, 5] and picture.state["shards"] == SHARDS.index("yours")
    assert picture.splits[3, "yours"].error("weighted") < 1e-12 < picture.splits[3, "yours"].error("mean")
    picture.respond({"set": {"cut 3": 12}})
    assert "expected a whole number from 1 to 11" in picture.scene.notice and picture.inputs["cut 3"] == 9


@pytest.mark.parametrize("cut", range(1, SAMPLES))
def test_wherever_a_cut_is_every_part_keeps_a_sample(cut):
    picture = BatchSplitter()
    for k in (1, 3, 5):
        picture.fill({**picture.inputs, f"cut {k}": cut})
    assert all(min(split.sizes) >= 1 and sum(split.sizes) == SAMPLES for split in picture.splits.values())
