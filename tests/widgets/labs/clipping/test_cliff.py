"""The path over the cliff is that of gradient descent, and the contour lines lie where the loss says."""

from functools import cache

import numpy as np
import pytest

import labkit
from labkit.widgets.kit.contours import contour
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import looks
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.clipping import cliff
from labkit.widgets.labs.clipping.cliff import FRAME, LIMITS, RATE, START, STEPS, loss, thrown, train


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return cliff.scene()


def descent(limit, steps):
    """The same training by the engine's own gradient and the formula."""
    point, gradient = np.array(START), labkit.grad(lambda p: loss(p[0], p[1]))
    for _ in range(steps):
        g = gradient(point)
        point = point - RATE * g * min(1.0, limit / np.linalg.norm(g))
    return point


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("steps", [1, 4, STEPS])
def test_the_clipped_path_is_gradient_descent(limit, steps):
    point = train(limit)[steps]
    assert (point.w, point.b) == pytest.approx(descent(limit, steps), abs=1e-4)


@pytest.mark.parametrize("steps", [1, 4, 6])
def test_without_a_limit_nothing_is_clipped(steps):
    point = train()[steps]
    assert (point.w, point.b) == pytest.approx(descent(np.inf, steps), rel=1e-6)


def test_no_clipped_step_is_longer_than_limit_times_rate():
    for limit in LIMITS:
        places = np.array([(point.w, point.b) for point in train(limit)])
        assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() <= limit * RATE + 1e-9


def test_without_clipping_the_training_overflows_and_with_it_it_ends_low():
    free = train()
    assert len(free) < STEPS and not np.isfinite(free[-1].norm)
    assert train(1.0)[-1].loss < 0.01 < free[thrown(free)].loss


def test_a_limit_too_large_hops_and_one_too_small_is_late():
    late, good, hops = (train(limit)[-1].loss for limit in LIMITS)
    assert good < hops < late


def test_the_paths_are_drawn_where_the_training_was():
    left, right, low, high = FRAME
    for step in (0, 3, STEPS):
        state = usual().state(step=step, cliff_limit=1)
        dots = [at for m, at, *_ in visible_marks(usual().panels[0], state) if m.tag == "circle" and m.role == "head"]
        points = train(LIMITS[1])[: step + 1]
        assert len(dots) == len(points)
        w = left + (dots[-1]["cx"] - cliff.LEFT) / cliff.WIDTH * (right - left)
        b = high - (dots[-1]["cy"] - cliff.TOP) / cliff.HEIGHT * (high - low)
        assert (w, b) == pytest.approx((points[-1].w, points[-1].b), abs=0.01)


def test_every_drawn_path_stays_in_the_frame():
    left, top = cliff.LEFT, cliff.TOP
    for mark in usual().panels[0].marks:
        at, *_ = looks(mark, usual().state(step=STEPS))
        if mark.role in ("inkvector", "vector") and mark.vary:
            points = [tuple(map(float, pair.split())) for pair in at["d"][1:].split("L")]
            assert all(left - 0.1 <= x <= left + cliff.WIDTH + 0.1 for x, _ in points)
            assert all(top - 0.1 <= y <= top + cliff.HEIGHT + 0.1 for _, y in points)


def test_the_sentence_gives_both_paths():
    free, clipped = train(), train(LIMITS[1])
    words = Picture(usual()).describe(step=4, cliff_limit="1")
    assert f"gradient of length {free[4].norm:.3g}. Clipped" in words
    assert f"loss {clipped[4].loss:.3g}" in words
    assert "overflowed at step 7" in Picture(usual()).describe(step=STEPS)


def test_the_question_is_about_the_step_that_throws():
    at, free = thrown(train()), train()
    moved = np.hypot(free[at].w - free[at - 1].w, free[at].b - free[at - 1].b)
    assert usual().dials[0].asks[at].answer == pytest.approx(moved)


def test_contour_lines_of_a_circle_are_a_circle():
    xs, ys = np.linspace(-2, 2, 81), np.linspace(-1.5, 1.5, 61)
    x, y = np.meshgrid(xs, ys)
    segments = contour(x**2 + y**2, xs, ys, 1.0)
    ends = np.array(segments).reshape(-1, 2)
    assert np.allclose(np.hypot(*ends.T), 1.0, atol=1e-3)
    lengths = [np.hypot(a[0] - b[0], a[1] - b[1]) for a, b in segments]
    assert sum(lengths) == pytest.approx(2 * np.pi, rel=1e-3)


def test_a_saddle_has_two_lines_in_a_cell():
    assert len(contour(np.array([[1.0, 0.0], [0.0, 1.0]]), np.arange(2.0), np.arange(2.0), 0.5)) == 2
    assert contour(np.zeros((3, 3)), np.arange(3.0), np.arange(3.0), 1.0) == []
