"""What is drawn is what the data say, in every widget at every position of its dials; the marks are read back.

Some widgets in every run, all of them with `-m live`.
"""

import re

import pytest
import widget_examples
from numpy import linspace

from labkit.widgets.kit.scene import holds
from labkit.widgets.kit.still import visible_marks

FEW = ("jacobian", "memory")
BARS = ("bar", "backbar", "savedbar", "leafbar", "badbar", "outline")
WIDGETS = [pytest.param(n, marks=() if n in FEW else pytest.mark.live) for n in widget_examples.EXAMPLES]


def positions(scene):
    """Every dial at each of its positions (of long ones some), the others as at first and as at last."""
    last = {dial.name: len(dial.values) - 1 for dial in scene.dials}
    for others in (scene.start(), last):
        for dial in scene.dials:
            for place in {round(p) for p in linspace(0, last[dial.name], 25)}:
                yield {**others, dial.name: place}


def seen(scene):
    """`(panel, its visible marks)` at every position."""
    for state in positions(scene):
        for panel in scene.panels:
            if holds(panel.when, state):
                yield panel, list(visible_marks(panel, state))


def number(words):
    """The number that a text is, or None."""
    found = re.fullmatch(r"−?[\d,]*\.?\d+", words)
    return found and float(found[0].replace("−", "-").replace(",", ""))


def beside(bar, marks):
    """The number that stands at the end of a bar, or None."""
    end, top, bottom = bar["x"] + bar["width"], bar["y"], bar["y"] + bar["height"]
    texts = [(at, words) for mark, at, words, _ in marks if mark.tag == "text" and mark.at["text-anchor"] == "start"]
    near = [number(words) for at, words in texts if 0 <= at["x"] - end <= 12 and top <= at["y"] - 2 <= bottom + 2]
    return next((n for n in near if n is not None), None)


@pytest.mark.parametrize("name", WIDGETS)
def test_a_bar_is_as_long_as_the_number_at_its_end(name):
    """In each panel one length stands for one, at every position, by what begins at one place."""
    scales = {}
    for panel, marks in seen(widget_examples.made(name).scene):
        for mark, at, _, _ in marks:
            if mark.tag == "rect" and mark.role in BARS and (value := beside(at, marks)):
                scales.setdefault((panel.name, mark.role, at["x"]), set()).add(at["width"] / value)
    for where, found in scales.items():
        assert max(found) <= min(found) * 1.01 + 0.02, where
    assert scales or name not in ("memory", "sink")


@pytest.mark.parametrize("name", WIDGETS)
def test_nothing_is_drawn_without_a_place_or_a_size(name):
    for panel, marks in seen(widget_examples.made(name).scene):
        for mark, at, _, _ in marks:
            sizes = [at[key] for key in ("width", "height", "r") if key in at]
            assert all(size > 0 for size in sizes), (panel.name, mark)
            assert "nan" not in str(at) and "inf" not in str(at).replace("inference", ""), (panel.name, mark)


def test_of_a_whole_jacobian_as_much_is_filled_as_passes_are_done():
    scene = widget_examples.made("jacobian").scene
    (panel,) = [panel for panel in scene.panels if panel.name == "cost"]
    for mode, dial, role in ((0, "pulls", "back"), (1, "pushes", "op")):
        for place in range(len(next(d for d in scene.dials if d.name == dial).values)):
            marks = list(visible_marks(panel, scene.state(mode=mode, **{dial: place})))
            width = sum(at["width"] for mark, at, _, _ in marks if mark.role == role)
            whole = min(at["width"] for mark, at, _, _ in marks if mark.role == "area" and at["y"] == 8 + 30 * mode)
            (said,) = [words for mark, _, words, _ in marks if mark.role == "value" and "needs" not in words]
            done, _, count = said.partition(" of ")
            assert width == pytest.approx(whole * float(done) / float(count) if count else width), said
