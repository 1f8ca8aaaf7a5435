"""The paths over a loss landscape are those of the optimizers' formulas, and the picture says where they are."""

import json
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from javascript import call, unpacked

import labkit
import labkit.mindspore as ms
from labkit.mindspore import nn, ops
from labkit.widgets.kit.page import PAGE, script
from labkit.widgets.kit.scene import holds, looks, to_json, width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.strokes import NOWHERE
from labkit.widgets.kit.words import number
from labkit.widgets.labs.landscape.gauge import curved, plain
from labkit.widgets.labs.landscape.run import OPTIMIZERS, descend, frame_of, heights, levels_of, line_fit
from labkit.widgets.labs.landscape.scene import RATES, START, STEPS, Landscape
from labkit.widgets.labs.landscape.view import FRESH, HEIGHT, LEFT, RATE, TOP, WIDTH, rate_axis

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


@cache
def at_rate(rate):
    """The scene at a learning rate."""
    return usual().scene_at({**usual().inputs, RATE: rate})


@pytest.mark.parametrize("rate", [0.02, 0.2, 0.25])
def test_why_sgd_goes_as_it_does_is_its_rate_times_the_curvature_along_its_step(rate):
    hessian = labkit.jacrev(labkit.grad(lambda p: line_fit(p[0], p[1])))(np.array(START))
    moments, scene = usual().runs["SGD"][RATES.index(rate)], at_rate(rate)
    for step in (1, 4, 12):
        way = np.subtract(moments[step].place, moments[step - 1].place)
        wanted = rate * (way @ hessian @ way) / (way @ way)
        assert curved(moments, rate, step) == pytest.approx(wanted, rel=1e-3)
        does = "stops short" if wanted < 1 else "zigzags" if wanted < 2 else "flies off"
        said = scene.caption(scene.state(step=step))
        assert f"SGD's rate × curvature is {number(curved(moments, rate, step))}" in said and f"it {does}." in said
    assert "curvature" not in scene.caption(scene.state(step=0))
    assert curved(moments, rate, 1) > 1 or rate < 0.2


def test_what_follows_more_than_the_gradient_has_no_such_reason():
    assert not any(plain(moments, rate) for name in NAMES[1:] for moments, rate in zip(usual().runs[name], RATES))
    assert "curvature" not in Landscape(lambda x, y: x**2 + y**2, (1.0, 1.0), ("Adam",), steps=3).describe()


def tips(role, **state):
    """Where the arrows of a role end."""
    ends = [at["d"].rpartition("L")[2] for mark, at in plane_marks(**state) if mark.role == role]
    return [tuple(map(float, end.split())) for end in ends]


def test_the_arrow_is_the_rate_times_the_gradient_and_of_sgd_the_next_step():
    moments, plane = usual().runs["SGD"][1], usual().ground.plane
    assert tips("ravine", step=3, rate=0.1, show="SGD") == [pytest.approx(plane.at(moments[4].place), abs=0.1)]


@pytest.mark.parametrize("name", ["Momentum", "Adam"])
def test_what_another_optimizer_adds_to_that_leads_to_its_next_step(name):
    moments, plane, role = usual().runs[name][1], usual().ground.plane, "backvector"
    downhill = np.subtract(moments[3].place, 0.1 * np.array(moments[3].gradient))
    assert tips("ravine", step=3, rate=0.1, show=name) == [pytest.approx(plane.at(downhill), abs=0.1)]
    assert tips(role, step=3, rate=0.1, show=name) == [pytest.approx(plane.at(moments[4].place), abs=0.1)]
    arrows = [
        mark for mark, _ in plane_marks(step=3, show=name) if mark.role in ("ravine", "savedbar", role, "backhead")
    ]
    assert arrows and all(
        mark.vary["step"]["state"] == [(0, "answer")] for mark in arrows
    )  # it would tell the next step


def test_steps_of_long_ago_are_pale_and_have_no_sign():
    marks = plane_marks(step=10, rate=0.1, show="Adam")
    ways = [at["d"].count("L") for mark, at in marks if mark.role == "backedge" and mark.vary]
    signs = [at["d"].count("M") for mark, at in marks if mark.role == "backbar" and mark.vary]
    assert ways == [10, FRESH] and signs == [FRESH, 1]


def test_both_axes_have_the_same_scale():
    left, right, low, high = frame_of([usual().runs["SGD"][0]], WIDTH, HEIGHT)
    assert (right - left) / WIDTH == pytest.approx((high - low) / HEIGHT, rel=0.01)


def plane_marks(rate=0.2, **state):
    scene = at_rate(rate)
    (panel,) = (p for p in scene.panels if p.name == "plane")
    return [(mark, at) for mark, at, *_ in visible_marks(panel, scene.state(**state))]


def test_a_path_that_leaves_the_frame_is_drawn_up_to_its_edge():
    for mark, at in plane_marks(rate=0.25):
        if mark.vary and mark.role in ("inkvector", "edge", "backedge") and at["d"] != NOWHERE:
            points = [tuple(map(float, pair.split())) for pair in at["d"][1:].split("L")]
            assert all(LEFT - 0.1 <= x <= LEFT + WIDTH + 0.1 for x, _ in points)
            assert all(TOP - 0.1 <= y <= TOP + HEIGHT + 0.1 for _, y in points)
    assert "SGD: loss 425, outside the picture" in at_rate(0.25).caption(at_rate(0.25).start())


def test_one_optimizer_can_be_shown_alone():
    roles = {mark.role for mark, _ in plane_marks(show="Adam")}
    assert "backbar" in roles and not roles & {"bar", "inkhead"}
    assert "SGD:" not in usual().describe(show="Adam")


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


def test_the_questions_are_about_first_steps_and_the_velocity():
    gradient = labkit.grad(lambda p: line_fit(p[0], p[1]))(np.array(START))
    for i, rate in enumerate(RATES):
        asks = at_rate(rate).dials[0].asks
        assert asks[1][0].answer == pytest.approx(rate, rel=1e-4) and asks[1][0].when == {"show": [0, 3]}
        assert asks[1][1].answer == pytest.approx(-rate * gradient[0], rel=1e-6) and asks[1][1].when == {"show": [1]}
        before, after = usual().runs["Momentum"][i][1:3]
        assert asks[2][0].answer == pytest.approx(0.9 * before.kept["moments"][0] + before.gradient[0], rel=1e-5)
        assert after.kept["moments"][0] == asks[2][0].answer and asks[2][0].when == {"show": [0, 2]}


@pytest.mark.parametrize("show", range(4))
def test_something_is_asked_whatever_is_shown(show):
    scene = usual().scene
    assert any(holds(ask.when, scene.state(show=show)) for asks in scene.dials[0].asks.values() for ask in asks)


def test_no_line_of_text_leaves_its_panel():
    for panel in usual().scene.panels:
        for mark in panel.marks:
            if mark.tag != "text":
                continue
            for step in (0, 3, STEPS):
                at, words, _ = looks(mark, usual().scene.state(step=step))
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
    for show in range(4):
        state = scene.state(show=show)
        why = show in (0, 1 + NAMES.index("SGD"))
        assert sum(holds(c.when, state) for c in scene.captions) == (4 if show == 0 else 2) + why


def test_the_numbers_of_contour_lines_stand_off_every_path():
    picture = usual()
    levels = [mark for mark in picture.scene.panels[0].marks if mark.role == "level"]
    tracks = [picture.ground.plane.track([m.place for m in moments]) for by in picture.runs.values() for moments in by]
    ways = np.concatenate([np.linspace(a, b, 9) for track in tracks for a, b in pairwise(track)])
    assert len(levels) >= 3
    for mark in levels:
        assert np.hypot(*(ways - (mark.at["x"], mark.at["y"] - 4)).T).min() > 10, mark.text


@pytest.mark.parametrize("steps", [1, 30, 60])
def test_the_whole_training_plays_in_eight_seconds(steps):
    dial = Landscape(steps=steps).scene.dials[0]
    assert 0 < dial.pace * steps <= 8000


def in_reach(picture):
    """What a saved page can show besides."""
    known = json.loads(picture.html().partition('id="data">')[2].partition("</script>")[0])["reach"]
    return unpacked(known)


def rounded(value):
    """JSON whose numbers are as exact as a tenth of a px."""
    if isinstance(value, str):
        parts = re.split(r"(-?\d+\.?\d*)", value) if value.startswith("M") else [value]
        return [float(part) if k % 2 else part for k, part in enumerate(parts)]
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, (list, tuple)) else value


def alike(a, b, path=""):
    """Whether two scenes are the same, up to what rounding does to a place; else where they are not."""
    if isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b):
        return next((found for key in a if (found := alike(a[key], b[key], f"{path}.{key}"))), "")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((found for i in range(len(a)) if (found := alike(a[i], b[i], f"{path}.{i}"))), "")
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return "" if a == pytest.approx(b, abs=0.11, rel=1e-6) else f"{path}: {a} {b}"
    return "" if a == b else f"{path}: {a!r} {b!r}"


def spelled_out(scene):
    """A scene in which each list of changes has an entry for each step."""
    for panel in scene["panels"]:
        for mark in panel["marks"]:
            for name, found in mark.get("vary", {}).get("step", {}).items():
                if name != "state":
                    mark["vary"]["step"][name] = [looked_up(found, step) for step in range(31)]
    for caption in scene["captions"]:
        caption["texts"] = [looked_up(caption["texts"], step) for step in range(31)]
    return rounded(scene)


def looked_up(found, step):
    return next(value for at, value in reversed(found) if at <= step)


WALKING = script("walking.js").replace("export default", "const made =")


@pytest.mark.parametrize("start, rate", [
    (START, 0.2), (START, 0.25), ((1.234, -3.1), 0.0456), ((4.4, 0.77), 0.24), ((-2.0, -4.0), 0.312), ((2.0, -1.0), 0.1),
])  # fmt: skip
def test_a_saved_page_draws_from_any_start_at_any_rate_what_python_would(start, rate):
    picture = usual()
    inputs = {"w": start[0], "b": start[1], RATE: rate}
    first, held = json.loads(json.dumps(to_json(picture.scene))), in_reach(picture)
    drawn = call(
        f"(first, held, inputs) => {{ {WALKING}\nreturn new Walking(first, held).sceneAt(inputs); }}",
        first,
        held,
        inputs,
    )
    wanted = json.loads(json.dumps(to_json(picture.scene_at(inputs))))
    for scene in (drawn, wanted):
        for grip in scene["grips"]:
            grip.pop("free", None)
    assert alike(spelled_out(drawn), spelled_out(wanted)) == ""


def test_the_optimizers_formulas_are_not_written_in_the_page():
    held = in_reach(usual())
    assert set(held["walks"]["rules"]) == set(NAMES)
    assert (
        len(held["walks"]["rules"]["SGD"]["program"]["lines"])
        < 6
        < len(held["walks"]["rules"]["Adam"]["program"]["lines"])
    )
    assert not {"0.9", "0.999", "Adam"} & set(re.findall(r"[\w.]+", (PAGE / "walking.js").read_text(encoding="utf-8")))


def test_a_rule_that_no_line_says_has_some_starts_ready():
    made = {"Noisy": lambda parameters, rate: nn.SGD(parameters, rate, weight_decay=0.5)}
    held = in_reach(Landscape(line_fit, START, made, rates=(0.05,), steps=3))
    assert "walks" not in held and len(held["points"]) > 8


def test_a_saved_page_has_no_start_where_the_loss_is_not_finite():
    picture = Landscape(
        lambda x, y: ops.log(x) + y**2, (1.0, 1.0), ("SGD",), rates=(0.1,), steps=3, frame=(-2, 2, -2, 2)
    )
    held, first = in_reach(picture), to_json(picture.scene)
    for x, wanted in ((0.5, True), (-1.0, False)):
        inputs = {"x": x, "y": 1.0, RATE: 0.1}
        code = f"(first, held, inputs) => {{ {WALKING}\nreturn Boolean(new Walking(first, held).sceneAt(inputs)); }}"
        assert call(code, first, held, inputs) == wanted


def test_a_learning_rate_that_is_given_is_taken_by_a_click():
    picture = usual()
    marks = [mark for mark in picture.scene.panels[1].marks if mark.link]
    assert [mark.text for mark in marks] == [number(rate) for rate in RATES]
    assert [picture.scene.links[mark.link].sets for mark in marks] == [{RATE: rate} for rate in RATES]
    axis = rate_axis(RATES)
    assert all(LEFT < axis(rate) < LEFT + WIDTH for rate in RATES)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_a_learning_rate_is_above_zero(rate):
    with pytest.raises(ValueError, match="expected a learning rate above 0"):
        usual().scene_at({**usual().inputs, RATE: rate})
