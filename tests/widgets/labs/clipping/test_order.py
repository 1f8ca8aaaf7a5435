"""Of the 24 orders of unscale, reduce, clip and check, those are called right that do what one worker alone would do."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest

from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.clipping.order import (
    DOCUMENTS,
    GRADIENTS,
    ITEMS,
    LIMIT,
    ORDERS,
    RULES,
    SCALE,
    faults,
    flow,
    right,
)
from labkit.widgets.labs.clipping.order_view import scene


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return scene()


def by_hand(order, overflow, rule):
    """The same flow in plain NumPy: the results of both workers and whether they skip."""
    now = [np.array(g) * SCALE for g in GRADIENTS]
    if overflow:
        now[1] = np.array([0.0, np.inf])
    skips = [False, False]
    for item in order:
        if item == "unscale":
            now = [g / SCALE for g in now]
        elif item == "reduce":
            now = [(now[0] + now[1]) / 2] * 2
        elif item == "check":
            skips = [not np.isfinite(g).all() for g in now]
        elif rule == "value":
            now = [np.clip(g, -LIMIT, LIMIT) for g in now]
        else:
            with np.errstate(invalid="ignore"):
                now = [g * LIMIT / max(LIMIT, np.linalg.norm(g)) for g in now]
    return now, skips


def panel(i, **dials):
    return [words for _, _, words, _ in visible_marks(usual().panels[i], usual().state(**dials))]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("overflow", [False, True])
def test_every_flow_is_that_of_numpy(overflow, rule):
    for order in permutations(ITEMS):
        run, (values, skips) = flow(order, overflow, rule), by_hand(order, overflow, rule)
        assert list(run.skips) == skips
        for ours, theirs in zip(run.result, values, strict=True):
            assert np.allclose(ours, theirs, rtol=1e-5, equal_nan=True)


def test_the_documents_order_changes_the_ratios():
    assert flow(DOCUMENTS).result[0] == pytest.approx([0.5, 0.15])
    assert flow(("unscale", "reduce", "clip", "check")).result[0] == pytest.approx([1.0, 0.01], rel=1e-3)
    assert not right(DOCUMENTS, "global norm")


def test_an_inf_clipped_by_its_norm_is_nan_and_by_value_is_the_limit():
    first = ("clip", "unscale", "reduce", "check")
    assert np.isnan(flow(first, True).stages[1].values[1][1])
    assert flow(first, True, "value").stages[1].values[1][1] == LIMIT


@pytest.mark.parametrize("rule, many", [("global norm", 5), ("value", 3)])
def test_right_is_what_keeps_three_rules(rule, many):
    """Reduce before clip and check, unscale before clip; and by value, check before clip."""
    for order in ORDERS:
        place = order.index
        kept = place("reduce") < min(place("clip"), place("check")) and place("unscale") < place("clip")
        hidden = rule == "value" and place("clip") < place("check")
        assert right(order, rule) == (kept and not hidden)
    assert sum(right(order, rule) for order in ORDERS) == many


def test_each_fault_is_named():
    assert "1024 times too long" in faults(("reduce", "clip", "unscale", "check"), False, "global norm")[0]
    assert "ratios change" in faults(DOCUMENTS, False, "global norm")[0]
    assert "worker 1 updates by [0, nan]" in faults(("check", "unscale", "reduce", "clip"), True, "global norm")[0]
    assert "not seen" in faults(DOCUMENTS, True, "value")[0]
    assert faults(DOCUMENTS, True, "global norm") == []


def test_the_flow_of_boxes_shows_every_stage():
    words = panel(0, order="unscale, clip, reduce, check")
    for value in ("[30720, 0]", "[0, 307.2]", "[30, 0]", "[1, 0]", "[0, 0.3]", "[0.5, 0.15]", "updates by [0.5, 0.15]"):
        assert value in words
    assert "✗ wrong" in words and "right: [1, 0.01]" in words


def test_both_workers_share_a_box_only_after_the_reduce():
    for i, order in enumerate(ORDERS):
        boxes = [
            at["width"]
            for m, at, *_ in visible_marks(usual().panels[0], usual().state(order=i))
            if m.tag == "rect" and m.role in ("op", "kept")
        ]
        place = order.index("reduce") + 1
        assert [w > boxes[0] for w in boxes] == [False] * 2 * place + [True] * (6 - place)


def test_workers_that_disagree_are_seen():
    words = panel(0, order="check, unscale, reduce, clip", overflow="yes")
    assert "✓ finite" in words and "✗ not finite" in words
    assert "updates by [0, nan]" in words and "skips this step" in words and "✗ wrong" in words


@pytest.mark.parametrize("rule", range(len(RULES)))
def test_the_map_counts_the_right_orders_and_marks_the_documents(rule):
    cells = panel(1, rule=rule)
    good = [not faults(order, overflow, RULES[rule]) for order in ORDERS for overflow in (False, True)]
    assert [word for word in cells if word in ("✓", "✗")] == [
        "✓" if one else "✗" for one in good
    ] and "documents" in cells


@pytest.mark.parametrize("overflow", [0, 1])
def test_what_a_worker_skips_after_its_check_is_not_shown_as_done(overflow):
    for i, order in enumerate(ORDERS):
        run, words = flow(order, bool(overflow)), panel(0, order=i, overflow=overflow)
        after = [item for item in order[order.index("check") + 1 :] if item in ("unscale", "clip")]
        apart = [item for item in after if order.index(item) < order.index("reduce")]  # worker 1 goes on by itself
        assert words.count("not reached") == len(after if all(run.skips) else apart if any(run.skips) else [])


def test_a_card_is_put_between_the_others_which_stay_in_their_order():
    for grip in usual().grips:
        if grip.name.startswith("step "):
            item, (at,) = grip.name.removeprefix("step "), grip.when["order"]
            reached = [order for order, spot in zip(ORDERS, grip.spots, strict=True) if spot]
            rest = [other for other in ORDERS[at] if other != item]
            assert len(reached) == len(ITEMS) and ORDERS[at] in reached
            assert all([other for other in order if other != item] == rest for order in reached)
            heights = [grip.spots[ORDERS.index(order)][1] for order in sorted(reached, key=lambda o: o.index(item))]
            assert heights == sorted(heights)


def test_the_map_frames_the_order_that_is_shown():
    for i in (0, 7, 23):
        seen = [(m, at) for m, at, *_ in visible_marks(usual().panels[1], usual().state(order=i))]
        (frame,) = [at for m, at in seen if m.role == "before"]
        cell = next(at for m, at in seen if m.link == f"order {i}" and m.tag == "rect")
        assert (frame["x"] + 2, frame["y"] + 2) == pytest.approx((cell["x"], cell["y"]), abs=0.11)
        assert usual().links[f"order {i}"].go == {"order": i}


def test_the_sentence_says_what_goes_wrong_and_the_other_case():
    picture = Picture(usual())
    assert "the order of MyTrainOneStepCell" in picture.describe()
    assert "Wrong: [0.5, 0.15] instead of [1, 0.01]." in picture.describe()
    assert picture.describe(overflow="yes").endswith("Without an overflow this order is wrong.")
    assert picture.describe(order=0).endswith("Right: [1, 0.01], the mean, clipped. An overflow is caught.")
    assert picture.describe(order=0, rule="value").endswith("An overflow of worker 2 gets through.")


def test_the_answers_of_the_questions_are_computed():
    (dial,) = [dial for dial in usual().dials if dial.name == "overflow"]
    assert [ask.answer for ask in dial.asks[1]] == ["[0, nan]", "[0, 1]"]
    assert all(ask.answer in ask.choices for ask in dial.asks[1])


def test_the_positions_of_the_dial_are_the_permutations_in_order():
    (dial,) = [dial for dial in usual().dials if dial.name == "order"]
    assert [tuple(value.split(", ")) for value in dial.values] == list(permutations(ITEMS))
