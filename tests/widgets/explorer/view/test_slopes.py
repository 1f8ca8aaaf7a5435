"""Each local slope is seen as a tangent: at the point where the run stands, as steep as the step back says."""

import re

import autograd.numpy as np
import numpy as onp
import pytest

from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.view.slopes import HIGH, MOST, WIDE, slopes
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.still import visible_marks


def units_of(fun, *args):
    story = of_function(fun, args, program=False)
    return Units(story, [n.index for n in story.nodes if not n.leaf])


def usual(x, w):
    return np.tanh(x * w) ** 2


def drawn(panel, step, role):
    return [mark for mark, *_ in visible_marks(panel, {"step": step}) if mark.role == role]


def test_a_tangent_is_as_steep_as_the_slope_that_is_told():
    units = units_of(usual, 0.5, -1.3)
    (panel,) = slopes(units, {})
    bent = [unit for unit in units.ops if unit.lead.op != "multiply"]
    told = [sent.slope for unit in bent for step in units.steps_of[unit] for sent in step.sent]
    ends = [map(float, re.findall(r"[\d.]+", mark.at["d"])) for mark in drawn(panel, units.last, "backline")]
    seen = [(y1 - y2) / (x2 - x1) for x1, y1, x2, y2 in ends]
    assert seen == pytest.approx(told, rel=0.05, abs=0.02)


def test_nothing_is_told_before_its_op_ran_and_no_slope_before_the_way_back():
    units = units_of(usual, 0.5, -1.3)
    (panel,) = slopes(units, {})
    roles = ("inkline", "bar", "slope")
    count = {step: [len(drawn(panel, step, role)) for role in roles] for step in range(units.last + 1)}
    assert count[0] == [0, 0, 0] and count[1] == [0, 0, 0] and count[2] == [1, 1, 0]
    assert count[units.seed] == [2, 2, 0] and count[units.last] == [2, 2, 2]
    assert count[units.seed + 1][2] == 1


@pytest.mark.parametrize("x", [0.0, -2.9, 40.0, 1e-7, 90.0])
def test_the_point_and_the_curve_are_inside(x):
    (panel,) = slopes(units_of(lambda x: np.exp(np.sin(x)) + x**3, x), {})
    for box, point in zip(drawn(panel, 99, "area"), drawn(panel, 99, "bar"), strict=True):
        assert 0 <= point.at["cx"] - box.at["x"] <= WIDE and 0 <= point.at["cy"] - box.at["y"] <= HIGH
    assert panel.narrow is None or panel.narrow.width < panel.width


@pytest.mark.parametrize("fun, args", [
    (lambda x: np.sum(np.sin(x)), (onp.ones(3),)), (lambda x: np.log(x), (0.0,)),
    (lambda x: np.sin(x), (onp.nan,)), (lambda x: x**3, (1e6,)),
    (lambda x: sum(np.sin(k * x) for k in range(MOST + 1)), (1.0,)), (lambda x: x, (1.0,)), (lambda x: -x * x + x - 2.0, (1.0,)),
])  # fmt: skip
def test_arrays_what_is_not_finite_straight_and_many_ops_have_none(fun, args):
    assert slopes(units_of(fun, *args), {}) == []
