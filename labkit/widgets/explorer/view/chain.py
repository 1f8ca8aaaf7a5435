"""The chain rule: every value, its gradient below it, and the local slope on each edge back."""

from ...kit.boxes import name_width, placed_labels, value_width
from ...kit.scene import Panel, width_of
from .cards import STEADY_SUM, Gradients, gradient_name, pulses, slope
from .covers import covered
from .shared import View, calm
from .travels import arriving
from .units import Unit, Units

TITLE = "Chain rule: each value, below it its gradient"
SLOPES = "; ×… is the local slope"
HOLDS = 14.0  # px from the left side of a pile to the line beside which stands what it holds
DERIVED = "; boxes filled orange are ops of a derivative inside the function"


def chain(units: Units, when: dict, room: float | None = None) -> Panel:
    """The panel; shown at the positions `when` of other dials, in rows of about `room` px (None: as wide as a page)."""
    slopes = [slope(units, edge) for edge in units.edges]
    gradients = Gradients(units)
    rooms = {
        u: [name_width(gradient_name(u)), *gradient_rooms(gradients, u), _told_width(units, u)] for u in units.units
    }
    twins = {u for u in units.units if gradients.totals(u)}
    told = {u for u in twins if units.told(u)}
    view = View(units, rooms, labels=slopes, twins=twins, noted=told, room=room)
    for unit in units.units:
        _link(view, unit)
    labels = []
    for k, states in view.edges_back():
        view.edge_below(k, states)
        labels += [(view.crossings(k, slopes[k], back=True), slopes[k])] if slopes[k] else []
    view.forward()
    for unit in units.units:
        _gradient_card(view, unit, gradient_name(unit))
    for x, y, words in placed_labels(labels):
        view.label(x, y, words, [(0, "hidden"), (units.seed, "")])
    derived = any(node.derives for node in units.story.nodes)
    return covered(
        view, view.panel("chain", f"{TITLE}{SLOPES if any(slopes) else ''}{DERIVED if derived else ''}", when)
    )


def gradient_rooms(gradients: Gradients, unit: Unit) -> list[float]:
    """The widths of all gradients and sums that a box shows, px."""
    units, sums = gradients.units, [words for _, words in gradients.sums(unit)]
    sums = [words.ljust(STEADY_SUM) for words in sums] if units.varies else sums
    return [value_width(words) for words in (*(units.roomy(words) for _, words in gradients.texts(unit)), *sums)]


def _told_width(units, unit):
    words = units.told(unit)
    return HOLDS + width_of(words, 11.5) if words else 0.0


def _link(view, unit):
    """The dotted line between a value and its gradient."""
    times = view.gradients.times(unit)
    if times:
        words = view.units.told(unit)
        view.marks.append(view.tie(unit, HOLDS if words else None).varying("step", state=calm(pulses(times[:1]))))
        view.marks += [view.note(unit, words, "note", HOLDS)] if words else []


def _gradient_card(view, unit, title):
    """The card of a box's gradient, below it or beside it."""
    if not view.gradients.totals(unit):
        return
    view.gradient_card(unit, title)
    if sums := view.gradients.sums(unit):
        view.marks.append(arriving(view.total(unit, "sum").varying("step", text=sums), view.units))
