"""The tape: a node appears when its op runs, keeps what it saves, and is released once it was used, unless retained."""

import autograd.numpy as np
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

import labkit.torch as torch
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.tape import of_tensor
from labkit.widgets.explorer.view.tape import RELEASED, SAVED, frees, has_node, saves, tape
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.words import brief


def units_of(story):
    return Units(story, [n.index for n in story.nodes if not n.leaf])


def seen(panel, step, retain):
    """`{link of a node on the tape: (title, second line, state of its box)}`."""
    found = {}
    for mark, _, words, name in visible_marks(panel, {"step": step, "retain": retain, "colour": 0}):
        if mark.link and mark.link.startswith("g"):
            title, value, state = found.get(mark.link, ("", "", ""))
            if mark.tag == "rect":
                state = name
            elif mark.role == "name":
                title = words
            else:
                value = words
            found[mark.link] = title, value, state
    return found


@given(programs(ends=2))
@drawn(10)
def test_nodes_appear_when_their_ops_run(program):
    units = units_of(of_function(program, program.leaves, program=False))
    panel = tape(units, {})
    for step in range(units.last + 1):
        there = seen(panel, step, 0)
        for unit in units.ops:
            assert (f"g{unit.index}" in there) == (units.ran[unit] <= step)
        used = {edge.start for edge in units.edges} | {u for u in units.units if u.lead.output}
        assert all((f"g{u.index}" in there) == (u in used) for u in units.units if u.lead.leaf)


@given(programs(ends=2))
@drawn(10)
def test_what_was_used_is_released_exactly_where_something_was_saved(program):
    units = units_of(of_function(program, program.leaves, program=False))
    panel = tape(units, {})
    for step in range(units.last + 1):
        released, retained = seen(panel, step, 0), seen(panel, step, 1)
        for unit in units.ops:
            if units.ran[unit] > step:
                continue
            used = units.walked.get(unit, units.last + 1) < step
            _, value, state = released[f"g{unit.index}"]
            waits = step < min((a.when for a in units.arrivals.get(unit.lead.index, [])), default=step + 1)
            assert (state == "pending") == (waits and bool(units.walked)) and RELEASED not in (value, state)
            total = units.arrivals.get(unit.lead.index, [])
            if total and total[-1].when <= step:
                assert value == retained[f"g{unit.index}"][1] == brief(total[-1].total)
            if unit.lead.keeps:
                assert [notes_of(panel, unit, step, retain) for retain in (0, 1)] == [
                    [RELEASED if used else ""],
                    [""],
                ]


def notes_of(panel, unit, step, retain):
    """The states of the words on what a box's node saves."""
    x, y = next((m.at["x"], m.at["y"]) for m in panel.marks if m.tag == "rect" and m.link == f"n{unit.index}")
    seen_now = visible_marks(panel, {"step": step, "retain": retain, "colour": 0})
    return [
        state
        for m, at, _, state in seen_now
        if m.role == "note" and abs(at["x"] - x - SAVED - 5) < 0.2 and 40 < at["y"] - y < 64
    ]


def test_nodes_have_their_names_and_leaves_accumulate():
    story = of_function(lambda x, w: np.tanh(x * w) + x, [1.0, 2.0])
    there = seen(tape(units_of(story), {}), 3, 0)
    titles = sorted(title for title, _, _ in there.values())
    assert titles == ["+= x.grad", "AccumulateGrad", "AccumulateGrad", "AddBackward0", "MulBackward0", "TanhBackward0"]


def test_what_is_saved_stands_beside_the_line_to_it():
    def f(x, w):
        h = np.tanh(x * w)
        return np.sum(np.exp(h) * x * w)

    units = units_of(of_function(f, [onp.ones(2), onp.ones(2)]))
    words = {unit.lead.title: saves(units, unit) for unit in units.ops}
    assert words["tanh"] == words["exp"] == "saves result" and words["sum"] == ""
    notes = [m.text for m in tape(units, {}).marks if m.role == "note"]
    assert "saves self = x, other = w" in notes and "saves result" in notes


def test_a_leaf_that_can_have_no_gradient_has_no_node():
    story = of_function(lambda x, y: np.sum(x * (y == 1)), [onp.ones(2), onp.array([0, 1])])
    units = units_of(story)
    assert {u.lead.title: has_node(units, u) for u in units.units if u.lead.leaf} == {"x": True, "y": False}


def test_a_tape_that_was_used_up_is_drawn_as_released():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    units = units_of(of_tensor(loss))
    there = seen(tape(units, {}), units.last, 0)
    assert {state for link, (_, _, state) in there.items() if units.units[int(link[1:])] in units.ops} == {RELEASED}


@pytest.mark.parametrize("fun, does", [(lambda x: x + 1.0, False), (lambda x: x * x, True), (np.exp, True)])
def test_only_what_saves_something_can_release_it(fun, does):
    (unit,) = units_of(of_function(fun, [1.0])).ops
    assert frees(unit) is does
