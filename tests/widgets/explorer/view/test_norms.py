"""The curve of norms: what it shows is the length of each gradient, and only what the slider has reached."""

import autograd.numpy as np
import numpy as onp
import pytest

import labkit.torch as torch
from labkit.widgets.explorer.run.folding import Block
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.tape import of_tensor
from labkit.widgets.explorer.view.norms import Curve
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.scene import latest, looks
from labkit.widgets.kit.words import number


def units_of(story):
    return Units(story, [n.index for n in story.nodes if not n.leaf])


def deep(scale=0.5, layers=6):
    def f(x):
        for _ in range(layers):
            x = np.tanh(x * scale)
        return np.sum(x)

    return units_of(of_function(f, [onp.ones(3)], program=False))


def dots(panel, step):
    """The links of the dots that are seen at a step, with their places."""
    found = {}
    for mark in panel.marks:
        attributes, _, state = looks(mark, {"step": step})
        if mark.tag == "circle" and state != "hidden" and not mark.role.startswith("ghost"):
            found[mark.link] = attributes["cx"], attributes["cy"]
    return found


@pytest.mark.parametrize("narrow", [False, True])
def test_the_places_are_the_norms(narrow):
    curve, units = Curve(deep()), deep()
    panel = curve.panel.narrow if narrow else curve.panel
    norms = {}
    for step in units.story.steps:
        norms[step.node] = onp.linalg.norm(step.gradient)
        norms |= {sent.parent: onp.linalg.norm(sent.total) for sent in step.sent}
    ticks = {float(m.text): (m.at["x"] if narrow else m.at["y"] - 4) for m in panel.marks if m.role == "tick"}
    (low, at), *_, (high, end) = sorted(ticks.items())
    for link, place in dots(panel, units.last).items():
        part = (onp.log10(norms[units.units[int(link[1:])].lead.index]) - onp.log10(low)) / (
            onp.log10(high) - onp.log10(low)
        )
        assert place[0 if narrow else 1] == pytest.approx(at + part * (end - at), abs=0.2)


def test_only_what_the_slider_has_reached_is_seen():
    curve, units = Curve(deep()), deep()
    assert dots(curve.panel, units.seed - 1) == {}
    seen = [len(dots(curve.panel, step)) for step in range(units.seed, units.last + 1)]
    assert seen == list(range(1, len(seen) + 1))
    ticks = [mark for mark in curve.panel.marks if mark.role == "tick"]
    assert ticks and all(latest(m.vary["step"]["state"], 0, "") == "answer" for m in ticks)


def test_its_grip_and_its_links_go_to_the_steps():
    curve, units = Curve(deep()), deep()
    across, upright = curve.grips()
    assert (across.dial, across.by, upright.by) == ("step", "x", "y")
    assert across.spots[: units.seed] == [None] * units.seed and len(across.spots) == units.last + 1
    assert [link.go["step"] for _, link in curve.links()] == [*range(units.seed + 1, units.last + 1), units.last]
    rows = [m for m in curve.panel.marks if m.role == "row"]
    assert [m.link for m in rows] == [name for name, _ in curve.links()]
    for step, unit in units.at.items():  # the column that is lit, the place of the ring, and the box that is walked
        if step > units.seed:
            (lit,) = [m.at for m in rows if looks(m, {"step": step})[2] == "lit"]
            middle = lit["x"] + lit["width"] / 2
            assert across.spots[step][0] == pytest.approx(middle, abs=0.2)
            assert dots(curve.panel, units.last)[f"g{unit.index}"][0] == pytest.approx(middle, abs=0.2)


def test_all_of_it_is_there_faint_from_the_start_but_not_for_who_predicts():
    curve, units = Curve(weighted()), weighted()
    for panel in (curve.panel, curve.panel.narrow):
        faint = [m for m in panel.marks if m.role in ("ghostdot", "ghostring")]
        places = {(m.at["cx"], m.at["cy"]) for m in faint}
        assert places == {(m.at["cx"], m.at["cy"]) for m in panel.marks if m.tag == "circle" and m not in faint}
        (line,) = [m for m in panel.marks if m.role == "ghost"]
        assert {latest(m.vary["step"]["state"], step, "") for m in (*faint, line) for step in (0, units.last)} == {
            "answer"
        }
        assert not any(m.link for m in (*faint, line))


def test_nan_and_0_have_rows_of_their_own():
    torch.manual_seed(0)
    x = torch.ones(3, requires_grad=True)
    y = torch.relu(x - 2.0) * 3.0 + 1.0
    panel = Curve(units_of(of_tensor((y * y).sum()))).panel
    assert "0" in [m.text for m in panel.marks if m.role == "tick"]
    story = of_function(lambda x: np.sum(np.sqrt(x * 0.0) * 2.0 + 1.0) ** 2, [onp.ones(3)], program=False)
    panel = Curve(units_of(story)).panel
    assert "nan, inf" in [m.text for m in panel.marks if m.role == "tick"]
    assert {m.role for m in panel.marks if m.tag == "circle"} >= {"badbar", "backbar"}


def test_single_numbers_and_short_ways_have_none():
    assert Curve(units_of(of_function(lambda x: np.sin(np.tanh(x * 2) * 3) ** 2, [0.5], program=False))).panel is None
    assert Curve(deep(layers=1)).panel is None


def weighted(layers=5, scale=0.2):
    def f(x, *ws):
        for w in ws:
            x = np.tanh(x @ w)
        return np.sum(x)

    ws = [scale * (onp.eye(3) + 0.1 * i) for i in range(layers)]
    return units_of(of_function(f, [onp.ones((2, 3)), *ws], program=False))


@pytest.mark.parametrize("narrow", [False, True])
def test_the_boxes_stand_in_their_order_and_the_result_is_no_part_of_the_line(narrow):
    units, curve = deep(), Curve(deep())
    panel = curve.panel.narrow if narrow else curve.panel
    places = {int(link[1:]): at[1 if narrow else 0] for link, at in dots(panel, units.last).items()}
    along = [places[unit.index] for unit in units.ops]
    assert along == sorted(along) and min(places.values()) == places[units.home[0].index]
    assert ("below" if narrow else "right") in panel.title
    (start,) = [mark for mark in panel.marks if mark.text == "starts with 1"]
    lines = [mark for mark in panel.marks if mark.role == "backline"]
    assert start.role == "note" and len(lines) == len(places) - 2


@pytest.mark.parametrize("narrow", [False, True])
def test_the_weights_at_the_ends_are_named_with_the_mean_factor(narrow):
    units = weighted()
    panel = Curve(units).panel
    panel = panel.narrow if narrow else panel
    found = [
        onp.linalg.norm(sent.total)
        for step in units.story.steps
        for sent in step.sent
        if units.story.nodes[sent.parent].leaf and units.story.nodes[sent.parent].shape == (3, 3)
    ]
    first, last = sorted((found.index(min(found)), found.index(max(found))))  # on the way back
    factor = (found[last] / found[first]) ** (1 / (last - first))
    words = [mark for mark in panel.marks if mark.role == "leaftext"]
    assert {f"weights × {number(factor)} per layer", f"× {number(factor)} per layer"} & {mark.text for mark in words}
    ends = {mark.text.split()[-1] for mark in words if "per layer" not in mark.text}
    assert ends == {number(min(found)), number(max(found))}
    (line,) = [mark for mark in panel.marks if mark.role == "trend"]
    for mark in (*words, line):
        assert latest(mark.vary["step"]["state"], units.seed, "") == "hidden"


def test_a_curve_fills_the_room_that_it_is_given():
    assert Curve(deep(), 1000.0).panel.width == pytest.approx(1000.0)
    assert Curve(deep(layers=4)).panel.width < 1000


def test_few_layers_have_no_mean():
    assert not [mark for mark in Curve(weighted(2)).panel.marks if mark.role == "trend"]


def test_a_weight_that_several_boxes_hold_has_one_dot_of_its_whole_gradient():
    w = torch.full((3, 3), 0.4, requires_grad=True)
    h = torch.ones(2, 3)
    for _ in range(6):
        h = torch.tanh(h @ w)
    loss = h.sum()
    story = of_tensor(loss)
    (leaf,) = [node for node in story.leaves if node.grad_fn]
    leaf.title = "net.weight"  # of a module: boxes that use it hold it
    *ops, last = [node.index for node in story.nodes if not node.leaf]
    parts = [*(Block(str(k), f"{k} of 6", ops[2 * k : 2 * k + 2]) for k in range(6)), last]
    units = Units(story, parts, parts)
    held = [point for point in Curve(units).plots[0].points if point.leaf is leaf]
    assert sum(leaf.index in unit.inside for unit in units.units) > 1
    loss.backward()
    assert [point.norm for point in held] == [pytest.approx(float(w.grad.norm()))]
