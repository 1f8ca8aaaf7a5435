"""The program beside the graph: a line lights up with its box, when that runs and when it is pointed at."""

import autograd.numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.view.program import MOST_LINES, program
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.scene import latest


def units_of(fun, *args, **more):
    story = of_function(fun, args or fun.leaves, **more)
    return Units(story, [n.index for n in story.nodes if not n.leaf])


@given(programs(ends=2))
@drawn(8)
def test_lines_light_up_with_their_boxes(drawn):
    units = units_of(drawn)
    panel = program(units, {})
    rows = [m for m in panel.marks if m.tag == "rect"]
    texts = [m for m in panel.marks if m.tag == "text"]
    assert [m.text for m in texts] == units.story.program.rstrip().splitlines()
    for number, (row, text) in enumerate(zip(rows, texts, strict=True), 1):
        assert row.link == text.link
        owners = [(u, "n") for u in units.ops if number in units.story.nodes[u.nodes[0]].lines]
        owners += [(u, "g") for u in units.ops if number in units.story.nodes[u.nodes[0]].back_lines]
        assert row.link == (f"{owners[0][1]}{owners[0][0].index}" if owners else None)
        states = row.vary.get("step", {}).get("state", [])
        for step in range(units.last + 1):
            times = {"n": units.ran, "g": units.walked}
            lit = bool(owners) and times[owners[0][1]].get(owners[0][0]) == step
            assert (latest(states, step, "") == "lit") is lit


def test_every_op_has_a_line_unless_the_program_does_without_it():
    units = units_of(lambda x, w: np.tanh(x * w) ** 2, 1.0, 2.0)
    linked = {m.link for m in program(units, {}).marks}
    assert {f"{kind}{u.index}" for u in units.ops for kind in "ng"} <= linked


def test_for_little_room_lines_are_broken_and_each_row_lights_up_with_its_line():
    units = units_of(lambda x, w: np.tanh(x * w) ** 2 / (1 + x), 1.0, 2.0)
    wide, slim = program(units, {}), program(units, {}, 420.0)
    assert slim.width <= 420 < wide.width
    plain = [[(m.link, m.text.strip("# ").split()) for m in panel.marks if m.tag == "text"] for panel in (wide, slim)]
    words = [[(link, word) for link, row in rows for word in row if word != "#"] for rows in plain]
    assert words[0] == words[1]
    assert all(len(m.text) - len(m.text.lstrip()) >= 4 for m in slim.marks[1:-1] if m.tag == "text" and m.link)


def test_where_there_is_no_program_the_panel_says_why():
    panel = program(units_of(lambda x: x if x > 0 else -x, 1.0), {"program": [1]})
    words = " ".join(m.text for m in panel.marks)
    assert words.startswith("There is no such program for this function:") and "branch or loop" in words
    assert panel.when == {"program": [1]}


def test_a_program_of_many_lines_is_not_written_out():
    def deep(x):
        for _ in range(MOST_LINES):
            x = np.sin(x)
        return x

    words = " ".join(m.text for m in program(units_of(deep, 1.0), {}).marks)
    assert "lines, too many to be read here; labkit.compile_program" in words


@pytest.mark.parametrize("fun", [np.sin, lambda x: 3.0])
def test_there_is_no_panel_where_none_was_asked_for(fun):
    assert program(units_of(fun, 1.0, program=False), {}) is None
