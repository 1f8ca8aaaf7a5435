"""How the sens dial looks: for each output a track for its seed beside its row of the Jacobian, and for each input a line on
which seed times row is added up."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...kit.adding import part_of
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.joint import key_of
from ...kit.passes import Passes
from ...kit.scene import Changes, Mark, Panel, circle, line, only, path, rect, text, width_of
from ...kit.strokes import polygon
from ...kit.words import in_full, number

WIDTH, TRACK, STEP, HEAD = 396.0, 44.0, 12.0, 9.0  # px: of a panel, a track, from arrow to arrow, and an arrow's head
SLIDE, TOP, SUM = 130.0, 66.0, 52.0  # px: of a track, above the first one, and of the sums below the last one
MOST_COLUMNS = 4  # of a row that is written number by number
LOOKS = (  # of each output: its arrow, the head, the knob, its words
    ("vector", "head", "bar", "forwardtext"),
    ("backvector", "backhead", "backbar", "slope"),
    ("inkvector", "inkhead", "inkhead", "name"),
)
ADDED = "added"  # the dial of how many rows are added


@dataclass
class Seeds:
    """The seeds that outputs can have, `values`, each with a dial of its own, and what they add to the gradient."""

    passes: Passes
    values: Sequence[float]
    names: list[str] = field(init=False)

    def __post_init__(self):
        self.names = [f"seed{i}" for i in range(len(self.passes.matrix))]

    @property
    def joint(self) -> dict[str, int]:
        """The dials of all seeds."""
        return dict.fromkeys(self.names, len(self.values))

    def sizes(self, i: int) -> dict[str, int]:
        """The dials of the seed of output i and of how many rows are added."""
        return {self.names[i]: len(self.values), ADDED: len(self.names) + 1}

    def parts(self, i: int, j: int) -> list[float]:
        """What output i adds to the gradient of input j, at each place of `sizes`."""
        slope, rows = float(self.passes.matrix[i, j]), len(self.names)
        with np.errstate(all="ignore"):
            return [seed * slope + 0.0 if added > i else 0.0 for seed in self.values for added in range(rows + 1)]

    @cached_property
    def sums(self) -> np.ndarray:
        """The gradient of each input, at each place of `joint`, first the axes of the dials."""
        seeds = np.meshgrid(*[self.values] * len(self.names), indexing="ij")
        with np.errstate(all="ignore"):
            return (
                sum(seed[..., None] * row for seed, row in zip(seeds, self.passes.matrix.astype(float), strict=True))
                + 0.0
            )

    def told(self, holds: np.ndarray, yes: str, no: str) -> Changes:
        """Words where something holds, others elsewhere: an array like one of `sums`, as changes along `joint`."""
        flat = holds.reshape(-1)
        turns = [0, *(np.flatnonzero(flat[1:] != flat[:-1]) + 1).tolist()]
        return [(at, yes if flat[at] else no) for at in turns]


def look(i: int) -> tuple[str, str, str, str]:
    """How the i-th output is drawn."""
    return LOOKS[i % len(LOOKS)]


# ---- the seeds ----


def seeds_panel(seeds: Seeds, formula: str) -> tuple[Panel, list[Grip]]:
    """The function; a track for each seed, whose knob is dragged; beside it the row that it multiplies, and below the sums."""
    p, values = seeds.passes, seeds.values
    heads = [f"{name} = {number(y)}" for name, y in zip(p.rows, p.y, strict=True)]
    left = 26 + max(width_of(words, 12, bold=True) for words in heads)
    across = Axis(values[0], values[-1], left, left + SLIDE)
    cells = _columns(seeds, across.end + 56)
    bottom = TOP + TRACK * len(heads)
    marks, grips = (
        [text(8, 16, formula, "code"), *across.below(TOP - 12, range(round(values[0]), round(values[-1]) + 1))],
        [],
    )
    marks += [text(x, TOP - 12, name, "tick", "middle") for x, name in cells]
    for i, (dial, words) in enumerate(zip(seeds.names, heads, strict=True)):
        y = TOP + (i + 0.5) * TRACK
        marks += _track(seeds, i, words, across, y)
        marks += _row(seeds, i, cells, y)
        spots = [(across(value), y) for value in values]
        grips.append(Grip(dial, "seeds", f"Seed of {p.rows[i]}", dial, spots, "x", bare=True))
    width = max(WIDTH, max(x for x, _ in cells) + 30)
    marks += _sums(seeds, cells, bottom, across.start, width)
    return Panel("seeds", "Drag each seed: its row counts that many times", width, bottom + SUM, marks), grips


def _columns(seeds, start) -> list[tuple[float, str]]:
    """The middle of each column of the Jacobian and its name; of many one for whole rows."""
    names, matrix = seeds.passes.columns, seeds.passes.matrix
    if len(names) > MOST_COLUMNS:
        wide = max(width_of(in_full(row, MOST_COLUMNS), 12, mono=True) for row in matrix)
        return [(start + wide / 2, "its row")]
    finite = np.abs(np.where(np.isfinite(matrix), matrix, 0)).max(0) * 6.66
    wides = [
        max(40.0, width_of(name, 11, True) + 8, width_of(f"−{number(top)}", 12, True) + 14)
        for name, top in zip(names, finite)
    ]
    return [(start + sum(wides[:j]) + wides[j] / 2, name) for j, name in enumerate(names)]


def _track(seeds, i, words, across, y) -> Iterator[Mark]:
    stroke, _, knob, role = look(i)
    dial, zero, places = seeds.names[i], across(0.0), [across(value) for value in seeds.values]
    yield text(8, y + 4, words, role, link=f"row {i}")
    yield line(across.start, y, across.end, y, "axis")
    yield line(zero, y - 8, zero, y + 8, "axis")
    yield path([(zero, y), (zero, y)], stroke).following(dial, d=[[(zero, y), (x, y)] for x in places])
    yield circle(zero, y, 9, knob).following(dial, cx=places)
    yield text(across.end + 50, y + 4, "", "value", "end", link=f"row {i}").following(
        dial, text=[f"{number(v)} ×" for v in seeds.values]
    )


def _row(seeds, i, cells, y) -> Iterator[Mark]:
    row = seeds.passes.matrix[i]
    words = list(map(number, row)) if len(cells) == len(row) else [in_full(row, MOST_COLUMNS)]
    left, right = cells[0][0] - 23, cells[-1][0] + 23
    lit = [(0, ""), (i + 1, "lit"), (i + 2, "")]
    yield rect(left, y - 14, right - left, 28, "area", 5, link=f"row {i}").varying(ADDED, state=lit)
    for (x, _), said in zip(cells, words, strict=True):
        yield text(x, y + 4, said, "value" if said != "0" else "note", "middle", link=f"row {i}")


def _sums(seeds, cells, y, left, width) -> Iterator[Mark]:
    """What comes back, below the rows that it is the sum of."""
    yield line(left, y + 6, width - 8, y + 6, "axis")
    if len(cells) != len(seeds.passes.columns):
        yield text(width - 10, y + 32, "their sum comes back: see the lines", "note", "end")
        return
    yield text(cells[0][0] - 31, y + 32, "their sum comes back", "name", "end")
    yield rect(cells[0][0] - 23, y + 14, cells[-1][0] - cells[0][0] + 46, 28, "back", 5)
    for j, (x, _) in enumerate(cells):
        yield _summed(text(x, y + 32, "", "value", "middle"), seeds, j)


def _summed(mark, seeds, j) -> Mark:
    """A text that is the gradient of input j, as far as rows are added."""
    for i in range(len(seeds.names)):
        mark = mark.adding(seeds.sizes(i), text=map(part_of, seeds.parts(i, j)))
    return mark


# ---- the gradient ----


def gradient_panel(seeds: Seeds, target: np.ndarray | None) -> Panel:
    """For each input a line: an arrow for each output, its seed times its slope, each from where the one before ends; a
    diamond at the sum; a ring where the sum of other seeds would stand."""
    p, (m, n) = seeds.passes, seeds.passes.matrix.shape
    left = 20 + max(width_of(name, 12.5, bold=True) for name in p.columns)
    right = WIDTH - 24 - width_of("−0.888", 12, mono=True, bold=True)
    finite = np.where(np.isfinite(seeds.sums), seeds.sums, 0.0)
    reach = float(np.abs(finite).max()) or 1.0
    across = Axis(-reach, reach, left, max(right, left + 120))
    row = 44 + STEP * m
    width, bottom = max(WIDTH, across.end + WIDTH - right), 8 + row * n
    marks = [line(across(0.0), 2, across(0.0), bottom, "grid")]
    for j, name in enumerate(p.columns):
        y = 8 + row * j + 22 + STEP * m
        marks += [text(8, y + 4, name, "name"), line(across.start, y, across.end, y, "axis")]
        for i in range(m):
            marks += _arrow(seeds, i, j, y - STEP * (m - i) - 9, across)
        if target is not None:
            marks += _aim(seeds, j, y, across(float(target[j])), float(target[j]))
        diamond = path(polygon([(0, -8), (8, 0), (0, 8), (-8, 0)], across(0.0), y), "back")
        marks += [
            _shifted(diamond, seeds, j, across, m),
            _summed(text(width - 10, y + 4, "", "value", "end"), seeds, j),
        ]
    marks += across.below(bottom + 22, across.ticks(5))
    title = "Seed × row, tip to tail" if target is None else "Tip to tail: bring each ◇ into its ring"
    return Panel("gradient", title, width, bottom + 28, marks)


def _far(seeds, i, j, across) -> list[float]:
    """How many px output i adds, at each place of its dials."""
    px = across(1.0) - across(0.0)
    return [px * part if np.isfinite(part) else 0.0 for part in seeds.parts(i, j)]


def _shifted(mark, seeds, j, across, count) -> Mark:
    """A path that goes along with what the first outputs add."""
    spots = mark.at["d"].count("L") + 1
    for i in range(count):
        mark = mark.adding(seeds.sizes(i), d=[[round(far, 2), 0] * spots for far in _far(seeds, i, j, across)])
    return mark


def _arrow(seeds, i, j, y, across) -> Iterator[Mark]:
    """What output i adds, once its row is added: from the sum before to the sum after."""
    stroke, head, *_ = look(i)
    zero, fars = across(0.0), _far(seeds, i, j, across)
    line_ = path([(zero, y), (zero, y)], stroke).adding(seeds.sizes(i), d=[[0, 0, round(far, 2), 0] for far in fars])
    tip = path(polygon([(0, 0)] * 3, zero, y), head).adding(seeds.sizes(i), d=list(map(_head, fars)))
    for mark in (line_, tip):
        yield _shifted(mark, seeds, j, across, i)


def _head(far: float) -> list[float]:
    """The head of an arrow along a line, no longer than the arrow: what its corners have to be moved by."""
    size = min(HEAD, abs(far))
    back = far - (size if far >= 0 else -size)
    return [round(n, 2) for n in (far, 0, back, -size * 0.6, back, size * 0.6)]


def _aim(seeds, j, y, x, target) -> Iterator[Mark]:
    """A ring, lit once all rows are added and the sum is there, and the number that is looked for."""
    there, rows = np.isclose(seeds.sums[..., j], target, rtol=1e-5), len(seeds.names)
    key, aim = key_of(seeds.joint), f"aim {number(target)}"
    ring, said = circle(x, y, 13, "before"), text(x, y + 27, aim, "note", "middle")
    yield from only({ADDED: list(range(rows))}, (ring, said))
    lit = ring.varying(key, state=seeds.told(there, "lit", ""))
    yield from only({ADDED: [rows]}, (lit, said.varying(key, text=seeds.told(there, f"✓ {number(target)}", aim))))
