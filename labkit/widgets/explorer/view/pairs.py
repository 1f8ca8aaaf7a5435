"""Numbers of which each met each: a column, a row, and the square of all pairs, which closes onto its diagonal while the row
is turned down about its beginning."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import cos, pi, sin
from typing import Any

import numpy as np

from ...kit.grips import Grip
from ...kit.heat import Grid, full_colour
from ...kit.scene import Dial, Link, Mark, Panel, changes, text
from ...kit.strokes import tenth
from ...kit.words import clipped, number
from ..run.story import Pairs
from .best import best
from .folded import ALL, OWN, WAY, WAYS
from .units import Units

SIDE, SLIM = 400.0, 336.0  # px, the square on a wide page, and on a narrow one
SHOWN = 16  # rows and columns
GAP, EDGE, RING, NUMBER = 8.0, 4.0, 18.0, 72.0  # px
BESIDE, BELOW = 290.0, 72.0  # px for the words about one pair, beside the square or below it
BEST = 196.0  # px for what is best
LABEL = 26  # letters of what a side is called
FOLD, PAIR = "fold", "pair"  # dials: how far the row is turned, the pair
PARTS = [0.0, *(k / 24 for k in range(2, 23)), 1.0]  # of the way down; near its ends it goes there
TURNS = len(PARTS) - 1
FLAT, FOLDED = [0], [TURNS]


def pairs(units: Units) -> tuple[list[Panel], list[Dial], dict[str, Link], list[Grip]]:
    """The panel, what turns it, what is behind its cells, and its handles; nothing where there is none."""
    found = units.story.pairs
    if found is None:
        return [], [], {}, []
    wide, slim = _Pairs(units, found, SIDE, True), _Pairs(units, found, SLIM, False)
    panel = replace(wide.panel("pairs"), narrow=slim.panel("pairs, narrow"))
    grips = [grip for view in (wide, slim) for grip in view.grips()]
    return [panel], list(wide.dials()), dict(wide.links()), grips


class _Pairs:
    """One layout; `beside`: words stand beside the square."""

    def __init__(self, units: Units, found: Pairs, side: float, beside: bool):
        self.units, self.found, self.beside = units, found, beside
        self.count = min(found.count, SHOWN)
        self.cell = min(side / self.count, 44.0)
        self.ran, self.last = units.ran[units.home[found.at]], units.last
        self.terms = found.terms is not None
        self.sides = found.left is not None and found.top is not None
        scale = full_colour([found.left, found.top]) if self.sides else 1.0
        top = 44.0 if beside else 116.0
        left, head = EDGE + self.cell + GAP, top + self.cell + GAP
        self.column = Grid(EDGE, head, self.cell, self.cell, False, scale)
        self.row = Grid(left, top, self.cell, self.cell, False, scale)
        pitch = self.cell + NUMBER
        self.stood = Grid(EDGE + pitch, head, self.cell, self.cell, False, scale)  # the row, as a column
        self.square = Grid(left, head, self.cell, self.cell, False, full_colour([found.terms]) if self.terms else 1.0)
        self.folded = replace(self.square, x=EDGE + 2 * pitch)
        self.room = BEST if best(found, 0.0, 0.0, BESIDE, {}, {}) else 0.0
        self.words = left + self.count * self.cell + 26  # where they begin, beside the square
        self.right, self.bottom = left + self.count * self.cell, head + self.count * self.cell
        op = units.story.nodes[found.at]
        self.op, self.names = op.op, (clipped(found.column, LABEL), clipped(found.row, LABEL))

    def panel(self, name: str) -> Panel:
        """All of it."""
        width = self.right + (BESIDE if self.beside else RING)
        title = f"Which numbers meet in {self.op}? Drag the ring over the square; drag the end of {self.names[1]} down to fold it"
        height = self.bottom + (RING if self.beside else BELOW + self.room)
        return Panel(
            name, title if self.beside else f"Which numbers meet in {self.op}?", width, height, [*self.marks()]
        )

    def marks(self) -> Iterator[Mark]:
        """Of the square and its sides, from when its op runs, and of what came of it."""
        for mark in self._sides():
            yield told_from(mark, self.ran) if mark.tag == "text" else mark  # what is given tells nothing
        drawn = (self._cells, self._numbers, self._lit, self._readout, self._totals, self._best)
        for mark in (mark for part in drawn for mark in part()):
            yield told_from(mark, self.ran)

    def _totals(self):
        found, count = self.found, self.found.count
        values = (found.whole, found.alone)
        said = [f"all {count**2} pairs", f"the {count} pairs"]
        told = [w if v is None else f"{w}: {number(v)}" for w, v in zip(said, values, strict=True)]
        if found.whole is not None and found.alone is not None and found.whole < found.alone:
            spot = (self.words, 106.0) if self.beside else (EDGE, 62.0)
            yield text(*spot, "smaller: the bug looks better", "badtext", when={WAY: [ALL]})
        spots = [(self.words, 56.0), (self.words, 82.0)] if self.beside else [(EDGE, 20.0), (EDGE, 42.0)]
        for way, role, spot, words in zip((ALL, OWN), ("fault", "verdict"), spots, told, strict=True):
            yield text(*spot, words, role, when={WAY: [way]})
            yield text(*spot, words, "place", when={WAY: [1 - way]})

    def _sides(self):
        down, across = self.names
        count, more = self.found.count, f", first {self.count}" if self.found.count > self.count else ""
        for at, role, words in (
            (FLAT, "leaftext", f"{across}: {count} in a row, so repeated {count} times, down{more}"),
            (FOLDED, "leaftext", f"{across}: stood up as {count}×1, each number beside its own"),
        ):
            yield text(self.row.x, self.row.y - 8, words, role, when={FOLD: at})
        yield text(
            EDGE, self.row.y - 25, f"\u2193 {down}: {count}×1, repeated across", "forwardtext", when={FOLD: FLAT}
        )
        yield text(EDGE, self.row.y - 25, f"\u2193 {down}: {count}×1", "forwardtext", when={FOLD: FOLDED})
        for i in range(self.count):
            yield from self._stands(self.row, i, self.found.top)
            yield self.column.block(i, 0, 1, 1, "op", link=f"pair {i} {i}")
            if self.sides:
                yield from self.column.tile(i, 0, float(self.found.left[i]), f"pair {i} {i}")

    def _stands(self, row, j, values):
        """A number of the row, which folding stands up."""
        marks = [row.block(0, j, 1, 1, "leaf", link=f"pair {j} {j}")]
        if values is not None:
            marks += row.tile(0, j, float(values[j]), f"pair {j} {j}")
        yield from (_moved(mark, [self._turned(j, part) for part in PARTS]) for mark in marks)

    def _turned(self, j: float, part: float) -> tuple[float, float]:
        """How far the j-th number of the row has gone by then: about its beginning, which moves to where the row will stand."""
        c, (right, down) = self.cell, (self.stood.x - self.row.x, self.stood.y - self.row.y)
        away = 1 - cos(part * pi / 2)
        return right * away - j * c * away, down * away + j * c * sin(part * pi / 2)

    def _closed(self, j: int, part: float, off: bool = False) -> tuple[float, float]:
        """The same of the j-th column of the square; or, `off` its diagonal, with the part of its width that is left."""
        left = cos(part * pi / 2)
        return (self.folded.x - self.square.x - j * self.cell) * (1 - left), left if off else 0.0

    def _cells(self):
        n, square = self.count, self.square
        yield replace(square.lines(n, n), when={FOLD: FLAT})
        order = sorted(((i, j) for i in range(n) for j in range(n)), key=lambda at: at[0] == at[1])
        for i, j in order if self.terms else ():
            for mark in square.tile(i, j, float(self.found.terms[i, j]), f"pair {i} {j}"):
                yield _moved(mark, [self._closed(j, part, i != j) for part in PARTS], i != j)
        for i in range(n):
            block = square.block(i, i, 1, 1, "before", link=f"pair {i} {i}")
            yield _moved(block, [self._closed(i, part) for part in PARTS])

    def _numbers(self):
        """Each pair that belongs together, folded, in numbers."""
        found = self.found
        columns = [(self.folded, np.diag(found.terms))] if self.terms else []
        columns += [(self.column, found.left), (self.stood, found.top)] if self.sides else []
        for grid, values in columns:
            for i in range(self.count):
                x, y = grid.cell(i, 0)
                yield text(x + self.cell + 6, y + self.cell / 2 + 4, number(values[i]), "value", when={FOLD: FOLDED})

    def _lit(self):
        """The row and the column of the pair that is looked at."""
        if not self.terms:
            return
        c, at = self.cell, [divmod(k, self.count) for k in range(self.count**2)]
        across = self.column.block(0, 0, 1, 1, "badline")
        across = replace(across, at={**across.at, "width": self.right - EDGE, "pointer-events": "none"})
        down = self.row.block(0, 0, 1, 1, "badline")
        down = replace(down, at={**down.at, "height": self.bottom - self.row.y, "pointer-events": "none"})
        across = across.following(PAIR, y=[self.column.y + i * c for i, _ in at])
        across = across.varying(FOLD, width=[(0, self.right - EDGE), (TURNS, self.folded.x + c + NUMBER - EDGE)])
        yield replace(across, when={FOLD: [*FLAT, *FOLDED]})
        yield replace(down.following(PAIR, x=[self.row.x + j * c for _, j in at]), when={FOLD: FLAT})

    def _readout(self):
        """The pair that is looked at, in words."""
        if not self.terms:
            return
        for way in (OWN, ALL):
            yield from self._of_pairs(way, [divmod(k, self.count) for k in range(self.count**2)])

    def _best(self):
        """What would make the result least."""
        if self.beside:
            low = max(self.row.y + 250, self.bottom - self.room)
            yield from best(self.found, self.words, low, BESIDE - 26.0 - GAP, {WAY: [ALL]}, {WAY: [OWN]})
        else:
            yield from best(self.found, EDGE, self.bottom + BELOW, self.right - EDGE, {WAY: [ALL]}, {WAY: [OWN]})

    def _of_pairs(self, way, every):
        """The same where all meet, and where each meets its own."""
        x, y, line = (self.words, self.row.y + 104, 27.0) if self.beside else (EDGE, self.bottom + 22, 21.0)
        (down, across), found = self.names, self.found
        every = every if way == ALL else [(i, i) for i, _ in every]
        lines: list[tuple[str, list[str]]] = []
        if self.sides:
            lines.append(("place", [f"{down}[{i}] = {number(found.left[i])}" for i, _ in every]))
            lines.append(("place", [f"{across}[{j}] = {number(found.top[j])}" for _, j in every]))
        else:
            lines.append(("place", [f"{down}[{i}] meets {across}[{j}]" for i, j in every]))
        lines.append(("place", [f"{self.op} gives {number(found.terms[i, j])}" for i, j in every]))
        meant = ["A pair that belongs together." if i == j else f"{i} and {j}: a pair too many." for i, j in every]
        for k, (role, said) in enumerate(lines):
            yield text(x, y + k * line, "", role, when={WAY: [way]}).following(PAIR, text=said)
        if self.beside:
            yield text(x, y + len(lines) * line + 2, "", "plain", when={WAY: [way]}).following(PAIR, text=meant)

    def dials(self) -> Iterator[Dial]:
        """The fold, and the pair that is looked at: at first the one that counts most of those too many."""
        yield Dial(FOLD, "Turned", [f"{round(90 * part)}°" for part in PARTS], "inside", settles=[0, TURNS])
        yield Dial(WAY, "Pairs", WAYS, "choice", ALL, puts=[{FOLD: TURNS}, {FOLD: 0}])
        if self.terms:
            sizes: Any = np.abs(np.nan_to_num(np.asarray(self.found.terms, float)))
            first = int(np.argmax(np.where(np.eye(self.count, dtype=bool), -1.0, sizes)))
            names = [f"{i}, {j}" for i in range(self.count) for j in range(self.count)]
            yield Dial(PAIR, "The pair", names, "inside", first)

    def links(self) -> Iterator[tuple[str, Link]]:
        """What is behind each cell."""
        (down, across), found = self.names, self.found
        for i in range(self.count if self.terms else 0):
            for j in range(self.count):
                tip = [f"{down}[{i}] meets {across}[{j}]"]
                if self.sides:
                    tip.append(f"{number(found.left[i])} and {number(found.top[j])}")
                tip.append(f"{self.op} gives {number(found.terms[i, j])}")
                go = {PAIR: i * self.count + j}
                yield f"pair {i} {j}", Link(", ".join(tip), tip, go=go, name=tip[0], known={"step": self.ran})

    def grips(self) -> Iterator[Grip]:
        """The end of the row, which is dragged down to stand it up."""
        name = "pairs" if self.beside else "pairs, narrow"
        half, seen = self.cell / 2, {"step": [*range(self.ran, self.last + 1)]}
        turns = [self._turned(self.count - 0.5, part) for part in PARTS]
        spots = [(self.right - half + x, self.row.y + half + y) for x, y in turns]
        if self.terms:
            at = [self.square.cell(*divmod(k, self.count)) for k in range(self.count**2)]
            middles = [(x + half, y + half) for x, y in at]
            yield Grip(f"{PAIR} {name}", name, "The pair", PAIR, middles, when={FOLD: FLAT, **seen})
        yield Grip(f"{FOLD} {name}", name, f"The end of {self.names[1]}", FOLD, spots, when=seen)


def told_from(mark: Mark, step: int) -> Mark:
    """A mark of what a real tape holds from the start; for who predicts, from a step on."""
    return mark.varying("step", state=[(0, "answer"), (step, "")])


def _moved(mark: Mark, ways: Sequence[tuple[float, float]], closes: bool = False) -> Mark:
    """A mark that turning moves to the right and down; or, where it `closes`, to the right, and leaves a part of its width."""
    if mark.tag == "path":
        return mark
    at, found = mark.at, dict[str, Any]()
    for k, key in enumerate("xy"):
        if key in at and not (closes and k):
            found[key] = changes(tenth(at[key] + way[k]) for way in ways)
    if closes and "width" in at:
        found["width"] = changes(tenth(at["width"] * part) for _, part in ways)
    if closes:
        found["opacity"] = [(0, at.get("opacity", 1)), (TURNS, 0)]
    return mark.varying(FOLD, **{key: how for key, how in found.items() if len(how) > 1})
