"""The panels of a story: the graph in each view and for each width, what is inside of its steps, what it is about."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from textwrap import wrap

from ..kit.scene import Link, Mark, Panel, text, width_of
from .run.story import Story
from .view.bends import bends
from .view.chain import chain
from .view.graph import graph, graph_in_rows
from .view.inside import inside
from .view.norms import Curve
from .view.placing import NARROW
from .view.program import program
from .view.tape import tape
from .view.units import Units

VIEWS = {"chain": "chain rule", "tape": "PyTorch tape", "graph": "MindSpore graph", "both": "tape and graph"}
LINE, SHORT_LINE = 110, 56  # characters of a line about a story
LOW = 640.0  # px, the highest that a graph is beside a square of pairs
PAGE_WIDTH, SIGHT = 1230.0, 400.0  # px, of a window of 1280 by 800 for a graph
ROOMS = (760.0, NARROW)  # px, for which there are layouts besides that for a wide page
NOTE = 12.5  # px, the largest that a note is written
LEAST_WIDE = 900.0  # px
APART = 24.0  # px between panels in a row
MOST_FITTING = 60  # boxes that are measured
MOST_TWICE = 80  # boxes
SIDE_BY_SIDE = 900.0  # px, the widest that MindSpore's graph is with its halves side by side
_MAKERS = {"chain": (chain, ("chain",)), "tape": (tape, ("tape", "both")), "graph": (graph_in_rows, ("graph", "both"))}


def fits(units: Units, view: str) -> bool:
    """Whether a graph is in sight on a wide page, with a curve below it, and read easily."""
    if len(units.units) > MOST_FITTING:
        return False
    make, _ = _MAKERS["chain" if view == "both" else view]
    panel = make(units, {})
    return panel.height * min(1.0, PAGE_WIDTH / panel.width) <= SIGHT


def is_graph(panel: Panel) -> bool:
    """Whether it is one of the views."""
    return panel.name in _MAKERS


def graphs(units: Units, offered: Sequence[str]) -> list[Panel]:
    """The views that are `offered`, each with its layouts, and the program."""
    panels = []
    for make, seen_in in _MAKERS.values():
        where = [i for i, view in enumerate(offered) if view in seen_in]
        if where:
            when = {"view": where} if len(offered) > 1 else {}
            rooms = ROOMS if len(units.units) <= MOST_TWICE else ()
            compact = [make(units, when, NARROW)] if rooms and units.story.pairs else []  # to stand beside a square
            drawn = [panel for panel in compact if panel.height <= LOW] or [
                _wide(make, units, when),
                *(make(units, when, room) for room in rooms),
            ]
            panels.append(_laid_out([_explained(panel) for panel in drawn]))
    shown, slim = (program(units, {"program": [1]}, room) for room in (None, NARROW))
    if shown and slim:
        panels.append(replace(shown, narrow=narrow(slim)) if shown.width > NARROW else shown)
    return panels


def _wide(make, units, when):
    """The layout for a wide page: of MindSpore's graph both halves side by side, where there is room."""
    mirrored = graph(units, when) if make is graph_in_rows else None
    return mirrored if mirrored and mirrored.width <= SIDE_BY_SIDE else make(units, when)


def where_chosen(offered: Sequence[str]) -> dict[str, list[int]]:
    """Where the chain rule is seen."""
    return {"view": [offered.index("chain")]} if len(offered) > 1 else {}


def _laid_out(layouts):
    """A panel, with those of its layouts that are narrower than the one before."""
    first, *others = layouts
    narrower = [panel for before, panel in pairwise(layouts) if panel.width < 0.9 * before.width]
    found = None
    for panel in reversed(narrower if others else []):
        found = replace(narrow(panel) if found is None else replace(panel, name=f"{panel.name}, middle"), narrow=found)
    return replace(first, narrow=found)


Within = tuple[list[Panel], dict[str, Link]]  # panels, and what is behind marks of theirs


def detailed(units: Units, wide: float, light: bool) -> tuple[Curve, list[Panel], Within]:
    """The curve of norms, what it is due to, and what is inside the steps: side by side where that is lower, or else as wide as
    the graph."""
    curve = Curve(units)
    why = bends(units, curve.shares)
    room = min(max(wide, LEAST_WIDE), PAGE_WIDTH) - sum(panel.width + APART for panel in why)
    below = Curve(units, room), why, inside(units, light)
    if units.story.coloured or curve.panel is None or below[0].panel is None:
        return below
    beside = inside(units, light, curve.panel.width + APART)
    high = below[0].panel.height + sum(panel.height for panel in below[2][0])
    low = max([curve.panel.height, *(panel.height for panel in beside[0])])
    return below if wide > LEAST_WIDE and (why or high < low) else (curve, why, beside)


def _explained(panel):
    """A panel whose title says what ‖·‖ is, where that is written."""
    changing = (words for mark in panel.marks for _, words in mark.vary.get("step", {}).get("text", []))
    said = any("\u2016" in words for words in (*(mark.text for mark in panel.marks), *changing))
    return replace(panel, title=f"{panel.title}; \u2016·\u2016 is the norm") if said else panel


def layouts(panel: Panel | None) -> list[Panel]:
    """A panel, and its other layouts."""
    return [panel, *layouts(panel.narrow)] if panel else []


def narrow(panel: Panel) -> Panel:
    """A panel under the name that a layout for narrow pages has."""
    return replace(panel, name=f"{panel.name}, narrow")


def about(story: Story) -> list[Panel]:
    """What a story is about, as a panel below the others; the page tells the rest under "more". [] where there is nothing."""
    told = story.about[:1]
    return [replace(_words(told, LINE), narrow=narrow(_words(told, SHORT_LINE)))] if told else []


def _words(sentences, letters):
    lines = [line for sentence in sentences for line in wrap(sentence, letters)]
    marks: list[Mark] = [text(4, 14 + 16 * i, line, "note") for i, line in enumerate(lines)]
    return Panel("about", "", max(width_of(line, NOTE) for line in lines) + 8, 16 * len(lines) + 6, marks)
