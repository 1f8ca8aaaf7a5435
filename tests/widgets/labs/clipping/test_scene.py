"""The clipping lab puts its two parts together."""

import json
from functools import cache

import pytest

from labkit.widgets.kit.scene import Scene, holds, to_json, width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.clipping.scene import ClippingLab, together

PARTS = ["Ball and box", "Over a cliff"]


@cache
def usual():
    """The widget as it comes, made when it is first asked for."""
    return ClippingLab()


def panels(part):
    return [panel.name for panel in usual().scene.panels if holds(panel.when, usual().scene.state(part=part))]


def test_one_part_is_shown_at_a_time():
    assert list(usual().scene.dials[0].values) == PARTS
    assert [panels(part) for part in PARTS] == [
        ["ball", "left"],
        ["cliff", "losses"],
    ]


@pytest.mark.parametrize(
    "part, start", [(PARTS[0], "By norm: only shorter. By value: turned"), (PARTS[1], "Step 24: without")]
)
def test_each_part_has_its_own_sentence(part, start):
    assert usual().scene.caption(usual().scene.state(part=part)).startswith(start)


def test_each_part_offers_its_own_dials():
    offered = [[dial.name for dial in usual().scene.dials if dial.when == {"part": [i]}] for i in range(2)]
    assert offered == [["around", "turn_told"], ["step"]]


def test_no_two_dials_share_a_name():
    names = [dial.name for dial in usual().scene.dials]
    assert len(set(names)) == len(names)


def test_the_page_has_no_number_that_json_lacks_and_is_of_moderate_size():
    data = json.dumps(to_json(usual().scene), allow_nan=False)
    assert len(data) < 600_000 and len(usual().html()) < 320_000
    assert "<html" in usual().html()


@pytest.mark.parametrize("turned", [
    {"part": 0}, {"part": 0, "turn_told": 0}, {"part": 1}, {"part": 1, "step": 5},
])  # fmt: skip
def test_no_text_leaves_its_panel(turned):
    state = usual().scene.state(**turned)
    for panel in (panel for panel in usual().scene.panels if holds(panel.when, state)):
        for mark, at, words, _ in visible_marks(panel, state):
            if mark.tag == "text" and words:
                size = 11 if mark.role == "tick" else 12
                width = width_of(words, size, mono=mark.role in ("tick", "code", "value", "sum"))
                start = at["x"] - width * {"start": 0, "middle": 0.5, "end": 1}[at["text-anchor"]]
                assert start >= -3 and start + width <= panel.width + 3, words
                assert 8 <= at["y"] <= panel.height, words


def test_together_joins_the_notices():
    one, two = (Scene(title, "", [], [], notice=title.upper()) for title in ("a", "b"))
    assert together("Both", [one, two]).notice == "A B"


@pytest.mark.parametrize("part", PARTS)
def test_the_lab_starts_with_the_part_asked_for(part):
    lab = ClippingLab(part=part)
    assert lab.scene.dials[0].values[lab.state["part"]] == part


def test_a_part_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"part: expected one of 'Ball and box'.*but got 'Cliff'"):
        ClippingLab(part="Cliff")
