"""Numbers of which each met each: a square of all pairs, its diagonal outlined, and beside it the pairs likely meant."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from ...kit.heat import Grid
from ...kit.scene import Link, Mark, Panel, text, width_of
from ...kit.words import capital, clipped, number
from ..run.story import Pairs
from .units import Units

CELL, SMALL = 18.0, 16.0  # px, and on a narrow page
SHOWN = 16  # rows and columns
LEFT, TOP, APART, WIDE = 4.0, 44.0, 40.0, 60.0  # px


def pairs(units: Units) -> list[Panel]:
    """The panel, in which numbers appear when their op runs; [] where there is none."""
    found = units.story.pairs
    if found is None:
        return []
    return [replace(_panel(units, found, CELL), narrow=_panel(units, found, SMALL, "pairs, narrow"))]


def _panel(units, found, cell, name="pairs"):
    view = _Pairs(units, found, cell)
    marks = list(view.marks())
    side = view.shown * cell
    width = LEFT + side + APART + WIDE / 2 + max(WIDE, width_of(view.told[1], 12, bold=True)) / 2 + 8
    title = f"Each of {found.count} with each of {found.count}; outlined, the {found.count} pairs"
    return Panel(name, title, width, TOP + side + 26, marks)


def pair_links(units: Units) -> Iterator[tuple[str, Link]]:
    """What is behind each tile: which numbers met there, and what came of it."""
    found = units.story.pairs
    if found is None or found.terms is None:
        return
    shown = min(found.count, SHOWN)
    for i, j in product(range(shown), range(shown)):
        met = f"number {i + 1} of {found.column}, number {j + 1} of {found.row}"
        told = [capital(met), number(float(found.terms[i, j]))]
        tip = [*told, "One of the pairs that were meant." if i == j else "This pair was not meant: another place."]
        yield _key(i, j), Link(": ".join(told), tip, name=met)


def _key(i, j):
    return f"pair {i} {j}"


class _Pairs:
    """`told`: what is said below both."""

    def __init__(self, units: Units, found: Pairs, cell: float):
        self.units, self.found, self.cell = units, found, cell
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
        square = Grid(LEFT, TOP, self.cell, self.cell, False, self.scale)
        meant = Grid(LEFT + shown * self.cell + APART, TOP, WIDE, self.cell, found.terms is not None, self.scale)
        more = f", first {shown}" if found.count > shown else ""
        yield text(LEFT, TOP - 26, f"down: {clipped(found.column, 30)}{more}", "note")
        yield text(LEFT, TOP - 9, f"across: {clipped(found.row, 30)}{more}", "note")
        yield square.lines(shown, shown)
        yield meant.lines(shown, 1)
        if found.terms is not None:
            yield from self._tiles(square, meant)
        for i in range(shown):
            yield square.block(i, i, 1, 1, "before").varying("step", state=self._end())
        middle = TOP + shown * self.cell + 18
        yield text(LEFT + shown * self.cell / 2, middle, self.told[0], "badtext", "middle").seen_from("step", self.ran)
        yield text(meant.x + WIDE / 2, middle, self.told[1], "forwardtext", "middle").seen_from("step", self.units.last)
        yield text(meant.x + WIDE / 2, TOP - 9, "meant?", "note", "middle")

    def _end(self):
        return [(0, "hidden"), (self.ran, ""), (self.units.last, "now")]

    def _tiles(self, square, meant):
        for i in range(self.shown):
            for j in range(self.shown):
                yield from self._seen(square.tile(i, j, float(self.found.terms[i, j]), link=_key(i, j)), self.ran)
            yield from self._seen(meant.tile(i, 0, float(self.found.terms[i, i]), link=_key(i, i)), self.ran)

    def _seen(self, marks, since):
        return (mark.seen_from("step", since) for mark in marks)
