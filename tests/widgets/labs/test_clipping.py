"""The clipping lab shows what the two rules do to a gradient, and gradient descent over a cliff."""

import numpy as np
import pytest
from javascript import in_page

import labkit
from labkit.widgets import ClippingLab
from labkit.widgets.labs.clipping import RATE, RULES, STEPS, clipped_by, loss, train

PLACES = [(3.5, 1.5), (-4.0, 3.0), (0.5, 0.0), (0.0, 0.0), (-1.0, -2.5), (0.3, -2.9), (2.0, 2.0)]
LIMITS = (0.5, 1.0, 4.0)
CLIFF = "Over a cliff"


def angle(u, v):
    """Between two directions, in degrees; 0 where one of them is zero."""
    return float(np.degrees(np.arctan2(abs(u[0] * v[1] - u[1] * v[0]), u[0] * v[0] + u[1] * v[1])))


@pytest.mark.needs("node")
@pytest.mark.parametrize("limit", [0.1, 0.77, 1.5, 2.8])
@pytest.mark.parametrize("g, h", list(zip(PLACES, [*PLACES[1:], PLACES[0]], strict=True)))
def test_the_page_computes_what_the_operations_give(g, h, limit):
    found = in_page(
        ClippingLab(), "(_, state) => rules(state)", {"g1": g[0], "g2": g[1], "h1": h[0], "h2": h[1], "limit": limit}
    )
    for rule, clip in zip(RULES, found["clips"], strict=True):
        after = clipped_by(rule, (g, h), limit)
        np.testing.assert_allclose(clip["pair"], after, rtol=1e-5, atol=1e-12)
        assert clip["norms"] == pytest.approx([np.linalg.norm(v) for v in after], rel=1e-5)
        assert clip["turned"] == pytest.approx([angle(*pair) for pair in zip((g, h), after, strict=True)], abs=1e-4)
        with np.errstate(all="ignore"):
            before, ratio = (np.linalg.norm(a) / np.linalg.norm(b) for a, b in ((g, h), after))
        assert clip["kept"] == bool(np.isclose(before, ratio, rtol=1e-3, equal_nan=True))
    assert found["clips"][2]["straight"] and found["clips"][2]["kept"]


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
    asked = [{"g1": x, "g2": y, "h2": -y, "limit": limit} for x, y in PLACES for limit in (0.5, 1.5, 2.8)]
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
    ({}, "by value turns g by 21.8° and h by 0°. Clipping each by norm changes the ratio of the norms "
     "from 2.84 to 1.12. Clipping by global norm multiplies both by 0.372"),
    ({"g1": 1.0, "g2": 0.5}, "by value keeps both directions. Clipping each by norm keeps the directions and the ratio"),
    ({"g1": 0.1, "g2": 0.2}, "Clipping by global norm changes nothing: the norm of all elements is 1.36."),
    ({"part": CLIFF}, "Without clipping, the training has diverged. Clipped to max_norm 1: w = 0.696, b = 0.936, loss 0.0077"),
    ({"part": CLIFF, "step": 6.0}, "Without clipping, the training has left the picture: w = −107, b = 182."),
])  # fmt: skip
def test_the_sentence_names_numbers_that_are_right(state, words):
    assert words in ClippingLab().describe(**state).splitlines()[-1]


@pytest.mark.needs("node")
def test_only_the_rule_that_is_asked_for_makes_h_shorter():
    asked = in_page(ClippingLab(), "questionAt", ClippingLab().state)
    at = asked["from"]
    pair = [(at["g1"], at["g2"]), (at["h1"], at["h2"])]
    short = [
        rule for rule in RULES if np.linalg.norm(clipped_by(rule, pair, at["limit"])[1]) < np.hypot(*pair[1]) - 1e-3
    ]
    assert short == ["global norm"] and asked["answer"] == "by global norm" and len(asked["choices"]) == 4
    assert {one for one, _ in asked["slips"]} | {asked["answer"]} == set(asked["choices"])


@pytest.mark.needs("node")
def test_the_question_is_about_the_step_that_leaves_the_wall():
    lab, free = ClippingLab(CLIFF), train()
    asked = in_page(lab, "questionAt", lab.state)
    moved = np.hypot(free[4].w - free[3].w, free[4].b - free[3].b)
    assert asked["from"] == {"step": 3} and asked["answer"] == pytest.approx(moved)


def test_a_part_or_a_number_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match=r"part: expected one of 'Three rules'.*but got 'Cliff'"):
        ClippingLab("Cliff")
    lab = ClippingLab()
    for wrong in ({"limit": 7.0}, {"part": "Cliff"}, {"g1": 2.0, "b": -1.0}):
        with pytest.raises(Exception, match="a ClippingLab instance"):
            lab.state = wrong
    assert lab.state == ClippingLab().state and "<svg" in lab.svg() and "<svg" in lab.svg(part=CLIFF)
