"""MindSpore's graph: forward and derived backward graph side by side, both there before the run. The backward half is the
mirror image of the forward half; arcs lead the values that it uses over to it. In rows, for little room, the mirror image is
folded down: below each box its bprop, between them the values that this one uses."""

from math import inf

import numpy as np

from ...kit.boxes import CARD, HALF, label_width, name_width, placed_labels
from ...kit.scene import Changes, Panel, arrow_head, line, width_of
from ...kit.words import brief
from .arcs import Arcs, used_by
from .cards import Gradients, gradient_name, pulses, short, slope
from .chain import gradient_rooms
from .shared import View, calm
from .travels import seed
from .units import Unit, Units

TITLE = "MindSpore's graph: forward and backward compiled as one; dotted, the values kept until they are used"
TITLE_IN_ROWS = "MindSpore's graph: below each op its bprop, compiled with it; dotted, the values kept until it runs"

SEED = 14.0  # px, the arrow that starts at a value that is not the last
USES = 14.0  # px from the left side of a box to the line that leads to its bprop


def graph(units: Units, when: dict) -> Panel:
    """The panel; shown at the positions `when` of other dials."""
    gradients, slopes = Gradients(units), [slope(units, edge) for edge in units.edges]
    rooms = {u: [name_width(_name(u)), *gradient_rooms(gradients, u)] for u in units.units}
    view = View(units, rooms, labels=slopes, room=inf)
    arcs = Arcs(view)
    view.top += arcs.above
    view.bottom += SEED if any(u.lead.output and not _is_last(view, u) for u in units.units) else 0
    view.forward()
    _edges_back(view, arcs.whole, slopes)
    for unit in units.units:
        if gradients.totals(unit):
            x, y, w = view.box(unit)
            view.gradient_card(unit, _name(unit), (arcs.whole - x - w, y))
        if unit.lead.output and units.goes_back and not unit.chip:
            _seed(view, unit, arcs.whole)
    arcs.draw()
    return view.panel("graph", TITLE, when, arcs.whole, view.height + arcs.below)


def graph_in_rows(units: Units, when: dict, room: float | None = None) -> Panel:
    """The same in rows of about `room` px (None: as wide as a page), the mirror image folded down."""
    gradients, slopes, used = Gradients(units), [slope(units, edge) for edge in units.edges], used_by(units)
    rooms = {u: [name_width(_name(u)), _uses_width(used, u), *gradient_rooms(gradients, u)] for u in units.units}
    twins = {u for u in units.units if gradients.totals(u)}
    view = View(units, rooms, labels=slopes, twins=twins, noted=twins & set(used), room=room)
    labels = []
    for k, states in view.edges_back():
        view.edge_below(k, states)
        labels += [(view.crossings(k, slopes[k], back=True), slopes[k])] if slopes[k] else []
    view.forward()
    for unit in (u for u in units.units if u in view.twins):
        view.gradient_card(unit, _name(unit))
        if unit in used:
            _uses(view, unit, *used[unit])
    for x, y, words in placed_labels(labels):
        view.label(x, y, words, [(0, "answer"), (units.seed, "")])
    return view.panel("graph", TITLE_IN_ROWS, when)


def _uses_width(used, unit):
    return USES + width_of(used[unit][0], 11.5) if unit in used else 0.0


def _uses(view, unit, words: str, states: Changes):
    """Between a box and its bprop: a dotted line, and what this one uses."""
    note = view.note(unit, words, "savedtext", USES).varying("step", state=calm(states))
    view.marks += [view.tie(unit, USES).varying("step", state=states), note]


def _name(unit):
    return gradient_name(unit) if unit.lead.leaf else f"bprop {short(unit)}"


def _edges_back(view, whole, slopes):
    labels = []
    for k, states in view.edges_back():
        view.edge_mirrored(k, states, whole)
        crossings = [((whole - x2, y2), (whole - x1, y1)) for (x1, y1), (x2, y2) in view.crossings(k, slopes[k])]
        labels += [(crossings, slopes[k])] if slopes[k] else []
    for x, y, words in placed_labels(labels):
        view.label(x, y, words, [(0, "answer"), (view.units.seed, "")])


def _is_last(view, unit):
    return view.layout.ranks[unit.index] == len(view.layout.columns) - 1


def _seed(view, unit: Unit, whole):
    """The start of the way back: from the last result to its derivative; into that of any other, from below."""
    x, y, w = view.box(unit)
    states, end = pulses([view.units.seed]), whole - x - w
    if not _is_last(view, unit):
        bottom, middle = y + CARD, end + w / 2
        view.marks.append(line(middle, bottom + SEED, middle, bottom + 6, "backedge").varying("step", state=states))
        view.marks.append(arrow_head(middle, bottom, 0, -1, "backhead").varying("step", state=calm(states)))
        return
    words = "seed 1" if np.size(unit.lead.seed) == 1 and unit.lead.seed == 1 else "seed"
    points = [(x + w, y + HALF), (end, y + HALF)]
    view.arrow(points, "backedge", "backhead", states)
    view.tokens += seed(view.units, points, brief(unit.lead.seed))
    view.label(end - label_width(words) / 2 - 12, y + HALF - 6, words, [(0, "answer"), (view.units.seed, "")])
