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
    "show": (lambda: show(fun, 3.0, 2.0), {"step": 3, "view": 1, "inputs": {"x": 1.25}}),
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


@pytest.mark.parametrize("wrong, error, words", [
    ({"stop": 1}, KeyError, "expected one of the dials"),
    ({"step": 99}, ValueError, "expected a position below"),
    ({"inputs": {"z": 1}}, KeyError, "expected some of x, w, but got 'z'"),
    ({"inputs": {"x": "much"}}, ValueError, "a number is expected"),
    ({"inputs": {"x": 4.0}, "view": 77}, ValueError, "view: expected"),
    ({"opened": ["no such block"]}, KeyError, "the key of a block"),
])  # fmt: skip
def test_a_state_that_cannot_be_is_refused_and_changes_nothing(wrong, error, words):
    picture = show(fun, 3.0, 2.0)
    before, seen = picture.state, picture.svg()
    with pytest.raises(error, match=words):
        picture.state = wrong
    assert picture.state == before and picture.svg() == seen


def test_what_a_function_raises_for_a_state_is_passed_on():
    def fussy(x, w):
        if x < 0:
            raise ValueError("x must not be negative")
        return x * w

    picture = show(fussy, 1.0, 2.0)
    with pytest.raises(ValueError, match="must not be negative"):
        picture.state = {"inputs": {"w": 5.0, "x": -1.0}}
    assert picture.state["inputs"] == {"x": 1.0, "w": 2.0}


def test_the_unfolded_blocks_are_part_of_it():
    one, other = made("folded"), None
    before = one.state
    assert before["opened"] == ["conv", "head"]  # there is room for both
    try:
        one.fold("conv")
        other = one.state
        one.state = before
        assert one.opened == {"conv", "head"}
        one.state = other
        assert one.opened == {"head"}
    finally:
        one.state = before


# ---- captions ----


def some_states(scene):
    """The start, and each dial turned to some of its positions."""
    yield scene.start()
    for dial in scene.dials:
        last = len(dial.values) - 1
        yield from ({**scene.start(), dial.name: i} for i in {0, last // 3, last // 2, last})


@pytest.mark.parametrize("name", [
    name if name in ("demo", "show", "cut") else pytest.param(name, marks=pytest.mark.live)
    for name in EXAMPLES
])  # fmt: skip
def test_a_caption_has_at_most_thirty_words_and_no_sentence_is_cut(name):
    scene = made(name).scene
    for state in some_states(scene):
        said = scene.said(state)
        assert len(said.split()) <= 30 and not said.endswith("…"), said
