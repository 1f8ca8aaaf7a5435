"""The plot of gradient norms: its points, its curve, what is told of it. `norm_layouts.py` says where these stand."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, isfinite, log10, nan

from ...kit.axes import Axis
from ...kit.scene import Mark, Panel, circle, path, text
from ...kit.words import clipped, number
from .colours import decade
from .lengths import Point, Trend
from .units import Unit, Units

TITLE = "Gradient norms, from the result ({}) back to the inputs"
RADIUS, LONGEST = 4.5, 18  # px, letters


class Plot:
    """The points in a panel: along the steps of the way back, the last one first, as the boxes stand; at the levels of an
    axis. `begin`: px before the first box. `side`: where the result is."""

    by, side = "x", "right"
    begin: float
    apart: float
    axis: Axis

    def __init__(self, units: Units, points: Sequence[Point], trend: Trend | None):
        self.units, self.points, self.trend = units, points, trend
        self.steps = range(min(p.at for p in points), max(p.at for p in points) + 1)
        known = [p.norm for p in points if p.known]
        low, high = (floor(log10(min(known))), ceil(log10(max(known)))) if known else (0, 1)
        self.powers = low, max(high, low + 1)
        self.bad, self.zero = any(not isfinite(p.norm) for p in points), any(p.norm == 0 for p in points)
        self.length = self.apart * len(self.steps)
        verdict = units.story.verdict
        self.sound = verdict if verdict and verdict.sound else None
        self._by_rank = sorted(points, key=lambda p: (p.main, not p.leaf))

    @cached_property
    def arrived(self) -> dict[int, Unit]:
        """The box of each column: what is walked then, or else arrives."""
        return {p.at: self.units.at.get(p.at, p.unit) for p in self._by_rank}

    def spots(self) -> list[tuple[float, float] | None]:
        """Where each step is dragged; what comes before the way back is nowhere, and its start at the border."""
        tops = {p.at: p.norm for p in self._by_rank}
        known = [self.level(tops[step]) for step in self.steps if step in tops]
        found, level = [self.spot(self.along(self.steps[0] - 0.5), known[0])], known[0]
        for step in range(self.units.seed + 1, self.units.last + 1):
            level = self.level(tops[step]) if step in tops else level
            found.append(self.spot(self.along(min(step, self.steps[-1])), level))
        return [None] * self.units.seed + found

    def level(self, value: float) -> float:
        """Where a norm stands."""
        raise NotImplementedError

    def spot(self, along: float, level: float) -> tuple[float, float]:
        """A place of the panel."""
        return along, level

    def along(self, step: float) -> float:
        """Where a step stands."""
        return self.begin + self.apart * (self.steps[-1] - step + 0.5)

    def place(self, p: Point) -> tuple[float, float]:
        """Where a dot is in the panel."""
        return self.spot(self.along(p.at), self.level(p.norm))

    # ---- marks ----

    def panel(self, name: str) -> Panel:
        """All of it."""
        drawn = (
            self._ground,
            self._columns,
            self._names,
            self._verdict,
            self._ghost,
            self._curve,
            self._dots,
            self._told,
        )
        marks = [mark for part in drawn for mark in part()]
        leaves = [p.leaf for p in self.points if p.leaf]
        rings = f"; rings: {'weights' if all(len(leaf.shape) > 1 for leaf in leaves) else 'leaves'}" if leaves else ""
        return Panel(name, f"{TITLE.format(self.side)}{rings}", *self._size(), marks)

    def _ground(self) -> Iterator[Mark]:
        yield self._area()
        for value in self.axis.ticks(min(6, self.powers[1] - self.powers[0])):
            yield self._level_line(self.axis(value))
            yield self._tick(self.axis(value), decade(value))
        if self.bad:
            yield self._tick(self.level(nan), "nan, inf")
        if self.zero:
            yield self._tick(self.level(0.0), "0")

    def _columns(self) -> Iterator[Mark]:
        """What is clicked; lit at the step itself, the last one until the end."""
        for step in self.steps:
            since = self.units.seed if step == self.steps[0] else step
            lit = [(0, ""), (since, "lit"), *([(step + 1, "")] if step < self.steps[-1] else [])]
            yield self._column(step, f"norms {step}").varying("step", state=lit)

    def _verdict(self) -> Iterator[Mark]:
        """From the shortest to the longest gradient of what was compared, where that is sound; not for who predicts."""
        if self.sound:
            yield self._band(self.level(self.sound.low), self.level(self.sound.high)).answering("step")
            words = f"✓ {self.sound.kind} {self.sound.factor}"
            yield text(*self._aside(), words, "verdict").answering("step")

    def _ghost(self) -> Iterator[Mark]:
        """All of it, faint, before it is walked; not for who predicts."""
        if len(self._main) > 1:
            yield path([self.place(p) for p in self._main], "ghost").answering("step")
        for p in self._by_rank:
            yield circle(*self.place(p), self._radius(p), "ghostring" if p.leaf else "ghostdot").answering("step")

    @cached_property
    def _main(self) -> list[Point]:
        return sorted((p for p in self.points if p.main and not p.single), key=lambda p: p.at)

    def _radius(self, p: Point) -> float:
        return RADIUS if (p.main and not p.single) or p.leaf else RADIUS - 1.5

    def _curve(self) -> Iterator[Mark]:
        for before, after in pairwise(self._main):
            yield path([self.place(before), self.place(after)], "backline").seen_from("step", after.when)
        if self.trend and self.trend.layers:
            ends = [self.place(self.trend.first), self.place(self.trend.last)]
            yield path(ends, "trend").seen_from("step", self.trend.when)

    def _dots(self) -> Iterator[Mark]:
        for p in self._by_rank:
            role = "leaf" if p.leaf else "backbar"
            dot = circle(*self.place(p), self._radius(p), role if p.known else "badbar")
            yield replace(dot, link=p.link).seen_from("step", p.when)

    def _told(self) -> Iterator[Mark]:
        """The weights at the ends, the mean factor, and what a result that is one number starts with."""
        for p in self.points:
            if p.single and p.when == self.units.seed and p.known:
                yield self._label(p, f"starts with {number(p.norm)}", "note").seen_from("step", p.when)
        if self.trend is None:
            return
        for p in self.trend[:2]:
            yield self._label(p, f"{clipped(p.title, LONGEST)} {number(p.norm)}", "leaftext").seen_from("step", p.when)
        if self.trend.layers:
            yield self._factor(self.trend).seen_from("step", self.trend.when)

    def _label(self, p: Point, words: str, role: str) -> Mark:
        raise NotImplementedError

    def _factor(self, trend: Trend) -> Mark:
        raise NotImplementedError

    def _size(self) -> tuple[float, float]:
        raise NotImplementedError

    def _area(self) -> Mark:
        raise NotImplementedError

    def _level_line(self, at: float) -> Mark:
        raise NotImplementedError

    def _tick(self, at: float, words: str) -> Mark:
        raise NotImplementedError

    def _band(self, low: float, high: float) -> Mark:
        raise NotImplementedError

    def _aside(self) -> tuple[float, float]:
        """Where words on all of it begin."""
        raise NotImplementedError

    def _names(self) -> Iterator[Mark]:
        raise NotImplementedError

    def _column(self, step: int, link: str) -> Mark:
        raise NotImplementedError
