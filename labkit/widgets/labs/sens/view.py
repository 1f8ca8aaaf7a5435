"""How the sens dial looks: a track for the seed of each output, and for each input a line on which seed times row is added up."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.passes import Passes
from ...kit.scene import Mark, Panel, circle, line, path, text, width_of
from ...kit.strokes import Point, polygon
from ...kit.words import in_full, number

WIDTH, TRACK, STEP, HEAD = 440.0, 46.0, 10.0, 8.0  # px: of a panel, a track, from arrow to arrow, and an arrow's head
LOOKS = (  # of each output: its arrow, the head, the knob, its words
    ("vector", "head", "bar", "forwardtext"),
    ("backvector", "backhead", "backbar", "slope"),
    ("inkvector", "inkhead", "inkhead", "name"),
)
ADDED = "added"  # the dial of how many rows are added


@dataclass
class Seeds:
    """The seeds that outputs can have, and what comes back: `sums[c][k]` after k rows, for the positions `c` of all seeds."""

    passes: Passes
    values: Sequence[float]
    names: list[str] = field(init=False)
    places: list[tuple[int, ...]] = field(init=False)
    sums: np.ndarray = field(init=False)

    def __post_init__(self):
        matrix = self.passes.matrix
        self.names = [f"seed{i}" for i in range(len(matrix))]
        count = len(self.values)
        self.places = list(np.ndindex(*[count] * len(matrix)))
        with np.errstate(all="ignore"):
            scaled = np.array(self.values)[np.array(self.places)][:, :, None] * matrix + 0.0  # no -0
        self.sums = np.concatenate(
            [np.zeros((len(self.places), 1, matrix.shape[1])), np.cumsum(scaled, axis=1)], axis=1
        )

    @property
    def joint(self) -> dict[str, int]:
        """The dials of all seeds, and of how many rows are added."""
        return {**dict.fromkeys(self.names, len(self.values)), ADDED: len(self.names) + 1}

    def of(self, place: Sequence[int]) -> list[float]:
        """The seeds at positions of their dials."""
        return [self.values[p] for p in place]

    def total(self, place: tuple[int, ...]) -> np.ndarray:
        """The gradient at positions of the seeds."""
        return self.sums[self.places.index(place), -1]


def look(i: int) -> tuple[str, str, str, str]:
    """How the i-th output is drawn."""
    return LOOKS[i % len(LOOKS)]


# ---- the seeds ----


def seeds_panel(seeds: Seeds) -> tuple[Panel, list[Grip]]:
    """A track for each seed, whose knob is dragged; beside it what it multiplies."""
    p = seeds.passes
    heads = [f"{name} = {number(y)}" for name, y in zip(p.rows, p.y, strict=True)]
    left = 24 + max(width_of(words, 12, bold=True) for words in heads)
    said = [[f"{number(s)} × {in_full(row, 4)}" for s in seeds.values] for row in p.matrix]
    right = WIDTH - 20 - max(width_of(words, 12, mono=True) for row in said for words in row)
    across = Axis(seeds.values[0], seeds.values[-1], left + 12, max(right - 12, left + 132))
    width = max(WIDTH, across.end + WIDTH - right)
    marks, grips = list(across.below(14, range(round(seeds.values[0]), round(seeds.values[-1]) + 1))), []
    for i, (dial, words) in enumerate(zip(seeds.names, heads, strict=True)):
        y = 20 + (i + 0.5) * TRACK
        spots = [(across(value), y) for value in seeds.values]
        marks += _track(i, dial, words, said[i], across, spots)
        grips.append(Grip(dial, "seeds", f"Seed of {p.rows[i]}", dial, spots, "x", bare=True))
    return Panel("seeds", "Drag the seed of each output", width, 24 + TRACK * len(heads), marks), grips


def _track(i, dial, words, said, across, spots) -> Iterator[Mark]:
    stroke, _, knob, role = look(i)
    y, zero = spots[0][1], across(0.0)
    yield text(8, y + 4, words, role, link=f"row {i}")
    yield line(across.start, y, across.end, y, "axis")
    yield line(zero, y - 8, zero, y + 8, "axis")
    yield path([(zero, y), spots[0]], stroke).following(dial, d=[[(zero, y), spot] for spot in spots])
    yield circle(zero, y, 9, knob).following(dial, cx=[x for x, _ in spots])
    yield text(across.end + 24, y + 4, "", "value", link=f"row {i}").following(dial, text=said)


# ---- the gradient ----


def gradient_panel(seeds: Seeds, target: np.ndarray | None) -> Panel:
    """For each input a line: an arrow for each output, its seed times its slope, each from where the one before ends; a
    diamond at the sum; a ring where the sum of other seeds would stand."""
    p, joint = seeds.passes, seeds.joint
    m, n = p.matrix.shape
    left = 20 + max(width_of(name, 12.5, bold=True) for name in p.columns)
    numbers = {number(v) for v in seeds.sums.reshape(-1)}
    right = WIDTH - 24 - max(width_of(words, 12, mono=True, bold=True) for words in numbers)
    finite = np.where(np.isfinite(seeds.sums), seeds.sums, 0.0)
    reach = float(np.abs(finite).max()) or 1.0
    across = Axis(-reach, reach, left, max(right, left + 120))
    row = 38 + STEP * m
    width, bottom = max(WIDTH, across.end + WIDTH - right), 8 + row * n
    marks = [line(across(0.0), 2, across(0.0), bottom, "grid")]
    for j, name in enumerate(p.columns):
        y = 8 + row * j + 16 + STEP * m
        marks += [text(8, y + 4, name, "name"), line(across.start, y, across.end, y, "axis")]
        for i in range(m):
            marks += _arrow(i, y - STEP * (m - i) - 2, across, finite[:, :, j], joint)
        marks += _sum(y, across, finite[:, :, j], joint, None if target is None else float(target[j]))
        said = [number(v) for v in seeds.sums[:, :, j].reshape(-1)]
        marks.append(text(width - 10, y + 4, "", "value", "end").following(joint, text=said))
        if target is not None:
            aim = text(across(float(target[j])), y + 26, "", "note", "middle")
            marks.append(aim.following(joint, text=_aims(target[j], seeds, j)))
    marks += across.below(bottom + 22, across.ticks(5))
    title = "Seed × row, tip to tail" if target is None else "Seed × row, tip to tail: bring each ◇ to its aim"
    return Panel("gradient", title, width, bottom + 28, marks)


def _aims(target, seeds: Seeds, j) -> list[str]:
    """The number that is looked for, and whether it is there."""
    there = np.isclose(seeds.sums[:, :, j], target, rtol=1e-5).reshape(-1)
    return [f"{'✓' if yes else 'aim'} {number(float(target))}" for yes in there]


def _arrow(i, y, across, sums, joint) -> Iterator[Mark]:
    """What output i adds, once its row is added: from the sum before to the sum after."""
    stroke, head, *_ = look(i)
    added = joint[ADDED]
    ends = [(across(row[min(i, k)]), across(row[min(i + 1, k)])) for row in sums for k in range(added)]
    yield path([(0, y)], stroke).following(joint, d=[[(a, y), (b, y)] for a, b in ends])
    yield path([(0, y)], head).following(joint, d=[_head(a, b, y) for a, b in ends])


def _head(start: float, end: float, y: float) -> str:
    """The head of an arrow along a line, no longer than the arrow."""
    size = min(HEAD, abs(end - start))
    back = size if end >= start else -size
    return polygon([(0.0, 0.0), (-back, -size * 0.6), (-back, size * 0.6)], end, y)


def _sum(y, across, sums, joint, target) -> Iterator[Mark]:
    corners: Sequence[Point] = ((0, -8), (8, 0), (0, 8), (-8, 0))
    spots = [across(value) for row in sums for value in row]
    if target is not None:
        yield circle(across(target), y, 13, "before")
    yield path([(0, y)], "back").following(joint, d=[polygon(corners, x, y) for x in spots])
