"""Where a run stands: a ring at the card of the step, which is dragged along the graph to go to other steps."""

from collections.abc import Iterable, Iterator

from ...kit.grips import Grip, Spot
from ...kit.scene import Mark, Panel
from .units import Unit, Units

MOST = 80  # boxes
RING = 16.0  # px, half of it where a panel is drawn small


def rings(units: Units, panels: Iterable[Panel]) -> Iterator[Grip]:
    """One for each drawing of the graph: forwards at the right end of a card, on the way back at the left end."""
    if len(units.units) > MOST or not units.ran:
        return
    for panel in panels:
        corners = _spots(units, _boxes(panel))
        spots = [(_within(x, panel.width), _within(y, panel.height)) for x, y in filter(None, corners)]
        if len(spots) == len(corners):
            yield Grip(f"step {panel.name}", panel.name, "The step", "step", spots, when=panel.when)


def _within(at: float, size: float) -> float:
    """So that no ring is cut at a border."""
    return round(min(max(at, RING), size - RING), 1)


def _boxes(panel: Panel) -> dict[str, Mark]:
    """The card of each link, of a pile the front one."""
    return {
        mark.link: mark
        for mark in panel.marks
        if mark.tag == "rect" and mark.link and mark.role not in ("norm", "bytes")
    }


def _spots(units: Units, boxes: dict[str, Mark]) -> list[Spot | None]:
    first = next((unit for unit in units.units if unit.lead.leaf and f"n{unit.index}" in boxes), next(iter(units.ran)))
    found = [_corner(boxes, "n", first, 1)]
    found += [_corner(boxes, "n", unit, 1) for unit in units.ran]
    outputs = [unit for unit in units.units if unit.lead.output and not unit.chip]
    if units.goes_back:
        found.append(_corner(boxes, "g", outputs[-1], 1))
        found += [_corner(boxes, "g", unit, 0) for unit in units.walked]
    return found


def _corner(boxes, kind, unit: Unit, side: int) -> Spot | None:
    """Near the lower corner of a card, at the left (0) or the right: below the edges that end there, inside of the panel."""
    mark = boxes.get(f"{kind}{unit.index}")
    return (
        (mark.at["x"] + side * mark.at["width"] + 5 - 10 * side, mark.at["y"] + 0.9 * mark.at["height"])
        if mark
        else None
    )
