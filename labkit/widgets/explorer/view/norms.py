"""How long the gradient is at each box, in the order of the way back: a curve on a logarithmic axis, along which the step is
dragged. What is nan, inf or 0 has no place there, and stands in rows of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, isfinite, log10, nan

import numpy as np

from ....engine import Summary
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.layout.column import spine_of
from ...kit.scene import Link, Mark, Panel, circle, line, path, rect, text, width_of
from ...kit.words import norm, number
from .cards import Gradients, gradient_name, short
from .placing import NARROW
from .units import Unit, Units

TITLE = "Gradient norms on the way back, from the result to the inputs"
LEAVES = "; pale dots: leaves"
FEWEST, MOST = 5, 300  # steps of the way back
LEVELS = 104.0  # px, how high the axis is
ROW = 24.0  # px, for what has no place on the axis
LEFT, LETTER = 62.0, 6.6  # px: beside the axis, of a letter
COLUMN, WIDEST, LEAST = 84.0, 1100.0, 420.0  # px
RADIUS, LONGEST = 4.5, 18  # px, letters


@dataclass(frozen=True)
class Point:
    """The norm that is at a box from a step on."""

    unit: Unit
    when: int
    norm: float
    main: bool  # whether the curve leads there


class Curve:
    """The `panel` of norms, None where the way back is short or very long, or single numbers alone go along it; its grips,
    its links."""

    def __init__(self, units: Units):
        gradients = Gradients(units)
        found = [(u, *totals[-1]) for u in units.units if not u.chip and (totals := gradients.totals(u))]
        known = [(u, at, total) for u, at, total in found if not (isinstance(total, Summary) and total.norm is None)]
        several = any(np.size(total) > 1 for _, _, total in known)
        long = len({at for _, at, _ in known}) >= FEWEST and len(units.walked) <= MOST
        self.panel: Panel | None = None
        self.plots: list[_Plot] = []
        if several and long:
            main = _main(units)
            points = [Point(u, at, norm(total), u in main) for u, at, total in known]
            across, upright = _Across(units, points), _Upright(units, points)
            self.plots = [across, upright]
            self.panel = replace(across.panel("norms"), narrow=upright.panel("norms, narrow"))

    def grips(self) -> Iterator[Grip]:
        """The step, dragged along each layout of the panel."""
        for name, plot in zip(("norms", "norms, narrow"), self.plots, strict=False):
            yield Grip(name, name, "the step, along the way back", "step", plot.spots(), plot.by, bare=True)

    def links(self) -> Iterator[tuple[str, Link]]:
        """What is behind the steps: a click goes there."""
        for plot in self.plots[:1]:
            for step in plot.steps:
                arrived = [gradient_name(p.unit) for p in plot.points if p.when == step]
                words = f"Step {step}: {', '.join(arrived[:3]) or 'nothing new'}"
                yield f"norms {step}", Link(words, [words], go={"step": step}, name=words)


def _main(units: Units) -> set[Unit]:
    """The boxes on the longest way, from an input of the user's if it can be."""
    order = [u.index for u in sorted(units.units, key=lambda unit: min(unit.nodes))]
    edges = [(edge.start.index, edge.end.index) for edge in units.edges if units.sent_along(edge)]
    found = spine_of(order, edges)
    return {unit for unit in units.units if unit.index in found}


class _Plot:
    """The points in a panel: along the steps of the way back, at the levels of an axis. `begin`: px before the first step."""

    by = "x"
    begin: float
    apart: float
    axis: Axis

    def __init__(self, units: Units, points: Sequence[Point]):
        self.units, self.points = units, points
        self.steps = range(units.seed, max(p.when for p in points) + 1)
        known = [p.norm for p in points if isfinite(p.norm) and p.norm > 0]
        low, high = (floor(log10(min(known))), ceil(log10(max(known)))) if known else (0, 1)
        self.powers = low, max(high, low + 1)
        self.bad, self.zero = any(not isfinite(p.norm) for p in points), any(p.norm == 0 for p in points)
        self.length = self.apart * len(self.steps)
        self._by_rank = sorted(points, key=lambda p: (p.main, not p.unit.lead.leaf))

    @cached_property
    def arrived(self) -> dict[int, Unit]:
        """At which box something arrives at each step."""
        return {p.when: p.unit for p in self._by_rank}

    def spots(self) -> list[tuple[float, float] | None]:
        """Where each step is dragged; what comes before the way back is nowhere."""
        tops = {p.when: p.norm for p in self._by_rank}
        levels, level = list[float](), self.level(1.0)
        for step in self.steps:
            level = self.level(tops[step]) if step in tops else level
            levels.append(level)
        found = [self.spot(self.along(step), level) for step, level in zip(self.steps, levels, strict=True)]
        return [None] * self.units.seed + found + found[-1:] * (self.units.last - self.steps[-1])

    def level(self, value: float) -> float:
        """Where a norm stands."""
        raise NotImplementedError

    def spot(self, along: float, level: float) -> tuple[float, float]:
        """A place of the panel."""
        return along, level

    def along(self, step: int) -> float:
        """Where a step stands."""
        return self.begin + self.apart * (step - self.units.seed + 0.5)

    # ---- marks ----

    def panel(self, name: str) -> Panel:
        """All of it."""
        marks = [*self._ground(), *self._columns(), *self._names(), *self._curve(), *self._dots()]
        leaves = any(p.unit.lead.leaf for p in self.points)
        return Panel(name, f"{TITLE}{LEAVES if leaves else ''}", *self._size(), marks)

    def _ground(self) -> Iterator[Mark]:
        yield self._area()
        for value in self.axis.ticks(min(6, self.powers[1] - self.powers[0])):
            yield self._level_line(self.axis(value))
            yield self._tick(self.axis(value), number(value))
        if self.bad:
            yield self._tick(self.level(nan), "nan, inf")
        if self.zero:
            yield self._tick(self.level(0.0), "0")

    def _columns(self) -> Iterator[Mark]:
        """What is clicked; lit at the step itself, the last one until the end."""
        for step in self.steps:
            lit = [(0, ""), (step, "lit"), *([(step + 1, "")] if step < self.steps[-1] else [])]
            yield self._column(step, f"norms {step}").varying("step", state=lit)

    def _curve(self) -> Iterator[Mark]:
        main = sorted((p for p in self.points if p.main), key=lambda p: p.when)
        for before, after in pairwise(main):
            ends = [self.spot(self.along(p.when), self.level(p.norm)) for p in (before, after)]
            yield path(ends, "backline").seen_from("step", after.when)

    def _dots(self) -> Iterator[Mark]:
        for p in self._by_rank:
            x, y = self.spot(self.along(p.when), self.level(p.norm))
            leaf, bad = p.unit.lead.leaf, not isfinite(p.norm) or not p.norm
            dot = circle(
                x, y, RADIUS if p.main or leaf else RADIUS - 1.5, "badbar" if bad else "leaf" if leaf else "backbar"
            )
            yield replace(dot, link=f"g{p.unit.index}").seen_from("step", p.when)

    def _size(self) -> tuple[float, float]:
        raise NotImplementedError

    def _area(self) -> Mark:
        raise NotImplementedError

    def _level_line(self, at: float) -> Mark:
        raise NotImplementedError

    def _tick(self, at: float, words: str) -> Mark:
        raise NotImplementedError

    def _names(self) -> Iterator[Mark]:
        raise NotImplementedError

    def _column(self, step: int, link: str) -> Mark:
        raise NotImplementedError


class _Across(_Plot):
    """From left to right: the way back; up: the norm."""

    begin = LEFT

    def __init__(self, units: Units, points: Sequence[Point]):
        self.apart = min(max(COLUMN, LEAST / len({p.when for p in points})), WIDEST / len(units.walked))
        super().__init__(units, points)
        self.top = 6.0 + ROW * self.bad
        self.axis = Axis(*self.powers, self.top + LEVELS, self.top, log=True)
        self.bottom = self.axis.start + ROW * self.zero
        longest = max(width_of(short(unit, LONGEST), 11.5) for unit in self.arrived.values())
        self.rows = min(ceil((longest + 8) / self.apart), 3)

    def level(self, value: float) -> float:
        if not isfinite(value):
            return self.axis.end - ROW + 8
        return self.axis(value) if value else self.axis.start + ROW - 8

    def _size(self):
        return self.begin + self.length + 8, self.bottom + 6 + 15 * self.rows

    def _area(self):
        return rect(self.begin, 6, self.length, self.bottom - 6, "area", 0)

    def _level_line(self, at):
        return line(self.begin, at, self.begin + self.length, at, "grid")

    def _tick(self, at, words):
        return text(self.begin - 7, at + 4, words, "tick", "end").answering("step")

    def _names(self):
        """In rows, of very many only some."""
        room = self.apart * self.rows
        for k, (step, unit) in enumerate(sorted(self.arrived.items())):
            kept = short(unit, min(max(int((room - 6) / LETTER), 4), LONGEST))
            if k % ceil(4 * LETTER / room) == 0:
                yield text(self.along(step), self.bottom + 15 + 15 * (k % self.rows), kept, "note", "middle")

    def _column(self, step, link):
        return rect(self.along(step) - self.apart / 2, 6, self.apart, self.bottom - 6, "row", 0, link=link)


class _Upright(_Plot):
    """From top to bottom: the way back; to the right: the norm."""

    by, begin, apart = "y", 22.0, 17.0

    def __init__(self, units: Units, points: Sequence[Point]):
        super().__init__(units, points)
        self.left, self.right = 104.0, NARROW - 20
        self.axis = Axis(*self.powers, self.left + 10 + 34 * self.zero, self.right - 10 - 46 * self.bad, log=True)

    def level(self, value: float) -> float:
        if not isfinite(value):
            return self.axis.end + 32
        return self.axis(value) if value else self.left + 12

    def spot(self, along: float, level: float) -> tuple[float, float]:
        return level, along

    def _size(self):
        return self.right + 12, self.begin + self.length + 6

    def _area(self):
        return rect(self.left, self.begin, self.right - self.left, self.length, "area", 0)

    def _level_line(self, at):
        return line(at, self.begin, at, self.begin + self.length, "grid")

    def _tick(self, at, words):
        return text(at, self.begin - 7, words, "tick", "middle").answering("step")

    def _names(self):
        for step, unit in self.arrived.items():
            yield text(4, self.along(step) + 4, short(unit, int((self.left - 8) / LETTER)), "note")

    def _column(self, step, link):
        return rect(0, self.along(step) - self.apart / 2, self.right, self.apart, "row", 0, link=link)
