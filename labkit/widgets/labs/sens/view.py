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
SLIDE, TOP, SUM = 130.0, 84.0, 52.0  # px: of a track, above the first one, and of the sums below the last one
MOST_COLUMNS = 4  # of a row that is written number by number
LOOKS = (  # of each output: its arrow, the head, the knob, its words
    ("vector", "head", "bar", "forwardtext"),
    ("backvector", "backhead", "backbar", "slope"),
    ("inkvector", "inkhead", "inkhead", "name"),
)
RING, DIAMOND = 12.0, 7.0  # px: half of a ring, and of what is brought into it
TOLD, AIM, EXAMPLE = "told", "aim", "example"  # dials: whether it is told what comes back, what is looked for, seeds
SOON = 200.0  # ms of a step, in which what follows an example is where it is told to be
HIDDEN, SHOWN = {TOLD: [0]}, {TOLD: [1]}


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

    def parts(self, i: int, j: int) -> list[float]:
        """What output i adds to the gradient of input j, at each of its seeds."""
        slope = float(self.passes.matrix[i, j])
        with np.errstate(all="ignore"):
            return [seed * slope + 0.0 for seed in self.values]

    def of(self, i: int) -> dict[str, int]:
        """The dial of the seed of output i."""
        return {self.names[i]: len(self.values)}

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


SEED = "the seed goes in here: y.backward(seed); MindSpore: sens"


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
    marks = [text(8, 16, formula, "code"), text(8, 36, SEED, "note")]
    marks += across.below(TOP - 12, range(round(values[0]), round(values[-1]) + 1))
    grips = []
    marks += [text(x, TOP - 12, name, "tick", "middle") for x, name in cells]
    for i, (dial, words) in enumerate(zip(seeds.names, heads, strict=True)):
        y = TOP + (i + 0.5) * TRACK
        marks += _track(seeds, i, words, across, y)
        marks += _row(seeds, i, cells, y)
        spots = [(across(value), y) for value in values]
        grips.append(Grip(dial, "seeds", f"Seed of {p.rows[i]}", dial, spots, "x", bare=True))
    width = max(WIDTH, max(x for x, _ in cells) + 30)
    marks += _sums(seeds, cells, bottom, across.start, width)
    return Panel("seeds", "Drag a seed: the weight of an output", width, bottom + SUM, marks), grips


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
    bar = path([(zero, y), (zero, y)], stroke).following(dial, d=[[(zero, y), (x, y)] for x in places])
    yield bar.moving(EXAMPLE, 0.0, SOON, "d")
    yield circle(zero, y, 9, knob).following(dial, cx=places).moving(EXAMPLE, 0.0, SOON, "cx")
    yield text(across.end + 50, y + 4, "", "value", "end", link=f"row {i}").following(
        dial, text=[f"{number(v)} ×" for v in seeds.values]
    )


def _row(seeds, i, cells, y) -> Iterator[Mark]:
    row = seeds.passes.matrix[i]
    words = list(map(number, row)) if len(cells) == len(row) else [in_full(row, MOST_COLUMNS)]
    left, right = cells[0][0] - 23, cells[-1][0] + 23
    counts = ["" if seed else "dim" for seed in seeds.values]
    yield rect(left, y - 14, right - left, 28, "area", 5, link=f"row {i}").following(seeds.names[i], state=counts)
    for (x, _), said in zip(cells, words, strict=True):
        cell = text(x, y + 4, said, "value" if said != "0" else "note", "middle", link=f"row {i}")
        yield cell.following(seeds.names[i], state=counts)


def _sums(seeds, cells, y, left, width) -> Iterator[Mark]:
    """What comes back, below the rows that it is the sum of."""
    yield line(left, y + 6, width - 8, y + 6, "axis")
    if len(cells) != len(seeds.passes.columns):
        yield text(width - 10, y + 32, "their sum comes back: see the lines", "note", "end")
        return
    yield text(cells[0][0] - 31, y + 32, "their sum comes back", "name", "end")
    yield rect(cells[0][0] - 23, y + 14, cells[-1][0] - cells[0][0] + 46, 28, "back", 5)
    for j, (x, _) in enumerate(cells):
        yield from _summed(x, y + 32, "middle", seeds, j)


def _summed(x, y, anchor, seeds, j) -> Iterator[Mark]:
    """The gradient of input j as a number."""
    mark = text(x, y, "", "value", anchor)
    for i in range(len(seeds.names)):
        mark = mark.adding(seeds.of(i), text=map(part_of, seeds.parts(i, j)))
    yield from only(SHOWN, [mark])
    yield from only(HIDDEN, [text(x, y, "?", "value", anchor)])


# ---- the gradient ----


NUMBER = 24 + width_of("−0.888", 12, mono=True, bold=True)  # px: right of the lines


def across_of(seeds: Seeds, j: int) -> Axis:
    """The axis of the sums of input j, as far as they go."""
    left = 20 + max(width_of(name, 12.5, bold=True) for name in seeds.passes.columns)
    sums = seeds.sums[..., j]
    reach = float(np.abs(np.where(np.isfinite(sums), sums, 0.0)).max()) or 1.0
    return Axis(-reach, reach, left, max(WIDTH - NUMBER, left + 120))


def gradient_panel(seeds: Seeds, targets: Sequence[np.ndarray], hits: Sequence[np.ndarray]) -> Panel:
    """For each input a line: an arrow for each output, its seed times its slope, each from where the one before ends; a
    diamond at the sum; a ring where the sum of other seeds would stand: of one of `targets`, found where one of `hits` says."""
    p, (m, n) = seeds.passes, seeds.passes.matrix.shape
    row, ends = 44 + STEP * m, across_of(seeds, 0)
    width, bottom = max(WIDTH, ends.end + NUMBER), 8 + row * n
    marks = [line(ends(0.0), 2, ends(0.0), bottom, "grid")]
    for j, name in enumerate(p.columns):
        y, across = 8 + row * j + 22 + STEP * m, across_of(seeds, j)
        marks += [text(8, y + 4, name, "name"), line(across.start, y, across.end, y, "axis")]
        for k, place in enumerate(float(target[j]) for target in targets or [np.full(len(p.columns), np.nan)]):
            marks += only({AIM: [k]} if targets else {}, _ends(across, y, across(place)))
        for k, target in enumerate(targets):
            marks += only({AIM: [k]}, _aim(seeds, j, y, across, float(target[j])))
        arrows = [mark for i in range(m) for mark in _arrow(seeds, i, j, y - STEP * (m - i) - 9, across)]
        half = DIAMOND
        diamond = path(polygon([(0, -half), (half, 0), (0, half), (-half, 0)], across(0.0), y), "back")
        marks += only(SHOWN, [*arrows, _shifted(diamond, seeds, j, across, m)])
        marks += _summed(width - 10, y + 4, "end", seeds, j)
    for k, hit in enumerate(hits):
        marks += only({**SHOWN, AIM: [k]}, _found(seeds, hit, bottom + 36, width, k, len(hits)))
    title = "Drag seeds until each ◇ is in its ring" if targets else "The gradient: seed × row, tip to tail"
    return Panel("gradient", title, width, bottom + 50, marks)


def _ends(across, y, ring) -> Iterator[Mark]:
    """The numbers at both ends of a line, but where a ring stands."""
    for x, value, anchor in ((across.start, across.low, "start"), (across.end, across.high, "end")):
        if not abs(x - ring) < 3 * RING:
            yield text(x, y + 15, number(value), "tick", anchor)


def _found(seeds, hit, y, width, k, count) -> Iterator[Mark]:
    """What is said below the lines when all sums are in their rings, with what leads on to the next ones."""
    key, last = key_of(seeds.joint), k + 1 == count
    words = f"✓ {count} of {count} found" if last else f"✓ {k + 1} of {count} found. Click for the next"
    wide = width_of(words, 15, bold=True) + 40
    box = rect((width - wide) / 2, y - 20, wide, 30, "kept", 8, link=f"aim {(k + 1) % count}")
    said = text(width / 2, y, words, "verdict", "middle", link=f"aim {(k + 1) % count}")
    for mark in (box, said):
        yield mark.varying(key, state=seeds.told(hit, "", "hidden"))


def _far(seeds, i, j, across) -> list[float]:
    """How many px output i adds, at each of its seeds."""
    px = across(1.0) - across(0.0)
    return [px * part if np.isfinite(part) else 0.0 for part in seeds.parts(i, j)]


def _shifted(mark, seeds, j, across, count) -> Mark:
    """A path that goes along with what the first outputs add, soon, for the numbers beside it are told at once."""
    spots = mark.at["d"].count("L") + 1
    for i in range(count):
        mark = mark.adding(seeds.of(i), d=[[round(far, 2), 0] * spots for far in _far(seeds, i, j, across)])
    return mark.moving(EXAMPLE, 0.0, SOON, "d")


def _arrow(seeds, i, j, y, across) -> Iterator[Mark]:
    """What output i adds: from the sum before to the sum after."""
    stroke, head, *_ = look(i)
    zero, fars = across(0.0), _far(seeds, i, j, across)
    line_ = path([(zero, y), (zero, y)], stroke).adding(seeds.of(i), d=[[0, 0, round(far, 2), 0] for far in fars])
    tip = path(polygon([(0, 0)] * 3, zero, y), head).adding(seeds.of(i), d=list(map(_head, fars)))
    for mark in (line_, tip):
        yield _shifted(mark, seeds, j, across, i)


def _head(far: float) -> list[float]:
    """The head of an arrow along a line, no longer than the arrow: what its corners have to be moved by."""
    size = min(HEAD, abs(far))
    back = far - (size if far >= 0 else -size)
    return [round(n, 2) for n in (far, 0, back, -size * 0.6, back, size * 0.6)]


def reached(seeds: Seeds, across: Axis, j: int, target: float) -> np.ndarray:
    """Whether the sum of input j is seen inside of its ring, at each place of the dials of all seeds."""
    return np.abs(seeds.sums[..., j] - target) * (across(1.0) - across(0.0)) <= RING - DIAMOND


def _aim(seeds, j, y, across, target) -> Iterator[Mark]:
    """A ring, lit where the sum is in it, and the number that is looked for."""
    counts = [i for i, slope in enumerate(seeds.passes.matrix[:, j]) if slope] or [0]  # the others do not move it
    there = reached(seeds, across, j, target)[tuple(slice(None) if i in counts else 0 for i in range(len(seeds.names)))]
    key, aim = key_of({seeds.names[i]: len(seeds.values) for i in counts}), f"aim {number(target)}"
    ring, said = circle(across(target), y, RING, "before"), text(across(target), y + 27, aim, "note", "middle")
    yield from only(HIDDEN, (ring, said))
    lit = ring.varying(key, state=seeds.told(there, "lit", ""))
    yield from only(SHOWN, (lit, said.varying(key, text=seeds.told(there, f"✓ {aim}", aim))))
