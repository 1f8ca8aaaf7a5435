"""PyTorch's tape: below each op the node that appears when it runs, what that saves, and its release once it was used."""

from ....realtape import in_bytes
from ...kit.boxes import BELOW, CARD, name_width, value_width
from ...kit.scene import Panel, line, only, text, width_of
from ...kit.words import clipped
from .cards import Gradients, pulses, short
from .chain import gradient_rooms
from .covers import covered
from .shared import View
from .units import Edge, Unit, Units

TITLE = "PyTorch's tape: below each op the node that will walk back, and what it saves"
RELEASED = "released"
FREED = "freed"  # PyTorch's word for it
SAVED = 14.0  # px from the left side of a box to the line that leads to what it saves


def tape(units: Units, when: dict, room: float | None = None) -> Panel:
    """The panel; shown at the positions `when` of other dials, in rows of about `room` px (None: as wide as a page).

    The dial "retain" has the positions 0 (released) and 1.
    """
    gradients = Gradients(units)
    noted = {unit for unit in units.units if has_node(units, unit)}
    view = View(units, {unit: _rooms(gradients, unit) for unit in noted}, twins=noted, room=room)
    for k, edge in enumerate(units.edges):
        if edge.start in noted:
            view.edge_below(k, _edge_states(units, edge))
    view.forward()
    for unit in units.units:
        if unit in noted:
            _node(view, unit)
    return covered(view, view.panel("tape", TITLE, when))


def has_node(units: Units, unit: Unit) -> bool:
    """Whether a box has a node on the tape: a leaf that is not used, or can have no gradient, has none."""
    if not unit.block and not unit.lead.grad_fn:
        return False
    if not unit.lead.leaf or unit.lead.index in units.arrivals:
        return True
    return unit.lead.differentiable and any(unit is edge.start for edge in units.edges)


def saves(units: Units, unit: Unit) -> str:
    """What a box's node saves, in words; "" where nothing. Of a folded block how many bytes, where that is known."""
    if unit.block:
        held = dict(pair for i in unit.nodes for pair in units.story.nodes[i].held)
        return f"saves {in_bytes(sum(held.values()))}" if held else ""
    keeps = unit.lead.keeps if not unit.lead.leaf else ()
    named = [clipped(_saved_name(units, unit, what), 16) for what in keeps[:2]]
    return f"saves {', '.join(named)}{' …' if len(keeps) > 2 else ''}" if keeps else ""


def _saved_name(units, unit, what):
    if isinstance(what, str):
        return what
    node = units.story.nodes[what]
    return node.title if node.leaf else node.name or ("result" if node is unit.lead else "input")


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
    after = pulses([walked])[1:] if walked is not None and units.sent_along(edge) else []
    return [(0, "hidden"), (units.ran[edge.end], "pending"), *after]


def _node(view, unit):
    units, walked, ran = view.units, view.units.walked.get(unit), view.units.ran.get(unit, 0)
    times = view.gradients.times(unit)
    appears = (
        [(0, "hidden"), (ran, "")] if ran else [(0, "pending" if times else "")]
    )  # of a leaf it is there before all runs
    states = [*appears, *(c for c in pulses(times)[1:] if c[0] > ran)]
    values = view.gradients.texts(unit)
    if ran and _freed(units, unit):
        _card(
            view, unit, [(0, "hidden"), (ran, RELEASED)], [(0, ""), (ran, FREED if unit.lead.freed else RELEASED)], []
        )
    elif walked is None or not frees(unit) or units.story.retained:
        _card(view, unit, states, values, appears)
    else:
        gone = [*(c for c in states if c[0] <= walked), (walked + 1, RELEASED)]
        _card(view, unit, gone, [*values, (walked + 1, RELEASED)], [*appears, (walked + 1, RELEASED)], retain=0)
        _card(view, unit, states, values, appears, retain=1)


def _card(view, unit, states, values, kept, retain=None):
    """A node, and the dotted line to what it saves, with the states `kept`; `retain`: where that dial has to stand."""
    x, y, w = view.box(unit)
    when = {} if retain is None else {"retain": [retain]}
    role = view.gradient_role(unit)
    view.card((x, y + BELOW, w), f"g{unit.index}", role, _name(unit), states, values, unit.lead.leaf, when)
    words = saves(view.units, unit)
    if words and kept:
        marks = (
            line(x + SAVED, y + CARD, x + SAVED, y + BELOW, "saved"),
            text(x + SAVED + 5, y + CARD + 16, words, "note"),
        )
        view.marks += [mark.varying("step", state=kept) for mark in only(when, marks)]
