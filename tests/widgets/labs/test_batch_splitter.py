"""The batch splitter shows the gradients of the parts of a batch, and what combines to that of the whole batch."""

import json
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from labkit.widgets.kit.bound import turned
from labkit.widgets.kit.scene import holds, looks, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.strokes import numbers
from labkit.widgets.kit.words import number
from labkit.widgets.labs.batch_splitter.scene import BatchSplitter
from labkit.widgets.labs.batch_splitter.split import COMBINE, COUNTS, SAMPLES, SHARDS, cut_of, weight


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
    seen = list(visible_marks(usual().scene.panels[1], usual().scene.state(**dials)))
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
    ask = next(ask for ask in usual().scene.dials[0].asks[COUNTS.index(count)] if holds(ask.when, state))
    said = f"{split.sizes[0]}, ", f"{split.sizes[0]} and {split.sizes[1]} samples", "where you have cut it"
    assert any(words in ask.question for words in said)
    if (shards, how) == ("even", "sum"):
        assert ask.answer == pytest.approx(count * split.big)
    else:
        assert ask.answer == ("yes, exactly" if split.error(how) < 1e-12 else "no") and ask.answer in ask.choices
    for wrong, words in ask.slips:
        assert words.endswith(".") and wrong != ask.answer and (not ask.choices or wrong in ask.choices)


def test_while_one_predicts_another_choice_begins_with_the_whole_batch():
    assert [dial.resets for dial in usual().scene.dials[:3]] == [{}, {"parts": 0}, {"parts": 0}]


def test_it_is_small_and_can_be_drawn():
    assert len(json.dumps(to_json(usual().scene), allow_nan=False)) < 290_000
    assert usual().svg("dark", shards=1).startswith("<svg")


# ---- cuts that are dragged ----


def cut_at(*ends, combine="mean", shards="even"):
    """The state with cuts after some samples, each dragged where it is to be, from that of sizes of a kind."""
    scene, count = usual().scene, len(ends) + 1
    state = scene.state(parts=str(count), shards=shards, combine=combine)
    for k, end in enumerate(ends, 1):
        state = scene.turning(state, {cut_of(k, count): end - k})
    return state


def texts(state):
    return [words for panel in usual().scene.panels for _, _, words, _ in visible_marks(panel, state)]


@pytest.mark.parametrize("how", COMBINE)
@pytest.mark.parametrize("count", COUNTS[1:])
def test_wherever_it_is_cut_the_picture_has_the_gradients_of_the_parts(count, how):
    one = usual().splits[1, "even"].big
    (_, panel), of = usual().scene.panels, slopes()
    for ends in list(combinations(range(1, SAMPLES), count - 1))[:: 1 if count < 4 else 17]:
        state = usual().scene.start() | {"parts": COUNTS.index(count), "combine": COMBINE.index(how)}
        state |= {cut_of(k, count): end - k for k, end in enumerate(ends, 1)}
        bounds = list(pairwise([0, *ends, SAMPLES]))
        together = sum(weight(how, count, b - a) * of[a:b].mean() for a, b in bounds)
        values = [words for mark, _, words, _ in visible_marks(panel, state) if mark.role == "value"]
        off = 100 * (together / one - 1)
        assert values == [number(one), number(together), number(off if abs(off) > 1e-9 else 0)]
        exactly = abs(off) < 1e-9
        assert ("✓ exactly" in texts(state)) == exactly
        assert ("too large" in texts(state), "too small" in texts(state)) == (off > 1e-9, off < -1e-9)
        (gap,) = [numbers(at["d"])[1::2] for mark, at, _, _ in visible_marks(panel, state) if mark.role == "turn"]
        (level,) = [
            at["y"] + 2
            for mark, at, _, _ in visible_marks(panel, state)
            if mark.role == "backbar" and at["width"] > 100
        ]
        assert gap[2] == gap[3] == pytest.approx(level, abs=0.2) and (gap[0] > gap[2] + 0.2) <= (off > 0)
        said = [words for mark, _, words, _ in visible_marks(usual().scene.panels[0], state) if words.startswith("×")]
        each = [weight(how, count, b - a) / (b - a) * SAMPLES for a, b in bounds]
        assert said == [f"×{number(one_of, 2)}" for one_of in each]
        assert ("the gradient of the big batch." in usual().scene.told(state)) == exactly
        found = [at for mark, at, _, _ in visible_marks(panel, state) if mark.role == "op"]
        px = [at["height"] / abs(of[a:b].mean()) for at, (a, b) in zip(found, bounds, strict=True) if at["height"] > 2]
        assert max(px) == pytest.approx(min(px), rel=0.04)


def slopes():
    rng = np.random.default_rng(3)
    x = rng.uniform(0.5, 2.0, SAMPLES)
    return 2 * (3.5 * x - 2.0 * x - rng.normal(0.0, 1.0, SAMPLES)) * x


def test_a_cut_is_dragged_alone_and_then_the_sizes_are_yours():
    state = cut_at(3, 8, 9)
    assert state["shards"] == SHARDS.index("yours") and [state[cut_of(k, 4)] for k in (1, 2, 3)] == [2, 6, 6]
    sizes = [words for words in texts(state) if words in ("1", "2", "3") or words.endswith(" samples")]
    assert sizes == ["3", "5 samples", "1", "3"]
    assert cut_at(3, 6, 9)["shards"] == SHARDS.index("even")
    assert cut_at(3, 8, 9)["cut1of2"] == usual().scene.state(shards="even")["cut1of2"]


@pytest.mark.parametrize("shards", SHARDS)
def test_no_cut_passes_another_but_takes_it_along(shards):
    scene = usual().scene
    before = scene.state(parts="4", shards=shards)
    for k, place in product((1, 2, 3), range(SAMPLES - 3)):
        after = turned(scene.dials, before, {cut_of(k, 4): place})
        was, ends = ([state[cut_of(j, 4)] + j for j in (1, 2, 3)] for state in (before, after))
        assert ends == sorted(set(ends)) and ends[k - 1] == place + k
        behind = ends[: k - 1] if ends[k - 1] > was[k - 1] else ends[k:]
        assert behind == (was[: k - 1] if ends[k - 1] > was[k - 1] else was[k:])
    with pytest.raises(
        ValueError, match="cut2of4: expected a position from that of cut1of4 on, but got 'after sample 3'"
    ):
        scene.state(cut1of4=4, cut2of4=1)


def test_even_sizes_put_all_cuts():
    for shards in SHARDS:
        state = usual().scene.turning(cut_at(1, 2, 11), {"shards": shards})
        for count in COUNTS:
            ends = np.cumsum(usual().splits[count, shards].sizes)[:-1]
            assert [state[cut_of(k, count)] + k for k in range(1, count)] == ends.tolist()


def test_samples_stand_beside_their_cuts():
    state = cut_at(2, 5)
    bars = [looks(mark, state)[0]["x"] for mark in usual().scene.panels[0].marks if mark.role == "leaf"]
    assert [round(b - a, 1) for a, b in pairwise(bars)] == [26, 34, 26, 26, 34, *[26] * 6]


@pytest.mark.parametrize("how", ["mean", "weighted"])
def test_below_every_column_stands_what_it_counts(how):
    for count in COUNTS[1:]:
        state = usual().scene.state(parts=str(count), combine=how, shards="uneven")
        said = [words for mark, _, words, _ in visible_marks(usual().scene.panels[1], state) if mark.role == "tick"]
        shares = [Fraction(words.removeprefix("× ")) for words in said]
        assert len(said) == count and sum(shares) == 1
