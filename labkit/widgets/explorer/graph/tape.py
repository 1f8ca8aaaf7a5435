"""PyTorch's tape: the node of a box, what that saves, and whether walking it releases that."""

from ....realtape import in_bytes
from ...kit.words import clipped
from .cards import short
from .units import Unit, Units

LONGEST_SLOT = 16  # letters


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


def freed(units: Units, unit: Unit) -> bool:
    """Whether what a box saved has been let go."""
    nodes = [units.story.nodes[i] for i in unit.nodes]
    return any(units.story.released if node.freed is None else node.freed for node in nodes)


def node_name(unit: Unit) -> str:
    """What the tape calls the node of a box."""
    if unit.chip:
        return f"+= {clipped(unit.lead.title)}.grad"
    return short(unit) if unit.block else clipped(unit.lead.grad_fn)
