"""The path over the cliff is that of gradient descent, and the contour lines lie where the loss says."""

from functools import cache

import numpy as np
import pytest

import labkit
from labkit.widgets.kit.contours import contour
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import looks
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.symbolic import Inputs, resolved
from labkit.widgets.labs.clipping import cliff, cliff_view
from labkit.widgets.labs.clipping.cliff import FRAME, GONE, RATE, START, STEPS, course, loss, thrown, train

LIMITS = (0.5, 1.0, 4.0)


@cache
def usual(w=START["w"], b=START["b"], limit=1.0):
    """The widget from a start, with a limit, made when it is first asked for."""
    return resolved(cliff.scene(Inputs({"w": w, "b": b, "max_norm": limit})))[0]


@pytest.mark.parametrize("start", [(0.1, 0.3), (1.2, 0.9), (-1.1, 0.5), (0.0, 1.8), (1.7, -0.2)])
@pytest.mark.parametrize("limit", [np.inf, *LIMITS])
def test_what_the_picture_computes_is_the_training_of_the_dialect(start, limit):
    of = Inputs({"w": start[0], "b": start[1]})
    clipped = course(of) if limit == np.inf else course(of, of.of("add", limit, 0.0))
    for one, point in zip(clipped, train(limit, start)):
        if not one.going.value:
            assert max(abs(point.w), abs(point.b)) >= GONE
            break
        got = [one.w.value, one.b.value, one.loss.value, one.norm.value]
        assert got == pytest.approx([point.w, point.b, point.loss, point.norm], rel=1e-4, abs=1e-6)


def descent(limit, steps):
    """The same training by the engine's own gradient and the formula."""
    point, gradient = np.array([START["w"], START["b"]]), labkit.grad(lambda p: loss(p[0], p[1]))
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


@pytest.mark.parametrize("limit", LIMITS)
def test_the_paths_are_drawn_where_the_training_was(limit):
    left, right, low, high = FRAME
    scene = usual(limit=limit)
    for step in (0, 3, STEPS):
        seen = visible_marks(scene.panels[0], scene.state(step=step))
        dots = [at for m, at, *_ in seen if m.tag == "circle" and m.role == "head" and "cx" in m.at and at["cy"] != 32]
        points = train(limit)[: step + 1]
        assert len(dots) == len(points)
        w = left + (dots[-1]["cx"] - cliff_view.LEFT) / cliff_view.WIDTH * (right - left)
        b = high - (dots[-1]["cy"] - cliff_view.TOP) / cliff_view.HEIGHT * (high - low)
        assert (w, b) == pytest.approx((points[-1].w, points[-1].b), abs=0.01)


@pytest.mark.parametrize("start", [(0.1, 0.3), (1.0, 1.0), (-1.1, 0.5)])
def test_every_drawn_path_stays_in_the_frame(start):
    left, top, scene = cliff_view.LEFT, cliff_view.TOP, usual(*start)
    for mark in scene.panels[0].marks:
        at, *_ = looks(mark, scene.state(step=STEPS))
        if mark.role in ("inkvector", "edge") and mark.vary and at["d"] != "M0 0":
            points = [tuple(map(float, pair.split())) for pair in at["d"][1:].split("L")]
            assert all(left - 0.1 <= x <= left + cliff_view.WIDTH + 0.1 for x, _ in points)
            assert all(top - 0.1 <= y <= top + cliff_view.HEIGHT + 0.1 for _, y in points)


def test_the_relief_is_as_high_as_the_loss():
    """At places over all of the plane, the last band that covers one is that of its loss."""
    from matplotlib.path import Path

    bands = [m for m in usual().panels[0].marks if m.role.startswith("norm") and m.tag == "path"]
    shapes = [(int(m.role[-1]), Path([[*map(float, p.split())] for p in m.at["d"][1:-1].split("L")])) for m in bands]
    for w, b in np.random.RandomState(0).uniform(FRAME[::2], FRAME[1::2], (300, 2)):
        covers = [k for k, shape in shapes if shape.contains_point(cliff_view.PLANE.at((w, b)))]
        level = np.searchsorted(cliff_view.LEVELS, loss(w, b))
        near = min(abs(np.log(loss(w, b) / edge)) for edge in cliff_view.LEVELS)
        assert (min(covers) if covers else 5) == level or near < 0.1


def test_the_sentence_gives_both_paths():
    free, clipped = train(), train(1.0)
    words = Picture(usual()).describe(step=4)
    assert f"gradient of length {free[4].norm:.3g}. By nn" in words
    assert f"loss {clipped[4].loss:.3g}" in words
    assert "the training is gone" in Picture(usual()).describe(step=STEPS)


def test_the_question_is_about_the_step_that_throws():
    at, free = thrown(train()), train()
    moved = np.hypot(free[at].w - free[at - 1].w, free[at].b - free[at - 1].b)
    assert usual().dials[0].asks[at].answer == pytest.approx(moved, rel=1e-5)


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
