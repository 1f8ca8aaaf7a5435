"""What a picture shows as a position is dragged: by mouse, by touch and by keyboard, to what the data say."""

import pytest
from dragged import Dragged
from listened_page import axe_findings
from shown_widget import Shown
from widget_examples import Demo, made

NEEDS = "needs Python: open in a notebook"


@pytest.fixture
def opened(go, tmp_path):
    """`opened(example, width=..., dial=position)`: a saved page of a widget, with its grips."""

    def open_page(example, width=1000, touch=False, **turned):
        picture = Demo() if example == "demo" else made(example)
        page = go(picture.save(tmp_path / f"{example}.html").as_uri(), width, has_touch=touch).page
        shown = Shown(page.locator(".labkit"), picture.scene)
        for dial in picture.scene.dials:
            if dial.name in turned:
                shown.turn(dial, picture.scene.state(**{dial.name: turned[dial.name]})[dial.name])
        return Dragged(shown)

    return open_page


@pytest.mark.parametrize("way", ["mouse", "touch"])
@pytest.mark.parametrize("width", [1000, 420])
def test_a_point_is_dragged_to_the_nearest_place(opened, way, width):
    dragged = opened("demo", width, way == "touch", show=1)
    for position in (1 * 5 + 4, 4 * 5 + 0):
        dragged.to_spot("point", position, way)
        assert dragged.shown.differences() == []
    dragged.by("point", 13, -13, way)  # not half of the way to the next one
    assert dragged.shown.differences() == []


def test_arrow_keys_move_it_from_place_to_place(opened):
    dragged = opened("demo", show=1)
    for keys, position in [("ArrowRight ArrowUp", 8), ("ArrowLeft ArrowLeft", 6), ("ArrowUp ArrowUp ArrowUp", 1)]:
        dragged.press("point", *keys.split())
        dragged.shown.state["place"] = position
        assert dragged.shown.differences() == []
        assert dragged.knob("point").get_attribute("aria-valuetext") == dragged.scene.dials[-1].values[position]
    assert axe_findings(dragged.page, "html") == []


def test_what_needs_python_says_so_where_it_is_dragged(opened):
    dragged = opened("demo")
    dragged.by("x", 40, 0)
    note = dragged.shown.frame.locator(".lk-needs")
    assert note.text_content() == NEEDS and NEEDS in dragged.knob("x").get_attribute("aria-valuetext")
    assert dragged.shown.differences() == []


def test_a_handle_is_large_enough_for_a_finger_and_lets_the_rest_of_the_picture_scroll(opened):
    dragged = opened("demo", 420, True, show=1)
    box = dragged.knob("point").bounding_box()
    assert min(box["width"], box["height"]) >= 44
    actions = (
        "node => [node, node.closest('.lk-scroll').querySelector('svg')].map(n => getComputedStyle(n).touchAction)"
    )
    assert dragged.knob("point").evaluate(actions) == ["none", "auto"]
