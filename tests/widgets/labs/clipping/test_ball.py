"""The ball and the box show what the two rules do to a gradient of two elements, wherever it is dragged."""

from functools import cache

import numpy as np
import pytest

from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.clipping import ball
from labkit.widgets.labs.clipping.rules import by_value, each_by_norm

PLACES = [(3.5, 1.5), (-4.0, 3.0), (0.5, 0.0), (0.0, 0.0), (-1.0, -2.5)]


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return Picture(ball.scene())


def seen(g, limit):
    scene = usual().scene
    state = scene.state(g=ball.grid().index(g), limit=ball.LIMITS.index(limit))
    return [(mark.role, at, words) for mark, at, words, _ in visible_marks(scene.panels[0], state)]


def tip(g, limit, role):
    """Where the arrow with this head points, in units of the gradient."""
    (d,) = [at["d"] for mark, at, _ in seen(g, limit) if mark == role]
    x, y = map(float, d.removeprefix("M").split("L")[0].rstrip("Z").split())
    return (x - ball.MIDDLE[0]) / ball.UNIT, (ball.MIDDLE[1] - y) / ball.UNIT


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
    assert "By norm: (1.38, 0.591), the same direction." in words
    assert f"By value: (1.5, 1.5), turned by {turned:.1f}°." in words


def test_a_short_gradient_is_said_to_be_left_alone():
    assert "nothing is clipped" in usual().describe(g="(0.5, 0.5)", limit="1")
    assert "nothing is clipped" in usual().describe(g="(0, 0)", limit="0.5")


def test_dragging_to_a_place_sets_the_gradient_of_that_place():
    grip = next(grip for grip in usual().scene.grips if grip.name == "g")
    for g in PLACES:
        (handle,) = [at for role, at, _ in seen(g, 1.0) if role == "outline"]
        assert (handle["cx"], handle["cy"]) == pytest.approx(grip.spots[ball.grid().index(g)], abs=0.05)


def test_ball_and_box_have_the_size_of_the_limit():
    for limit in ball.LIMITS:
        (round_one,) = [at for role, at, _ in seen((3.5, 1.5), limit) if role == "edge"]
        (box,) = [at for role, at, _ in seen((3.5, 1.5), limit) if role == "backedge"]
        assert round_one["r"] == box["width"] / 2 == limit * ball.UNIT


def test_the_question_has_its_answer_in_the_box():
    ask = usual().scene.dials[1].asks[3]
    assert ask.answer == max(ball.clipped(by_value, g, ball.LIMITS[3]).length for g in ball.grid())
