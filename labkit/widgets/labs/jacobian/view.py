"""How a Jacobian is drawn: the input and the output around its tiles, what is taken hold of, and what is said."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...kit.grips import Along, Grip
from ...kit.heat import legend
from ...kit.scene import Caption, Dial, Link, Mark, Panel, Scene, only, text, width_of
from ...kit.words import clipped, heat, number
from .layout import ANY, JVP, MOST, SUM, VJP, Layout
from .passing import bands, covers, in_and_out, rail, tokens

MODES = ("row by row: vjp", "column by column: jvp", "any t: jvp", "any v: vjp")
PACE, MOST_WRITTEN = 2200.0, 62  # ms of a pass; letters of a function
BELOW = 8.0  # px: from a number to the sign that it is dragged
PULLED, PUSHED = {"mode": [0, 3]}, {"mode": [1, 2]}


@dataclass
class Drawing(Layout):
    """A Jacobian as a scene."""

    def scene(self) -> Scene:
        """The picture, before any pass; a still one shows the whole matrix."""
        phrases = self.phrases
        over = replace(self, pushed=True)
        dials = [
            Dial("mode", "Build the matrix", MODES[: 4 if self.directions else 2], "choice",
                 shows={"pulls": self.m, "pushes": self.n}),
            Dial("pulls", "Pulls", phrases.pulls, asks=phrases.pull_asks(), when=VJP, rests=self.m, pace=PACE),
            Dial("pushes", "Pushes", phrases.pushes, asks=phrases.push_asks(), when=JVP, rests=self.n, pace=PACE),
        ]  # fmt: skip
        captions = [Caption("pulls", phrases.pull_captions(), VJP), Caption("pushes", phrases.push_captions(), JVP)]
        room = {
            "width": max(self.width, over.width),
            "height": max(self.height, over.height),
        }  # whichever of both is seen
        if self.written:
            room = {"width": max(room["width"], width_of(self.written, 12, True) + 12), "height": room["height"] + 20}
        maps = (self._map(), PULLED), (over._map(), PUSHED)
        panels = [replace(panel, when=when, **room) for panel, when in maps]
        grips = [*self._grips(), *over._grips()]
        for found, when in ((over.directions, ANY), (self.directions, SUM)):
            if found:
                asks = {} if found.back else phrases.direction_asks(found)
                dials.append(Dial(found.dial, f"Direction of {found.letter}", found.values(), asks=asks, when=when))
                panels.append(replace(found.panel(), when=when))
                grips += only(when, [found.grip()])
                captions.append(Caption(found.dial, list(enumerate(found.captions())), when))
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

    @property
    def written(self) -> str:
        """The function as it is written, where that is short."""
        name = self.passes.rows[0].partition("[")[0]
        return clipped(f"{name} = {self.passes.formula}", MOST_WRITTEN) if self.passes.formula else ""

    @property
    def _panel(self):
        return "pushed" if self.pushed else "map"

    def _grips(self) -> Iterator[Grip]:
        """The cotangent down the outputs or the tangent along the inputs, also by the matrix; and the elements of the input."""
        across = [self.left + (j + 0.5) * self.w for j in range(self.n)]
        matrix = (self.left, self.top, self.right - self.left, self.bottom - self.top)
        if self.pushed:
            yield Grip("t", "pushed", "The tangent t", "pushes", self.stops, "x", when=JVP, area=matrix)
        else:
            yield Grip("v", "map", "The cotangent v", "pulls", self.stops, "y", when=VJP, area=matrix)
        given = zip(across, self.passes.columns, self.passes.x) if self.words else ()
        for x, name, value in ((x, name, value) for x, name, value in given if np.isfinite(value)):
            spot, free = (x, self.over + self.h / 2 + BELOW), {"x": Along.scrubbed(name, float(value), x)}
            when = PUSHED if self.pushed else PULLED
            yield Grip(f"{self._panel} {name}", self._panel, name, at=spot, free=free, by="x", stays=True, when=when)

    # ---- the map ----

    def _map(self):
        marks = [
            *bands(self),
            *rail(self),
            *self._vectors(),
            *self._cells(),
            *covers(self),
            *in_and_out(self),
            *self._legend(),
        ]
        title = "One push, one column: J t" if self.pushed else "One pull, one row: vᵀJ"
        if self.phrases.pooling:
            title += "; a tile is the largest of a block"
        return Panel(self._panel, title, self.width, self.height, marks, tokens=list(tokens(self)))

    def _vectors(self) -> Iterator[Mark]:
        """The input above, the output on the left, with their labels."""
        firsts = [self.passes.columns[block[0]] for block in self.columns]
        widest = max(width_of(name, 11, True) for name in firsts) + 4
        every = 1 if self.words else int(np.ceil(widest / self.w))
        inputs, outputs = self.grid(self.left, self.over), self.grid(self.label, self.top)
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
        matrix = self.grid(self.left, self.top)
        yield matrix.lines(self.m, self.n)
        for (i, j), value in np.ndenumerate(self.tiles):
            link = f"cell {i} {j}" if self.words else f"row {i}"
            if self.words:
                yield matrix.block(i, j, 1, 1, "row", link=link)
            yield from matrix.tile(i, j, value, link)

    def _legend(self):
        there = {"positive": self.tiles > 0, "negative": self.tiles < 0, "not finite": ~np.isfinite(self.tiles)}
        kinds = {kind: bool(tiles.any()) for kind, tiles in there.items()}
        yield from legend(self.height - 12, kinds, "stronger colour: larger")
        if self.written:
            yield text(8, self.height + 12, self.written, "code")

    # ---- hover ----

    def _links(self):
        phrases, found = self.phrases, {}

        def add(name, tips, strip=(), **go):
            found[name] = Link(". ".join(tips), tips, strip, go)

        for i in range(self.m):
            add(f"row {i}", phrases.of_row(i, self.y[i]), heat(self.tiles[i : i + 1], columns=MOST), pulls=i + 1)
            for j in range(self.n if self.words else 0):
                add(f"cell {i} {j}", phrases.of_entry(i, j), pulls=i + 1, pushes=j + 1)
        if self.m > 1:
            add("ones", phrases.of_ones(), pulls=self.m + 1)
        for j in range(self.n):
            add(
                f"column {j}", phrases.of_column(j, self.x[j]), heat(self.tiles[:, j][None], columns=MOST), pushes=j + 1
            )
        return found
