"""Numbers of which each met each: a square of all pairs, its diagonal outlined, and beside it the pairs likely meant."""

from collections.abc import Iterator

import numpy as np

from ...kit.heat import Grid
from ...kit.scene import Mark, Panel, text, width_of
from ...kit.words import clipped, number
from ..run.story import Pairs
from .units import Units

CELL = 15.0  # px
SHOWN = 16  # rows and columns
LEFT, TOP, APART, WIDE = 4.0, 44.0, 60.0, 56.0  # px


def pairs(units: Units) -> list[Panel]:
    """The panel, in which numbers appear when their op runs; [] where there is none."""
    found = units.story.pairs
    if found is None:
        return []
    view = _Pairs(units, found)
    marks = list(view.marks())
    side = view.shown * CELL
    width = LEFT + side + APART + WIDE / 2 + max(WIDE, width_of(view.told[1], 12, bold=True)) / 2
    title = f"Each of {found.count} with each of {found.count}; outlined, the {found.count} pairs"
    return [Panel("pairs", title, max(width, width_of(title, 12.5, bold=True)) + 8, TOP + side + 26, marks)]


class _Pairs:
    """`told`: what is said below both."""

    def __init__(self, units: Units, found: Pairs):
        self.units, self.found = units, found
        self.shown = min(found.count, SHOWN)
        self.ran = units.ran[units.home[found.at]]
        self.scale = (
            1.0 if found.terms is None else float(np.abs(found.terms[np.isfinite(found.terms)]).max(initial=0)) or 1.0
        )
        said = [f"all {found.count**2}", f"the {found.count} pairs"]
        values = (found.whole, found.alone)
        self.told = [w if v is None else f"{w}: {number(v)}" for w, v in zip(said, values, strict=True)]

    def marks(self) -> Iterator[Mark]:
        """All of them."""
        found, shown = self.found, self.shown
        square = Grid(LEFT, TOP, CELL, CELL, False, self.scale)
        meant = Grid(LEFT + shown * CELL + APART, TOP, WIDE, CELL, found.terms is not None, self.scale)
        more = f", first {shown}" if found.count > shown else ""
        yield text(LEFT, TOP - 26, f"down: {clipped(found.column, 30)}{more}", "note")
        yield text(LEFT, TOP - 9, f"across: {clipped(found.row, 30)}{more}", "note")
        yield square.lines(shown, shown)
        yield meant.lines(shown, 1)
        if found.terms is not None:
            yield from self._tiles(square, meant)
        for i in range(shown):
            yield square.block(i, i, 1, 1, "before").varying("step", state=self._end())
        middle = TOP + shown * CELL + 18
        yield text(LEFT + shown * CELL / 2, middle, self.told[0], "badtext", "middle").seen_from("step", self.ran)
        yield text(meant.x + WIDE / 2, middle, self.told[1], "forwardtext", "middle").seen_from("step", self.units.last)
        yield text(meant.x + WIDE / 2, TOP - 9, "meant?", "note", "middle")

    def _end(self):
        return [(0, "hidden"), (self.ran, ""), (self.units.last, "now")]

    def _tiles(self, square, meant):
        for i in range(self.shown):
            for j in range(self.shown):
                yield from self._seen(square.tile(i, j, float(self.found.terms[i, j])), self.ran)
            yield from self._seen(meant.tile(i, 0, float(self.found.terms[i, i])), self.ran)

    def _seen(self, marks, since):
        return (mark.seen_from("step", since) for mark in marks)
