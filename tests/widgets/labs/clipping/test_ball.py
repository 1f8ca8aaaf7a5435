"""The ball and the box show what the two rules do to a gradient of two elements, wherever it is dragged."""

import numpy as np
import pytest

from labkit.mindspore import Tensor, ops
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.symbolic import Inputs, resolved
from labkit.widgets.labs.clipping import ball
from labkit.widgets.labs.clipping import ball_view as view

PLACES = [(3.5, 1.5), (-4.0, 3.0), (0.5, 0.0), (0.0, 0.0), (-1.0, -2.5), (0.3, -2.9), (2.0, 2.0)]
LIMITS = (0.1, 0.77, 1.5, 2.8)


def scene(g=(3.5, 1.5), limit=1.5):
    return resolved(ball.scene(Inputs({"g1": g[0], "g2": g[1], "limit": limit})))[0]


def found(g, limit):
    return ball.Clipped(Inputs({"g1": g[0], "g2": g[1], "limit": limit}))


def seen(g, limit, panel=0, **dials):
    picture = scene(g, limit)
    return [
        (mark.role, at, words) for mark, at, words, _ in visible_marks(picture.panels[panel], picture.state(**dials))
    ]


def points(d):
    return np.array([[*map(float, spot.split())] for spot in d[1:].rstrip("Z").replace("M", "L").split("L")])


def angle(u, v):
    """Between two directions, in degrees; 0 where one of them is zero."""
    turned = np.arctan2(abs(u[0] * v[1] - u[1] * v[0]), u[0] * v[0] + u[1] * v[1])
    return float(np.degrees(turned))


def in_units(spots):
    return (spots - view.MIDDLE) / view.UNIT * [1, -1]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("g", PLACES)
def test_what_the_picture_computes_is_what_the_operations_give(g, limit):
    clipped, before = found(g, limit), Tensor(np.array(g))
    by_norm, by_value = (
        t.asnumpy() for t in (ops.clip_by_norm(before, limit), ops.clip_by_value(before, -limit, limit))
    )
    for after, vector, size in ((by_norm, "norm", "norm_length"), (by_value, "value", "value_length")):
        assert [q.value for q in getattr(clipped, vector)] == pytest.approx(after.tolist(), abs=1e-6)
        assert getattr(clipped, size).value == pytest.approx(np.linalg.norm(after), abs=1e-6)
    assert clipped.turned.value == pytest.approx(angle(g, by_value), abs=2e-3)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("g", [place for place in PLACES if any(place)])
def test_the_arrows_end_where_the_formulas_say(g, limit):
    tips = {role: in_units(points(at["d"])[0]) for role, at, _ in seen(g, limit) if role in ("head", "backhead")}
    assert tips["head"] == pytest.approx(np.array(g) * min(1.0, limit / np.hypot(*g)), abs=0.01)
    assert tips["backhead"] == pytest.approx(np.clip(g, -limit, limit), abs=0.01)
    (ring,) = [(at["cx"], at["cy"]) for role, at, _ in seen(g, limit) if role == "before"]
    assert in_units(np.array(ring)) == pytest.approx(g, abs=0.01)


@pytest.mark.parametrize("limit", LIMITS)
def test_the_traces_go_through_what_both_rules_make_of_every_gradient_of_this_length(limit):
    g, angles = (2.0, 1.5), np.linspace(0, 2 * np.pi, 4 * view.QUARTER, endpoint=False)
    (d,) = [at["d"] for role, at, _ in seen(g, limit) if role == "backline" and at["d"].endswith("Z")]
    around = np.clip(2.5 * np.stack([np.cos(angles), np.sin(angles)], axis=1), -limit, limit)
    assert in_units(points(d)) == pytest.approx(around, abs=0.01)
    (r,) = [at["r"] for role, at, _ in seen(g, limit) if role == "edge"]
    assert r == pytest.approx(min(2.5, limit) * view.UNIT)


@pytest.mark.parametrize("limit", LIMITS)
def test_the_curve_is_the_turn_of_every_direction_and_the_point_on_it_is_g(limit):
    g = (-2.0, 1.5)
    (curve,) = [at["d"] for role, at, _ in seen(g, limit, 1) if role == "backline"]
    for x, y in points(curve)[::7]:
        a = np.radians(-180 + (x - view.DIRECTIONS.start) / (view.DIRECTIONS.end - view.DIRECTIONS.start) * 360)
        one = np.array([np.cos(a), np.sin(a)]) * 2.5
        turned = (view.TURNS.start - y) / (view.TURNS.start - view.TURNS.end) * 45
        assert turned == pytest.approx(angle(one, np.clip(one, -limit, limit)), abs=1.2)
    (point,) = [at for role, at, _ in seen(g, limit, 1) if role == "backhead"]
    assert point["cx"] == pytest.approx(view.DIRECTIONS(np.degrees(np.arctan2(1.5, -2.0))), abs=0.06)
    assert point["cy"] == pytest.approx(view.TURNS(found(g, limit).turned.value), abs=0.06)


def test_by_norm_never_turns_and_by_value_not_on_the_axes_and_diagonals():
    for g in ((3.0, 0.0), (0.0, -2.0), (2.5, 2.5), (-2.5, 2.5)):
        assert found(g, 1.0).turned.value < 1e-6
    assert found((3.5, 1.2), 1.0).turned.value > 20


def test_the_sentence_names_numbers_that_are_right():
    turned = np.degrees(np.arctan2(1.5, 1.5) - np.arctan2(1.5, 3.5))
    words = Picture(scene()).describe()
    assert "By norm: (1.38, 0.591). By value: (1.5, 1.5)." in words
    assert f"By norm: only shorter. By value: turned by {turned:.1f}°." in words
    assert "nothing is clipped" in Picture(scene((0.5, 0.5), 1.0)).describe()
    assert "By value: inside the box, nothing is clipped." in Picture(scene((1.4, 1.4), 1.5)).describe()
    assert "both rules keep the direction" in Picture(scene((2.0, 0.0), 1.5)).describe()


def test_ball_and_box_have_the_size_of_the_limit():
    for limit in LIMITS:
        (round_one,) = [at for role, at, _ in seen((3.5, 1.5), limit) if role == "op"]
        (box,) = [at for role, at, _ in seen((3.5, 1.5), limit) if role == "back"]
        assert round_one["r"] == box["width"] / 2 == pytest.approx(limit * view.UNIT)


def test_while_it_is_asked_no_arrow_bar_or_name_tells_what_both_rules_do():
    for panel in (0, 1):
        told = {role for role, *_ in seen((3.5, 1.5), 1.5, panel, turn_told=0)}
        assert told <= {
            "area",
            "back",
            "op",
            "grid",
            "axis",
            "tick",
            "inkvector",
            "inkhead",
            "before",
            "name",
            "note",
            "outline",
        }
    assert "turned" not in scene().caption(scene().state(turn_told=0))


@pytest.mark.parametrize(
    "g, limit, answer",
    [((3.5, 1.5), 1.5, "in between"), ((0.5, 0.5), 1.5, "nowhere: it is not clipped"), ((2.0, 0.2), 1.9, "in between")],
)
def test_the_answer_is_where_a_gradient_of_this_length_is_turned_most(g, limit, answer):
    (ask,) = [dial.asks[1] for dial in scene(g, limit).dials if dial.asks]
    angles = np.radians(np.arange(0, 91))
    every = [found(np.hypot(*g) * np.array([np.cos(a), np.sin(a)]), limit).turned.value for a in angles]
    assert ask.answer == answer and ask.answer in ask.choices
    assert (max(every) < 1e-6) == (answer != "in between") and np.argmax(every) not in (45, 90)


def test_once_around_leads_g_from_the_start_to_the_start():
    (dial,) = [d for d in scene().dials if d.sets]
    way = [(inputs["g1"], inputs["g2"]) for inputs in dial.sets]
    assert way[0] == way[-1] == (3.5, 1.5) and dial.start == len(way) - 1 and len(dial.values) == len(way)
    angles = np.unwrap([np.arctan2(y, x) for x, y in way])
    assert (np.diff(angles) > 0).all() and angles[-1] - angles[0] == pytest.approx(2 * np.pi, abs=0.01)
    assert all(abs(x) <= ball.ACROSS and abs(y) <= ball.UP for x, y in way)


@pytest.mark.parametrize("g", PLACES)
def test_the_bars_are_the_lengths(g):
    bars = {role: at["width"] for role, at, _ in seen(g, 1.5, 1) if role in ("inkhead", "bar", "backbar")}
    a_unit, clipped = view.LENGTHS(1) - view.LENGTHS(0), found(g, 1.5)
    lengths = [np.hypot(*g), clipped.norm_length.value, clipped.value_length.value]
    assert [bars.get(role, 0) for role in ("inkhead", "bar", "backbar")] == pytest.approx(
        [a_unit * v for v in lengths], abs=0.06
    )


def test_every_name_stays_inside_the_frame():
    for g in [(x, y) for x in np.arange(-4, 4.1, 0.5) for y in np.arange(-3, 3.1, 0.5)]:
        for role, at, words in seen((float(g[0]), float(g[1])), 1.5):
            if role in ("name", "slope", "note") and words:
                half = width_of(words, 12, bold=True) / 2
                assert view.PLANE.across.start - 8 < at["x"] - half and at["x"] + half < view.PLANE.across.end + 8, (
                    g,
                    words,
                )
                assert view.PLANE.up.end < at["y"] < view.PLANE.up.start + 6, (g, words)
