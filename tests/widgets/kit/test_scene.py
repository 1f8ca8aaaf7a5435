"""A scene is the same in Python and in the page: what it shows is looked up, in every state."""

import itertools
import json
import random

import javascript
import pytest
from widget_examples import Demo

from labkit.widgets.kit.page import script
from labkit.widgets.kit.scene import Caption, Dial, Mark, Panel, Scene, changes, holds, latest, looks, to_json

LOOK = script("changing.js")  # and look.js, which it needs
ATTRIBUTES = ("x", "opacity", "text", "state", "fill")


def in_page(function, *arguments):
    return javascript.call(f"(() => {{ {LOOK}; return {function}; }})()", *arguments)


def some_changes(draw, length):
    at = sorted(draw.sample(range(length), draw.randint(1, length)))
    return [(i, draw.choice(["", "a", "b", "now", 0, 1, 2.5])) for i in at]


def some_when(draw, dials):
    return {
        d.name: draw.sample(range(len(d.values)), draw.randint(1, len(d.values))) for d in dials if draw.random() < 0.3
    }


def some_scene(draw):
    """A scene with some dials, and marks that vary with several of them, over one another."""
    dials = [Dial(f"d{i}", "", [str(v) for v in range(draw.randint(1, 4))]) for i in range(draw.randint(1, 3))]
    marks = []
    for _ in range(6):
        vary = {
            d.name: {a: some_changes(draw, len(d.values)) for a in draw.sample(ATTRIBUTES, draw.randint(0, 3))}
            for d in dials
            if draw.random() < 0.7
        }
        at = {a: draw.choice([0, 1.5, "none"]) for a in ("x", "fill") if draw.random() < 0.6}
        marks.append(Mark("text", "plain", at, draw.choice(["", "words"]), vary, some_when(draw, dials)))
    said = [
        Caption(d.name, [(i, str(v)) for i, v in some_changes(draw, len(d.values))], some_when(draw, dials))
        for d in dials
    ]
    return Scene("", "", dials, [Panel("p", "", 10, 10, marks)], said)


def states(scene):
    names = [d.name for d in scene.dials]
    return [dict(zip(names, at)) for at in itertools.product(*(range(len(d.values)) for d in scene.dials))]


SCENES = [some_scene(random.Random(seed)) for seed in range(80)]


def test_python_and_the_page_show_the_same_in_every_state():
    data = [(to_json(scene), states(scene)) for scene in SCENES]
    shown = in_page(
        """scenes => scenes.map(([scene, states]) => states.map(state =>
            [scene.panels[0].marks.map(mark => lookOf(mark, state)), captionOf(scene, state)]))""",
        data,
    )
    for scene, of_scene in zip(SCENES, shown, strict=True):
        for state, (marks, caption) in zip(states(scene), of_scene, strict=True):
            assert caption == scene.caption(state)
            for mark, seen in zip(scene.panels[0].marks, marks, strict=True):
                attributes, words, name = looks(mark, state)
                name = name if holds(mark.when, state) else "hidden"
                assert (dict(mark.at) | (seen["at"] or {}), seen["text"], seen["name"]) == (attributes, words, name)


def test_the_page_refreshes_every_mark_that_a_turn_changes():
    moves = [(s, d.name, i, j) for s in range(20) for d in SCENES[s].dials for i in range(4) for j in range(4)
             if max(i, j) < len(d.values)]  # fmt: skip
    found = in_page(
        """(scenes, moves) => {
            const indices = scenes.map(scene => {
              const index = new Changing();
              scene.panels[0].marks.forEach((mark, i) => index.enter({mark, i}));
              return index;
            });
            return moves.map(([s, dial, from, to]) => [...indices[s].touched(dial, from, to)].map(item => item.i));
        }""",
        [to_json(s) for s in SCENES[:20]],
        moves,
    )
    for (s, dial, i, j), refreshed in zip(moves, found, strict=True):
        for state in states(SCENES[s]):
            for n, mark in enumerate(SCENES[s].panels[0].marks):
                before, after = state | {dial: i}, state | {dial: j}
                same = (looks(mark, before), holds(mark.when, before)) == (looks(mark, after), holds(mark.when, after))
                assert same or n in refreshed


def test_a_scene_as_json_comes_back_the_same():
    plain = to_json(Demo().scene)
    assert json.loads(json.dumps(plain)) == plain
    assert "captions" not in to_json(SCENES[0].panels[0])


def test_changes_and_latest_undo_each_other():
    values = ["a", "a", "b", "b", "a"]
    assert [latest(changes(values), i, None) for i in range(5)] == values
    assert latest([(3, "later")], 2, "before") == "before"


def test_a_dial_stands_at_a_position_or_at_a_name():
    scene = Demo().scene
    assert scene.state(step="square again") == scene.state(step=2) == scene.state(step=-1)
    with pytest.raises(KeyError, match=r"one of the dials step, show, .* but got 'stop'"):
        scene.state(stop=1)
    for wrong in (3, -4, "cube", 0.5, None):
        with pytest.raises(ValueError, match="step: expected a position below 3 or one of 'start', 'square'"):
            scene.state(step=wrong)


def test_a_dial_that_cannot_stand_anywhere_is_refused():
    for wrong in ({"kind": "wheel"}, {"start": 2}, {"start": -1}):
        with pytest.raises(ValueError, match=r"dial 'd': expected a kind of .* and a start below 2"):
            Dial("d", "", ["a", "b"], **wrong)


def test_what_stands_before_a_line_break_is_said_at_once_and_the_rest_is_told_after_all_of_it():
    captions = [Caption("d", [(0, "One.\nMore of one.")]), Caption("d", [(0, "Two.")]), Caption("d", [(0, "\nMore.")])]
    scene = Scene("", "", [Dial("d", "", ["0"])], [], captions)
    assert scene.caption({"d": 0}) == in_page("captionOf", to_json(scene), {"d": 0}) == "One. Two.\nMore of one. More."
    assert scene.said({"d": 0}) == "One. Two." and scene.told({"d": 0}) == "One. Two. More of one. More."
    assert in_page("briefly", scene.caption({"d": 0})) == ["One. Two.", "More of one. More."]


def test_a_picture_rests_elsewhere_than_it_starts_unless_a_dial_is_turned():
    scene = Scene("", "", [Dial("d", "", "abc", rests=2), Dial("e", "", "ab")], [])
    assert scene.start() == {"d": 0, "e": 0} and scene.resting() == {"d": 2, "e": 0}
    assert scene.resting(d=1, e="b") == {"d": 1, "e": 1}
