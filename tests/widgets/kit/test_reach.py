"""A saved page holds scenes for inputs around those that are shown: what it makes of them is what Python would show."""

import json

import numpy as onp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from javascript import call
from javascript import unpacked as unpacked_text

from labkit.widgets import CutEdge
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


def cut(x=3.0):
    return CutEdge(lambda x, y: x * y + x, x, 2.0)


@given(st.lists(PLAIN, min_size=1, max_size=5))
def test_what_differs_is_put_together_again(values):
    made = [in_page(values[0], {"points": [[]], "varying": varying(values)}, "scene", i) for i in range(len(values))]
    assert made == values


def test_the_page_shows_what_python_would():
    picture = cut()
    reached, first = held(picture)
    names, rows = reached["fields"], reached["points"]
    assert list(picture.inputs.values()) in rows and len(rows) > 8
    for i in (0, len(rows) // 3, len(rows) - 1):
        wanted = to_json(picture.scene_at(dict(zip(names, rows[i], strict=True))))
        assert in_page(first, reached, "scene", i) == json.loads(json.dumps(wanted))


def test_the_nearest_row_is_found_and_the_next_value():
    reached = {"fields": ["x", "w"], "points": [[1, 2], [0, 2], [3, 2], [1, 5]], "varying": {}}
    assert in_page({}, reached, "nearest", {"x": 2.6}, {"x": 1, "w": 5}) == 2
    assert in_page({}, reached, "nearest", {"w": 4}, {"x": 3, "w": 2}) == 3
    assert (
        in_page({}, reached, "nearest", {"x": 1.2}, {"x": 0, "w": 5}) == 3
    )  # of two rows the one like the other inputs
    assert [in_page({}, reached, "next", "x", 1, *way) for way in ((1, False), (-1, False), (1, True))] == [3, 0, 3]
    assert in_page({}, reached, "next", "x", 3, 1, False) == 3


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
    monkeypatch.setattr(reach, "LETTERS", 100)
    assert held(cut())[0] == {}


def test_what_a_page_reaches_is_found_once_for_a_scene(monkeypatch):
    asked, first, other = [], cut().scene, cut(1.5).scene
    monkeypatch.setattr(
        "labkit.widgets.kit.picture.reached", lambda scene, *rest: asked.append(scene) or str(len(asked))
    )
    picture = Picture(first)
    assert [picture.reach(), picture.reach()] == ["1", "1"]
    picture.scene = other
    assert picture.reach() == "2" and [id(scene) for scene in asked] == [id(first), id(picture.scene)]
