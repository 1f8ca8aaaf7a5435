"""What a widget shows is a small dict: it can be written as JSON, and given to another widget of the same kind."""

import json

import pytest
from widget_examples import EXAMPLES, made

from labkit import show
from labkit.widgets import CutEdge
from labkit.widgets.kit.scene import to_json


def fun(x, w):
    return x * w + x


CHEAP = {
    "cut": (lambda: CutEdge(fun, 3.0, 2.0), {"cut": 2}),
}


@pytest.mark.parametrize("name", CHEAP)
def test_a_state_makes_another_widget_show_the_same(name):
    make, wanted = CHEAP[name]
    one, other = make(), make()
    one.state = wanted
    state = json.loads(json.dumps(one.state))
    assert {**state, "inputs": wanted.get("inputs")}.items() >= {**wanted, "inputs": wanted.get("inputs")}.items()
    other.state = state
    assert other.state == one.state and to_json(other.scene) == to_json(one.scene) != to_json(make().scene)
    assert other.svg() == one.svg()


def test_the_state_of_the_explorer_makes_another_one_show_the_same():
    one, other = show(fun, 3.0, 2.0), show(fun, 3.0, 2.0)
    one.state = {"step": 3, "view": "tape", "inputs": {"x": 1.25}}
    other.state = json.loads(json.dumps(one.state))
    assert other.state == one.state and other.svg() == one.svg() != show(fun, 3.0, 2.0).svg(step=3)
    with pytest.raises(KeyError, match="expected some of step, view, opened, inputs, but got 'stop'"):
        one.state = {"step": 1, "stop": 1}
    assert other.state == one.state


# ---- captions ----


def some_states(scene):
    """The start, and each dial turned to some of its positions."""
    yield scene.start()
    for dial in scene.dials:
        last = len(dial.values) - 1
        yield from ({**scene.start(), dial.name: i} for i in {0, last // 3, last // 2, last})


@pytest.mark.parametrize("name", [
    name if name in ("demo", "cut") else pytest.param(name, marks=pytest.mark.live)
    for name in EXAMPLES
])  # fmt: skip
def test_a_caption_has_at_most_thirty_words_and_no_sentence_is_cut(name):
    scene = made(name).scene
    for state in some_states(scene):
        said = scene.said(state)
        assert len(said.split()) <= 30 and not said.endswith("…"), said
