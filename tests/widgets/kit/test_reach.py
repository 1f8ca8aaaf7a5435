"""A saved page holds scenes for inputs around those that are shown: what it makes of them is what Python would show."""

import json

import autograd.numpy as np
import numpy as onp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from javascript import call
from javascript import unpacked as unpacked_text

import labkit
from labkit.widgets.kit import page, reach
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.reach import around, points, varying
from labkit.widgets.kit.scene import to_json

SCRIPT = page.EXPORT.sub("", (page.PAGE / "reaching.js").read_text(encoding="utf-8"))
PLAIN = st.recursive(
    st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inside, max_size=3),
    max_leaves=8,
)


def held(picture):
    """What the page of a picture can reach, and the scene that it starts with."""
    known = json.loads(picture.html().partition('id="data">')[2].partition("</script>")[0])
    return (unpacked(known["reach"]) if "reach" in known else {}), unpacked(known["scene"])


def unpacked(text):
    return unpacked_text(text) if isinstance(text, str) else text


def in_page(first, reached, method, *arguments):
    return call(f"(first, held, ...given) => {{ {SCRIPT}\nreturn new Reach(first, held).{method}(...given); }}",
                first, reached, *arguments)  # fmt: skip


def neuron(x, w):
    h = np.tanh(w * x) if x > -100 else x  # who decides by a number has scenes
    return (h - x) ** 2


def small(x):
    return np.exp(x) if x > 0 else x


@given(st.lists(PLAIN, min_size=1, max_size=5))
def test_what_differs_is_put_together_again(values):
    made = [in_page(values[0], {"points": [[]], "varying": varying(values)}, "scene", i) for i in range(len(values))]
    assert made == values


@pytest.mark.parametrize("picture", [
    labkit.show(neuron, 1.5, 0.6), labkit.show(small, 0.5),
], ids=["neuron", "one"])  # fmt: skip
def test_the_page_shows_what_python_would(picture):
    reached, first = held(picture)
    names, rows = reached["fields"], reached["points"]
    assert list(picture.inputs.values()) in rows and len(rows) > 8
    for i in (0, len(rows) // 3, len(rows) - 1):
        wanted = to_json(picture.scene_at(dict(zip(names, rows[i], strict=True))))
        assert in_page(first, reached, "scene", i) == json.loads(json.dumps(wanted))


def graphs(scene):
    """All panels but the last one, which shows each slope close up, as far as its numbers can be drawn."""
    return [panel for panel in scene.panels if panel.name != "slopes"]


def test_no_box_moves_while_inputs_are_dragged():
    picture = labkit.show(neuron, 1.5, 0.6)
    boxes = [
        [mark.at for panel in graphs(picture.scene_at(inputs)) for mark in panel.marks if mark.tag == "rect"]
        for inputs in ({"x": 1.5, "w": 0.6}, {"x": -0.0123, "w": 1e-5}, {"x": 1234.5, "w": -7.0})
    ]
    assert boxes[0] == boxes[1] == boxes[2]


def test_the_nearest_row_is_found_and_the_next_value():
    reached = {"fields": ["x", "w"], "points": [[1, 2], [0, 2], [3, 2], [1, 5]], "varying": {}}
    assert in_page({}, reached, "nearest", {"x": 2.6}, {"x": 1, "w": 5}) == 2
    assert in_page({}, reached, "nearest", {"w": 4}, {"x": 3, "w": 2}) == 3
    assert (
        in_page({}, reached, "nearest", {"x": 1.2}, {"x": 0, "w": 5}) == 3
    )  # of two rows the one like the other inputs
    assert [in_page({}, reached, "next", "x", 1, *way) for way in ((1, False), (-1, False), (1, True))] == [3, 0, 3]
    assert in_page({}, reached, "next", "x", 3, 1, False) == 3


def test_what_cannot_be_reached_has_no_handles():
    calls = iter(range(10**6))
    assert held(labkit.show(lambda x: x * next(calls), 2.0))[0] == {}  # each run is another one
    assert held(labkit.show(lambda x: (x * x).sum(), onp.ones(3)))[0] == {}
    assert held(labkit.show(lambda x: x * x, onp.inf))[0] == {}


def test_a_value_at_which_the_function_fails_is_left_out_and_what_it_prints_is_not_seen(capsys):
    def root(x):
        print("run")
        if x < 0:
            raise ValueError("negative")
        return np.sqrt(x)

    picture = labkit.show(root, 1.0)
    capsys.readouterr()
    reached, _ = held(picture)
    assert min(reached["points"]) == [0.0] and [3.0] in reached["points"] and capsys.readouterr().out == ""
    assert picture.inputs == {"x": 1.0} and picture.scene.fields == {"x": "1"}


def test_where_nothing_is_folded_inputs_are_dragged_instead(monkeypatch):
    def long(x):
        for _ in range(8):
            x = np.tanh(x) * 1.5
        return x

    for shown, folds in ((labkit.show(long, 0.5, fold=100), False), (labkit.show(long, 0.5, fold=5), True)):
        reached, first = held(shown)
        assert bool(reached) != folds
        assert any("opens" in link for link in first["links"].values()) == folds


@pytest.mark.parametrize("value, count", [(0.6, 9), (-30.0, 5), (1e-3, 41), (7.25, 3)])
def test_values_are_in_round_steps_around_the_given_one(value, count):
    found = around(value, count)
    steps = onp.diff(found)
    assert found[count // 2] == value and len(found) == count and onp.allclose(steps, steps[0])
    assert f"{steps[0]:.0e}"[0] in "125" and max(found) - value <= 3 * reach.WIDE * max(abs(value), 1)


@pytest.mark.parametrize(
    "inputs, most, rows", [(1, 1000, 41), (2, 49, 49), (2, 24, 17), (3, 1000, 25), (3, 8, 7), (6, 1000, 49), (9, 9, 1)]
)
def test_inputs_vary_each_with_each_where_there_is_room(inputs, most, rows):
    values = {f"x{i}": 1.0 for i in range(inputs)}
    assert len(list(points(values, dict.fromkeys(values, False), most))) == rows


def test_a_page_is_kept_small(monkeypatch):
    whole = len(held(labkit.show(neuron, 1.5, 0.6))[0]["points"])
    monkeypatch.setattr(reach, "LETTERS", 15_000)
    assert 1 < len(held(labkit.show(neuron, 1.5, 0.6))[0]["points"]) < whole
    monkeypatch.setattr(reach, "LETTERS", 100)
    assert held(labkit.show(neuron, 1.5, 0.6))[0] == {}


def test_what_a_page_reaches_is_found_once_for_a_scene(monkeypatch):
    asked, first, other = [], labkit.show(small, 0.5).scene, labkit.show(small, 1.5).scene
    monkeypatch.setattr(
        "labkit.widgets.kit.picture.reached", lambda scene, *rest: asked.append(scene) or str(len(asked))
    )
    picture = Picture(first)
    assert [picture.reach(), picture.reach()] == ["1", "1"]
    picture.scene = other
    assert picture.reach() == "2" and [id(scene) for scene in asked] == [id(first), id(picture.scene)]
