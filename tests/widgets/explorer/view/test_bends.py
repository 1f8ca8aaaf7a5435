"""Where the inputs of an op lie on its slope: that of the engine, at what the op was given, or must have been."""

import autograd.numpy as np
import numpy as onp
import pytest

import labkit
from labkit.engine import grad
from labkit.ops import FUNCTIONS
from labkit.widgets.explorer.run.recorded import of_function
from labkit.widgets.explorer.run.story import Node, Story
from labkit.widgets.explorer.view.bends import _inputs, slopes
from labkit.widgets.explorer.view.lengths import shares_of
from labkit.widgets.explorer.view.norms import Curve
from labkit.widgets.explorer.view.units import Units
from labkit.widgets.kit.scene import latest


def node_of(op, x, y):
    nodes = [
        Node(0, "x", "input", "", (), x, onp.shape(y), "float64"),
        Node(1, op, op, "", (0,), y, onp.shape(y), "float64"),
    ]
    return Story("f", nodes, []), nodes[1]


@pytest.mark.parametrize("op", ["sigmoid", "tanh", "softplus"])
def test_what_an_op_gave_tells_what_it_was_given(op):
    x = onp.linspace(-3, 3, 13)
    y = FUNCTIONS[op].fun(x)
    for given in (x, None):
        found, flat = _inputs(*node_of(op, given, y))
        assert flat == 0 and found == pytest.approx(x, abs=1e-3)
    assert slopes(op, x) == pytest.approx([grad(FUNCTIONS[op].fun)(one) for one in x])


def test_of_what_is_flat_only_that_is_known():
    found, flat = _inputs(*node_of("relu", None, onp.array([0.0, 0.0, 1.5])))
    assert flat == 2 and found == pytest.approx([1.5])
    assert _inputs(*node_of("relu", onp.array([1.0]), onp.array([3.0]))) is None  # no relu, whatever it is called
    assert _inputs(*node_of("sin", None, onp.array([0.5]))) is None


def test_a_dead_relu_shows_all_its_inputs_where_the_slope_is_0():
    def dead(x):
        h = x * 0.5 - 3.0
        for _ in range(4):
            h = h * 1.0
        return np.sum(np.maximum(h, 0.0))

    assert "slope" not in {
        panel.name for panel in labkit.show(dead, onp.ones(4)).scene.panels
    }  # no function of one number
    import labkit.torch as torch

    x = torch.linspace(-1.0, 1.0, 6).requires_grad_(True)
    scene = labkit.show(torch.relu(x * 2.0 - 5.0).sum()).scene
    (panel,) = [panel for panel in scene.panels if panel.name == "slope"]
    assert "slope 0 at 6 of 6" in {mark.text for mark in panel.marks} and not [
        m for m in panel.marks if m.role == "bar"
    ]
    assert all(latest(mark.vary["step"]["state"], 0, "") == "answer" for mark in panel.marks)
    assert scene.links[scene.notice_link].go["step"]


def test_what_kinds_of_op_do_is_together_what_the_curve_does():
    def f(x, *ws):
        for w in ws:
            x = np.tanh(x @ w)
        return np.sum(x)

    ws = [0.2 * (onp.eye(3) + 0.1 * i) for i in range(5)]
    story = of_function(f, [onp.ones((2, 3)), *ws], program=False)
    plot = Curve(Units(story, [n.index for n in story.nodes if not n.leaf])).plots[0]
    shares, trend = shares_of(plot.points, plot.trend), plot.trend
    ends = [next(p.norm for p in plot.points if p.main and not p.leaf and p.at == end.at) for end in trend[:2]]
    whole = onp.prod([share.factor for share in shares]) ** trend.layers
    assert whole == pytest.approx(ends[1] / ends[0]) and "tanh" in {share.kind for share in shares}
