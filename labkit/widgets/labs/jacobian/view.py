"""How a Jacobian is drawn: its tiles, what goes in and comes out with each pass, what is not computed yet, and what it costs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...kit.grips import Along, Grip
from ...kit.heat import Grid, full_colour, legend, pooled
from ...kit.passes import Passes
from ...kit.scene import (
    STEP,
    Caption,
    Dial,
    Link,
    Mark,
    Motion,
    Panel,
    Scene,
    arrow_head,
    line,
    only,
    rect,
    text,
    width_of,
)
from ...kit.strokes import polyline
from ...kit.words import heat, number
from .directions import DIAL, Directions
from .words import JacobianWords

MODES = ("row by row: vjp", "column by column: jvp", "any direction: jvp")
MOST, MOST_WITH_NUMBERS = 40, (14, 10)  # rows and columns that are drawn one by one; those with their numbers
VJP, JVP, ANY, BOTH = {"mode": [0]}, {"mode": [1]}, {"mode": [2]}, {"mode": [0, 1]}
COVERED, ARRIVED = 0.45 * STEP, 0.9 * STEP  # when a cover is gone, and when the numbers have arrived


@dataclass
class Drawing:
    """Where everything stands, in px: the input above the matrix, the output left of it; what a pass takes in stands
    beyond them (a tangent above, a cotangent on the left), what it gives on the other side of the matrix."""

    passes: Passes
    least: float = 0.0  # px that a column is wide at least

    def __post_init__(self):
        m, n = self.passes.matrix.shape
        self.rows = np.array_split(np.arange(m), min(m, MOST))
        self.columns = np.array_split(np.arange(n), min(n, MOST))
        self.phrases = JacobianWords(self.passes, self.rows, self.columns)
        self.tiles = pooled(self.passes.matrix, self.rows, self.columns)
        self.total = pooled(self.passes.total[None], [np.arange(1)], self.columns)[0]
        self.x = pooled(self.passes.x[None], [np.arange(1)], self.columns)[0]
        self.y = pooled(self.passes.y[None], [np.arange(1)], self.rows)[0]
        self.m, self.n = self.tiles.shape
        self.directions = Directions.of(self.passes) if (self.m, self.n) == (m, n) else None
        self._measure()
        self.scale = full_colour([self.tiles, self.total])
        self.grid = self._grid(self.left, self.top)

    def _measure(self):
        numbers = [*self.tiles.flat, *self.total, *self.x, *self.y]
        wide = max(
            42.0,
            self.least,
            8 + max(width_of(s, 12, True) for s in [*map(number, numbers), *self.phrases.column_names]),
        )
        self.words = self.m <= MOST_WITH_NUMBERS[0] and self.n <= MOST_WITH_NUMBERS[1] and self.n * wide <= 680
        small = max(14.0, min(22.0, 480 / max(self.m, self.n)))
        sizes: tuple[float, ...] = (wide, 28.0, 28.0, 14.0) if self.words else (small, small, small, 22.0)
        self.w, self.h, self.seed, self.gap = sizes
        self.input = f"input {self.passes.input_name}"
        labels = 22 + self.seed + max(width_of(s, 11, True) for s in self.phrases.row_names)
        self.label = max(labels, 16 + width_of(self.input, 12.5) - self.w - self.gap)
        self.left = self.label + self.w + self.gap
        self.over = 24 + max(self.h, 20)
        self.top = self.over + self.h + self.gap
        self.height = self.top + (self.m + 1) * self.h + 2 * self.gap + 20
        self.width = max(self.left + self.n * self.w + self.gap + self.w + 10, 420)

    def _grid(self, x, y):
        """Cells as large as those of the matrix."""
        return Grid(x, y, self.w, self.h, self.words, self.scale)

    # ---- the scene ----

    def scene(self) -> Scene:
        phrases = self.phrases
        dials = [
            Dial("mode", "Build the matrix", MODES[: 3 if self.directions else 2], "choice"),
            Dial("pulls", "Pulls", phrases.pulls, start=self.m, asks=phrases.pull_asks(), when=VJP),
            Dial("pushes", "Pushes", phrases.pushes, start=self.n, asks=phrases.push_asks(), when=JVP),
        ]
        captions = [Caption("pulls", phrases.pull_captions(), VJP), Caption("pushes", phrases.push_captions(), JVP)]
        panels, grips = [self._map(), replace(self._cost(), when=BOTH)], list(self._grips())
        if self.directions:
            values = self.directions.values()
            dials.append(Dial(DIAL, "Direction of t", values, asks=phrases.direction_asks(self.directions), when=ANY))
            panels.append(replace(self.directions.panel(), when=ANY))
            grips += only(ANY, [self.directions.grip()])
            captions.append(Caption(DIAL, list(enumerate(self.directions.captions())), ANY))
        fields = dict(zip(self.passes.columns, map(number, self.passes.x))) if self.words else {}
        return Scene(
            phrases.title,
            phrases.description,
            dials,
            panels,
            captions,
            self._links(),
            phrases.notice,
            fields,
            grips=grips,
        )

    def _grips(self) -> Iterator[Grip]:
        """The cotangent along the outputs, the tangent along the inputs, and the elements of the input."""
        across = [self.left + (j + 0.5) * self.w for j in range(-1, self.n)]
        down = [self.top + (i + 0.5) * self.h for i in range(-1, self.m + (self.m > 1))]
        v, t = [(8 + self.seed / 2, y) for y in down], [(x, 4 + self.h / 2) for x in across]
        yield Grip("v", "map", "The cotangent v", "pulls", v, "y", when=VJP)
        yield Grip("t", "map", "The tangent t", "pushes", t, "x", when=JVP)
        for x, name, value in zip(across[1:], self.passes.columns, self.passes.x) if self.words else ():
            spot = (x, self.over + self.h / 2)
            yield Grip(
                name, "map", name, at=spot, free={"x": Along.scrubbed(name, float(value), x)}, by="x", stays=True
            )

    def _map(self):
        marks = [*self._vectors(), *self._cells(), *self._covers(), *self._in_and_out(), *self._legend()]
        title = "Each tile: the largest entry of a block" if self.phrases.pooling else ""
        return Panel("map", title, self.width, self.height, marks, tokens=list(self._tokens()))

    def _tokens(self) -> Iterator[Mark]:
        """The numbers of a row go down to where it comes out, those of a column to the right."""
        for i, j in np.ndindex(self.m, self.n) if self.words else ():
            x, y = self.left + (j + 0.5) * self.w, self.top + (i + 0.5) * self.h + 4
            below, beside = (x, self._below + self.h / 2 + 4), (self._beside + self.w / 2, y)
            for dial, position, end, when in (("pulls", i + 1, below, VJP), ("pushes", j + 1, beside, JVP)):
                way = polyline([(x, y), end])
                going = Motion(dial, "along", COVERED, ARRIVED - COVERED, position, 0.0, 1.0, way)
                yield text(0, 0, number(self.tiles[i, j]), "tokentext", "middle", moves=[going], when=when)

    @property
    def _below(self):
        return self.top + self.m * self.h + self.gap

    @property
    def _beside(self):
        return self.left + self.n * self.w + self.gap

    def _vectors(self) -> Iterator[Mark]:
        """The input above, the output on the left, with their labels."""
        firsts = [self.passes.columns[block[0]] for block in self.columns]
        widest = max(width_of(name, 11, True) for name in firsts) + 4
        every = 1 if self.words else int(np.ceil(widest / self.w))
        inputs, outputs = self._grid(self.left, self.over), self._grid(self.label, self.top)
        yield inputs.before(0, self.left - 8, self.input, "name")
        for j, name in enumerate(firsts):
            if j % every == 0:
                yield inputs.over(j, self.over - 6, name, link=f"column {j}")
            yield from inputs.entry(0, j, self.x[j], "leaf", f"column {j}")
        yield text(self.label + self.w, self.top - 8, "output", "name", "end")
        for i, name in enumerate(self.phrases.row_names):
            yield outputs.before(i, self.label - 8, name, link=f"row {i}")
            yield from outputs.entry(i, 0, self.y[i], "op", f"row {i}")

    def _cells(self) -> Iterator[Mark]:
        yield self.grid.lines(self.m, self.n)
        for i, j in np.ndindex(self.m, self.n):
            link = f"cell {i} {j}" if self.words else f"row {i}"
            if self.words:
                yield self.grid.block(i, j, 1, 1, "row", link=link)
            yield from self.grid.tile(i, j, self.tiles[i, j], link)

    def _covers(self) -> Iterator[Mark]:
        """What is not computed yet; a cover draws back along its row or column."""
        right, bottom = self.left + self.n * self.w, self.top + self.m * self.h
        pulls, pushes = len(self.phrases.pulls), self.n + 1
        for i in range(self.m):
            gone = [k > i for k in range(pulls)]
            cover = self.grid.block(i, 0, 1, self.n, "area", when=VJP)
            x, width = [right if g else self.left for g in gone], [0.0 if g else right - self.left for g in gone]
            yield cover.following("pulls", x=x, width=width).moving("pulls", 0.0, COVERED, "x", "width")
        for j in range(self.n):
            gone = [k > j for k in range(pushes)]
            cover = self.grid.block(0, j, self.m, 1, "area", when=JVP)
            y, height = [bottom if g else self.top for g in gone], [0.0 if g else bottom - self.top for g in gone]
            yield cover.following("pushes", y=y, height=height).moving("pushes", 0.0, COVERED, "y", "height")

    def _in_and_out(self) -> Iterator[Mark]:
        """The cotangent and the row that it gives; the tangent and the column."""
        m, n = self.m, self.n
        seeds = replace(self._grid(8, self.top), w=self.seed, scale=1.0)
        tangents = replace(self._grid(self.left, 4), scale=1.0)
        below, beside = self._grid(self.left, self._below), self._grid(self._beside, self.top)
        sums = [1.0] if m > 1 else []
        yield from only(VJP, [seeds.lines(m, 1), below.lines(1, n)])
        yield from only({"mode": [1, 2]}, [tangents.lines(1, n), beside.lines(m, 1)])
        for i in range(m):
            yield from only(VJP, seeds.moving(i, 0, [None, *(float(i == k) for k in range(m)), *sums], "pulls"))
            yield from only(JVP, _arriving("pushes", beside.moving(i, 0, [None, *self.tiles[i]], "pushes")))
        for j in range(n):
            totals = [self.total[j]] if sums else []
            yield from only(VJP, _arriving("pulls", below.moving(0, j, [None, *self.tiles[:, j], *totals], "pulls")))
            yield from only(JVP, tangents.moving(0, j, [None, *(float(j == k) for k in range(n))], "pushes"))
        if self.directions:
            yield from only(ANY, self._any_direction(self.directions, tangents, beside))
        yield from self._names_of_passes(seeds, below, tangents, beside)
        yield from self._frames()

    def _any_direction(self, directions, tangents, beside):
        """A tangent with two elements that are not 0, and what comes out."""
        t = np.zeros((len(directions.tangents), self.n))
        t[:, directions.columns] = directions.tangents
        for j in range(self.n):
            yield from tangents.moving(0, j, t[:, j].tolist(), DIAL)
        for i, values in enumerate(self.tiles.astype(float) @ t.T):
            yield from beside.moving(i, 0, values.round(12).tolist(), DIAL)

    def _names_of_passes(self, seeds, below, tangents, beside):
        middle, row = self.left + self.n * self.w / 2, self.top + self.m * self.h / 2
        pushed = {"mode": [1, 2]}
        return [
            text(8, tangents.y + 18, "Pull: v goes in on the left, a row of J comes out below.", "note", when=VJP),
            text(8, below.y + 18, "Push: t goes in above, a column of J comes out on the right.", "note", when=JVP),
            seeds.over(0, self.top - 8, "v", "slope", when=VJP),
            below.before(0, self.left - 8, "vᵀJ", "slope", when=VJP),
            arrow_head(middle, below.y - 2, 0, 1, "backhead", when=VJP),
            tangents.before(0, self.left - 8, "tangent t", "forwardtext", when=pushed),
            beside.over(0, self.top - 8, "J t", "forwardtext", when=pushed),
            arrow_head(beside.x - 2, row, 1, 0, "head", when=pushed),
        ]

    def _frames(self) -> Iterator[Mark]:
        """What lights up: the row or column that this pass fills."""
        m, n, edge = self.m, self.n, 2
        x, y, width, height = self.left - edge, self.top - edge, self.w + 2 * edge, self.h + 2 * edge
        whole = m * self.h + 2 * edge
        seen, again = [(0, "hidden"), (1, "now")], [0] if m > 1 else []
        row = rect(x, y, n * self.w + 2 * edge, height, "backedge", when=VJP).varying("pulls", state=seen)
        rows, heights = [0, *range(m), *again], [height] * (m + 1) + [whole for _ in again]
        yield row.following("pulls", y=[y + i * self.h for i in rows], height=heights)
        column = rect(x, y, width, whole, "edge", when=JVP).varying("pushes", state=seen)
        yield column.following("pushes", x=[x + j * self.w for j in (0, *range(n))])

    def _legend(self):
        there = {"positive": self.tiles > 0, "negative": self.tiles < 0, "not finite": ~np.isfinite(self.tiles)}
        kinds = {kind: bool(tiles.any()) for kind, tiles in there.items()}
        return legend(self.height - 12, kinds, "stronger: larger")

    # ---- what it costs ----

    def _cost(self):
        done = [[0, *(int(block[-1]) + 1 for block in blocks)] for blocks in (self.rows, self.columns)]
        last = ["1 pull: the sum"] if self.m > 1 else []
        m, n = self.passes.matrix.shape
        pulls = self._bar(8, "reverse: pulls", "pulls", m, [*done[0], *(1 for _ in last)], "back", (VJP, JVP), last)
        pushes = self._bar(38, "forward: pushes", "pushes", n, done[1], "op", (JVP, VJP), [])
        return Panel("cost", "What the whole matrix costs", self.width, 64, [*pulls, *pushes])

    def _bar(self, y, kind, dial, count, done, role, modes, last) -> Iterator[Mark]:
        """How many passes are done out of `count`; in the other mode, how many would be needed."""
        most = max(self.passes.matrix.shape)
        unit, x = min(24.0, (self.width - 270) / most), 136
        when, otherwise = modes
        yield text(8, y + 12, kind, "name")
        yield rect(x, y, count * unit, 16, "area", 1)
        yield rect(x, y, 0, 16, role, 1, when=when).following(dial, width=[k * unit for k in done])
        if most <= MOST:
            for k in range(1, count):
                yield line(x + k * unit, y, x + k * unit, y + 16, "axis")
        at = x + 8 + count * unit
        said = [f"{k} of {count}" for k in done[: len(done) - len(last)]]
        yield text(at, y + 12, "", "value", when=when).following(dial, text=[*said, *last])
        yield text(at, y + 12, f"needs {count}", "value", when=otherwise)

    # ---- hover ----

    def _links(self):
        phrases, found = self.phrases, {}

        def add(name, tips, strip=(), **go):
            found[name] = Link(". ".join(tips), tips, strip, go)

        for i in range(self.m):
            add(f"row {i}", phrases.of_row(i, self.y[i]), heat(self.tiles[i : i + 1], columns=MOST), pulls=i + 1)
            for j in range(self.n if self.words else 0):
                add(f"cell {i} {j}", phrases.of_entry(i, j), pulls=i + 1, pushes=j + 1)
        for j in range(self.n):
            add(
                f"column {j}", phrases.of_column(j, self.x[j]), heat(self.tiles[:, j][None], columns=MOST), pushes=j + 1
            )
        return found


def _arriving(dial: str, marks: Iterator[Mark]) -> Iterator[Mark]:
    """Numbers that change when those that travel have arrived."""
    return (mark.moving(dial, ARRIVED, 0.0, "text", "opacity") for mark in marks)
