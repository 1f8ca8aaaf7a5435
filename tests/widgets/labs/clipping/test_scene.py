"""The clipping lab puts its four parts together, and shows the gradients of whoever asks."""

import json
from functools import cache

import pytest

import labkit.mindspore as ms
from labkit.mindspore import nn
from labkit.widgets.kit.scene import Scene, holds, to_json, width_of
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.clipping.scene import ClippingLab, together

PARTS = ["Ball and box", "Every parameter", "Over a cliff", "In which order"]


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
        ["rules", "norms"],
        ["cliff", "losses"],
        ["flow", "orders"],
    ]


@pytest.mark.parametrize(
    "part, start",
    list(
        zip(
            PARTS,
            [
                "By norm: only shorter. By value: turned",
                "At limit 0.5, one factor",
                "Step 24: without",
                "Unscale, clip",
            ],
        )
    ),
)
def test_each_part_has_its_own_sentence(part, start):
    assert usual().scene.caption(usual().scene.state(part=part)).startswith(start)


def test_each_part_offers_its_own_dials():
    offered = [[dial.name for dial in usual().scene.dials if dial.when == {"part": [i]}] for i in range(4)]
    assert offered == [["around", "turn_told"], ["norm_limit", "lit"], ["step"], ["order", "rule", "overflow"]]


def test_no_two_dials_share_a_name():
    names = [dial.name for dial in usual().scene.dials]
    assert len(set(names)) == len(names)


def test_the_lab_of_a_network_starts_with_its_gradients():
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    lab = ClippingLab(net, ms.Tensor([[3.0, 4.0]]))
    assert {name: g.tolist() for name, g in lab.gradients.items()} == {"weight": [[3.0, 4.0]], "bias": [1.0]}
    assert lab.state["part"] == 1
    assert "ops.clip_by_global_norm: all × 0.392" in lab.describe(norm_limit="2")


def test_the_lab_leaves_the_network_as_it_was():
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    before = net.weight.asnumpy().copy()
    ClippingLab(net, ms.Tensor([[3.0, 4.0]]))
    assert (net.weight.asnumpy() == before).all()


def test_arguments_without_a_function_are_refused():
    with pytest.raises(TypeError, match="expected a function before its arguments"):
        ClippingLab(None, 3.0)


def test_a_function_that_fails_says_its_own_error():
    def fails(x):
        raise RuntimeError("no data today")

    with pytest.raises(RuntimeError, match="no data today"):
        ClippingLab(fails, 1.0)


def test_a_gradient_that_is_not_finite_is_in_the_notice():
    lab = ClippingLab(lambda x, y: x * float("inf") + y, 1.0, 2.0)
    assert lab.scene.notice.startswith("The gradient of x is not finite")
    assert lab.scene.notice in lab.describe()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_the_lab_is_the_same_in_both_modes(mode):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        assert ClippingLab().describe(part=1) == usual().describe(part=1)
    finally:
        ms.set_context(mode=before)


def test_the_page_has_no_number_that_json_lacks_and_is_of_moderate_size():
    data = json.dumps(to_json(usual().scene), allow_nan=False)
    assert len(data) < 600_000 and len(usual().html()) < 320_000
    assert "<html" in usual().html()


@pytest.mark.parametrize("turned", [
    {"part": 0}, {"part": 0, "turn_told": 0}, {"part": 1}, {"part": 1, "lit": 0}, {"part": 1, "norm_limit": 0},
    {"part": 1, "norm_limit": -1}, {"part": 2}, {"part": 2, "step": 5}, {"part": 3},
    {"part": 3, "order": 18, "overflow": 1}, {"part": 3, "order": 23, "overflow": 1, "rule": 1},
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


def test_together_keeps_what_a_part_asks_of_its_own_dials():
    said = [caption.when for caption in usual().scene.captions if caption.dial == "order"]
    assert {"overflow": [1], "rule": [0], "part": [3]} in said


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
