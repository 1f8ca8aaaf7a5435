"""The ball and the box show what the two rules do to a gradient of two elements, wherever it is dragged."""

from functools import cache

import numpy as np
import pytest

from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.clipping import ball
from labkit.widgets.labs.clipping import ball_view as view
from labkit.widgets.labs.clipping.rules import by_value, each_by_norm

PLACES = [(3.5, 1.5), (-4.0, 3.0), (0.5, 0.0), (0.0, 0.0), (-1.0, -2.5)]


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return Picture(ball.scene())


def seen(g, limit, panel=0):
    scene = usual().scene
    state = scene.state(g=ball.grid().index(g), limit=ball.LIMITS.index(limit))
    return [(mark.role, at, words) for mark, at, words, _ in visible_marks(scene.panels[panel], state)]


def tip(g, limit, role):
    """Where the arrow with this head points, in units of the gradient."""
    (d,) = [at["d"] for mark, at, _ in seen(g, limit) if mark == role]
    x, y = map(float, d.removeprefix("M").split("L")[0].rstrip("Z").split())
    return (x - view.MIDDLE[0]) / view.UNIT, (view.MIDDLE[1] - y) / view.UNIT


@pytest.mark.parametrize("g", [place for place in PLACES if place != (0.0, 0.0)])
@pytest.mark.parametrize("limit", ball.LIMITS)
def test_the_arrows_end_where_the_formulas_say(g, limit):
    by_norm = np.array(g) * min(1.0, limit / np.hypot(*g))
    assert tip(g, limit, "inkhead") == pytest.approx(g, abs=0.01)
    assert tip(g, limit, "head") == pytest.approx(by_norm, abs=0.01)
    assert tip(g, limit, "backhead") == pytest.approx(np.clip(g, -limit, limit), abs=0.01)


def test_by_norm_never_turns_and_by_value_turns_somewhere():
    limit = ball.LIMITS[1]
    assert not any(ball.clipped(each_by_norm, g, limit).turned for g in ball.grid())
    assert max(ball.clipped(by_value, g, limit).turned for g in ball.grid()) > 25


def test_on_the_axes_and_the_diagonals_by_value_does_not_turn():
    for g in ((3.0, 0.0), (0.0, -2.0), (3.0, 3.0), (-2.5, 2.5)):
        assert ball.clipped(by_value, g, 1.0).turned == 0


def test_the_sentence_names_numbers_that_are_right():
    words = usual().describe(g="(3.5, 1.5)", limit="1.5")
    turned = np.degrees(np.arctan2(1.5, 1.5) - np.arctan2(1.5, 3.5))
    assert "By norm: (1.38, 0.591). By value: (1.5, 1.5)." in words
    assert f"By norm: only shorter. By value: turned by {turned:.1f}°." in words


def test_a_short_gradient_is_said_to_be_left_alone():
    assert "nothing is clipped" in usual().describe(g="(0.5, 0.5)", limit="1")
    assert "nothing is clipped" in usual().describe(g="(0, 0)", limit="0.5")


def test_dragging_to_a_place_sets_the_gradient_of_that_place():
    grip = next(grip for grip in usual().scene.grips if grip.name == "g")
    for g in PLACES:
        (handle,) = [at for role, at, _ in seen(g, 1.0) if role == "before"]
        assert (handle["cx"], handle["cy"]) == pytest.approx(grip.spots[ball.grid().index(g)], abs=0.05)


def test_ball_and_box_have_the_size_of_the_limit():
    for limit in ball.LIMITS:
        (round_one,) = [at for role, at, _ in seen((3.5, 1.5), limit) if role == "op"]
        (box,) = [at for role, at, _ in seen((3.5, 1.5), limit) if role == "back"]
        assert round_one["r"] == box["width"] / 2 == limit * view.UNIT


def test_g_is_dragged_to_where_clipping_by_value_turns_it_most():
    places = [*ball.grid(), *ball.tour()]
    for limit, seek in zip(ball.LIMITS, usual().scene.dials[0].seeks, strict=True):
        turned = [ball.clipped(by_value, g, limit).turned for g in places]
        assert seek.when == {"limit": [ball.LIMITS.index(limit)]}
        assert turned.index(max(turned)) in seek.answer and min(turned[i] for i in seek.answer) > 0.89 * max(turned)
        assert len(ball.grid()) not in seek.answer  # it does not begin at its answer
        assert all(f"turned by {turned[i]:.1f}°" in said for i, said in seek.says)


def test_while_it_is_asked_no_arrow_bar_or_name_tells_how_g_is_turned():
    state = usual().scene.state()
    for panel in usual().scene.panels:
        told = {mark.role for mark, *_, name in visible_marks(panel, state) if name != "answer"}
        assert told <= {
            "area",
            "back",
            "op",
            "grid",
            "tick",
            "inkvector",
            "inkhead",
            "before",
            "name",
            "note",
            "outline",
            "asked",
        }


@pytest.mark.parametrize("limit", ball.LIMITS)
def test_the_turn_is_the_wedge_between_both_arrows_and_is_written_beside_the_one_that_is_turned(limit):
    for g in ((3.0, 2.0), (-1.0, -2.5), (0.5, 3.0)):
        (d,) = [at["d"] for role, at, _ in seen(g, limit) if role == "turn"]
        first, *rim = [np.array([*map(float, spot.split())]) - view.MIDDLE for spot in d[1:].rstrip("Z").split("L")[:4]]
        angles = np.degrees([np.arctan2(-y, x) for x, y in (rim[0], rim[-1])])
        turned = ball.clipped(by_value, g, limit).turned
        assert abs(np.diff(np.unwrap(angles, period=360)))[0] == pytest.approx(turned, abs=0.5) and not first.any()
        (where,) = [at for role, at, words in seen(g, limit) if role == "slope" and words == f"{turned:.1f}°"]
        tip_ = np.array(view.PLANE.at(ball.clipped(by_value, g, limit).vector))
        assert np.hypot(*(tip_ - [where["x"], where["y"] - 4])) < 32


def test_of_a_gradient_of_zero_no_direction_is_told():
    said = [words for role, _, words in seen((0.0, 0.0), 1.0, 1) if "direction" in words]
    assert said == []


def test_once_around_goes_from_the_start_to_the_start_and_is_what_plays():
    (dial,) = [d for d in usual().scene.dials if d.name == "g"]
    way = [ball.tour()[i - len(ball.grid())] for i in dial.plays]
    assert way[0] == way[-1] == ball.START and dial.start == dial.plays[0]
    assert [dial.values[i] for i in dial.plays[:1]] == ["(3.5, 1.5)"]
    angles = np.unwrap([np.arctan2(y, x) for x, y in way])
    assert (np.diff(angles) > 0).all() and angles[-1] - angles[0] == pytest.approx(2 * np.pi, abs=0.01)
    assert all(abs(x) <= ball.ACROSS and abs(y) <= ball.UP for x, y in way)
    turned = [ball.clipped(by_value, g, 1.5).turned for g in way]
    assert max(turned) > 20 and min(turned) < 7


def test_the_bars_are_the_lengths_and_the_turn():
    scene = usual().scene
    for g, limit in ((PLACES[0], 1.5), (PLACES[1], 0.5), (PLACES[2], 1.0)):
        state = scene.state(g=ball.grid().index(g), limit=ball.LIMITS.index(limit))
        bars = {m.role: at["width"] for m, at, *_ in visible_marks(scene.panels[1], state) if m.tag == "rect"}
        a_unit = view.LEFT(1) - view.LEFT(0)
        kept = [ball.clipped(rule, g, limit) for rule in (each_by_norm, by_value)]
        assert bars["inkhead"] == pytest.approx(np.hypot(*g) * a_unit, abs=0.06)
        assert [bars[r] for r in ("bar", "backbar")] == pytest.approx([c.length * a_unit for c in kept], abs=0.06)
        turn = bars.get("turn", 0)  # as in a browser no rectangle without area
        assert turn == pytest.approx(kept[1].turned * (view.TURNS(1) - view.TURNS(0)), abs=0.06)


def test_where_by_value_leaves_g_alone_it_is_not_said_to_keep_a_direction():
    assert "By value: inside the box, nothing is clipped." in usual().describe(g="(1.5, 0.5)", limit="1.5")


def overlap(a, b):
    (left, top, right, bottom), (x, y, x_end, y_end) = a, b
    return max(0, min(right, x_end) - max(left, x)) * max(0, min(bottom, y_end) - max(top, y))


@pytest.mark.parametrize("limit", ball.LIMITS)
def test_no_name_stands_on_another_or_on_the_tip_of_an_arrow(limit):
    for g in ball.grid():
        left = [ball.clipped(rule, g, limit).vector for rule in (each_by_norm, by_value)]
        tips, boxes = [view.PLANE.at(v) for v in (g, *left)], names_in(g, limit)
        names = list(boxes)
        for i, name in enumerate(names):
            assert not any(overlap(boxes[name], boxes[other]) for other in names[:i]), (g, name)
            assert not any(overlap(boxes[name], (x - 1, y - 1, x + 1, y + 1)) for x, y in tips), (g, name)


def names_in(g, limit):
    boxes = {}
    for role, at, words in seen(g, limit):
        if role in ("name", "slope", "note") and words and at["text-anchor"] == "middle":
            half = width_of(words, 12, bold=True) / 2
            boxes[words] = at["x"] - half, at["y"] - 10, at["x"] + half, at["y"] + 3
    return boxes


def test_every_name_stays_inside_the_frame_and_g_beside_its_ring():
    for g in ball.grid()[::3]:
        for role, at, words in seen(g, 1.5):
            if role in ("name", "slope", "note") and words:
                wide = width_of(words, 12, bold=True)
                left = at["x"] - {"start": 0.0, "middle": wide / 2, "end": wide}[at["text-anchor"]]
                assert view.PLANE.across.start < left and left + wide < view.PLANE.across.end, (g, words)
                assert view.PLANE.up.end + 9 < at["y"] < view.PLANE.up.start, (g, words)
        (name,) = [at for role, at, words in seen(g, 1.5) if words == "g"]
        tip, letter = np.array(view.PLANE.at(g)), np.array([name["x"], name["y"] - 4])
        way = np.array(view.MIDDLE) + np.linspace(0, 1, 50)[:, None] * (tip - view.MIDDLE)
        assert np.hypot(*(way - letter).T).min() > 10 or g == (0.0, 0.0), g
        assert np.hypot(*(tip - letter)) == pytest.approx(view.KNOB + 9, abs=0.2), g
