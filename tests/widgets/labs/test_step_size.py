"""The step-size picture shows difference quotients as each float format computes them."""

import re
from functools import cache
from itertools import pairwise

import autograd.numpy as anp
import numpy as np
import pytest

from labkit.widgets.kit.scene import holds, width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.step_size.lens import LENS
from labkit.widgets.labs.step_size.run import MOST, NAMES, RULES, STEPS, cases, stored_around
from labkit.widgets.labs.step_size.scene import StepSize
from labkit.widgets.labs.step_size.view import RING, Errors

EPS = {name: float(np.finfo(name).eps) for name in NAMES}


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return StepSize(np.sin, 1.0)


def quotient(dtype, rule, h):
    """The difference quotient of the sine at 1, all in `dtype`."""
    x, h = dtype(1.0), dtype(h)
    if rule == "forward":
        return float((np.sin(x + h) - np.sin(x)) / h)
    return float((np.sin(x + h) - np.sin(x - h)) / (dtype(2) * h))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", RULES)
def test_every_quotient_is_computed_in_its_format(name, rule):
    dtype = np.dtype(name).type
    for h, found in zip(STEPS, usual().cases[name, rule].quotients, strict=True):
        if dtype(h):
            assert found.value == quotient(dtype, rule, h)
            assert found.error == pytest.approx(abs(found.value / np.cos(1.0) - 1))
        else:
            assert np.isnan(found.value)


def test_the_errors_are_a_v_whose_lowest_point_depends_on_format_and_rule():
    for (name, rule), case in usual().cases.items():
        expected = EPS[name] ** (1 / 2 if rule == "forward" else 1 / 3)
        assert expected / 12 < STEPS[case.best] < expected * 12
        assert case.quotients[case.best].error < min(case.quotients[0].error, 0.01)


def test_truncation_is_first_order_forward_and_second_order_central():
    for rule, factor in (("forward", 10), ("central", 100)):
        quotients = usual().cases["float64", rule].quotients
        ratio = quotients[STEPS.index(0.1)].error / quotients[STEPS.index(0.01)].error
        assert ratio == pytest.approx(factor, rel=0.05)


def test_what_is_expected_bounds_what_comes():
    for case in usual().cases.values():
        for found, truncation, roundoff in zip(case.quotients, case.truncation, case.roundoff, strict=True):
            assert np.isnan(found.error) or found.error <= 1.2 * truncation + 2 * roundoff


def test_below_eps_the_place_does_not_move_and_the_quotient_is_zero():
    assert "x + h is stored as x: the difference is 0" in usual().describe(h="1e−16")
    assert "quotient 0," in usual().describe(h="1e−16")
    assert "This h is stored as 0 in float16" in usual().describe(h="1e−08", format="float16")


def test_the_sentence_says_which_error_rules():
    assert "Mostly truncation" in usual().describe(h="0.001")
    assert "Mostly round-off" in usual().describe(h="1e−12")
    assert "Mostly round-off" in usual().describe(h="0.001", format="float16")
    assert "The smallest error on this slider" in usual().describe(h=usual().cases["float32", "central"].best,
                                                                  format="float32", rule="central")  # fmt: skip


def lines(role, **dials):
    """The ends of the straight lines of a role in the left panel, px."""
    found = [
        at["d"]
        for mark, at, *_ in visible_marks(usual().scene.panels[0], usual().scene.state(**dials))
        if mark.role == role
    ]
    numbers = [[float(n) for n in re.findall(r"-?[\d.]+", d)] for d in found if "L" in d]
    return [ends for ends in numbers if ends[0] != ends[2] and ends[2] - ends[0] > 40]  # neither legend nor dotted


@pytest.mark.parametrize("h", ["1", "0.1", "0.001", "1e−16"])
@pytest.mark.parametrize("zoom", ["off", "on"])
def test_the_drawn_slopes_are_as_the_numbers(h, zoom):
    """In the window, and where that is not zoomed under its lens as well."""
    both = list(zip(lines("vector", h=h, zoom=zoom), lines("backvector", h=h, zoom=zoom), strict=True))
    value = usual().cases["float64", "forward"].quotients[STEPS.index(float(h.replace("−", "-")))].value
    for pair in both:
        steep = [(y1 - y0) / (x1 - x0) for x0, y0, x1, y1 in pair]
        assert steep[0] / steep[1] == pytest.approx(value / np.cos(1.0), abs=0.01)
    assert len(both) == (2 if zoom == "off" else 1)
    if zoom == "off":
        (x0, _, x1, _), (a, b, c, d) = both[1][0], lens_of(h)
        assert a - 0.1 <= x0 < x1 <= b + 0.1 and b - a == LENS[0] and d - c == LENS[1]


def lens_of(h):
    marks = visible_marks(usual().scene.panels[0], usual().scene.state(h=h))
    (at,) = [at for mark, at, *_ in marks if mark.role == "cover"]
    return at["x"], at["x"] + at["width"], at["y"], at["y"] + at["height"]


@pytest.mark.parametrize("format", NAMES)
def test_the_lens_shows_each_number_that_the_format_has_once_they_are_few(format):
    case, seen = usual().cases[format, "forward"], []
    kind = case.of.dtype.type
    for i, h in enumerate(STEPS):
        state = usual().scene.state(h=i, format=format)
        marks = list(visible_marks(usual().scene.panels[0], state))
        left, right = lens_of_state(marks)
        (d,) = [at["d"] for mark, at, *_ in marks if mark.role == "axis" and mark.tag == "path"]
        numbers = stored_around(case, 1.5 * h)
        assert all(float(kind(x)) == x and abs(x - case.x) <= 1.5 * h for x in numbers)
        assert d.count("M") == max(len(numbers), 1) and len(numbers) <= MOST
        xs = [float(one.split()[0]) for one in d[1:].split("M")] if numbers else []
        assert all(left - 0.1 <= x <= right + 0.1 for x in xs)
        assert ("stored number" in " ".join(words for *_, words, _ in marks)) == bool(numbers)
        seen.append(len(numbers))
    assert seen[0] == 0 < seen[-1] <= 2 and max(seen) > 5


def lens_of_state(marks):
    (at,) = [at for mark, at, *_ in marks if mark.role == "cover"]
    return at["x"], at["x"] + at["width"]


@pytest.mark.parametrize("h, words", [("0.1", ["x", "x + h"]), ("1e−16", ["x = x + h, as stored"])])
def test_where_both_places_are_one_number_it_is_said(h, words):
    marks = visible_marks(usual().scene.panels[0], usual().scene.state(h=h))
    assert [said for mark, _, said, look in marks if mark.role == "code" and look != "hidden"] == words


def test_the_step_is_dragged_anywhere_in_the_plot_of_errors():
    grips = [grip for grip in usual().scene.grips if grip.name == "error"]
    assert grips and all(grip.jumps and tuple(grip.area) == (52.0, 30.0, 344.0, 252.0) for grip in grips)


def test_the_lens_stands_where_least_of_the_curve_goes():
    for fn, x, right in ((lambda x: x**3, 1.0, False), (lambda x: -(x**3), -1.0, True)):
        scene = StepSize(fn, x).scene
        covers = [m for m in scene.panels[0].marks if m.role == "cover" and m.when["format"] == [0]]
        (at,) = [m.at for m in covers if m.when["x"] == [scene.start()["x"]]]
        assert (at["x"] > 200) == right and at["y"] < 150


def test_the_best_h_is_named_where_no_line_goes():
    panel = usual().scene.panels[1]
    seen = [(mark, at, words) for mark, at, words, _ in visible_marks(panel, usual().scene.state())]
    (at,) = [at for _, at, words in seen if words.startswith("best ")]
    half = width_of("best 1e−08", bold=True) / 2 - 3
    for _, other, _ in [one for one in seen if one[0].role == "before" and "d" in one[1]]:
        points = [tuple(map(float, pair.split())) for pair in re.findall(r"-?[\d.]+ -?[\d.]+", other["d"])]
        for (x0, y0), (x1, y1) in pairwise(points):
            for k in np.linspace(0, 1, 60):
                x, y = x0 + k * (x1 - x0), y0 + k * (y1 - y0)
                assert not (abs(x - at["x"]) < half and at["y"] - 8 < y < at["y"] - 1), (x, y)


def test_zoomed_in_the_curve_is_straight_for_a_while_and_then_a_staircase():
    def off_the_chord(**dials):
        state = usual().scene.state(zoom="on", **dials)
        (curve,) = [at["d"] for mark, at, *_ in visible_marks(usual().scene.panels[0], state) if mark.role == "before"]
        x, y = np.array(re.findall(r"(-?[\d.]+) (-?[\d.]+)", curve), float).T
        return np.abs(y - np.interp(x, [x[0], x[-1]], [y[0], y[-1]])).max()

    assert off_the_chord(h="1") > 10
    assert off_the_chord(h="1e−05") < 0.2
    assert off_the_chord(h="1e−15") > 5
    assert off_the_chord(h="0.01", format="float16") > 3


@pytest.mark.parametrize("format", NAMES)
def test_a_saved_page_holds_other_places_as_they_are_computed_there(format):
    dial = next(dial for dial in usual().scene.dials if dial.name == "x")
    for at, place in [(0, -0.2), (2, 0.4), (8, 2.2)]:
        there, says = StepSize(np.sin, place), {"format": format, "h": "0.1"}
        assert dial.values[at] == there.scene.fields["x"]
        assert usual().describe(x=at, **says).splitlines()[-1] == there.describe(**says).splitlines()[-1]
        state = usual().scene.state(x=at, **says)
        (grip,) = (grip for grip in usual().scene.grips if grip.name == "x" and holds(grip.when, state))
        knobs = [
            mark_at["cx"] for mark, mark_at, *_ in visible_marks(usual().scene.panels[0], state) if mark.tag == "circle"
        ]
        assert min(abs(grip.spots[at][0] - knob) for knob in knobs) < 0.06


def test_places_where_there_is_no_slope_are_left_out_and_zero_is_one():
    values = {
        fn: next(d for d in StepSize(fn, x).scene.dials if d.name == "x").values
        for fn, x in [(anp.log, 0.5), (anp.exp, 0.6)]
    }
    assert values[anp.log] == ["0.2", "0.5", "0.8", "1.1", "1.4", "1.7"] and "0" in values[anp.exp]


def test_what_is_dragged_in_python_takes_the_place_of_the_nearest():
    picture = StepSize(np.sin, 1.0)
    state = picture.scene.start()
    for at in (state, None):
        picture.fill({"x": 1.23}, at)
        assert picture.scene.turned == {"x": 5} and picture.scene.dials[1].values[5] == (
            "1.23" if at is None else "1.3"
        )
        said = picture.scene.caption({**state, "x": 5})
        assert f"derivative {np.cos(1.23):.10g}" in said
    assert all(holds(picture.scene.dials[-1].when, {"x": x}) for x in (4, 5))  # wherever x is dragged, it can be zoomed


def test_questions_have_the_numbers_of_the_run():
    asks = usual().scene.dials[0].asks
    for ask in asks[STEPS.index(0.01)]:
        name, rule = NAMES[ask.when["format"][0]], RULES[ask.when["rule"][0]]
        (x,) = ask.when["x"]
        place = float(usual().scene.dials[1].values[x].replace("−", "-"))
        assert ask.answer == cases(np.sin, place)[name, rule].quotients[STEPS.index(0.01)].error
    assert len({ask.when["x"][0] for ask in asks[STEPS.index(0.01)]}) > 5  # also where x is dragged to
    assert {ask.answer for i, found in asks.items() if i != STEPS.index(0.01) for ask in found} == {0.0}


@pytest.mark.parametrize(
    "fn, x",
    [(lambda x: x**2, 3.0), (lambda x: 3 * x + 1, 2.0), (lambda x: 5.0, 1.0), (anp.cos, 0.0), (anp.sqrt, 1000.0),
     (lambda x: x**8, 50.0), (lambda x: 1 / x, 0.5), (anp.log, 0.5), (lambda x: -(x**3), -2)],
)  # fmt: skip
def test_other_functions_draw_in_every_state(fn, x):
    picture = StepSize(fn, x)
    for name in NAMES:
        for rule in RULES:
            for h in range(0, len(STEPS), 8):
                assert "nan" not in picture.svg(h=h, format=name, rule=rule, zoom="on")


def test_the_dials_can_stand_elsewhere_at_first():
    picture = StepSize(np.sin, 1.0, h=1e-15, format="float32", rule="central", zoom=True)
    assert picture.describe() == usual().describe(h="1e−15", format="float32", rule="central", zoom="on")
    for wrong in ({"h": 0.5}, {"format": "float8"}, {"rule": "backward"}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))}: expected a position below"):
            StepSize(np.sin, 1.0, **wrong)


def test_a_function_without_a_value_beside_x_has_no_quotient_there():
    found = cases(anp.log, 0.5)["float64", "central"]
    assert np.isnan(found.quotients[0].value) and np.isfinite(found.quotients[2].value)
    assert "The function has no value there" in StepSize(anp.log, 0.5).describe(h="1", rule="central")


def test_a_value_too_large_for_a_format_is_said():
    words = StepSize(lambda x: x**8, 50.0).describe(h="0.01", format="float16")
    assert "there is no quotient. The function has no value there, or none that float16 can hold." in words


def test_the_description_fits_a_narrow_page_where_the_panels_stand_one_below_the_other():
    assert not re.search(r"\b(?:left|right)\b", usual().scene.description)


def test_the_ring_at_the_first_step_covers_no_label():
    panel = next(panel for panel in usual().scene.panels if panel.name == "errors")
    ends = [mark.at["x"] for mark in panel.marks if mark.role == "tick" and mark.at["text-anchor"] == "end"]
    assert ends and max(ends) < Errors.left - RING - 2


@pytest.mark.parametrize(
    "fn, x, error, words",
    [
        (3, 1.0, TypeError, "expected a function of one number, but got int"),
        (np.sin, "1", TypeError, "expected one number for x, but got '1'"),
        (np.sin, [1.0, 2.0], TypeError, "expected one number for x"),
        (np.sin, np.inf, ValueError, "expected a finite number for x"),
        (np.sin, 1e6, ValueError, "expected an x within ±65504, the largest float16"),
        (anp.log, 0.0, ValueError, "expected a finite value and slope at x = 0"),
        (lambda x: np.array([1.0, 2.0]), 1.0, TypeError, "returns one number, but got ndarray"),
        (lambda x: None, 1.0, TypeError, "returns one number, but got NoneType"),
        (lambda x: float(x) ** 2, 1.0, TypeError, "write it with NumPy functions such as np.sin"),
        (lambda x: {}[x], 1.0, KeyError, "1.0"),
    ],
)
def test_bad_input_is_said(fn, x, error, words):
    with pytest.raises(error, match=re.escape(words)):
        StepSize(fn, x)
