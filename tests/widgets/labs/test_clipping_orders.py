"""Of the 24 orders of unscale, reduce, clip and check, those are called right that do what one worker alone would do."""

import numpy as np
import pytest

from labkit.widgets.labs.clipping import GRADIENTS, LIMIT, ORDERS, SCALE, faults, flow, right

DOCUMENTS = ("unscale", "clip", "reduce", "check")  # of MyTrainOneStepCell in MindSpore's documents
RULES = ("global norm", "value")


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


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("overflow", [False, True])
def test_every_flow_is_that_of_numpy(overflow, rule):
    for order in ORDERS:
        (results, found), (values, skips) = flow(order, overflow, rule), by_hand(order, overflow, rule)
        assert found == skips
        for ours, theirs in zip(results, values, strict=True):
            assert np.allclose(ours, theirs, rtol=1e-5, equal_nan=True)


def test_the_documents_order_changes_the_ratios():
    assert flow(DOCUMENTS)[0][0] == pytest.approx([0.5, 0.15])
    assert flow(("unscale", "reduce", "clip", "check"))[0][0] == pytest.approx([1.0, 0.01], rel=1e-3)
    assert not right(DOCUMENTS, "global norm")


def test_an_inf_clipped_by_its_norm_is_nan_and_by_value_is_the_limit():
    assert np.isnan(flow(("clip",), True)[0][1][1])
    assert flow(("clip",), True, "value")[0][1][1] == LIMIT


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
    assert "1024 times too large" in faults(("reduce", "clip", "unscale", "check"), False, "global norm")[0]
    assert "ratios change" in faults(DOCUMENTS, False, "global norm")[0]
    assert "worker 1 updates by [0, nan]" in faults(("check", "unscale", "reduce", "clip"), True, "global norm")[0]
    assert "unnoticed" in faults(DOCUMENTS, True, "value")[0]
    assert faults(DOCUMENTS, True, "global norm") == []
