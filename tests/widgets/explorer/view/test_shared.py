"""In every view of every graph: no two boxes overlap, no line crosses a box, every text fits, nothing leaves its panel."""

from functools import partial
from itertools import combinations

import autograd.numpy as np
import drawing
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st
from small_programs import programs

import labkit
from labkit.widgets.explorer.run.folding import Block
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.view.chain import chain
from labkit.widgets.explorer.view.graph import graph, graph_in_rows
from labkit.widgets.explorer.view.placing import NARROW
from labkit.widgets.explorer.view.shared import calm
from labkit.widgets.explorer.view.tape import tape
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.boxes import label_width, placed_labels
from labkit.widgets.kit.scene import looks

VIEWS = {"chain": chain, "tape": tape, "graph": graph}
NARROW_VIEWS = {f"{make.__name__}, narrow": partial(make, room=NARROW) for make in (chain, tape, graph_in_rows)}
VIEWS |= NARROW_VIEWS


def units_of(fun, *args, blocks=()):
    """The boxes of a run; `blocks`: how many ops each box stands for, the rest alone."""
    story = of_function(fun, args or fun.leaves, program=False)
    ops = [n.index for n in story.nodes if not n.leaf]
    parts = []
    for k, size in enumerate(blocks):
        piece, ops = ops[:size], ops[size:]
        parts += [Block(str(k), f"{len(piece)} ops", piece)] if len(piece) > 1 else piece
    return Units(story, [*parts, *ops])


def states(units):
    """Some states of the picture: the start, the seed, half the way back, the end."""
    steps = {0, units.forward, units.seed, (units.seed + units.last) // 2, units.last}
    return [
        {"step": step, "retain": retain, "colour": 0}
        for step in sorted(steps)
        if step <= units.last
        for retain in (0, 1)
    ]


def problems(panel, state):
    """What is wrong with the drawing in a state, in words."""
    boxes = drawing.boxes(panel, state)
    found = [f"boxes {a} and {b}" for a, b in combinations(boxes, 2) if drawing.overlap(a, b)]
    for mark, pieces in drawing.lines(panel, state):
        found += [f"{mark.role} through {box}" for box in boxes if any(drawing.enters(p, box) for p in pieces)]
        for x0, y0, x1, y1 in pieces:
            if min(x0, x1) < 0 or max(x0, x1) > panel.width or min(y0, y1) < 0 or max(y0, y1) > panel.height:
                found.append(f"{mark.role} leaves the panel")
    for x, y, width, height in boxes:
        if x < 0 or y < 0 or x + width > panel.width or y + height > panel.height:
            found.append(f"box {(x, y, width, height)} leaves the panel")
    return found + text_problems(panel, state, boxes)


def text_problems(panel, state, boxes):
    found, labels = [], []
    for mark, left, top, right, bottom in drawing.texts(panel, state):
        if left < -1 or top < -1 or right > panel.width + 1 or bottom > panel.height + 1:
            found.append(f"{mark.text!r} leaves the panel")
        if mark.role in ("name", "value"):
            inside = any(x <= left and right <= x + w and y <= top and bottom <= y + h for x, y, w, h in boxes)
            found += [] if inside else [f"{mark.text!r} leaves its box"]
        else:
            spot = (left, top, right - left, bottom - top)
            found += [f"{mark.role} {mark.text!r} on a box" for box in boxes if drawing.overlap(spot, box, 1.5)]
            if mark.role == "slope":
                found += [f"{mark.text!r} on {other!r}" for other, place in labels if drawing.overlap(spot, place, 1.0)]
                labels.append((mark.text, spot))
    return found


@pytest.mark.parametrize("view", VIEWS)
@given(program=programs(most=12, ends=3))
@drawn(10)
def test_random_programs_are_drawn_cleanly(view, program):
    units = units_of(program)
    panel = VIEWS[view](units, {})
    for state in states(units):
        assert problems(panel, state) == []


@pytest.mark.parametrize("view", VIEWS)
@given(program=programs(most=14, ends=2), sizes=st.lists(st.integers(1, 6), max_size=4))
@drawn(8)
def test_folded_programs_are_drawn_cleanly(view, program, sizes):
    units = units_of(program, blocks=sizes)
    panel = VIEWS[view](units, {})
    for state in states(units):
        assert problems(panel, state) == []


def mlp(x, y, w1, b1, w2):
    h = np.maximum(x @ w1 + b1, 0)
    return np.mean((h @ w2 - y) ** 2)


def rnn(x, wx, wh, b):
    h = np.zeros((2, 3))
    for i in range(5):
        h = np.tanh(x[:, i] @ wx + h @ wh + b)
    return np.mean(h**2)


def random(*shape):
    return onp.random.RandomState(0).randn(*shape)


FUNCTIONS = {
    "mlp": (mlp, random(5, 3), random(5, 1), random(3, 8), random(8), random(8, 1)),
    "rnn": (rnn, random(2, 5, 4), random(4, 3), random(3, 3), random(3)),
    "second derivative": (labkit.grad(labkit.grad(lambda x: np.sin(x) * x**2)), 0.7),
    "many uses": (lambda x: sum(x * i for i in range(1, 12)), 2.0),
    "wide": (lambda *xs: np.sum(np.concatenate(xs)), *[onp.ones(2)] * 30),
    "stack": (lambda x: np.sum(np.stack([x * i for i in range(14)])), 2.0),
    "identity": (lambda x: x, 2.0),
    "constant": (lambda x: 3.0, 2.0),
    "tiny slopes": (lambda x: np.exp(x * 1e-7) * 1.23456e-9 + x * -9.87654e8, -123.456),
    "nan": (lambda x: np.log(x) * x + x, -1.0),
    "long names": (
        lambda a_parameter_with_a_very_long_name_indeed, b: a_parameter_with_a_very_long_name_indeed * b, 2.0, 3.0
    ),
    "empty": (lambda x: np.sum(x * x), onp.zeros((0, 3))),
    "labels": (lambda x, y: np.sum(x[np.arange(3), y]), random(3, 4), onp.array([0, 3, 1])),
    "several outputs": (lambda x, y: {"h": (h := x * y), "s": (np.sin(h) + y, x)}, 2.0, 3.0),
}  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_known_functions_are_drawn_cleanly(view, name):
    units = units_of(*FUNCTIONS[name])
    panel = VIEWS[view](units, {})
    for state in states(units):
        assert problems(panel, state) == []


@pytest.mark.parametrize("view", VIEWS)
@given(program=programs(ends=2))
@drawn(8)
def test_what_has_not_happened_is_faint_and_all_is_seen_at_the_end(view, program):
    units = units_of(program)
    panel = VIEWS[view](units, {})
    cards = {m.link: m for m in panel.marks if m.tag == "rect" and (m.link or "").startswith("n") and not m.when}
    for unit, ran in units.ran.items():
        changes = dict(cards[f"n{unit.index}"].vary["step"]["state"])
        assert (changes[0], changes[ran], changes[ran + 1]) == ("pending", "now", "")


@pytest.mark.parametrize("view", VIEWS)
def test_the_first_bad_value_and_the_first_bad_gradient_are_marked(view):
    panel = VIEWS[view](units_of(lambda x, y: np.log(x - y) * x, 1.0, 2.0), {})
    assert [m.link for m in panel.marks if m.role == "bad" and m.link.startswith("n")] == ["n1"]
    panel = VIEWS[view](units_of(lambda x: np.sqrt(x) * 2, 0.0), {})
    assert {m.link for m in panel.marks if m.role == "bad"} == {"g2"}


def test_ops_of_a_derivative_inside_look_different():
    panel = chain(units_of(labkit.grad(np.sin), 0.5), {})
    roles = {m.text: before.role for before, m in zip(panel.marks, panel.marks[1:], strict=False) if m.role == "name"}
    assert roles["sin"] == "op" and roles["cos"] == "derived"
    assert "inside the function" in panel.title and "inside" not in chain(units_of(np.sin, 0.5), {}).title


# ---- labels ----


@drawn(30)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.floats(0, 200), st.floats(0, 200), st.integers(1, 9).map(lambda n: "×" * n)),
        max_size=14,
    )
)
def test_labels_never_cover_each_other(wanted):
    found = placed_labels([([((100.0 * k, y), (100.0 * k + 60, z))], words) for k, y, z, words in wanted])
    spots = [(x - label_width(w) / 2, y - 9, label_width(w), 11) for x, y, w in found]
    assert not any(drawing.overlap(a, b) for a, b in combinations(spots, 2))


@drawn(30)
@given(st.floats(0, 300), st.floats(0, 300))
def test_a_label_alone_stands_at_its_line(y, z):
    ((x, at, _),) = placed_labels([([((0.0, y), (60.0, z))], "×2")])
    assert x == 30 and min(y, z) - 7 <= at <= max(y, z) + 15


def test_texts_vary_as_their_boxes_but_for_the_moment_itself():
    assert calm([(0, "pending"), (3, "now"), (4, "released")]) == [(0, "pending"), (3, ""), (4, "released")]
    assert calm([]) == []


@pytest.mark.parametrize("view", VIEWS)
def test_both_sheets_of_a_pile_are_faint_until_it_has_run(view):
    units = units_of(lambda x: np.sin(np.cos(np.exp(x))), 1.0, blocks=(3,))
    piles = [mark for mark in VIEWS[view](units, {}).marks if mark.role == "group"]
    seen = [[looks(mark, {"step": step, "retain": 0, "view": 0})[2] for mark in piles] for step in (0, units.last)]
    assert seen == [["pending", "pending"], ["", ""]]
