"""The questions before each step have the right answers, and known slips are told apart from them."""

import autograd.numpy as np
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

from labkit.widgets.explorer.asks import asks
from labkit.widgets.explorer.graph.units import Units
from labkit.widgets.explorer.run.folding import Block
from labkit.widgets.explorer.run.recorded import of_function


def asks_of(fun, *args):
    story = of_function(fun, args or fun.leaves, program=False)
    units = Units(story, [n.index for n in story.nodes if not n.leaf])
    return units, asks(units)


@given(programs(ends=2))
@drawn(16)
def test_the_answer_is_what_the_first_parent_has_after_the_step(program):
    units, found = asks_of(program)
    steps, _ = program.walk()
    assert len(found) == len(steps)
    for when, (_, _, sent) in enumerate(steps, units.seed + 1):
        parent = sent[0][0]
        total = next(total for p, _, _, total in reversed(sent) if p == parent)
        assert found[when]["answer"] == pytest.approx(total, rel=1e-5, abs=1e-12)


@given(programs(ends=2))
@drawn(16)
def test_each_slip_is_a_number_and_a_sentence(program):
    for ask in asks_of(program)[1].values():
        for wrong, words in ask["slips"]:
            assert np.isfinite(wrong) and words.endswith(".")  # the page passes over one that would count as right


def test_adding_instead_of_multiplying_is_a_known_slip():
    units, found = asks_of(lambda x: np.sin(x) * 3, 0.5)
    ask = found[units.last]
    assert ask["answer"] == pytest.approx(3 * np.cos(0.5), rel=1e-5)
    assert [3 + np.cos(0.5), "You added. Along a path, local gradients multiply."] in [
        [pytest.approx(v), w] for v, w in ask["slips"]
    ]
    assert ask["because"] == "3 × 0.878 = 2.63."


def test_forgetting_what_was_there_is_a_known_slip():
    units, found = asks_of(lambda x: x * 2 + x * 3, 1.0)
    ask = found[units.last]
    assert "x has 3 so far." in ask["question"] and ask["answer"] == 5.0
    assert {value for value, _ in ask["slips"]} == {2.0, 3.0, -5.0} and ask["because"] == "1 × 2 = 2; together 5."


def test_two_uses_in_one_op_are_asked_together():
    units, found = asks_of(lambda x: x * x, 3.0)
    ask = found[units.last]
    assert ask["answer"] == 6.0 and "the local gradients with respect to x are 3 and 3" in ask["question"]
    assert 3.0 in {value for value, _ in ask["slips"]}


def test_of_tensors_the_shape_is_asked_where_it_changes():
    units, found = asks_of(lambda x, w: np.sum(np.tanh(x @ w)), onp.ones((2, 3)), onp.ones((3, 4)))
    summed, matrix = found[units.seed + 1], found[units.last]
    assert (summed["answer"], matrix["answer"]) == ("2×4", "2×3") and units.seed + 2 not in found
    for ask in (summed, matrix):
        assert ask["answer"] in ask["choices"] and {c for c, _ in ask["slips"]} == set(ask["choices"]) - {ask["answer"]}


@pytest.mark.parametrize("x", [-1.0, 0.0, np.nan])
def test_nothing_is_asked_about_nan_or_inf(x):
    _, found = asks_of(lambda x: np.log(x) * x, x)
    assert all(np.isfinite(ask["answer"]) for ask in found.values())


def test_nothing_is_asked_about_blocks():
    story = of_function(lambda x: np.sin(x) * 2, [0.5], program=False)
    assert asks(Units(story, [Block("k", "k", [1, 2])])) == {}
