"""The colours of boxes are those of their gradients' norms and of the bytes that are kept, and what is not finite says so."""

import autograd.numpy as np
import numpy as onp
import pytest

import labkit
from labkit.widgets.explorer.scene import FoldedStory
from labkit.widgets.explorer.view.colours import MEMORY, NORM, PLAIN, Colours, Scale, _legend, decade, decades
from labkit.widgets.kit.scene import looks, width_of


def picture(fun, *args):
    return labkit.show(fun, *args, program=False)


@pytest.fixture(scope="module")
def shown():
    return picture(deep, X, W)


@pytest.fixture(scope="module")
def units(shown):
    return FoldedStory(shown.story, shown.parts, shown.opened, "chain").units()


def deep(x, w):
    for _ in range(4):
        x = np.tanh(w @ x)
    return np.sum(x**2)


X, W = onp.linspace(0.1, 1.0, 5), onp.eye(5) * 0.3


def test_the_norms_are_those_of_the_gradients(units):
    found = {
        unit.lead.title: value for unit, (_, value) in Colours(units).norms.items() if unit.lead.leaf and not unit.chip
    }
    for place, name in enumerate(("x", "w")):
        assert found[name] == pytest.approx(onp.linalg.norm(labkit.grad(deep, place)(X, W)))


def test_the_bytes_are_those_of_the_values_that_a_derivative_reads(units):
    kept = {unit.lead.title: count for unit, count in Colours(units).kept.items()}
    assert (
        kept["tanh"] == 5 * 8 and kept["sum"] == 0
    )  # tanh' reads its result; sum' reads nothing, and nobody reads a sum


def test_a_colour_is_seen_when_it_is_chosen_and_known(shown):
    scene = shown.scene
    (dial,) = [dial for dial in scene.dials if dial.name == "colour"]
    assert dial.values == [PLAIN, NORM, MEMORY]
    (panel,) = [panel for panel in scene.panels if panel.name == "chain"]
    over = [mark for mark in panel.marks if mark.role.startswith("norm")]
    assert len({mark.role for mark in over}) > 3 and all(mark.when == {"colour": [1]} for mark in over)
    start, end = scene.state(colour=1), scene.state(colour=1, step=-1)
    assert {looks(mark, start)[2] for mark in over} == {"hidden"} and {looks(mark, end)[2] for mark in over} == {""}


def test_what_is_not_finite_has_the_colour_of_what_went_wrong():
    scene = picture(lambda x: np.sum(np.sqrt(x * 1.0) * 2.0 + np.exp(x) * 3.0), onp.array([0.0, 1.0])).scene
    panels = {panel.name: panel for panel in scene.panels}
    assert [mark for mark in panels["chain"].marks if mark.role == "badbar" and mark.when == {"colour": [1]}]
    assert "nan or inf" in {mark.text for mark in panels[f"colours of {NORM}"].marks}


def test_few_ops_and_values_that_are_all_alike_have_no_choice():
    assert "colour" not in {dial.name for dial in picture(lambda x: x * 2.0, 3.0).scene.dials}
    assert "colour" not in {dial.name for dial in picture(lambda x: x + 1.0 + 1.0 + 1.0 + 1.0 + 1.0, 3.0).scene.dials}


@pytest.mark.parametrize("narrow", [False, True])
def test_the_numbers_of_a_legend_stand_apart(narrow):
    marks, width, _ = _legend(NORM, Scale("norm", decades(6.81e-5, 5.66), decade), {}, narrow)
    ticks = [mark for mark in marks if mark.role == "tick"]
    half = [width_of(mark.text, 11, mono=True) / 2 for mark in ticks]
    gaps = [b.at["x"] - a.at["x"] - h - k for a, b, h, k in zip(ticks, ticks[1:], half, half[1:])]
    assert min(gaps) >= 10 and [ticks[0].text, ticks[-1].text] == ["10⁻⁵", "10"]
    assert width <= 760 and (not narrow or ticks[-1].at["x"] + half[-1] <= 420)


def test_from_afar_the_layers_are_seen_then_the_ops():
    def chain(x):
        for _ in range(60):
            x = np.tanh(x * 1.01)
        return x

    panel = labkit.show(chain, 0.5, fold=10**6, program=False).scene.panels[1]
    covers = [mark for mark in panel.far if mark.role == "cover"]
    assert min(mark.scale[0] for mark in covers) == 0 and max(mark.scale[1] for mark in covers) == panel.near
    farthest = [mark for mark in covers if mark.scale[0] == 0]
    assert 2 <= len(farthest) <= 30
    assert {mark.text for mark in panel.far if mark.role == "covername"} >= {"2 to 60 of 60", "2 to 13 of 60"}
    near = {mark.scale for mark in covers if mark.scale[0] > 0}
    assert near and min(near)[0] >= min(mark.scale[1] for mark in farthest)
