"""A ring stands where the run is, in each drawing of the graph, and is dragged to other steps."""

import autograd.numpy as np
import numpy as onp

import labkit
from labkit.widgets.kit.scene import Panel


def rings(picture):
    return [grip for grip in picture.scene.grips if grip.dial == "step"]


def layouts(panel):
    return [panel, *layouts(panel.narrow)] if panel else []


def test_each_step_has_a_place_on_its_card():
    picture = labkit.show(lambda x: np.sum(np.tanh(x) * x), onp.ones((2, 3)))
    panels: list[Panel] = [
        p for each in picture.scene.panels if each.name in ("chain", "tape", "graph") for p in layouts(each)
    ]
    assert [grip.panel for grip in rings(picture)] == [panel.name for panel in panels]
    for grip, panel in zip(rings(picture), panels, strict=True):
        assert len(grip.spots) == len(picture.scene.dials[0].values) and grip.when == panel.when
        cards = [mark.at for mark in panel.marks if mark.tag == "rect" and mark.link]
        for x, y in grip.spots:
            assert any(0 <= x - at["x"] <= at["width"] and 0 <= y - at["y"] <= at["height"] for at in cards)
        assert len(set(grip.spots)) == len(grip.spots)  # so that each can be reached


def test_where_inputs_are_dragged_there_is_none_nor_where_nothing_runs():
    assert not rings(labkit.show(lambda x: np.sin(x), 0.5))
    assert not rings(labkit.show(lambda x: x, onp.ones(3)))
