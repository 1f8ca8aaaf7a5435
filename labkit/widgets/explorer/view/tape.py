"""PyTorch's tape: below each op the node that appears when it runs, what that saves, and its release once it was used."""

from collections.abc import Iterator
from functools import partial

from ....realtape import in_bytes
from ...kit.boxes import EDGE, name_width, value_width
from ...kit.scene import Mark, Panel, line, only, rect, text, width_of
from ...kit.words import clipped
from .cards import Gradients, going, short
from .chain import gradient_rooms
from .covers import covered
from .shared import View
from .units import Edge, Unit, Units
from .weights import BAR, held

TITLE = "PyTorch's tape"
LEGEND, GLYPH = 22.0, 16.0  # px: the line of what the marks mean, and a mark in it
RELEASED = "released"
FREED = "freed"  # PyTorch's word for it
LONGEST_SLOT = 16  # letters
SAVED = 14.0  # px from the left side of a box to the line that leads to what it saves


def tape(units: Units, when: dict, room: float | None = None) -> Panel:
    """The panel; shown at the positions `when` of other dials, in rows of about `room` px (None: as wide as a page).

    The dial "retain" has the positions 0 (released) and 1.
    """
    gradients = Gradients(units)
    noted = {unit for unit in units.units if has_node(units, unit)}
    saving = {unit for unit in noted if saves(units, unit)}
    view = View(units, {unit: _rooms(gradients, unit) for unit in noted}, twins=noted, noted=saving, room=room)
    view.top += LEGEND
    lets_go = any(frees(unit) for unit in units.walked) and not units.story.retained
    legend = [*_legend(units, lets_go)]
    view.marks += legend
    wide = max(mark.at["x"] + width_of(mark.text, 12) for mark in legend if mark.text) + EDGE
    for k, edge in enumerate(units.edges):
        if edge.start in noted:
            view.edge_below(k, _edge_states(units, edge))
    view.forward()
    for unit in units.units:
        if unit in noted:
            _node(view, unit)
    return covered(view, view.panel("tape", TITLE, when, max(view.width, wide)))


def _legend(units: Units, lets_go: bool) -> Iterator[Mark]:
    """What the kinds of marks are."""
    kinds = {"op": "op", "back": "its node", "saved": "saves"}
    kinds |= {RELEASED: RELEASED} if lets_go else {}
    kinds |= {"leafbar": "each ‖.grad‖"} if any(held(units, unit) for unit in units.walked) else {}
    x, y = EDGE, EDGE + 6.0
    for role, words in kinds.items():
        if role == "saved":
            yield line(x + GLYPH / 2, y - 6, x + GLYPH / 2, y + 6, role)
        elif role == "leafbar":
            yield rect(x + GLYPH / 2 - BAR / 2, y - 6, BAR, 12, role, 1)
        elif role != RELEASED:
            yield rect(x, y - 5, GLYPH, 10, role, 2)
        struck = text(x + (0 if role == RELEASED else GLYPH + 5), y + 4, words, "note")
        yield struck.varying("step", state=[(0, RELEASED)]) if role == RELEASED else struck
        x += (0 if role == RELEASED else GLYPH + 5) + width_of(words, 12) + 12


def has_node(units: Units, unit: Unit) -> bool:
    """Whether a box has a node on the tape: a leaf that is not used, or can have no gradient, has none."""
    if not unit.block and not unit.lead.grad_fn:
        return False
    if not unit.lead.leaf or unit.lead.index in units.arrivals:
        return True
    return unit.lead.differentiable and any(unit is edge.start for edge in units.edges)


def saves(units: Units, unit: Unit) -> str:
    """What a box's node saves, in words; "" where nothing. Of a folded block how many bytes, where that is known, or what it
    holds."""
    if unit.block:
        held = dict(pair for i in unit.nodes for pair in units.story.nodes[i].held)
        return f"saves {in_bytes(sum(held.values()))}" if held else units.told(unit)
    lead = unit.lead
    slots = () if lead.leaf else lead.slots or tuple(("", what) for what in lead.keeps)
    named = [_saved_name(units, unit, *slot) for slot in slots[:2]]
    return f"saves {', '.join(named)}{' …' if len(slots) > 2 else ''}" if slots else ""


def _saved_name(units, unit, place, what):
    """PyTorch's name for the place where something is kept, and what the user calls that, if it is short."""
    if isinstance(what, str):
        return clipped(what, LONGEST_SLOT)
    node = units.story.nodes[what]
    label = node.title if node.leaf else node.name
    if node is unit.lead:
        return place or "result"
    both = f"{place} = {label}" if place and label and label != place else place or label or "input"
    return both if len(both) <= LONGEST_SLOT else place or clipped(both, LONGEST_SLOT)


def frees(unit: Unit) -> bool:
    """Whether walking a box back releases anything."""
    return unit.lead.keeps != () if not unit.block else True


def _freed(units, unit):
    """Whether what a box saved has been let go."""
    nodes = [units.story.nodes[i] for i in unit.nodes]
    return any(units.story.released if node.freed is None else node.freed for node in nodes)


def _name(unit):
    if unit.chip:
        return f"+= {clipped(unit.lead.title)}.grad"
    return short(unit) if unit.block else clipped(unit.lead.grad_fn)


def _rooms(gradients, unit):
    beside = width_of(saves(gradients.units, unit), 11.5) + SAVED
    return [name_width(_name(unit)), value_width(RELEASED), beside, *gradient_rooms(gradients, unit)]


def _edge_states(units: Units, edge: Edge):
    walked = units.walked.get(edge.end)
    after = going([walked], units.sends_nothing(edge))[1:] if walked is not None and units.sent_along(edge) else []
    before = [] if units.story.retained else [(0, "hidden")]
    return [*before, (units.ran[edge.end] if before else 0, "pending"), *after]


def _node(view, unit):
    """A node, from when its op runs; pale until it runs itself."""
    units, ran = view.units, view.units.ran.get(unit, 0)
    times = view.gradients.times(unit)
    waits = "pending" if units.walked else ""
    before = "pending" if units.story.retained else "hidden"  # a real tape is there already
    appears = [(0, before), (ran, waits)] if ran else [(0, waits)]
    comes = going(times, view.gradients.nil(unit))[1:]
    states, values = [*appears, *(c for c in comes if c[0] > ran)], view.gradients.texts(unit)
    gone = bool(ran) and _freed(units, unit)
    if gone:
        states, values = [(0, before), (ran, RELEASED)], [(0, ""), (ran, FREED if unit.lead.freed else RELEASED)]
    view.card(
        view.twin(unit), f"g{unit.index}", view.gradient_role(unit), _name(unit), states, values, unit.lead.leaf,
        over=partial(view.colours.of_gradient, unit),
    )  # fmt: skip
    view.weights(unit, view.twin(unit))
    if not gone and saves(units, unit):
        _saved(view, unit, [(0, before), (ran, "")])


def _saved(view, unit, kept):
    """The dotted line to what a node saves, with the states `kept`, struck out when that is released."""
    walked = view.units.walked.get(unit)
    if walked is None or unit.block or not frees(unit) or view.units.story.retained:
        view.marks += _note(view, unit, kept)
    else:
        view.marks += only({"retain": [0]}, _note(view, unit, [*kept, (walked + 1, RELEASED)]))
        view.marks += only({"retain": [1]}, _note(view, unit, kept))


def _note(view, unit, kept):
    yield view.tie(unit, SAVED).varying("step", state=kept)
    yield view.note(unit, saves(view.units, unit), "note", SAVED).varying("step", state=kept)
