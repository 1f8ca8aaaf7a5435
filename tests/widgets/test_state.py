"""What a widget shows is a small dict: it can be written as JSON, and given to another widget of the same kind."""

import json

import pytest

from labkit import show
from labkit.widgets import CutEdge


def fun(x, w):
    return x * w + x


@pytest.mark.parametrize("make, state, unknown", [
    (lambda: show(fun, 3.0, 2.0), {"step": 3, "view": "tape", "inputs": {"x": 1.25}}, "step, view, opened, inputs"),
    (lambda: CutEdge(fun, 3.0, 2.0), {"cut": "w → ×", "inputs": {"x": 1.25}}, "cut, inputs"),
])  # fmt: skip
def test_a_state_makes_another_widget_show_the_same(make, state, unknown):
    one, other = make(), make()
    one.state = state
    other.state = json.loads(json.dumps(one.state))
    assert other.state == one.state and other.svg() == one.svg() == make().svg(**state) != make().svg()
    with pytest.raises(KeyError, match=f"expected some of {unknown}, but got 'stop'"):
        one.state = {"inputs": {}, "stop": 1}
    assert other.state == one.state
