"""The graph of MindSpore: the backward half mirrors the forward half and is there from the start."""

import autograd.numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.view.graph import graph, graph_in_rows
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.scene import latest
from labkit.widgets.kit.still import visible_marks


def units_of(fun, *args):
    story = of_function(fun, args or fun.leaves, program=False)
    return Units(story, [n.index for n in story.nodes if not n.leaf])


def rects(panel, step=0):
    return {m.link: at for m, at, _, _ in visible_marks(panel, {"step": step, "colour": 0}) if m.tag == "rect"}


@given(programs(ends=2))
@drawn(10)
def test_each_gradient_stands_where_the_mirror_image_of_its_box_is(program):
    units = units_of(program)
    panel, (_, totals) = graph(units, {}), program.walk()
    there = rects(panel)
    for unit in units.units:
        if unit.chip or unit.nodes[0] not in totals:
            continue
        box, back = there[f"n{unit.index}"], there[f"g{unit.index}"]
        assert back["x"] + back["width"] == pytest.approx(panel.width - box["x"], abs=0.3)
        assert (back["y"], back["width"]) == (box["y"], box["width"])


@given(programs(ends=2))
@drawn(8)
def test_everything_is_there_before_anything_has_run(program):
    panel = graph(units_of(program), {})
    assert set(rects(panel, 0)) == set(rects(panel, 999))


@given(programs(ends=2))
@drawn(8)
def test_in_rows_each_gradient_stands_below_its_box_and_rows_are_as_wide_as_the_room(program):
    units = units_of(program)
    panel, (_, totals) = graph_in_rows(units, {}, 500.0), program.walk()
    there = rects(panel)
    assert set(there) == set(rects(panel, 999)) == set(rects(graph(units, {})))
    assert panel.width <= 1.2 * 500  # the way to the next row included
    for unit in (u for u in units.units if not u.chip and u.nodes[0] in totals):
        box, back = there[f"n{unit.index}"], there[f"g{unit.index}"]
        assert (back["x"], back["width"], back["y"] > box["y"] + box["height"]) == (box["x"], box["width"], True)


def test_in_rows_a_bprop_says_which_values_it_uses_and_until_when_they_are_kept():
    units = units_of(lambda x, w: np.tanh(x * w), 1.0, 2.0)
    panel, steps = graph_in_rows(units, {}, 420.0), (0, 1, 2, 3, 4, 5, 6)
    found = {
        m.text: [latest(m.vary["step"]["state"], at, "") for at in steps] for m in panel.marks if m.role == "savedtext"
    }
    assert found == {
        "uses its result": ["pending", "pending", "", "", "", "released", "released"],
        "uses w, x": ["", "", "", "", "", "", "released"],
    }


def test_derived_ops_are_named_after_what_they_derive():
    panel = graph(units_of(lambda x, w: np.tanh(x * w), 1.0, 2.0), {})
    names = [m.text for m in panel.marks if m.role == "name"]
    assert set(names) == {"x", "w", "×", "tanh", "bprop ×", "bprop tanh", "x.grad", "w.grad"}


@pytest.mark.parametrize(
    "fun, seeds, labels",
    [
        (lambda x: np.sin(x) * 2, 1, ["seed 1"]),
        (lambda x: (np.sin(x), np.sin(x) * 2), 2, ["seed 1"]),
        (lambda x: (np.sin(x) * 2,) * 2, 1, ["seed"]),
        (lambda x: x, 1, ["seed 1"]),
        (lambda x: 3.0, 0, []),
    ],
)
def test_every_output_starts_the_way_back(fun, seeds, labels):
    units = units_of(fun, 0.5)
    panel = graph(units, {})
    started = [m for m in panel.marks if m.role == "backedge" and (units.seed, "now") in m.vary["step"]["state"]]
    assert len(started) == seeds
    assert [m.text for m in panel.marks if m.text.startswith("seed")] == labels
