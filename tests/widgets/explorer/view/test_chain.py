"""The chain rule: a gradient card below each box that gets one, joined to it, with slopes that show from the seed on."""

import autograd.numpy as np
import numpy as onp
from drawn import drawn
from hypothesis import given
from small_programs import programs

from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.view.chain import chain
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.scene import latest
from labkit.widgets.kit.still import visible_marks


def units_of(fun, *args):
    story = of_function(fun, args or fun.leaves, program=False)
    return Units(story, [n.index for n in story.nodes if not n.leaf])


@given(programs(ends=2))
@drawn(10)
def test_a_gradient_stands_right_below_each_box_that_gets_one(program):
    units, (_, totals) = units_of(program), program.walk()
    rects = {m.link: at for m, at, _, _ in visible_marks(chain(units, {}), {"step": 0, "colour": 0}) if m.tag == "rect"}
    for unit in units.units:
        if not unit.chip:
            assert (f"g{unit.index}" in rects) == (unit.nodes[0] in totals)
        if f"g{unit.index}" in rects:
            box, below = rects[f"n{unit.index}"], rects[f"g{unit.index}"]
            assert (below["x"], below["width"]) == (box["x"], box["width"]) and below["y"] > box["y"] + box["height"]


@given(programs(ends=2))
@drawn(10)
def test_box_and_gradient_are_joined_from_when_it_arrives(program):
    units = units_of(program)
    panel = chain(units, {})
    joints = [m for m in panel.marks if m.role == "saved"]
    assert sorted(_begins(m.vary["step"]["state"]) for m in joints) == sorted(_first_arrivals(panel).values())


def _first_arrivals(panel):
    """The step at which each gradient card first says something."""
    found = {}
    for mark in panel.marks:
        if mark.role == "value" and mark.link.startswith("g"):
            found[mark.link] = next(at for at, words in mark.vary["step"]["text"] if words)
    return found


def _begins(changes):
    assert changes[0] == (0, "pending")
    return next(at for at, name in changes if name == "")


@given(programs(ends=2))
@drawn(8)
def test_slopes_show_when_the_way_back_starts(program):
    units = units_of(program)
    for mark in chain(units, {}).marks:
        if mark.role == "slope":
            states = mark.vary["step"]["state"]
            assert [latest(states, i, "") for i in (0, units.forward, units.seed)] == ["hidden", "hidden", ""]


def test_a_gradient_card_of_one_use_says_so():
    panel = chain(units_of(lambda x, w: np.sin(x) * w + x, 1.0, 2.0), {})
    names = {m.text for m in panel.marks if m.role == "name"}
    assert {"x.grad", "w.grad", "+= x.grad", "∂sin", "∂×", "∂+"} <= names


def test_tensors_have_no_slopes():
    panel = chain(units_of(lambda x: np.sum(x * 2), onp.ones(3)), {})
    assert not [m for m in panel.marks if m.role == "slope"]
