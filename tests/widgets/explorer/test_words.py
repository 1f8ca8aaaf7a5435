"""The sentences say what happens, and the products in them are right."""

import re

import autograd.numpy as np
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

from labkit.widgets.explorer import words as module
from labkit.widgets.explorer.graph.units import Units
from labkit.widgets.explorer.run.folding import Block
from labkit.widgets.explorer.run.recorded import of_function

PRODUCT = re.compile(r"(\S+) × \(?([^\s()]+)\)? = ([^\s]+?)\.(?:\s|$)")


def units_of(fun, *args):
    story = of_function(fun, args or fun.leaves, program=False)
    return Units(story, [n.index for n in story.nodes if not n.leaf])


def latest(changes, step, _):
    return next(words for at, words in reversed(changes) if at <= step)


def read(words):
    return float(words.replace("−", "-"))


@given(programs(ends=2))
@drawn(16)
def test_every_product_in_a_sentence_is_right_and_is_that_of_its_step(program):
    units, (steps, _) = units_of(program), program.walk()
    said = module.sentences(units)[units.seed + 1 :]
    for words, (_, gradient, sent) in zip(said, steps, strict=True):
        products = [tuple(map(read, found)) for found in PRODUCT.findall(words)]
        assert len(products) == len(sent)
        for (first, second, result), (_, slope, value, _) in zip(products, sent, strict=True):
            assert (first, second, result) == pytest.approx((gradient, slope, value), rel=6e-3, abs=1e-12)
            assert first * second == pytest.approx(result, rel=2e-2, abs=1e-12)


@given(programs(ends=2))
@drawn(16)
def test_running_sums_are_told_where_something_was_there_before(program):
    units, (steps, _) = units_of(program), program.walk()
    said = module.sentences(units)[units.seed + 1 :]
    for words, (_, _, sent) in zip(said, steps, strict=True):
        sums = [read(w) for w in re.findall(r"Added to its gradient so far: (\S+?)\.(?:\s|$)", words)]
        expected = [total for _, _, value, total in sent if total != value]
        assert sums == pytest.approx(expected, rel=6e-3, abs=1e-12)


@given(programs(ends=2))
@drawn(10)
def test_there_is_a_sentence_for_every_step(program):
    units = units_of(program)
    said = module.sentences(units)
    assert len(said) == units.last + 1 and all(words.endswith(".") for words in said)
    values = program.values[len(program.leaves) :]
    for words, title, value in zip(said[1:], program.titles, values, strict=False):
        assert words.startswith(f"Forward: {title} gives")
        assert read(words.rpartition(" ")[2].rstrip(".")) == pytest.approx(float(value), rel=6e-3, abs=1e-12)


def test_the_start_tells_the_leaves():
    units = units_of(lambda a, b, c, d, e, f: a * b * c * d * e * f, *[1.0] * 6)
    assert module.sentences(units)[0] == "Nothing has run yet. The leaves: a = 1, b = 1, c = 1, d = 1 and 2 more."


@pytest.mark.parametrize(
    "fun, words",
    [
        (lambda x: np.sum(x), ": the derivative of the result of sum with respect to itself is 1."),
        (lambda x: x * 2, " with an upstream gradient of the result of × 2, one weight for each element: [1, 1, 1]. Every "
         "gradient is that of the weighted sum of the elements."),
        (lambda x: np.concatenate([x, x]), " with ones(6): the gradient of the sum of all these elements."),
        (lambda x: (np.concatenate([x, x]),) * 2, " with ones for all elements of all outputs: this gives the gradient of their "
         "sum."),
        (lambda x: (np.sum(x), np.sum(x * 2)), " with ones for all elements of all outputs: this gives the gradient of their "
         "sum."),
    ],
)  # fmt: skip
def test_the_seed_is_told(fun, words):
    units = units_of(fun, onp.ones(3))
    assert module.sentences(units)[units.seed] == f"The backward pass starts{words}"


def test_rules_are_told_where_there_are_no_slopes():
    units = units_of(lambda x, w: np.sum(x @ w), onp.ones((2, 5)), onp.ones((5, 4)))
    assert module.sentences(units)[-1] == (
        "Backward: the upstream gradient of @ is g = 2×4 ‖2.83‖. x gets g·wᵀ: 2×5 ‖12.6‖. w gets xᵀ·g: 5×4 ‖8.94‖."
    )


def test_the_rule_of_the_op_is_told_where_its_numbers_fit_no_form():
    units = units_of(lambda x: np.sum(np.cumsum(x) * onp.arange(1.0, 4.0)), onp.ones(3))
    assert module.sentences(units)[-1] == (
        "Backward: the upstream gradient of cumsum is [1, 2, 3]. Rule: the running sum of g, from the end. x gets [6, 5, 3]."
    )


def test_of_many_parents_the_first_are_told():
    units = units_of(lambda *xs: np.sum(np.concatenate(xs)), *[onp.ones(1)] * 9)
    assert module.sentences(units)[-1].endswith("And 5 more.")


def test_a_block_tells_how_many_steps_it_holds():
    story = of_function(lambda x: np.sin(np.tanh(x) * 2), [0.5], program=False)
    units = Units(story, [1, Block("k", "two ops", [2, 3])])
    said = module.sentences(units)
    assert said[2].startswith("Forward: two ops gives")
    assert said[4] == "Backward: the upstream gradient of two ops is 1. Inside, 2 steps of the chain rule follow."


def test_the_tape_is_told_as_released_or_retained():
    units = units_of(lambda x, y: np.sum(x * y + x), onp.ones(2), onp.ones(2))
    released, retained = (module.tape_sentences(units, retain) for retain in (False, True))
    times = units.walked[units.ops[0]]
    assert latest(released, 1, "") == "On the tape: MulBackward0 is added and saves x and y."
    assert latest(released, 2, "") == "On the tape: AddBackward0 is added and saves nothing."
    assert "MulBackward0 runs; what it saved is freed." in latest(released, times, "")
    assert "MulBackward0 runs; what it saved stays." in latest(retained, times, "")
    assert "AddBackward0 runs; it had saved nothing." in latest(released, times - 1, "")
    assert latest(released, units.last, "").endswith("The end: backward() cannot be called again.")
    assert latest(retained, units.last, "").endswith("can be called again, and adds to every .grad.")


@pytest.mark.parametrize("fun", [lambda x: x, lambda x: 3.0, lambda x: x * 2, lambda x: np.sin(x) * 2])
def test_changes_of_the_tape_rise_within_the_steps(fun):
    units = units_of(fun, 1.0)
    for changes in (module.tape_sentences(units, retain) for retain in (False, True)):
        times = [at for at, _ in changes]
        assert times == sorted(set(times)) and times[0] >= 0 and times[-1] <= units.last


def test_at_last_it_is_said_what_the_gradient_of_the_first_input_means():
    said = module.sentences(units_of(lambda x, w: x * w, 3.0, -2.0))
    assert said[-1].endswith("If x changes by a small h, the result changes by about −2 h.")
    assert "small h" not in " ".join(said[:-1])
    assert "small h" not in module.sentences(units_of(lambda x: (x, x * 2.0), 3.0))[-1]
