"""What would be where each number met its own alone, and not each with each: on the cards, and in what is told."""

from ...kit.words import number
from .units import Unit, Units

WAY, OWN, ALL = "pairs", 0, 1  # the dial, and its positions
WAYS = ["each with its own", "each with each"]


def folded(units: Units, unit: Unit) -> str:
    """What the card of a box says then, where that is something else; "" else."""
    pairs = units.story.pairs
    if pairs is None or unit.chip:
        return ""
    if unit.lead.output and pairs.alone is not None:
        return number(pairs.alone)
    if pairs.at in unit.nodes:
        return f"{pairs.count} pairs"
    return "not needed" if pairs.since in unit.nodes else ""


def told_folded(units: Units) -> str:
    """What is told then in place of what went wrong."""
    pairs = units.story.pairs
    if pairs is None:
        return ""
    op, leads = units.story.nodes[pairs.at].op, [node for node in units.story.outputs if node.index != pairs.at]
    if pairs.alone is None:
        return f"Folded: {op} takes {pairs.count} pairs."
    return f"Folded: {leads[0].called if leads else op} of {pairs.count} pairs is {number(pairs.alone)}."
