"""Each local slope as what it is: the op as a function of one operand, close up, where the run stands on it. The point is there
once the op ran; the tangent, and how steep it is, once the way back passes there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, isfinite

import numpy as np

from ...kit.axes import Axis
from ...kit.scene import Mark, Panel, circle, line, path, rect, text
from ...kit.words import clipped, number
from ..run.forms import plain
from ..run.story import Node, Sent
from .placing import NARROW
from .units import Unit, Units

TITLE = "Local slopes: each op as a function of one operand, and its tangent"
MOST = 10  # of them
WIDE, HIGH, APART, HEAD, FOOT = 112.0, 64.0, 12.0, 20.0, 20.0  # px
LEFT, ROOM = 6.0, 1130.0  # px
HALF, SAMPLES, LARGEST = 3.0, 61, 1e9  # of a window around 0, or around the point; places in it; numbers
REACH = 26.0  # px, half of a tangent


@dataclass(frozen=True)
class Close:
    """An op near a run, as a function of its operand at a place."""

    unit: Unit
    operand: Node
    sent: Sent
    xs: np.ndarray
    ys: np.ndarray


def slopes(units: Units, when: dict) -> list[Panel]:
    """The panel, at positions `when` of other dials. [] where something is folded or no single number, where ops are many, or
    cannot be asked again."""
    ops = [unit for unit in units.ops if unit in units.walked]
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
    xs = np.linspace(-HALF, HALF, SAMPLES) + (0.0 if abs(at) < 0.9 * HALF else at)
    with np.errstate(all="ignore"):
        try:
            ys = np.array([float(np.ravel(again(sent.place, x))[0]) for x in xs])
        except (TypeError, ValueError, IndexError, ArithmeticError):
            return None
    return Close(unit, operand, sent, xs, ys) if np.isfinite(ys).any() else None


def _panel(units, found: Sequence[Close], name, room, when):
    columns = min(len(found), int((room - 2 * LEFT + APART) // (WIDE + APART)))
    marks = list[Mark]()
    for k, close in enumerate(found):
        down, across = divmod(k, columns)
        plot = _Plot(units, close, LEFT + across * (WIDE + APART), down * (HEAD + HIGH + FOOT + 8))
        marks += plot.marks()
    rows = ceil(len(found) / columns)
    width, height = columns * (WIDE + APART) - APART + 2 * LEFT, rows * (HEAD + HIGH + FOOT + 8) - 4
    return Panel(name, TITLE, width, height, marks, when)


class _Plot:
    def __init__(self, units: Units, close: Close, left: float, top: float):
        self.close, self.left, self.top = close, left, top + HEAD
        self.ran, self.walked = units.ran[close.unit], units.walked[close.unit]
        self.x, self.y = (float(np.ravel(node.value)[0]) for node in (close.operand, close.unit.lead))
        low, high = self._levels()
        self.across = Axis(close.xs[0], close.xs[-1], left, left + WIDE)
        self.up = Axis(low, high, self.top + HIGH, self.top)

    def _levels(self):
        """From where to where, as far apart as across: a slope of 1 is one. Around 0 where the point is in sight there."""
        span = float(self.close.xs[-1] - self.close.xs[0]) * HIGH / WIDE
        low = -0.5 * span if np.nanmin(self.close.ys) < 0 else -0.1 * span
        near = low + 0.08 * span <= self.y <= low + 0.92 * span
        low = low if near else self.y - 0.5 * span
        return low, low + span

    def marks(self) -> Iterator[Mark]:
        """All of it."""
        link, close = f"n{self.close.unit.index}", self.close
        yield rect(self.left, self.top, WIDE, HIGH, "area", 2, link=link)
        level = self.up(0.0)  # at a border where it is not in the window
        yield line(self.left, level, self.left + WIDE, level, "grid")
        middle = self.across(0.0)
        yield line(middle, self.top, middle, self.top + HIGH, "grid")
        yield path(self._curve(), "inkline").seen_from("step", self.ran)
        yield from self._stands()
        title = clipped(f"{close.unit.lead.title} of {close.operand.name or close.operand.title}", 18)
        yield text(self.left, self.top - 6, title, "note", link=link)

    def _curve(self):
        inside = [
            (self.across(x), self.up(y)) if isfinite(y) and self.up.holds(y) else None
            for x, y in zip(self.close.xs, self.close.ys, strict=True)
        ]
        return (
            " ".join(f"M {a[0]:.1f} {a[1]:.1f} L {b[0]:.1f} {b[1]:.1f}" for a, b in pairwise(inside) if a and b)
            or f"M {self.left:.1f} {self.top:.1f}"
        )

    def _stands(self):
        """The point, and the tangent."""
        x, y, slope = self.across(self.x), self.up(self.y), float(self.close.sent.slope or 0.0)
        along = REACH / float(np.hypot(1.0, slope))
        ends = (x - along, y + slope * along), (x + along, y - slope * along)
        yield line(*ends[0], *ends[1], "backline").seen_from("step", self.walked)
        yield circle(x, y, 4.0, "bar", link=f"n{self.close.unit.index}").seen_from("step", self.ran)
        words = f"×{number(slope)}"
        yield text(self.left + WIDE / 2, self.top + HIGH + 15, words, "slope", "middle").seen_from("step", self.walked)
