"""A still picture is plain SVG that shows the same everywhere, or a PNG, or words: any state of the scene."""

import io
import re
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from widget_examples import Demo, demo_scene

from labkit.widgets.kit import still
from labkit.widgets.kit.scene import Panel, Scene, holds, looks, rect, text

PLAIN = {
    "x", "y", "width", "height", "rx", "cx", "cy", "r", "d", "fill", "stroke", "stroke-width", "stroke-dasharray",
    "stroke-linejoin", "opacity", "font-size", "font-family", "font-weight", "text-anchor", "paint-order", "viewBox", "role",
    "aria-label",
}  # fmt: skip
STATES = [{}, {"step": 2, "far": 1}, {"step": 1, "show": 1, "place": 24}]


def scene_of(*marks, **more):
    return Scene("Title", "Description.", [], [Panel("p", "", 300, 100, marks)], **more)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("dials", STATES)
def test_an_svg_is_well_formed_and_has_plain_attributes_only(dials, theme):
    document = Demo().svg(theme, **dials)
    for node in ElementTree.fromstring(document).iter():
        assert set(node.attrib) <= PLAIN
        assert node.tag.split("}")[1] in {"svg", "g", "rect", "circle", "path", "text"}
    assert not re.search(r"var\(|url\(|class=|style=|&#", document)


@pytest.mark.parametrize("dials", STATES)
def test_an_svg_has_the_words_of_its_state(dials):
    scene = demo_scene(1.5)
    state = scene.state(**dials)
    words = [node.text for node in ElementTree.fromstring(still.svg(scene, state)).iter() if node.tag.endswith("text")]
    panels = [p for p in scene.panels if holds(p.when, state)]
    marks = [looks(m, state)[1] for p in panels for m in p.marks if m.tag == "text" and holds(m.when, state)]
    assert [w for w in words if w in marks] == marks
    assert scene.title in words and scene.caption(state) in " ".join(words)


def test_hidden_marks_are_left_out():
    mark = rect(1, 2, 3, 4, "op", vary={"show": {"state": [(1, "hidden")]}}, when={"far": [0]})
    scene = demo_scene(1.5)
    scene = Scene("", "", scene.dials, [Panel("p", "", 10, 10, [mark])])
    counts = [still.svg(scene, scene.state(**s)).count("<rect") for s in ({}, {"show": 1}, {"far": 1})]
    assert counts == [2, 1, 1]


def test_the_same_scene_gives_the_same_svg():
    assert Demo().svg() == Demo().svg()


def test_any_letters_give_well_formed_xml():
    odd = '\x1b[31m <b> & "quotes" \x00 \ud800 ]]> 梯度 $x$'
    document = still.svg(Scene(odd, odd, [], [Panel("p", odd, 300, 60, [text(5, 20, odd)])], notice=odd), {})
    assert "梯度 $x$" in ElementTree.fromstring(document.encode()).find(".//{*}svg/{*}text").text


def test_long_words_are_broken_into_lines_that_fit():
    lines = still.wrapped("one two three four five six seven", 100)
    assert len(lines) > 1 and " ".join(lines) == "one two three four five six seven"
    assert all(still.width_of(line) <= 100 for line in lines)
    assert still.wrapped("", 100) == [] and still.wrapped("unbreakable" * 9, 100) == ["unbreakable" * 9]


def test_a_wide_panel_is_cut_where_no_box_stands():
    boxes = [(x, x + 90) for x in range(0, 3000, 110)]
    panel = Panel("p", "", 3000, 100, [rect(a, 10, b - a, 40, "op") for a, b in boxes])
    cuts = still.cuts(panel)
    assert cuts[0] == 0 and cuts[-1] == 3000 and len(cuts) > 2
    assert all(right - left <= still.STRIP for left, right in pairwise(cuts))
    assert not [cut for cut in cuts[1:-1] for left, right in boxes if left < cut < right]


def test_a_description_says_what_there_is_to_see():
    scene = scene_of(notice="The first nan came from log.")
    assert still.describe(scene, {}) == "Title.\nDescription.\nThe first nan came from log."
    assert Demo().describe(step=2).endswith("It is squared again.")


# ---- PNG ----


@pytest.mark.parametrize(("theme", "scale"), [("light", 1), ("dark", 2), ("light", 1.5)])
def test_a_png_opens_and_has_the_size_of_the_svg(theme, scale):
    from matplotlib.image import imread

    pixels = imread(io.BytesIO(Demo().png(theme, scale, show=1)))
    root = ElementTree.fromstring(Demo().svg(show=1))
    height, width = (float(root.get(side)) * scale for side in ("height", "width"))
    assert pixels.shape[:2] == (pytest.approx(height, abs=1), pytest.approx(width, abs=1))
    page = (1, 1, 1) if theme == "light" else pytest.approx((0x11 / 255, 0x14 / 255, 0x17 / 255))
    assert tuple(pixels[2, 2, :3]) == page
    assert pixels[:, :, :3].std() > 0.01  # something is drawn


def test_code_keeps_its_indentation():
    document = still.svg(scene_of(text(5, 20, "f(", "code"), text(5, 40, "    x, y", "code")), {})
    space = "{http://www.w3.org/XML/1998/namespace}space"
    kept = {node.text: node.get(space) for node in ElementTree.fromstring(document).iter() if node.text}
    assert kept["    x, y"] == "preserve" and kept["f("] is None


def test_a_png_of_any_letters_warns_of_nothing():
    odd = "\x1b 梯度 $x$ \\frac & <b>"
    assert still.png(scene_of(text(5, 20, odd), text(5, 40, odd, "slope")), {})[1:4] == b"PNG"


def test_a_png_without_matplotlib_says_what_to_install(monkeypatch):
    for module in [m for m in sys.modules if m.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"a PNG or a GIF needs matplotlib: .*pip install .*\[notebooks\]"):
        Demo().png()


def test_panels_that_fit_in_a_page_stand_side_by_side_and_others_below():
    panels = [Panel(name, name, 436, 200, [rect(0, 0, 9, 9, "op")]) for name in "abc"]
    _, _, strips, _ = still.placed(Scene("", "", [], [*panels, Panel("wide", "", 900, 60, [])]), {})
    spots = {strip.panel.name: (strip.x, strip.y) for strip in strips}
    assert spots["a"][1] == spots["b"][1] < spots["c"][1] < spots["wide"][1]
    assert spots["a"][0] == spots["c"][0] and spots["b"][0] >= spots["a"][0] + 436
