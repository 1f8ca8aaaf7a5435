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
from labkit.widgets.kit.strokes import numbers
from labkit.widgets.kit.words import number
from labkit.widgets.labs.sens.scene import SensDial
from labkit.widgets.labs.sens.view import DIAMOND, RING, Seeds, across_of

X = np.array([2.0, 3.0, 0.5])


def two(x):
    return anp.array([x[0] * x[1], anp.sin(x[2]) + x[0]])


def three(x):
    return x**2 * x[0]


def dials(positions):
    return {f"seed{i}": p for i, p in enumerate(positions)}


def values(picture):
    """The seeds that an output can have."""
    return [float(words.replace("−", "-")) for words in picture.scene.dials[2].values]


def shown(picture, **state):
    """The numbers at the end of the lines: the gradient."""
    seen = visible_marks(picture.scene.panels[1], picture.scene.state(**state))
    return [words for mark, _, words, _ in seen if mark.role == "value"]


@pytest.mark.parametrize("fn", [two, three])
def test_the_gradient_at_every_position_is_one_pull_with_these_seeds(fn):
    picture = SensDial(fn, X)
    _, pull = labkit.vjp(fn, X)
    for positions in product(range(0, len(values(picture)), 13), repeat=len(picture.matrix)):
        seeds = [values(picture)[p] for p in positions]
        pulled = pull(np.array(seeds, float))[0]
        np.testing.assert_allclose(picture.gradient(*seeds), pulled, atol=1e-12)
        summed = [number(round(float(v), 8)) for v in picture.gradient(*seeds) + 0.0]
        assert shown(picture, **dials(positions)) == summed
        seen = visible_marks(picture.scene.panels[0], picture.scene.state(**dials(positions)))
        assert [words for mark, _, words, _ in seen if mark.role == "value"][-len(summed) :] == summed


def test_each_arrow_goes_on_where_the_one_before_ends():
    picture = SensDial(two, np.array([2.0, 3.0, 0.0]))
    panel, rows = picture.scene.panels[1], picture.matrix
    axes = [across_of(Seeds(picture.passes, values(picture)), j) for j in range(3)]
    for positions in ((0, 35), (25, 25), (40, 3)):
        seeds = [values(picture)[p] for p in positions]
        seen = list(visible_marks(panel, picture.scene.state(**dials(positions))))
        ends = [numbers(at["d"])[0:3:2] for mark, at, _, _ in seen if mark.role in ("vector", "backvector")]
        for j in range(3):
            at = 0.0
            for i in range(2):
                unit = axes[j](1.0) - axes[j](0.0)
                start, end = ((x - axes[j](0.0)) / unit for x in ends[2 * j + i])
                step = seeds[i] * rows[i, j]
                assert (start, end - start) == pytest.approx((at, step), abs=0.2)
                at += step


def test_each_line_is_as_long_as_its_sums_go_and_says_so_at_its_ends():
    picture = SensDial(two, np.array([2.0, 3.0, 0.0]))
    ticks = [
        words
        for mark, _, words, _ in visible_marks(picture.scene.panels[1], picture.scene.start())
        if mark.role == "tick"
    ]
    reach = [number(2 * float(v)) for v in np.abs(picture.matrix).sum(0)]
    assert set(ticks) <= {*reach, *("−" + words for words in reach)} and len(ticks) >= 4


def test_what_is_looked_for_is_found_by_its_seeds_and_leads_on_to_the_next():
    picture = SensDial(three, X)
    (aim,) = [dial for dial in picture.scene.dials if dial.name == "aim"]
    aims = [(-1, 2, 1), (2, -1, 1), (-2, 1, 2), (1, -2, -1)]
    assert len(aim.values) == len(aims)
    for k, seeds in enumerate(aims):
        at = dials(values(picture).index(float(seed)) for seed in seeds)
        for other in range(len(aims)):
            seen = visible_marks(picture.scene.panels[1], picture.scene.state(**at, aim=other))
            said = [(words, mark.link) for mark, _, words, look in seen if mark.role == "verdict"]
            if other == k:
                ((words, link),) = said
                assert words.startswith(f"✓ {k + 1} of 4" if k < 3 else "✓ 4 of 4")
                assert picture.scene.links[link].go == {"aim": (k + 1) % 4}
            else:
                assert not said
        assert "rings!" in picture.describe(**at, aim=k)
        assert not [
            m
            for m, *_ in visible_marks(picture.scene.panels[1], picture.scene.state(**at, aim=k, told=0))
            if m.role == "verdict"
        ]


def test_the_sums_are_in_their_rings_when_it_says_so():
    picture = SensDial(two, X)
    hits = 0
    for positions in [*product(range(0, 41, 5), repeat=2), (10, 39), (11, 40)]:
        state = dials(positions)
        seen = list(visible_marks(picture.scene.panels[1], picture.scene.state(**state)))
        rings = [at["cx"] for mark, at, _, _ in seen if mark.tag == "circle"]
        sums = [max(numbers(at["d"])[::2]) - DIAMOND for mark, at, _, _ in seen if mark.role == "back"]
        hit = "rings!" in picture.describe(**state)
        inside = [abs(a - b) <= RING - DIAMOND for a, b in zip(sums, rings, strict=True)]
        assert hit == all(inside) and [look == "lit" for mark, *_, look in seen if mark.tag == "circle"] == inside
        hits += hit
    assert 1 <= hits < 5 and "rings!" not in "".join(picture.describe(example=k) for k in picture.scene.dials[0].plays)


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
    assert "All ones: what comes back without a seed." in picture.describe()
    assert "y0 alone counts." in picture.describe(seed1="0")
    named = SensDial(net, x, y, outputs=("loss", "logits"))
    assert "Zero, though not every seed is." in named.describe(seed0="1", seed1="−2")


@pytest.mark.parametrize(
    ("positions", "words"),
    [
        ((20, 20), "0 × [3, 2, 0] + 0 × [1, 0, 1] comes back. No output counts."),
        ((0, 30), "−2 × [3, 2, 0] + 1 × [1, 0, 1] comes back."),
        ((30, 3), "1 × [3, 2, 0] + (−1.7) × [1, 0, 1] comes back."),
        ((20, 13), "comes back. y[1] alone counts."),
        ((30, 30), "comes back. All ones: what comes back without a seed."),
    ],
)
def test_what_is_said_about_the_seeds(positions, words):
    assert words in SensDial(two, np.array([2.0, 3.0, 0.0])).describe(**dials(positions))


def test_the_function_is_named_as_it_is_written():
    written = {two: "two(x)", three: "x ** 2 * x[0]"}
    for fn, words in written.items():
        assert named(SensDial(fn, X)) == f"y = {words}, x = [2, 3, 0.5]"
    assert named(SensDial(lambda x: x**2, X)).startswith("y = x ** 2,")
    assert named(SensDial(anp.tanh, X)).startswith("y = tanh(")
    assert named(SensDial(eval("lambda x: x**2"), X)).startswith("y = f(x),")


def named(picture):
    return picture.scene.panels[0].marks[0].text


def test_nothing_is_given_away_while_the_reader_predicts():
    picture = SensDial(two, X)
    assert shown(picture, told=0) == ["?", "?", "?"]
    assert not [
        m for m, *_ in visible_marks(picture.scene.panels[1], picture.scene.state(told=0)) if "vector" in m.role
    ]
    assert picture.scene.caption(picture.scene.state(told=0)) == "The seeds have arrived: what comes back?"
    assert all(dial.resets == {"told": 0} for dial in picture.scene.dials if dial.name not in ("told", "aim"))


def test_it_plays_all_ones_and_each_output_alone():
    picture = SensDial(three, X)
    example = picture.scene.dials[0]
    seeds = [[values(picture)[put[f"seed{i}"]] for i in range(3)] for put in example.puts[:-1]]
    assert seeds == [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]] and picture.plays_at_once
    assert picture.scene.state(seed1="2")["example"] == len(seeds)


def test_each_arrangement_has_one_question_with_the_right_answer():
    picture = SensDial(two, X)
    told = picture.scene.dials[1]
    for positions in product(range(0, 41, 10), repeat=2):
        (ask,) = [a for a in told.asks[1] if holds(a.when, picture.scene.state(**dials(positions)))]
        column = int(ask.question.split("x[")[1][0])
        assert ask.answer == pytest.approx(picture.gradient(*(values(picture)[p] for p in positions))[column])
        for value, _ in ask.slips:
            assert abs(value - ask.answer) > ask.tolerance * abs(ask.answer)


def test_a_click_on_an_output_lets_it_count_alone():
    picture = SensDial(three, X)
    assert [values(picture)[picture.scene.links["row 1"].go[f"seed{i}"]] for i in range(3)] == [0, 1, 0]


def test_one_output_has_one_dial():
    picture = SensDial(lambda x: anp.sum(x**2), X)
    assert [dial.name for dial in picture.scene.dials] == ["example", "told", "seed0", "aim"]
    assert "−2 × [4, 6, 1] comes back." in picture.describe(seed0="−2")


def test_what_is_not_finite_is_shown_and_not_asked_for():
    picture = SensDial(lambda x: anp.sqrt(x), np.array([0.0, 4.0]))
    assert shown(picture) in (["nan", "0.25"], ["inf", "0.25"]) and "have no arrow" in picture.scene.notice
    assert picture.scene.dials[1].asks[1] == []
    json.dumps(to_json(picture.scene), allow_nan=False)


def test_it_is_small_and_can_be_drawn():
    picture = SensDial(lambda x: anp.array([anp.sum(x), anp.sum(x**2), anp.prod(x)]), np.arange(1, 9.0))
    assert len(json.dumps(to_json(picture.scene), allow_nan=False)) < 1_600_000
    assert picture.svg(seed2=0, theme="dark").startswith("<svg") and len(picture.scene.panels[1].marks) < 140


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
