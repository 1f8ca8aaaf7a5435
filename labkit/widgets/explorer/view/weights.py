"""The gradients of the parameters that a box holds: a bar for each on the card of its gradient, as long as they are."""

from collections.abc import Iterator
from math import isfinite

from ...kit.scene import Link, Mark, rect
from ...kit.words import norm, number
from .units import Unit, Units

MOST = 4  # of a box
BAR, APART, RIM = 5.0, 2.0, 6.0  # px: wide, between two, to the border of a card


def held(units: Units, unit: Unit) -> list[int]:
    """The leaves that a box holds and whose gradient is known; [] of very many."""
    found = [i for i in unit.inside if i in lengths(units)] if unit.block else []
    return found if len(found) <= MOST else []


def room(units: Units, unit: Unit) -> float:
    """Px that they take at either side of a card's words."""
    count = len(held(units, unit))
    return 2 * (count * (BAR + APART) + RIM) if count else 0.0


def lengths(units: Units) -> dict[int, tuple[int, float]]:
    """Of leaves without a box of their own: from which step on its whole gradient is known, and how long that is."""
    if units.lengths is None:
        found: dict[int, tuple[int, float]] = {}
        for unit, when in units.walked.items():
            for sent in (sent for step in units.steps_of[unit] for sent in step.sent):
                if units.story.nodes[sent.parent].leaf and sent.parent not in units.home:
                    found[sent.parent] = when, norm(sent.total)
        units.lengths = {i: (when, size) for i, (when, size) in found.items() if isfinite(size)}
    return units.lengths


def bars(units: Units, unit: Unit, right: float, bottom: float, high: float) -> Iterator[Mark]:
    """At the right lower corner of a card; the longest of all is `high` px."""
    known = lengths(units)
    most = max((size for _, size in known.values()), default=0.0) or 1.0
    for k, i in enumerate(reversed(held(units, unit))):
        when, size = known[i]
        tall = max(high * size / most, 1.5)
        x = right - RIM - (k + 1) * BAR - k * APART
        role = "leafbar" if size else "nil"
        yield rect(x, bottom - tall, BAR, tall, role, 1, link=f"grad {i}").seen_from("step", when)


def links(units: Units) -> dict[str, Link]:
    """What is behind each bar."""
    found = {}
    for i in {i for unit in units.ops for i in held(units, unit)}:
        (when, size), name = lengths(units)[i], units.story.nodes[i].gradient_name
        words = f"{name}: ‖{number(size)}‖"
        found[f"grad {i}"] = Link(words, [words], go={"step": when}, name=name, known={"step": when})
    return found
