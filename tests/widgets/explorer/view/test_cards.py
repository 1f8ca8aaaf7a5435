"""Every number on every card at every step is that of the chain rule, worked out by other means."""

import re

import autograd.numpy as np
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.view import cards
from labkit.widgets.explorer.view.cards import Gradients, pulses
from labkit.widgets.explorer.view.chain import chain
from labkit.widgets.explorer.view.graph import graph
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.scene import latest
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.words import bracketed, brief, number


def units_of(program, *args):
    story = of_function(program, args or program.leaves)
    return Units(story, [n.index for n in story.nodes if not n.leaf])


def unit_of(units, name):
    (found,) = (u for u in units.units if not u.chip and name in (u.lead.name, u.lead.title))
    return found


def totals_by_step(program):
    """For each step of the slider, the gradient that has arrived at each node by then; chips aside."""
    steps, _ = program.walk()
    seeds = {end: float(program.ends.count(end)) for end in program.ends}
    found = [{} for _ in range(len(program.ops) + 1)] + [seeds]
    for _, _, sent in steps:
        found.append(found[-1] | {parent: total for parent, _, _, total in sent})
    return found


def card_texts(panel, state):
    """`{link: what its second line says}` for the cards seen in a panel."""
    return {
        mark.link: words
        for mark, _, words, _ in visible_marks(panel, state)
        if mark.tag == "text" and mark.role == "value"
    }


@given(programs(ends=3))
@drawn(10)
def test_every_card_at_every_step(program):
    units, values, totals = units_of(program), program.values, totals_by_step(program)
    panels = [chain(units, {}), graph(units, {})]
    for step, arrived in enumerate(totals):
        for panel in panels:
            texts = card_texts(panel, {"step": step, "colour": 0})
            for unit in units.units:
                (node,) = unit.nodes
                ran = units.ran.get(unit, 0) <= step
                assert texts[f"n{unit.index}"] == (number(values[node]) if ran else "")
                if not unit.chip and node in totals[-1]:
                    assert texts[f"g{unit.index}"] == (number(arrived[node]) if node in arrived else "")


@given(programs(ends=2))
@drawn(10)
def test_chips_show_what_their_own_use_sends(program):
    units, (steps, _) = units_of(program), program.walk()
    sent = {(node, parent): [] for node, _, all_sent in steps for parent, _, _, _ in all_sent}
    for node, _, all_sent in steps:
        for parent, _, value, _ in all_sent:
            sent[node, parent].append(value)
    gradients = Gradients(units)
    for edge in units.edges:
        if edge.start.chip and edge.end in units.walked:
            ((when, total),) = gradients.totals(edge.start)
            assert when == units.walked[edge.end]
            assert float(total) == pytest.approx(sum(sent[edge.end.nodes[0], edge.start.nodes[0]]))


def read(words):
    return [float(part.strip("()").replace("−", "-")) for part in re.split(r" \+ ", words.removeprefix("… + "))]


@given(programs(ends=2))
@drawn(10)
def test_sums_are_those_of_what_arrived(program):
    units, totals = units_of(program), totals_by_step(program)
    gradients = Gradients(units)
    for unit in units.units:
        for step, words in gradients.sums(unit):
            if words and not words.startswith("…"):
                parts, total = read(words), totals[step][unit.nodes[0]]
                assert len(parts) > 1
                assert sum(parts) == pytest.approx(total, abs=0.02 * sum(map(abs, parts)) + 1e-9)


@given(programs())
@drawn(10)
def test_slopes_beside_the_edges_are_the_derivatives(program):
    units, (steps, _) = units_of(program), program.walk()
    slopes = {node: [(parent, slope) for parent, slope, _, _ in sent] for node, _, sent in steps}
    for edge in units.edges:
        words = cards.slope(units, edge)
        along = [slope for parent, slope in slopes.get(edge.end.nodes[0], []) if parent == edge.start.nodes[0]]
        if len(along) == 1:
            assert words == f"×{number(along[0])}"
        elif along:
            assert words == f"×({number(along[0])} + {bracketed(number(along[1]))})"
        else:
            assert words == ""


def test_cards_carry_the_users_names():
    def f(x, weight):
        h = np.tanh(x * weight)
        return h**2

    units = units_of(f, 1.0, 0.5)
    h = unit_of(units, "h")
    assert cards.value(h) == f"h = {number(np.tanh(0.5))}"
    assert [cards.gradient_name(u) for u in units.units] == ["∂×", "∂h", "∂pow 2", "x.grad", "weight.grad"]
    assert cards.value(units_of(doubled, onp.ones((2, 3))).units[0]) == "y 2×3 ‖4.9‖"


def doubled(x):
    y = x * 2
    return y, np.sin(y)


def test_sums_of_tensors_say_how_many():
    units = units_of(lambda x: np.sum(x * 2 + np.sin(x) + x), onp.ones(3))
    assert [words for _, words in Gradients(units).sums(unit_of(units, "x"))] == ["", "", "sum of 2", "sum of 3"]


def test_long_sums_show_the_last_four():
    units = units_of(lambda x: sum(x * i for i in range(1, 8)), 1.0)
    last = Gradients(units).sums(unit_of(units, "x"))[-1][1]
    assert last == "… + 4 + 3 + 2 + 1"


@pytest.mark.parametrize("times", [[], [1], [2, 4], [3, 4, 4, 5], [7, 2]])
def test_pulses_happen_at_their_times(times):
    changes = pulses(times)
    assert [at for at, _ in changes] == sorted({at for at, _ in changes})
    for step in range(9):
        expected = "now" if step in times else "pending" if not times or step < min(times) else ""
        assert latest(changes, step, None) == expected


# ---- what is behind the cards ----


@given(programs(ends=2))
@drawn(8)
def test_a_click_goes_to_the_step_where_a_thing_happens(program):
    units = units_of(program)
    for name, link in cards.links(units).items():
        unit = units.units[int(name[1:])]
        if name[0] == "n":
            uses = [units.ran[unit]] if unit in units.ran else [units.ran[user] for user in units.users.get(unit, ())]
            assert link.go == ({"step": min(uses)} if uses else {})  # a leaf is seen where it is used first
        else:
            texts = Gradients(units).texts(unit)
            assert latest(texts, link.go.get("step", 0), "") == texts[-1][1]
            assert ("nothing arrives" in link.label) == (not link.go)


def test_tips_tell_dtype_shape_arguments_rule_program_and_heat():
    def f(x, w):
        h = x @ w
        return np.sum(np.tanh(h))

    units = units_of(f, onp.ones((2, 3), "float32"), onp.full((3, 2), 0.1, "float32"))
    found = cards.links(units)
    h, tanh = unit_of(units, "h"), unit_of(units, "tanh")
    assert found[f"n{h.index}"].tip[:4] == ["@", "float32 [2, 2]", "[[0.3, 0.3], [0.3, 0.3]]", "matmul(x, w)"]
    assert found[f"n{h.index}"].heat == [[1.0, 1.0], [1.0, 1.0]]
    assert any(line.startswith("In the program: h = x @ w") for line in found[f"n{h.index}"].tip)
    back = found[f"g{tanh.index}"]
    assert back.tip[0] == f"∂tanh: {brief(onp.ones((2, 2)))}" and "Rule: g (1 - tanh(x)^2)." in back.tip
    assert any("test_cards.py, line" in line for line in found[f"n{tanh.index}"].tip)


def test_tips_tell_from_where_a_gradient_came():
    units = units_of(doubled, 1.0)
    found = cards.links(units)[f"g{unit_of(units, 'y').index}"].tip
    assert found[1] == f"Sum of 1 from outside and {number(np.cos(2.0))} from the result of sin."


def test_values_that_a_tape_does_not_keep_are_said_not_to_be():
    import labkit.torch as torch
    from labkit.widgets.explorer.run.tape import of_tensor

    x = torch.ones(100, requires_grad=True)
    story = of_tensor((x + 1).sum())
    units = Units(story, [n.index for n in story.nodes if not n.leaf])
    assert cards.value(units.ops[0]) == "100: not kept"


def test_odd_names_are_kept_in_full_behind_the_card_and_short_on_it():
    long = "a_name_that_goes_on_and_on_for_much_longer_than_a_card_is_wide"
    units = units_of(eval(f"lambda {long}: {long} * 2"), 1.0)
    assert cards.links(units)["n1"].tip[0] == long
    (title,) = (m.text for m in chain(units, {}).marks if m.role == "name" and m.link == "n1")
    assert title.startswith("a_name_that") and title.endswith("is_wide") and len(title) <= 26
