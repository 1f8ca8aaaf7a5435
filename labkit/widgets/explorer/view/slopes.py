"""Each local slope as what it is: the op as a function of one operand, close up, where the run stands on it. The point is there
once the op ran; the tangent, and how steep it is, once the way back passes there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, isfinite

import numpy as np

from ...kit.closeups import HIGH, WIDE, CloseUp, window
from ...kit.scene import Mark, Panel, altered, rect, text
from ...kit.words import clipped, number
from ..run.forms import plain
from ..run.reckoned import curve_of
from ..run.story import Node, Sent
from .placing import NARROW
from .units import Unit, Units

TITLE = "Local slopes: each op as a function of one operand, and its tangent"
MOST = 10  # of them
APART, HEAD, FOOT = 12.0, 20.0, 20.0  # px
LEFT, ROOM = 6.0, 1130.0  # px
LARGEST = 1e9  # numbers
STRAIGHT = ("add", "subtract", "multiply", "negative")  # as functions of one operand: a line shows nothing


@dataclass(frozen=True)
class Close:
    """An op near a run, as a function of its operand at a place."""

    unit: Unit
    operand: Node
    sent: Sent
    ys: list[float]

    def at(self, left: float, top: float, first: int) -> CloseUp:
        """It, at a place of a panel."""
        x, y = (float(np.ravel(node.value)[0]) for node in (self.operand, self.unit.lead))
        return CloseUp(
            left, top, first, curve_of(self.unit.lead.index, self.sent.place), x, y, float(self.sent.slope or 0.0)
        )


def slopes(units: Units, when: dict) -> list[Panel]:
    """The panel, at positions `when` of other dials. [] where an op is folded, of no single number, or cannot be asked again,
    where ops are many, and where all are straight."""
    ops = [unit for unit in units.ops if unit in units.walked and unit.lead.op not in STRAIGHT]
    if not ops or any(u.block or u.lead.again is None or u.lead.derives for u in ops) or len(ops) > MOST:
        return []
    sent = [(unit, sent) for unit in ops for step in units.steps_of[unit] for sent in step.sent]
    if len(sent) > MOST or any(one.slope is None or not isfinite(one.slope) for _, one in sent):
        return []
    found = [close for unit, one in sent if (close := _close(units, unit, one))]
    if len(found) < len(sent):
        return []
    wide, narrow = (
        _panel(units, found, name, room, when) for name, room in (("slopes", ROOM), ("slopes, narrow", NARROW))
    )
    return [replace(wide, narrow=narrow) if narrow.width < wide.width else wide]


def _close(units, unit, sent):
    operand, again = units.story.nodes[sent.parent], unit.lead.again
    if not (plain(operand.value) and plain(unit.lead.value)):
        return None
    at, value = (float(np.ravel(node.value)[0]) for node in (operand, unit.lead))
    if abs(at) > LARGEST or abs(value) > LARGEST:
        return None
    with np.errstate(all="ignore"):
        try:
            ys = [float(np.ravel(again(sent.place, x))[0]) for x in window(at)]
        except (TypeError, ValueError, IndexError, ArithmeticError):
            return None
    return Close(unit, operand, sent, ys) if np.isfinite(ys).any() else None


def _panel(units, found: Sequence[Close], name, room, when):
    columns = min(len(found), int((room - 2 * LEFT + APART) // (WIDE + APART)))
    marks, closeups = list[Mark](), list[CloseUp]()
    for k, close in enumerate(found):
        down, across = divmod(k, columns)
        left, top = LEFT + across * (WIDE + APART), down * (HEAD + HIGH + FOOT + 8) + HEAD
        closeups.append(close.at(left, top, len(marks) + 1))
        marks += _marks(units, close, closeups[-1])
    rows = ceil(len(found) / columns)
    width, height = columns * (WIDE + APART) - APART + 2 * LEFT, rows * (HEAD + HIGH + FOOT + 8) - 4
    return Panel(name, TITLE, width, height, marks, when, closeups=closeups if units.varies else ())


def _marks(units: Units, close: Close, drawn: CloseUp) -> Iterator[Mark]:
    """All of it; what is told of the step back comes with it."""
    link, ran, walked = f"n{close.unit.index}", units.ran[close.unit], units.walked[close.unit]
    yield rect(drawn.left, drawn.top, WIDE, HIGH, "area", 2, link=link)
    level, middle, curve, tangent, point = drawn.marks(close.ys)
    yield from (level, middle, curve.seen_from("step", ran), tangent.seen_from("step", walked))
    yield altered(point, link=link).seen_from("step", ran)
    words = f"×{number(drawn.slope)}"
    yield text(drawn.left + WIDE / 2, drawn.top + HIGH + 15, words, "slope", "middle").seen_from("step", walked)
    title = clipped(f"{close.unit.lead.title} of {close.operand.name or close.operand.title}", 18)
    yield text(drawn.left, drawn.top - 6, title, "note", link=link)
