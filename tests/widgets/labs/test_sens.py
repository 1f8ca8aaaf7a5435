"""The sens dial shows what the engine and both dialects give for a seed: the rows of the Jacobian, weighed and added."""

import json
from itertools import product

import autograd.numpy as anp
import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.data.guide import network
from labkit.widgets.kit.scene import holds, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.words import number
from labkit.widgets.labs.sens.scene import SEEDS, SensDial

X = np.array([2.0, 3.0, 0.5])


def two(x):
    return anp.array([x[0] * x[1], anp.sin(x[2]) + x[0]])


def three(x):
    return x**2 * x[0]


def dials(positions):
    return {f"seed{i}": p for i, p in enumerate(positions)}


def line_of(picture, row, state):
    """The numbers drawn in one row of a grid, from left to right: `row` is its height in px."""
    seen = visible_marks(picture.scene.panels[0], picture.scene.state(**state))
    found = {at["x"]: said for mark, at, said, _ in seen if mark.tag == "text" and said and abs(at["y"] - row) < 1}
    return [found[x] for x in sorted(found)]


def below(picture, state):
    """The gradient that is drawn, without its label."""
    seen = visible_marks(picture.scene.panels[0], picture.scene.state(**state))
    rows = [at["y"] for mark, at, said, _ in seen if said == "added: the gradient"]
    return [said for said in line_of(picture, rows[0], state) if said != "added: the gradient"] if rows else []


@pytest.mark.parametrize("fn", [two, three])
def test_the_gradient_at_every_position_is_one_pull_with_these_seeds(fn):
    picture = SensDial(fn, X)
    _, pull = labkit.vjp(fn, X)
    for positions in product(range(5), repeat=len(picture.matrix)):
        seeds = [SEEDS[p] for p in positions]
        pulled = pull(np.array(seeds, float))[0]
        np.testing.assert_allclose(picture.gradient(*seeds), pulled, atol=1e-12)
        assert below(picture, dials(positions)) == [number(v) for v in picture.gradient(*seeds) + 0.0]


def test_it_is_what_both_dialects_give_for_a_cotangent():
    picture = SensDial(three, ms.Tensor(X, ms.float32))
    with_sens = ms.grad(three, sens_param=True)(ms.Tensor(X, ms.float32), ms.Tensor([1.0, -2.0, 2.0], ms.float32))
    x = torch.tensor(X, requires_grad=True)
    three(x).backward(torch.tensor([1.0, -2.0, 2.0], dtype=torch.float64))
    np.testing.assert_allclose(picture.gradient(1, -2, 2), with_sens.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(picture.gradient(1, -2, 2), x.grad.numpy(), rtol=1e-6)


def test_all_ones_are_grad_and_one_alone_is_has_aux():
    net, x, y = network(ms)
    picture = SensDial(net, x, y)
    np.testing.assert_allclose(picture.gradient(1, 1), ms.grad(net)(x, y).asnumpy().ravel())
    np.testing.assert_allclose(picture.gradient(1, 0), ms.grad(net, has_aux=True)(x, y)[0].asnumpy().ravel())
    assert "All ones: the sum of all rows" in picture.describe()
    assert "y0 alone counts: its row, unchanged." in picture.describe(seed1="0")
    assert "y0 alone counts: 2 times its row." in picture.describe(seed0="2", seed1="0")
    named = SensDial(net, x, y, outputs=("loss", "logits"))
    assert "This is the gradient of loss − 2 logits." in named.describe(seed1=0)


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        ((2, 2), "0 × [3, 2, 0] + 0 × [1, 0, 1] = [0, 0, 0]. No output counts"),
        ((4, 4), "All alike: 2 times the gradient of the sum of the outputs."),
        ((4, 1), "This is the gradient of 2 y[0] − y[1]."),
        ((0, 3), "−2 × [3, 2, 0] + 1 × [1, 0, 1] = [−5, −4, 1]. This is the gradient of −2 y[0] + y[1]."),
        ((3, 0), "1 × [3, 2, 0] + (−2) × [1, 0, 1]"),
    ],
)
def test_what_is_said_about_the_seeds(positions, words):
    assert words in SensDial(two, np.array([2.0, 3.0, 0.0])).describe(**dials(positions))


def test_the_products_are_seed_times_row():
    picture = SensDial(two, np.array([2.0, 3.0, 0.0]))
    rows = [m.at["y"] for m in picture.scene.panels[0].marks if m.tag == "text" and m.text in ("y[0]", "y[1]")]
    drawn = [line_of(picture, y, dials((0, 4))) for y in rows]
    assert drawn[0] == ["y[0]", "6", "−2", "3", "2", "0", "→", "−6", "−4", "0"]
    assert drawn[1] == ["y[1]", "2", "2", "1", "0", "1", "→", "2", "0", "2"]


def test_nothing_is_given_away_while_the_reader_predicts():
    picture = SensDial(two, X)
    assert below(picture, {"show": 0}) == []
    assert "Predict it" in picture.describe(show=0) and "=" not in picture.describe(show=0).splitlines()[-1]
    assert all(dial.resets == {"show": 0} for dial in picture.scene.dials[:-1])


def test_each_arrangement_has_one_question_with_the_right_answer():
    picture = SensDial(two, X)
    show = picture.scene.dials[-1]
    for positions in product(range(5), repeat=2):
        (ask,) = [a for a in show.asks[1] if holds(a.when, picture.scene.state(**dials(positions)))]
        column = int(ask.question.split("x[")[1][0])
        assert ask.answer == pytest.approx(picture.gradient(*(SEEDS[p] for p in positions))[column])
        for value, _ in ask.slips:
            assert abs(value - ask.answer) > ask.tolerance * abs(ask.answer)


def test_a_click_on_an_output_lets_it_count_alone():
    links = SensDial(three, X).scene.links
    assert [SEEDS[links["row 1"].go[f"seed{i}"]] for i in range(3)] == [0, 1, 0]


def test_one_output_has_one_dial():
    picture = SensDial(lambda x: anp.sum(x**2), X)
    assert [dial.name for dial in picture.scene.dials] == ["seed0", "show"]
    assert "There is only y: −2 times its row." in picture.describe(seed0="−2")


def test_what_is_not_finite_is_shown_and_not_asked_for():
    picture = SensDial(lambda x: anp.sqrt(x), np.array([0.0, 4.0]))
    assert below(picture, {}) == ["nan", "0.25"] or below(picture, {}) == ["inf", "0.25"]
    assert picture.scene.dials[-1].asks[1] == []
    json.dumps(to_json(picture.scene), allow_nan=False)


def test_it_is_small_and_can_be_drawn():
    picture = SensDial(lambda x: anp.array([anp.sum(x), anp.sum(x**2), anp.prod(x)]), np.arange(1, 9.0))
    assert len(json.dumps(to_json(picture.scene), allow_nan=False)) < 400_000
    assert picture.svg(seed2=0, theme="dark").startswith("<svg") and len(picture.scene.panels[0].marks) < 1500


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: SensDial(two), TypeError, "SensDial: expected a function and its arguments, as in SensDial"),
        (lambda: SensDial(lambda x: (x, "a"), X), TypeError, "SensDial: expected <lambda> to return real numbers"),
        (lambda: SensDial(anp.tanh, np.ones(4)), ValueError, "at most 3 output and 8 input elements, but got 4 and 4"),
        (lambda: SensDial(lambda x: anp.sum(x), np.ones(9)), ValueError, "but got 1 and 9"),
        (lambda: SensDial(two, X, outputs=["a"]), ValueError, "outputs: expected 2 names"),
        (lambda: SensDial(two, X, argnum=1), IndexError, "0 or 'x'"),
        (lambda: SensDial(anp.sin, np.zeros(0)), ValueError, "SensDial: expected inputs and outputs"),
    ],
)
def test_bad_input_is_answered_clearly(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
