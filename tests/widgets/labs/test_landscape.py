"""The paths over a loss landscape are those of the optimizers' formulas, and the picture says where they are."""

import base64
import gzip
import json
from functools import cache

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
from labkit.mindspore import nn, ops
from labkit.widgets.kit.scene import holds, looks, to_json, width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.strokes import NOWHERE
from labkit.widgets.kit.words import number
from labkit.widgets.labs.landscape.gauge import curved, plain
from labkit.widgets.labs.landscape.run import OPTIMIZERS, descend, frame_of, heights, levels_of, line_fit
from labkit.widgets.labs.landscape.scene import RATES, START, STEPS, Landscape
from labkit.widgets.labs.landscape.view import FRESH, HEIGHT, LEFT, TOP, WIDTH

NAMES = ["SGD", "Momentum", "Adam"]


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return Landscape()


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
    moment = usual().runs[name][RATES.index(rate)][steps]
    assert moment.place == pytest.approx(by_formula(name, rate, steps), rel=1e-3, abs=1e-4)
    assert moment.loss == pytest.approx(line_fit(*moment.place))


def test_momentum_keeps_its_velocity_adam_two_means_and_sgd_nothing():
    first, second = usual().runs["Momentum"][1][:2]
    assert second.kept == {"moments": pytest.approx(first.gradient)}
    assert usual().runs["SGD"][1][5].kept == {}
    g = np.array(usual().runs["Adam"][1][0].gradient)
    kept = usual().runs["Adam"][1][1].kept
    assert kept["moment1"] == pytest.approx(0.1 * g, rel=1e-5)
    assert kept["moment2"] == pytest.approx(0.001 * g**2, rel=1e-4)


def test_one_rate_throws_sgd_out_where_the_two_others_arrive():
    losses = {name: by_rate[3][-1].loss for name, by_rate in usual().runs.items()}
    assert losses["SGD"] > 100 > 1 > max(losses["Momentum"], losses["Adam"])


@pytest.mark.parametrize("rate", [0.02, 0.2, 0.25])
def test_why_sgd_goes_as_it_does_is_its_rate_times_the_curvature_along_its_step(rate):
    hessian = labkit.jacrev(labkit.grad(lambda p: line_fit(p[0], p[1])))(np.array(START))
    moments, i = usual().runs["SGD"][RATES.index(rate)], RATES.index(rate)
    for step in (1, 4, 12):
        way = np.subtract(moments[step].place, moments[step - 1].place)
        wanted = rate * (way @ hessian @ way) / (way @ way)
        assert curved(moments, rate, step) == pytest.approx(wanted, rel=1e-3)
        does = "stops short" if wanted < 1 else "zigzags" if wanted < 2 else "flies off"
        said = usual().scene.said(usual().scene.state(step=step, rate=i))
        assert f"SGD's rate × curvature is {number(curved(moments, rate, step))}" in said and f"it {does}." in said
    assert "curvature" not in usual().scene.said(usual().scene.state(step=0))
    assert curved(moments, rate, 1) > 1 or rate < 0.2


def test_what_follows_more_than_the_gradient_has_no_such_reason():
    assert not any(plain(moments, rate) for name in NAMES[1:] for moments, rate in zip(usual().runs[name], RATES))
    assert "curvature" not in Landscape(lambda x, y: x**2 + y**2, (1.0, 1.0), ("Adam",), steps=3).describe()


def test_the_arrow_is_the_rate_times_the_gradient_and_of_sgd_the_next_step():
    moments, plane = usual().runs["SGD"][1], usual()._shared.plane
    tips = [
        at["d"].rpartition("L")[2] for mark, at in plane_marks(step=3, rate="0.1", show="SGD") if mark.role == "ravine"
    ]
    assert [tuple(map(float, tip.split())) for tip in tips] == [pytest.approx(plane.at(moments[4].place), abs=0.1)]


def test_steps_of_long_ago_are_pale():
    (panel,) = (p for p in usual().scene.panels if p.name == "plane")
    state = usual().scene.state(step=10, rate="0.1", show="Adam")
    pale = [name for mark, _, _, name in visible_marks(panel, state) if mark.role == "backbar" and mark.vary]
    assert pale == ["dim"] * (10 - FRESH) + [""] * (FRESH + 1)


def test_both_axes_have_the_same_scale():
    left, right, low, high = frame_of([usual().runs["SGD"][0]], WIDTH, HEIGHT)
    assert (right - left) / WIDTH == pytest.approx((high - low) / HEIGHT, rel=0.01)


def plane_marks(**state):
    (panel,) = (p for p in usual().scene.panels if p.name == "plane")
    return [(mark, at) for mark, at, *_ in visible_marks(panel, usual().scene.state(**state))]


def test_a_mark_stands_at_every_step_so_far():
    for step in (0, 7):
        squares = [mark for mark, _ in plane_marks(step=step, rate="0.1") if mark.role == "bar"]
        assert len(squares) == 1 + step + 1  # one is in the legend


def test_a_path_that_leaves_the_frame_is_drawn_up_to_its_edge():
    for mark, at in plane_marks(rate="0.25"):
        if mark.role != "savedbar" and mark.vary and "d" in mark.vary.get("step", {}) and at["d"] != NOWHERE:
            points = [tuple(map(float, pair.split())) for pair in at["d"][1:].split("L")]
            assert all(LEFT - 0.1 <= x <= LEFT + WIDTH + 0.1 for x, _ in points)
            assert all(TOP - 0.1 <= y <= TOP + HEIGHT + 0.1 for _, y in points)
    assert "SGD: loss 425, outside the picture" in " ".join(usual().describe(rate="0.25").split())


def test_one_optimizer_can_be_shown_alone():
    roles = {mark.role for mark, _ in plane_marks(show="Adam")}
    assert "backbar" in roles and not roles & {"bar", "inkhead"}
    assert "SGD:" not in usual().describe(show="Adam")


def test_the_gradient_that_is_written_belongs_to_the_place_where_it_stands():
    (panel,) = (p for p in usual().scene.panels if p.name == "beside")
    words = [label for _, _, label, _ in visible_marks(panel, usual().scene.state(step=0, rate="0.1"))]
    gradient = labkit.grad(lambda p: line_fit(p[0], p[1]))(np.array(START))
    assert words.count(f"gradient (−{abs(gradient[0]):.3g}, {gradient[1]:.3g})") == 3 and gradient[0] < 0 < gradient[1]


def test_contour_lines_lie_where_the_loss_has_their_height():
    left, right, low, high = frame_of([m for by in usual().runs.values() for m in by], WIDTH, HEIGHT)
    drawn = [at["d"] for mark, at in plane_marks() if mark.role == "contour"]
    assert len(drawn) >= 5
    for d in drawn:
        spots = [tuple(map(float, pair.split())) for pair in d.replace("L", "M").split("M")[1:]]
        found = [
            line_fit(left + (x - LEFT) / WIDTH * (right - left), high - (y - TOP) / HEIGHT * (high - low))
            for x, y in spots
        ]
        assert np.std(found) < 0.06 * np.mean(found) + 0.02


def test_the_questions_are_about_adams_first_step_and_the_velocity():
    asks = usual().scene.dials[0].asks
    for i, rate in enumerate(RATES):
        assert asks[1][i].answer == pytest.approx(rate, rel=1e-4) and asks[1][i].when == {"rate": [i], "show": [0]}
        before, after = usual().runs["Momentum"][i][1:3]
        assert asks[2][i].answer == pytest.approx(0.9 * before.kept["moments"][0] + before.gradient[0], rel=1e-5)
        assert after.kept["moments"][0] == asks[2][i].answer


def test_no_line_of_text_leaves_its_panel():
    for panel in usual().scene.panels:
        for mark in panel.marks:
            if mark.tag != "text":
                continue
            for state in ({"step": s, "rate": r} for s in (0, 3, STEPS) for r in range(4)):
                at, words, _ = looks(mark, usual().scene.state(**state))
                wide = width_of(words, 12, mono=mark.role == "value")
                if at["text-anchor"] == "start":
                    assert at["x"] + wide <= panel.width + 4, words


def test_the_saved_page_has_plain_numbers_only():
    assert json.dumps(to_json(usual().scene), allow_nan=False)


# ---- other losses ----


def test_a_loss_of_ones_own_names_the_axes():
    picture = Landscape(lambda a, b: a**2 + 10 * b**2, (3.0, 1.0), rates=(0.05,), steps=5)
    assert "The loss of a and b" in picture.describe(step=0) and "SGD: loss 19." in picture.describe(step=0)
    assert picture.runs["SGD"][0][1].place == pytest.approx((3.0 - 0.05 * 6, 1.0 - 0.05 * 20), abs=1e-6)


def test_a_loss_written_with_ops():
    picture = Landscape(lambda x, y: ops.sin(x) + y**2, (1.0, 1.0), ("SGD",), rates=(0.1,), steps=3)
    assert picture.runs["SGD"][0][1].place == pytest.approx((1.0 - 0.1 * np.cos(1.0), 0.8), rel=1e-5)


def test_a_loss_that_takes_single_numbers_only():
    def loss(x, y):
        return x**2 if float(x.asnumpy()) > 0 else y**2

    ground = heights(loss, np.array([-1.0, 2.0]), np.array([3.0]))
    assert ground.tolist() == [[9.0, 4.0]]


def test_a_loss_below_zero_is_drawn_on_a_linear_scale():
    picture = Landscape(lambda x, y: x**2 + y**2 - 5, (1.0, 1.0), steps=4)
    assert "The loss after each step, on a linear scale" in [mark.text for mark in picture.scene.panels[1].marks]


def test_a_flat_loss_has_no_contour_lines():
    assert levels_of(np.full((3, 3), 2.0)) == []
    assert "loss 2" in Landscape(lambda x, y: 0 * x + 0 * y + 2, (1.0, 1.0), steps=2).describe()


def test_a_path_that_overflows_ends_there():
    moments = descend(lambda x, y: x**4 + y**4, (3.0, 3.0), OPTIMIZERS["SGD"], 1.0, 30)
    assert 1 < len(moments) < 30
    picture = Landscape(lambda x, y: x**4 + y**4, (3.0, 3.0), rates=(1.0,))
    assert f"SGD: not finite since step {len(moments)}" in picture.describe()
    assert json.dumps(to_json(picture.scene), allow_nan=False)


def test_optimizers_of_ones_own():
    made = {"Nesterov": lambda parameters, rate: nn.SGD(parameters, rate, momentum=0.9, nesterov=True)}
    picture = Landscape(line_fit, START, made, rates=(0.05,), steps=3)
    assert list(picture.runs) == ["Nesterov"] and set(picture.runs["Nesterov"][0][1].kept) == {"accum", "stat"}


@pytest.mark.parametrize(
    "arguments, options, error, message",
    [
        ((3.0, (1, 1)), {}, TypeError, "expected a function of two numbers, but got float"),
        ((lambda x: x, (1, 1)), {}, TypeError, "yours takes 1: x"),
        ((line_fit,), {}, TypeError, "expected a loss and its start"),
        ((line_fit, (1, 2, 3)), {}, TypeError, "expected a start of two numbers"),
        ((line_fit, (1, float("nan"))), {}, ValueError, "expected a start of two finite numbers"),
        ((lambda x, y: ops.log(x + y), (-1, -1)), {}, ValueError, "expected a finite loss and gradient at the start"),
        ((line_fit, START, ("Adagrad",)), {}, ValueError, "expected optimizers out of SGD, Momentum, Adam"),
        ((line_fit, START, ()), {}, ValueError, "expected one to 4 optimizers, but got 0"),
        ((line_fit, START), {"rates": (0.1, -1)}, ValueError, "expected learning rates above 0"),
        ((line_fit, START), {"steps": 0}, ValueError, "expected between 1 and 60 steps"),
        ((lambda x, y: ms.Tensor([1.0, 2.0]) * x * y, (1, 1)), {}, ValueError, "expected a loss that is one number"),
        ((lambda x, y: {}["w"], (1, 1)), {}, KeyError, "w"),
    ],
)
def test_what_does_not_fit_is_said(arguments, options, error, message):
    with pytest.raises(error, match=message):
        Landscape(*arguments, **options)


def test_every_caption_holds_somewhere():
    scene = usual().scene
    for rate in range(4):
        for show in range(4):
            state = scene.state(rate=rate, show=show)
            why = show in (0, 1 + NAMES.index("SGD"))
            assert sum(holds(c.when, state) for c in scene.captions) == (4 if show == 0 else 2) + why


def test_the_numbers_of_contour_lines_stand_off_every_path():
    picture = usual()
    levels = [mark for mark in picture.scene.panels[0].marks if mark.role == "level"]
    ways = picture._shared.ways
    assert len(levels) >= 3
    for mark in levels:
        assert np.hypot(*(ways - (mark.at["x"], mark.at["y"] - 4)).T).min() > 10, mark.text


@pytest.mark.parametrize("steps", [1, 30, 60])
def test_the_whole_training_plays_in_eight_seconds(steps):
    dial = Landscape(steps=steps).scene.dials[0]
    assert 0 < dial.pace * steps <= 8000


def reached(picture):
    """The starts that a saved page has, in the plane."""
    known = json.loads(picture.html().partition('id="data">')[2].partition("</script>")[0])["reach"]
    return json.loads(gzip.decompress(base64.b64decode(known)))["points"]


def test_a_saved_page_begins_at_other_places_too():
    picture = Landscape(steps=5)
    starts, plane = reached(picture), picture._shared.plane
    assert len(starts) == 9 and starts[0] == list(START)
    for start in starts:
        scene = picture.scene_at(dict(zip(("w", "b"), start, strict=True)))
        (grip,) = [grip for grip in scene.grips if grip.name == "start"]
        assert plane.at(start) == grip.at and plane.holds(start)
        other = Landscape(start=start, loss=line_fit, steps=5)
        said = [scene.told(scene.state(step=5, rate=rate)).partition(".")[2] for rate in range(4)]
        wanted = [other.scene.told(other.scene.state(step=5, rate=rate)).partition(".")[2] for rate in range(4)]
        losses = [words.replace(", outside the picture", "") for words in said]
        assert losses == [words.replace(", outside the picture", "") for words in wanted]


def test_a_saved_page_has_no_start_where_the_loss_is_not_finite():
    picture = Landscape(
        lambda x, y: ops.log(x) + y**2, (1.0, 1.0), ("SGD",), rates=(0.1,), steps=3, frame=(-2, 2, -2, 2)
    )
    starts = reached(picture)
    assert 1 < len(starts) < 9 and all(x > 0 for x, _ in starts)
