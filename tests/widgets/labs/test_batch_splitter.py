"""The batch splitter shows the gradients of the parts of a batch, and what combines to that of the whole batch."""

from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from javascript import in_page

from labkit.widgets.labs.batch_splitter import COMBINE, COUNTS, SAMPLES, SHARDS, BatchSplitter, weight


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return BatchSplitter()


def states():
    """Every number of parts and combination, with the batch cut evenly, unevenly, and in some other ways."""
    for how in COMBINE:
        for count in COUNTS:
            yield from (usual().state_with(parts=count, combine=how, shards=shards) for shards in SHARDS)
            for ends in list(combinations(range(1, SAMPLES), count - 1))[::37]:
                cuts = {f"cut{k}": float(end) for k, end in enumerate(ends, 1)}
                yield usual().state_with(parts=count, combine=how, shards="yours", **cuts)


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
    for state in states():
        right = usual().split(**state).error(state["combine"]) < 1e-12
        said = usual().describe(**state).splitlines()[-1]
        assert ("the gradient of the whole batch." in said and "times" not in said) == right


@pytest.mark.needs("node")
def test_the_page_computes_the_splits_and_sentences_of_python_and_asks_about_them():
    every = [state for state in states() if state["parts"] > 1]
    code = "(data, states) => states.map((state) => [splitOf(data, state), sentenceOf(data, state), questionAt(data, state)])"
    for state, (found, said, asked) in zip(every, in_page(usual(), code, every), strict=True):
        split, how = usual().split(**state), state["combine"]
        assert found["sizes"] == split.sizes and said == usual().describe(**state).splitlines()[-1]
        assert found["parts"] == pytest.approx(split.parts) and found["big"] == pytest.approx(split.big)
        assert found["weights"] == [weight(how, len(split.sizes), size) for size in split.sizes]
        assert found["together"] == pytest.approx(split.combined(how))
        if "choices" in asked:
            assert asked["answer"] == ("yes, exactly" if split.error(how) < 1e-12 else "no")
        else:
            assert how == "sum" and asked["answer"] == pytest.approx(len(split.sizes) * split.big)


def test_each_part_keeps_a_sample_wherever_the_cuts_are():
    found = usual().split(parts=4, shards="yours", cut1=9.4, cut2=3.0, cut3=11.0)
    assert found.sizes == [9, 1, 1, 1] and [b - a for a, b in pairwise([0, 9, 10, 11, 12])] == found.sizes
    assert usual().svg("dark", shards="even").startswith("<svg")
