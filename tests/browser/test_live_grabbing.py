"""With Python at the other end a handle goes to any number, and what is under the finger is moved at once."""

import pytest
from dragged import Dragged
from live_page import Live
from shown_widget import Shown
from widget_examples import Demo

from labkit.widgets import Landscape


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
def test_a_start_is_dragged(live):
    lively, dragged = live(Landscape(steps=5))
    dragged.by("start", 50, 60)
    settled(lively, dragged)
    assert lively.picture.inputs["w"] > -0.4 and lively.picture.inputs["b"] < 2.9


@pytest.mark.live
def test_a_field_is_answered(live):
    lively, dragged = live(Demo(2.0))
    dragged.shown.frame.get_by_label("x =").fill("3")
    dragged.shown.frame.get_by_label("x =").press("Enter")
    settled(lively, dragged)
