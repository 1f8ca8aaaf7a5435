"""The clipping lab shows what the two rules do to a gradient, and gradient descent over a cliff."""

import numpy as np
import pytest
from javascript import in_page

import labkit
from labkit.mindspore import Tensor, ops
from labkit.widgets import ClippingLab
from labkit.widgets.labs.clipping import RATE, STEPS, loss, train

PLACES = [(3.5, 1.5), (-4.0, 3.0), (0.5, 0.0), (0.0, 0.0), (-1.0, -2.5), (0.3, -2.9), (2.0, 2.0)]
LIMITS = (0.5, 1.0, 4.0)
CLIFF = "Over a cliff"


def angle(u, v):
    """Between two directions, in degrees; 0 where one of them is zero."""
    return float(np.degrees(np.arctan2(abs(u[0] * v[1] - u[1] * v[0]), u[0] * v[0] + u[1] * v[1])))


@pytest.mark.needs("node")
@pytest.mark.parametrize("limit", [0.1, 0.77, 1.5, 2.8])
@pytest.mark.parametrize("g", PLACES)
def test_the_page_computes_what_the_operations_give(g, limit):
    found, before = in_page(ClippingLab(), "(_, ...given) => both(...given)", g, limit), Tensor(np.array(g))
    by_norm, by_value = (
        clip.asnumpy() for clip in (ops.clip_by_norm(before, limit), ops.clip_by_value(before, -limit, limit))
    )
    assert found["byNorm"] == pytest.approx(by_norm.tolist()) and found["byValue"] == by_value.tolist()
    assert found["norms"] == pytest.approx([np.linalg.norm(v) for v in (g, by_norm, by_value)])
    assert found["turned"] == pytest.approx(angle(g, by_value))


@pytest.mark.needs("node")
@pytest.mark.parametrize("start", [(0.1, 0.3), (1.2, 0.9), (-1.1, 0.5), (0.0, 1.8), (1.7, -0.2)])
@pytest.mark.parametrize("limit", [np.inf, *LIMITS])
def test_the_page_computes_the_training_of_the_dialect(start, limit):
    found = in_page(ClippingLab(), "descent", *start, 1e300 if limit == np.inf else limit)
    for one, point in zip(found, train(limit, start), strict=True):
        if np.isfinite(point.norm):
            assert list(one.values()) == pytest.approx([point.w, point.b, point.loss, point.norm], rel=1e-4, abs=1e-6)


def descent(limit, steps):
    """The same training by the engine's own gradient and the formula."""
    point, gradient = np.array([0.1, 0.3]), labkit.grad(lambda p: loss(p[0], p[1]))
    for _ in range(steps):
        g = gradient(point)
        point = point - RATE * g * min(1.0, limit / np.linalg.norm(g))
    return point


@pytest.mark.parametrize(
    "limit, steps", [(limit, n) for limit in LIMITS for n in (1, 4, STEPS)] + [(np.inf, 1), (np.inf, 6)]
)
def test_the_path_is_gradient_descent(limit, steps):
    point = train(limit)[steps]
    assert (point.w, point.b) == pytest.approx(descent(limit, steps), rel=1e-6, abs=1e-4)


def test_without_clipping_the_training_overflows_and_a_limit_too_large_hops_and_one_too_small_is_late():
    free = train()
    assert len(free) < STEPS and not np.isfinite(free[-1].norm)
    late, good, hops = (train(limit)[-1].loss for limit in LIMITS)
    assert good < 0.01 < hops < late < free[4].loss


@pytest.mark.needs("node")
def test_the_page_says_the_sentences_of_python():
    random, lab = np.random.default_rng(1), ClippingLab()
    asked = [{"part": "Ball and box", "g1": x, "g2": y, "limit": limit} for x, y in PLACES for limit in (0.5, 1.5, 2.8)]
    asked += [
        {"part": CLIFF, "w": w, "b": b, "max_norm": limit, "step": float(step)}
        for (w, b), limit, step in zip(
            random.uniform((-1.4, -0.3), (1.8, 1.9), (12, 2)), 4 * LIMITS, range(12), strict=True
        )
    ]
    states = [lab.state_with(**one) for one in asked]
    found = in_page(lab, "(data, states) => states.map((state) => sentenceOf(data, state))", states)
    assert found == [lab.describe(**one).splitlines()[-1] for one in asked]


@pytest.mark.parametrize("state, words", [
    ({}, "By norm: (1.38, 0.591), norm 1.5, same direction. By value: (1.5, 1.5), norm 2.12, turned by 21.8°."),
    ({"g1": 1.4, "g2": 1.4}, "By value: (1.4, 1.4), norm 1.98, same direction"),
    ({"g1": 2.0, "g2": 0.0}, "By value: (1.5, 0), norm 1.5, same direction"),
    ({"part": CLIFF}, "Without clipping: diverged. Clipped to max_norm 1: w = 0.696, b = 0.936, loss 0.0077"),
    ({"part": CLIFF, "step": 6.0}, "Without clipping: out of the picture at w = −107, b = 182"),
])  # fmt: skip
def test_the_sentence_names_numbers_that_are_right(state, words):
    assert words in ClippingLab().describe(**state)


@pytest.mark.needs("node")
@pytest.mark.parametrize("g, limit", [((3.5, 1.5), 1.5), ((0.5, 0.5), 1.5), ((2.0, 0.2), 1.9)])
def test_the_answer_is_where_a_gradient_of_this_norm_is_turned_most(g, limit):
    lab = ClippingLab()
    asked = in_page(lab, "questionAt", lab.state_with(g1=g[0], g2=g[1], limit=limit))
    rays = [np.hypot(*g) * np.array([np.cos(a), np.sin(a)]) for a in np.radians(np.arange(0, 91))]
    every = [angle(ray, np.clip(ray, -limit, limit)) for ray in rays]
    assert (max(every) > 1e-6) == (asked["answer"] == "in between") and np.argmax(every) not in (45, 90)
    assert asked["answer"] in asked["choices"] and len(asked["choices"]) == 4


@pytest.mark.needs("node")
def test_the_question_is_about_the_step_that_leaves_the_wall():
    lab, free = ClippingLab(CLIFF), train()
    asked = in_page(lab, "questionAt", lab.state)
    moved = np.hypot(
        free[asked["step"] + 1].w - free[asked["step"]].w, free[asked["step"] + 1].b - free[asked["step"]].b
    )
    assert asked["step"] == 3 and asked["answer"] == pytest.approx(moved)


def test_a_part_or_a_number_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match=r"part: expected one of 'Ball and box'.*but got 'Cliff'"):
        ClippingLab("Cliff")
    lab = ClippingLab()
    for wrong in ({"limit": 7.0}, {"part": "Cliff"}, {"g1": 2.0, "b": -1.0}):
        with pytest.raises(Exception, match="a ClippingLab instance"):
            lab.state = wrong
    assert lab.state == ClippingLab().state and "<svg" in lab.svg() and "<svg" in lab.svg(part=CLIFF)
