"""The paths over a loss landscape are those of the optimizers' formulas, and the picture says where they are."""

import json
from functools import cache

import numpy as np
import pytest
from javascript import in_page

import labkit
import labkit.mindspore as ms
from labkit.mindspore import ops
from labkit.widgets import Landscape
from labkit.widgets.labs.landscape.descent import OPTIMIZERS, Hill, curved, descend, frame_of, line_fit
from labkit.widgets.labs.landscape.landscape import BOX, RATES, START, STEPS, contour, levels_of

NAMES = ["SGD", "Momentum", "Adam"]


@cache
def usual():
    """The lab as it comes, made when it is first asked for."""
    return Landscape()


def walk(name, rate, lab=None, start=START):
    """The waypoints of an optimizer."""
    return (lab or usual()).descents(start, rate)[name]


def by_formula(name, rate, steps):
    """The same training by the engine's own gradient and the formulas of the papers."""
    gradient = labkit.grad(lambda p: line_fit(p[0], p[1]))
    p, m, v, square = np.array(START), np.zeros(2), np.zeros(2), np.zeros(2)
    for t in range(1, steps + 1):
        g = gradient(p)
        if name == "SGD":
            p = p - rate * g
        elif name == "Momentum":
            v = 0.9 * v + g
            p = p - rate * v
        else:
            m, square = 0.9 * m + 0.1 * g, 0.999 * square + 0.001 * g**2
            p = p - rate * (m / (1 - 0.9**t)) / (np.sqrt(square / (1 - 0.999**t)) + 1e-8)
    return p


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rate", [0.02, 0.25])
@pytest.mark.parametrize("steps", [1, 2, STEPS])
def test_the_paths_are_those_of_the_formulas(name, rate, steps):
    moment = walk(name, rate)[steps]
    assert moment.place == pytest.approx(by_formula(name, rate, steps), rel=1e-3, abs=1e-4)
    assert moment.loss == pytest.approx(line_fit(*moment.place))


def test_momentum_keeps_its_velocity_adam_two_means_and_sgd_nothing():
    first, second = walk("Momentum", 0.1)[:2]
    assert second.kept == {"moments": pytest.approx(first.gradient)}
    assert walk("SGD", 0.1)[5].kept["accum"] == (0.0, 0.0)
    g = np.array(walk("Adam", 0.1)[0].gradient)
    kept = walk("Adam", 0.1)[1].kept
    assert kept["moment1"] == pytest.approx(0.1 * g, rel=1e-5)
    assert kept["moment2"] == pytest.approx(0.001 * g**2, rel=1e-4)


def test_one_rate_throws_sgd_out_where_the_two_others_arrive():
    losses = {name: walk(name, 0.25)[-1].loss for name in NAMES}
    assert losses["SGD"] > 100 > 1 > max(losses["Momentum"], losses["Adam"])


@pytest.mark.needs("node")
@pytest.mark.parametrize("start, rate", [
    (START, 0.2), (START, 0.25), ((1.234, -3.1), 0.0456), ((4.4, 0.77), 0.24), ((-2.0, -4.0), 0.312), ((2.0, -1.0), 0.1),
])  # fmt: skip
def test_the_page_goes_from_any_start_at_any_rate_as_the_optimizers_do_and_says_the_same(start, rate):
    lab, at = usual(), {"x": start[0], "y": start[1], "rate": rate}
    walks, real = in_page(lab, "walksOf", at), lab.descents(start, rate)
    for name in NAMES:
        np.testing.assert_allclose(
            [m["place"] for m in walks[name]], [m.place for m in real[name]], rtol=1e-4, atol=1e-5
        )
        np.testing.assert_allclose([m["loss"] for m in walks[name]], [m.loss for m in real[name]], rtol=1e-4, atol=1e-5)
    for show in ("all", *NAMES):
        for step in (0, 1, 7, STEPS):
            state = {**at, "step": step, "show": show}
            assert lab.describe(**state).replace("\n", " ").endswith(in_page(lab, "sentenceOf", state))


@pytest.mark.parametrize("rate", [0.02, 0.2, 0.25])
def test_why_sgd_goes_as_it_does_is_its_rate_times_the_curvature_along_its_step(rate):
    hessian = labkit.jacrev(labkit.grad(lambda p: line_fit(p[0], p[1])))(np.array(START))
    moments = walk("SGD", rate)
    for step in (1, 4, 12):
        way = np.subtract(moments[step].place, moments[step - 1].place)
        wanted = rate * (way @ hessian @ way) / (way @ way)
        assert curved(moments, rate, step) == pytest.approx(wanted, rel=1e-3)
        does = "approaches" if wanted < 1 else "oscillates" if wanted < 2 else "diverges"
        assert f"SGD {does}" in usual().describe(rate=rate, step=step, show="SGD")[:].replace("\n", " ")
    assert "curvature" not in usual().describe(rate=rate, step=0, show="SGD") + usual().describe(rate=rate, show="Adam")
    assert not any(curved(walk(name, 0.1), 0.1, 3) for name in NAMES[1:])


def test_where_a_path_is_outside_of_the_picture_its_loss_is_no_long_number():
    for rate in (0.25, 0.6):
        said = usual().describe(rate=rate, step=30)[:].replace("\n", " ")
        assert "SGD: outside the picture." in said and "e+" not in said


def test_both_axes_have_the_same_scale():
    wide, high = BOX[2] - BOX[0], BOX[3] - BOX[1]
    left, right, low, top = frame_of([walk("SGD", 0.02)], wide, high)
    assert (right - left) / wide == pytest.approx((top - low) / high, rel=0.01)


def test_contour_lines_lie_where_the_loss_has_their_height():
    ground = usual().ground
    left, right, low, high = ground.frame
    assert len(ground.levels) >= 5
    for level in ground.levels:
        for x, y in filter(None, level.points):
            w, b = (
                left + (x - BOX[0]) / (BOX[2] - BOX[0]) * (right - left),
                high - (y - BOX[1]) / (BOX[3] - BOX[1]) * (high - low),
            )
            assert line_fit(w, b) == pytest.approx(float(level.name), rel=0.3, abs=0.06)
    assert line_fit(*ground.lowest) < 0.1 and contour(np.ones((2, 2)), np.arange(2.0), np.arange(2.0), 0.5) == []


@pytest.mark.needs("node")
def test_the_questions_are_about_first_steps_and_the_velocity():
    gradient = labkit.grad(lambda p: line_fit(p[0], p[1]))(np.array(START))
    for rate in RATES:
        at = {**usual().state, "rate": rate}
        ask = {show: in_page(usual(), "questionAt", {**at, "show": show}) for show in ("all", *NAMES)}
        assert ask["all"] == ask["Adam"] and ask["Adam"]["answer"] == pytest.approx(rate, rel=1e-4)
        assert ask["SGD"]["answer"] == pytest.approx(-rate * gradient[0], rel=1e-6)
        before = walk("Momentum", rate)[1]
        assert ask["Momentum"]["answer"] == pytest.approx(
            0.9 * before.kept["moments"][0] + before.gradient[0], rel=1e-5
        )
        assert [one["step"] for one in ask.values()] == [1, 1, 2, 1]


# ---- other losses ----


def test_a_loss_of_ones_own_names_the_axes():
    lab = Landscape(lambda a, b: a**2 + 10 * b**2, (3.0, 1.0), rates=(0.05,), steps=5)
    assert "The loss of a and b" in lab.describe(step=0) and "SGD: loss 19." in lab.describe(step=0)
    assert walk("SGD", 0.05, lab, (3.0, 1.0))[1].place == pytest.approx((3.0 - 0.05 * 6, 1.0 - 0.05 * 20), abs=1e-6)


def test_a_loss_written_with_ops():
    lab = Landscape(lambda x, y: ops.sin(x) + y**2, (1.0, 1.0), rates=(0.1,), steps=3)
    assert walk("SGD", 0.1, lab, (1.0, 1.0))[1].place == pytest.approx((1.0 - 0.1 * np.cos(1.0), 0.8), rel=1e-5)
    assert Landscape(lambda x, y: ops.sin(x) - y, START, steps=3).data["ground"]["least"] < 0


def test_a_flat_loss_has_no_contour_lines():
    assert levels_of(np.full((3, 3), 2.0)) == []
    assert "loss 2" in Landscape(lambda x, y: 0 * x + 0 * y + 2, (1.0, 1.0), steps=2).describe()


@pytest.mark.needs("node")
def test_a_path_that_overflows_ends_there():
    loss = lambda x, y: x**4 + y**4
    moments = descend(Hill(loss), (3.0, 3.0), OPTIMIZERS["SGD"], 1.0, 30)
    lab = Landscape(loss, (3.0, 3.0), rates=(1.0,))
    assert 1 < len(moments) < 30 and f"SGD: not finite since step {len(moments)}" in lab.describe(step=30)
    assert len(in_page(lab, "walksOf", lab.state)["SGD"]) == len(moments)
    assert json.dumps(lab.data, allow_nan=False)


@pytest.mark.parametrize(
    "arguments, options, error, message",
    [
        ((3.0, (1, 1)), {}, TypeError, "expected a function of two numbers, but got float"),
        ((lambda x: x, (1, 1)), {}, TypeError, "yours takes 1: x"),
        ((line_fit,), {}, TypeError, "expected a loss and its start"),
        ((line_fit, (1, 2, 3)), {}, TypeError, "expected a start of two numbers"),
        ((line_fit, (1, float("nan"))), {}, ValueError, "expected a start of two finite numbers"),
        ((lambda x, y: ops.log(x + y), (-1, -1)), {}, ValueError, "expected a finite loss and gradient at the start"),
        ((lambda x, y: x if x > y else y, (1, 1)), {}, ValueError, "does not branch on its inputs"),
        ((line_fit, START), {"rates": (0.1, -1)}, ValueError, "expected learning rates above 0"),
        ((line_fit, START), {"steps": 0}, ValueError, "expected between 1 and 60 steps"),
        ((lambda x, y: ms.Tensor([1.0, 2.0]) * x * y, (1, 1)), {}, ValueError, "expected a loss that is one number"),
        ((lambda x, y: {}["w"], (1, 1)), {}, KeyError, "w"),
    ],
)
def test_what_does_not_fit_is_said(arguments, options, error, message):
    with pytest.raises(error, match=message):
        Landscape(*arguments, **options)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_a_learning_rate_is_above_zero(rate):
    with pytest.raises(ValueError, match="expected a learning rate above 0"):
        usual().describe(rate=rate)
