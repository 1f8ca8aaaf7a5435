"""With Python at the other end a handle goes to any number, and what is under the finger is moved at once."""

import autograd.numpy as np
import pytest
from dragged import Dragged
from listened_page import axe_findings
from live_page import Live
from shown_widget import Shown
from widget_examples import Demo

from labkit.widgets import Landscape, Microscope


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
def test_while_python_computes_only_one_message_is_on_its_way(live, way):
    lively, dragged = live(labkit.show(lambda x, w: np.tanh(x * w), 0.5, -1.0), way == "touch")
    dragged.by("x chain", 40 / dragged.scale("x chain"), 0, way)  # 40 px of the window
    settled(lively, dragged)
    assert len(lively.messages) <= 31 and [message for message in lively.messages if "at" in message]
    assert "at" not in lively.messages[-1] and lively.picture.inputs["x"] == pytest.approx(0.9, abs=0.02)
    dragged.press("x chain", "ArrowLeft")
    settled(lively, dragged)
    assert lively.picture.inputs["x"] == pytest.approx(0.88, abs=0.02)
    assert dragged.knob("x chain").evaluate("knob => knob === document.activeElement")
    assert axe_findings(lively.page, ".labkit") == []


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
    lively, dragged = live(labkit.show(_positive, 1.0))
    dragged.shown.frame.get_by_label("x =").fill("-7")
    dragged.shown.frame.get_by_label("x =").press("Enter")
    settled(lively, dragged)
    assert "x must not be negative" in dragged.shown.frame.inner_text()


def _positive(x):
    if x < 0:
        raise ValueError("x must not be negative")
    return x * x
