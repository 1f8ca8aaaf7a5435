"""With Python at the other end a handle goes to any number, and what is under the finger is moved at once."""

import autograd.numpy as np
import pytest
from dragged import Dragged
from listened_page import axe_findings
from live_page import Live
from shown_widget import Shown
from widget_examples import Demo

from labkit.widgets import ClippingLab, Landscape, Microscope


@pytest.fixture
def live(go, tmp_path):
    """`live(picture, touch=False)`: it in a page that it answers."""

    def open_page(picture, touch=False):
        page = go("about:blank", has_touch=touch).page
        lively = Live(page, picture, tmp_path)
        dragged = Dragged(Shown(page.locator(".labkit"), picture.scene))
        return lively, dragged

    return open_page


def settled(live, dragged):
    """Wait until the last message is answered; what is expected follows what Python shows."""
    found = ["nothing yet"]
    for _ in range(20):
        live.page.wait_for_timeout(250)
        dragged.shown.scene = dragged.scene = live.picture.scene
        dragged.shown.state |= live.wire.state
        found = dragged.shown.differences()
        if not found:
            break
    assert found == []


@pytest.mark.live
@pytest.mark.parametrize("way", ["mouse", "touch"])
def test_a_gradient_is_dragged_to_any_place(live, way):
    lively, dragged = live(ClippingLab(), way == "touch")
    dragged.by("g", -61, 47, way)  # 48 px are a 1
    settled(lively, dragged)
    inputs = lively.picture.inputs
    assert (inputs["g1"], inputs["g2"]) == pytest.approx((3.5 - 61 / 48, 1.5 - 47 / 48), abs=0.03)
    assert f"g: length {np.hypot(inputs['g1'], inputs['g2']):.2f}" in dragged.shown.frame.inner_text()
    assert [message for message in lively.messages if "at" in message] and "at" not in lively.messages[-1]


@pytest.mark.live
def test_while_python_computes_the_handle_is_where_the_finger_is_and_only_one_message_is_on_its_way(live):
    lively, dragged = live(ClippingLab())
    x, y = dragged.centre("g")
    pixels = 48 * dragged.scale("g")  # of a 1 in the window
    lively.page.mouse.move(x, y)
    lively.page.mouse.down()
    for k in range(1, 31):
        lively.page.mouse.move(x - 3 * k, y + k)
    box = dragged.knob("g").bounding_box()
    assert (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) == pytest.approx((x - 90, y + 30), abs=1)
    lively.page.mouse.up()
    settled(lively, dragged)
    assert len(lively.messages) <= 31 and lively.picture.inputs["g1"] == pytest.approx(3.5 - 90 / pixels, abs=0.03)
    dragged.press("g", "ArrowLeft")
    settled(lively, dragged)
    assert lively.picture.inputs["g1"] == pytest.approx(3.5 - 90 / pixels - 0.08, abs=0.03)
    assert dragged.knob("g").evaluate("knob => knob === document.activeElement")
    assert axe_findings(lively.page, ".labkit") == []


def test_the_limit_is_pulled_by_the_edge_of_the_circle(live):
    lively, dragged = live(ClippingLab())
    dragged.by("limit", -17, -17)
    settled(lively, dragged)
    assert lively.picture.inputs["limit"] == pytest.approx(1.5 + 17 * 2**0.5 / 48, abs=0.03)


@pytest.mark.live
def test_a_start_is_dragged(live):
    lively, dragged = live(Landscape(steps=5))
    dragged.by("start", 50, 60)
    settled(lively, dragged)
    assert lively.picture.inputs["w"] > -0.4 and lively.picture.inputs["b"] < 2.9


@pytest.mark.live
def test_a_bit_is_toggled_by_a_click(live):
    lively, dragged = live(Microscope(1.5, powers=[0]))
    for _ in range(2):
        assert dragged.shown.click("bit 0")
        lively.page.wait_for_timeout(500)
    dragged.shown.click("bit 6")
    lively.page.wait_for_timeout(500)
    assert lively.picture.inputs == {"value": 1.0}
    assert [message["set"] for message in lively.messages] == [{"bit": 0}, {"bit": 0}, {"bit": 6}]


@pytest.mark.live
def test_what_python_refuses_is_told_and_the_page_goes_on(live):
    lively, dragged = live(Demo(2.0))
    dragged.shown.frame.get_by_label("x =").fill("3")
    dragged.shown.frame.get_by_label("x =").press("Enter")
    settled(lively, dragged)
    lively, dragged = live(ClippingLab())
    dragged.shown.frame.get_by_label("limit =").fill("7")
    dragged.shown.frame.get_by_label("limit =").press("Enter")
    settled(lively, dragged)
    assert "expected a number from 0.1 to 3" in dragged.shown.frame.inner_text()
