"""The Jacobian of a function as a heat map that is built one pull (a row) or one push (a column) at a time."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...kit.heat import Grid, pooled
from ...kit.passes import Passes, passes
from ...kit.picture import Picture
from ...kit.scene import Caption, Dial, Link, Mark, Panel, Scene, arrow_head, changes, line, rect, text, width_of
from ...kit.words import heat, number
from .words import JacobianWords

MODES = ("row by row: vjp", "column by column: jvp")
MOST, MOST_WITH_NUMBERS = 40, (14, 10)  # rows and columns that are drawn one by one; those with their numbers
VJP, JVP = {"mode": [0]}, {"mode": [1]}


class JacobianMap(Picture):
    """The Jacobian of `fn` at `args`: output elements as rows, input elements as columns.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module. `argnum`: the argument to differentiate
    by, a position or a name (a parameter's name, for a network). Dials: "mode", "pulls", "pushes". Up to 40 rows and
    columns are drawn one by one; a larger Jacobian is pooled. Raises TypeError for what is not numeric, IndexError for
    an unknown argument, ValueError for an empty input or output or more than 4 million entries.

    >>> picture = JacobianMap(lambda x: x**2, np.array([1.0, 3.0]))
    >>> picture.matrix
    array([[2., 0.],
           [0., 6.]])
    """

    def __init__(self, fn: Callable, *args: Any, argnum: int | str = 0):
        self.passes = passes(fn, args, argnum)
        super().__init__(_Drawing(self.passes).scene())

    @property
    def matrix(self) -> np.ndarray:
        """The Jacobian, outputs by inputs, both flattened."""
        return self.passes.matrix


@dataclass
class _Drawing:
    """Where everything stands, in px: the input above the matrix, the output left of it; what a pass takes in stands
    beyond them (a tangent above, a cotangent on the left), what it gives on the other side of the matrix."""

    passes: Passes

    def __post_init__(self):
        m, n = self.passes.matrix.shape
        self.rows = np.array_split(np.arange(m), min(m, MOST))
        self.columns = np.array_split(np.arange(n), min(n, MOST))
        self.phrases = JacobianWords(self.passes, self.rows, self.columns)
        self.shown = pooled(self.passes.matrix, self.rows, self.columns)
        self.total = pooled(self.passes.total[None], [np.arange(1)], self.columns)[0]
        self.x = pooled(self.passes.x[None], [np.arange(1)], self.columns)[0]
        self.y = pooled(self.passes.y[None], [np.arange(1)], self.rows)[0]
        self.m, self.n = self.shown.shape
        self._measure()
        finite = np.abs(np.concatenate([self.shown.ravel(), self.total]))
        finite = finite[np.isfinite(finite)]
        scale = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
        self.grid = Grid(self.left, self.top, self.w, self.h, self.words, scale)

    def _measure(self):
        numbers = [*self.shown.flat, *self.total, *self.x, *self.y]
        wide = max(42.0, 8 + max(width_of(s, 12, True) for s in [*map(number, numbers), *self.phrases.column_names]))
        self.words = self.m <= MOST_WITH_NUMBERS[0] and self.n <= MOST_WITH_NUMBERS[1] and self.n * wide <= 680
        small = max(14.0, min(22.0, 480 / max(self.m, self.n)))
        self.w, self.h, self.seed, self.gap = (wide, 28.0, 28.0, 14.0) if self.words else (small, small, small, 22.0)
        self.input = f"input {self.passes.input_name}"
        labels = 22 + self.seed + max(width_of(s, 11, True) for s in self.phrases.row_names)
        self.label = max(labels, 16 + width_of(self.input, 12.5) - self.w - self.gap)
        self.left = self.label + self.w + self.gap
        self.over = 24 + max(self.h, 20)
        self.top = self.over + self.h + self.gap
        self.height = self.top + (self.m + 1) * self.h + 2 * self.gap + 20
        self.width = max(self.left + self.n * self.w + self.gap + self.w + 10, 420)

    # ---- the scene ----

    def scene(self) -> Scene:
        phrases = self.phrases
        dials = [
            Dial("mode", "Build the matrix", MODES, "choice"),
            Dial("pulls", "Pulls", phrases.pulls, start=self.m, asks=phrases.pull_asks(), when=VJP),
            Dial("pushes", "Pushes", phrases.pushes, start=self.n, asks=phrases.push_asks(), when=JVP),
        ]
        return Scene(
            phrases.title,
            phrases.description,
            dials,
            [self._map(), self._cost()],
            [Caption("pulls", phrases.pull_captions(), VJP), Caption("pushes", phrases.push_captions(), JVP)],
            self._links(),
            phrases.notice,
        )

    def _map(self):
        marks = [*self._vectors(), *self._cells(), *self._covers(), *self._in_and_out(), *self._legend()]
        title = "Each tile: the largest entry of a block" if self.phrases.pooling else ""
        return Panel("map", title, self.width, self.height, marks)

    def _vectors(self):
        """The input above, the output on the left, with their labels."""
        firsts = [self.passes.columns[block[0]] for block in self.columns]
        widest = max(width_of(name, 11, True) for name in firsts) + 4
        every = 1 if self.words else int(np.ceil(widest / self.w))
        marks = [text(self.left - 8, self.over + self.h / 2 + 4, self.input, "name", "end")]
        for j, name in enumerate(firsts):
            link = self._link("column", j)
            if j % every == 0:
                marks.append(text(self.left + (j + 0.5) * self.w, self.over - 6, name, "tick", "middle", link=link))
            marks += self._entry(self.left + j * self.w, self.over, self.x[j], "leaf", link)
        marks.append(text(self.label + self.w, self.top - 8, "output", "name", "end"))
        for i, name in enumerate(self.phrases.row_names):
            y, link = self.top + i * self.h, self._link("row", i)
            marks.append(text(self.label - 8, y + self.h / 2 + 4, name, "tick", "end", link=link))
            marks += self._entry(self.label, y, self.y[i], "op", link)
        return marks

    def _entry(self, x, y, value, role, link):
        """An element of the input or output."""
        inset = 1.0
        round_ = (self.h - 2 * inset) / 2 if role == "leaf" else 2
        marks = [rect(x + inset, y + inset, self.w - 2 * inset, self.h - 2 * inset, role, round_, link=link)]
        if self.words:
            marks.append(text(x + self.w / 2, y + self.h / 2 + 4, number(value), "value", "middle", link=link))
        return marks

    def _cells(self):
        marks = [self.grid.lines(self.m, self.n)]
        for i in range(self.m):
            for j in range(self.n):
                link = self._link("cell", i, j) if self.words else self._link("row", i)
                if self.words:
                    marks.append(self.grid.block(i, j, 1, 1, "row", link=link))
                marks += self.grid.tile(i, j, self.shown[i, j], link)
        return marks

    def _covers(self):
        """What is not computed yet."""
        for i in range(self.m):
            yield self.grid.block(i, 0, 1, self.n, "area", when=VJP, vary={"pulls": {"state": [(i + 1, "hidden")]}})
        for j in range(self.n):
            yield self.grid.block(0, j, self.m, 1, "area", when=JVP, vary={"pushes": {"state": [(j + 1, "hidden")]}})

    def _in_and_out(self):
        """The cotangent and the row that it gives; the tangent and the column."""
        m, n, gap, grid = self.m, self.n, self.gap, self.grid
        seeds = Grid(8, self.top, self.seed, self.h, self.words, 1.0)
        below = Grid(self.left, self.top + m * self.h + gap, self.w, self.h, self.words, grid.scale)
        tangents = Grid(self.left, 4, self.w, self.h, self.words, 1.0)
        beside = Grid(self.left + n * self.w + gap, self.top, self.w, self.h, self.words, grid.scale)
        sums = [1.0] if m > 1 else []
        marks = [seeds.lines(m, 1, when=VJP), below.lines(1, n, when=VJP)]
        marks += [tangents.lines(1, n, when=JVP), beside.lines(m, 1, when=JVP)]
        for i in range(m):
            marks += seeds.moving(i, 0, [None, *(float(i == k) for k in range(m)), *sums], "pulls", VJP)
            marks += beside.moving(i, 0, [None, *self.shown[i]], "pushes", JVP)
        for j in range(n):
            marks += below.moving(
                0, j, [None, *self.shown[:, j], *(self.total[j : j + 1] if sums else [])], "pulls", VJP
            )
            marks += tangents.moving(0, j, [None, *(float(j == k) for k in range(n))], "pushes", JVP)
        marks += self._names_of_passes(seeds, below, tangents, beside)
        return marks + self._frames()

    def _names_of_passes(self, seeds, below, tangents, beside):
        middle, row = self.left + self.n * self.w / 2, self.top + self.m * self.h / 2
        return [
            text(8, tangents.y + 18, "Pull: v goes in on the left, a row of J comes out below.", "note", when=VJP),
            text(8, below.y + 18, "Push: t goes in above, a column of J comes out on the right.", "note", when=JVP),
            text(seeds.x + self.seed / 2, self.top - 8, "v", "slope", "middle", when=VJP),
            text(self.left - 8, below.y + self.h / 2 + 4, "vᵀJ", "slope", "end", when=VJP),
            arrow_head(middle, below.y - 2, 0, 1, "backhead", when=VJP),
            text(self.left - 8, tangents.y + self.h / 2 + 4, "tangent t", "forwardtext", "end", when=JVP),
            text(beside.x + self.w / 2, self.top - 8, "J t", "forwardtext", "middle", when=JVP),
            arrow_head(beside.x - 2, row, 1, 0, "head", when=JVP),
        ]

    def _frames(self):
        """What lights up: the row or column that this pass fills."""
        m, n, edge = self.m, self.n, 2
        g = replace(self.grid, x=self.left - edge, y=self.top - edge)
        rows, columns = [0, *range(m), *([0] if m > 1 else [])], [0, *range(n)]
        tall = [(0, g.h + 2 * edge), *([(m + 1, m * g.h + 2 * edge)] if m > 1 else [])]
        states = {"state": [(0, "hidden"), (1, "now")]}
        around_row = {"pulls": {**states, "y": changes(g.cell(i, 0)[1] for i in rows), "height": tall}}
        around_column = {"pushes": {**states, "x": changes(g.cell(0, j)[0] for j in columns)}}
        return [
            rect(g.x, g.y, n * g.w + 2 * edge, g.h + 2 * edge, "backedge", when=VJP, vary=around_row),
            rect(g.x, g.y, g.w + 2 * edge, m * g.h + 2 * edge, "edge", when=JVP, vary=around_column),
        ]

    def _legend(self):
        y = self.height - 12
        words = [("bar", 1, "positive"), ("backbar", 6, "negative"), ("bad", 1, "not finite")]
        kinds = [(self.shown > 0).any(), (self.shown < 0).any(), not np.isfinite(self.shown).all()]
        marks: list[Mark] = []
        x = 8.0
        for (role, r, name), there in zip(words, kinds, strict=True):
            if there:
                marks += [rect(x, y - 10, 12, 12, role, r), text(x + 17, y, name, "note")]
                x += 17 + width_of(name, 11.5) + 14
        return [*marks, text(x, y, "stronger: larger", "note")]

    # ---- what it costs ----

    def _cost(self):
        m, n = self.passes.matrix.shape
        done = [0, *(int(block[-1]) + 1 for block in self.rows), *([1] if m > 1 else [])]
        pulls = self._bar(8, "reverse: pulls", "pulls", m, done, "back", VJP, JVP)
        pushes = self._bar(
            38, "forward: pushes", "pushes", n, [0, *(int(b[-1]) + 1 for b in self.columns)], "op", JVP, VJP
        )
        return Panel("cost", "What the whole matrix costs", self.width, 64, [*pulls, *pushes])

    def _bar(self, y, kind, dial, count, done, role, when, otherwise):
        """How many passes are done out of `count`; in the other mode, how many would be needed."""
        most = max(self.passes.matrix.shape)
        unit, x = min(24.0, (self.width - 270) / most), 136
        widths = {dial: {"width": changes(round(k * unit, 1) for k in done)}}
        said = {dial: {"text": changes(f"{k} of {count}" for k in done)}}
        if dial == "pulls" and count > 1:
            said[dial]["text"][-1] = len(done) - 1, "1 pull: the sum"
        marks = [text(8, y + 12, kind, "name"), rect(x, y, count * unit, 16, "area", 1)]
        marks.append(rect(x, y, 0, 16, role, 1, when=when, vary=widths))
        if most <= MOST:
            marks += [line(x + k * unit, y, x + k * unit, y + 16, "axis") for k in range(1, count)]
        at = x + 8 + count * unit
        marks.append(text(at, y + 12, "", "value", when=when, vary=said))
        return [*marks, text(at, y + 12, f"needs {count}", "value", when=otherwise)]

    # ---- hover ----

    def _link(self, kind, *place):
        return f"{kind} {' '.join(map(str, place))}"

    def _links(self):
        phrases, found = self.phrases, {}
        for i in range(self.m):
            tips = phrases.of_row(i, self.y[i])
            found[self._link("row", i)] = Link(
                ". ".join(tips), tips, heat(self.shown[i : i + 1], columns=MOST), {"pulls": i + 1}
            )
            for j in range(self.n if self.words else 0):
                tips = phrases.of_entry(i, j)
                found[self._link("cell", i, j)] = Link(". ".join(tips), tips, go={"pulls": i + 1, "pushes": j + 1})
        for j in range(self.n):
            tips = phrases.of_column(j, self.x[j])
            strip = heat(self.shown[:, j][None], columns=MOST)
            found[self._link("column", j)] = Link(". ".join(tips), tips, strip, {"pushes": j + 1})
        return found
