"""The seed of each output on a dial: the gradient that comes back is the rows of the Jacobian, each times its seed, added up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ...kit.heat import Grid
from ...kit.passes import Passes, passes
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Link, Panel, Scene, changes, rect, text, width_of
from ...kit.words import bracketed, in_full, listed, number

SEEDS = (-2, -1, 0, 1, 2)
ONE, ZERO = SEEDS.index(1), SEEDS.index(0)
MOST_OUTPUTS, MOST_INPUTS = 3, 8
SHOWN = {"show": [1]}


class SensDial(Picture):
    """What `sens` selects: one dial per output element of `fn`, for its seed, and the gradient that comes back.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module, with up to 3 output elements; `args`: its
    arguments. `argnum`: the argument to differentiate by, a position or a name, of up to 8 elements. `outputs` names the
    output elements. Dials: "seed0", "seed1", "seed2" (-2 to 2), "show". Raises TypeError for what is not numeric,
    IndexError for an unknown argument, ValueError for more elements than that or a wrong number of names.

    >>> picture = SensDial(lambda x: x**2, np.array([1.0, 3.0]))
    >>> picture.gradient(1, -2)
    array([  2., -12.])
    """

    def __init__(self, fn: Callable, *args: Any, argnum: int | str = 0, outputs: Sequence[str] = ()):
        self.passes = passes(fn, args, argnum, "SensDial")
        m, n = self.passes.matrix.shape
        if m > MOST_OUTPUTS or n > MOST_INPUTS:
            raise ValueError(
                f"SensDial: expected at most {MOST_OUTPUTS} output and {MOST_INPUTS} input elements, but got {m} and {n}"
            )
        if outputs and len(outputs) != m:
            raise ValueError(f"outputs: expected {m} names, one per output element, but got {len(outputs)}")
        self.passes = replace(self.passes, rows=list(outputs) or self.passes.rows)
        super().__init__(_Drawing(self.passes).scene())

    @property
    def matrix(self) -> np.ndarray:
        """The Jacobian, outputs by inputs, both flattened."""
        return self.passes.matrix

    def gradient(self, *seeds: float) -> np.ndarray:
        """What comes back for these seeds, one per output element."""
        return np.asarray(seeds, self.matrix.dtype) @ self.matrix


@dataclass
class _Drawing:
    """Where everything stands, in px: outputs with their seeds on the left, then the Jacobian, then its rows times their
    seeds, and below these their sum."""

    passes: Passes

    def __post_init__(self):
        self.matrix = self.passes.matrix
        self.m, self.n = self.matrix.shape
        self.dials = [f"seed{i}" for i in range(self.m)]
        self.combinations = list(product(range(len(SEEDS)), repeat=self.m))
        with np.errstate(all="ignore"):
            self.scaled = np.array(SEEDS)[:, None, None] * self.matrix + 0.0  # no -0
            self.sums = {c: sum(self.scaled[p, i] for i, p in enumerate(c)) for c in self.combinations}
        self._measure()

    def _measure(self):
        p = self.passes
        every = [*self.scaled.flat, *p.x, *p.y, *(v for s in self.sums.values() for v in s)]
        wide = max(42.0, 8 + max(width_of(s, 12, True) for s in [*map(number, every), *p.columns]))
        label = 16 + max(width_of(name, 11, True) for name in p.rows)
        finite = np.abs(np.concatenate(list(self.sums.values())))
        finite = finite[np.isfinite(finite)]
        scale = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
        top, h = 72.0, 28.0
        self.outputs = Grid(label, top, wide, h, True, scale)
        self.seeds = Grid(label + wide + 14, top, 34.0, h, True, 2.0)
        self.rows = Grid(self.seeds.x + 34 + 14, top, wide, h, True, scale)
        self.products = Grid(self.rows.x + self.n * wide + 44, top, wide, h, True, scale)
        self.below = Grid(self.products.x, top + self.m * h + 18, wide, h, True, scale)
        self.width = max(self.products.x + self.n * wide + 12, 420.0)
        self.height = self.below.y + h + 30

    def scene(self) -> Scene:
        p = self.passes
        of = "" if p.name == "<lambda>" else f" of {p.name}"
        rows = "; ".join(f"{name}: {in_full(row, MOST_INPUTS)}" for name, row in zip(p.rows, self.matrix))
        return Scene(
            f"Sens dial: how much each output{of} counts",
            f"Each output has a seed. Its row of the Jacobian is multiplied by it, and the rows are added. Rows: {rows}.",
            self._dials(),
            [Panel("rows", "", self.width, self.height, self._marks())],
            self._captions(),
            self._links(),
            predict=True,
        )

    def _dials(self):
        values = [number(seed) for seed in SEEDS]
        dials = [
            Dial(dial, f"Seed of {name}", values, "choice", ONE, resets={"show": 0})
            for dial, name in zip(self.dials, self.passes.rows)
        ]
        asks = [self._ask(c) for c, total in self.sums.items() if np.isfinite(total).all()]
        show = Dial("show", "Show the gradient", ["seeds", "gradient"], "toggle", 1, asks={1: asks})
        return [*dials, show]

    def _at(self, combination: Sequence[int]) -> dict[str, list[int]]:
        return {dial: [p] for dial, p in zip(self.dials, combination)}

    # ---- what is said ----

    def _captions(self):
        *others, last = self.dials
        hidden = "Which gradient comes back for these seeds? Predict it, then show it."
        found = [Caption("show", [(0, hidden)], {"show": [0]})]
        for c in product(range(len(SEEDS)), repeat=len(others)):
            when = {**{dial: [p] for dial, p in zip(others, c)}, **SHOWN}
            found.append(Caption(last, changes(self._sentence((*c, p)) for p in range(len(SEEDS))), when))
        return found

    def _sentence(self, combination):
        total = in_full(self.sums[combination], MOST_INPUTS)
        return f"{self._terms(combination)} = {total}. {self._meaning([SEEDS[p] for p in combination])}"

    def _terms(self, combination):
        rows = [in_full(row, MOST_INPUTS) for row in self.matrix]
        factors = [bracketed(number(SEEDS[p])) if i else number(SEEDS[p]) for i, p in enumerate(combination)]
        return " + ".join(f"{factor} × {row}" for factor, row in zip(factors, rows))

    def _meaning(self, seeds):
        names = self.passes.rows
        if not any(seeds):
            return "No output counts: the gradient is zero."
        if self.m > 1 and len(set(seeds)) == 1:
            if seeds[0] == 1:
                return (
                    "All ones: the sum of all rows, as grad and value_and_grad return it when they are given no seed."
                )
            return f"All alike: {number(seeds[0])} times the gradient of the sum of the outputs."
        counted = [name for name, seed in zip(names, seeds) if seed]
        if len(counted) > 1:
            return f"This is the gradient of {self._weighted(seeds)}."
        (seed,) = filter(None, seeds)
        alone = f"{counted[0]} alone counts" if self.m > 1 else f"There is only {counted[0]}"
        if seed == 1:
            return f"{alone}: its row, unchanged."
        return f"{alone}: {number(seed)} times its row."

    def _weighted(self, seeds):
        """`y[0] − 2 y[1]`."""
        words = ""
        for name, seed in zip(self.passes.rows, seeds):
            if seed:
                sign = " − " if seed < 0 and words else "−" if seed < 0 else " + " if words else ""
                words += sign + (f"{abs(seed)} " if abs(seed) > 1 else "") + name
        return words

    def _ask(self, combination):
        total, seeds = self.sums[combination], [SEEDS[p] for p in combination]
        sizes = np.abs(self.matrix).sum(0)
        j = int(np.argmax(sizes))
        answer, column = float(total[j]), self.matrix[:, j]
        terms = [f"{number(s)} × {bracketed(number(v))}" for s, v in zip(seeds, column)]
        slips = [
            (column.sum(), "That is the sum of the column with every seed 1."),
            (answer / self.m, "That is the mean. The products are added, not averaged."),
            (-answer, "The size is right, the sign is not."),
            *((v, f"That is {name} by {self.passes.columns[j]} without its seed.")
              for v, name in zip(column, self.passes.rows)),
        ]  # fmt: skip
        kept: list[tuple[float, str]] = []
        for value, why in slips:
            apart = np.isfinite(value) and abs(value - answer) > 0.02 * max(abs(answer), abs(value), 1e-12)
            if apart and all(value != known for known, _ in kept):
                kept.append((float(value), why))
        return Ask(
            f"Seeds {listed(map(number, seeds))}. Which number comes back for {self.passes.columns[j]}?",
            answer, f"{' + '.join(terms)} = {number(answer)}.", tuple(kept),
            otherwise="Multiply each number of its column by the seed on its left, and add.", when=self._at(combination),
        )  # fmt: skip

    # ---- what is drawn ----

    def _marks(self):
        return [*self._heads(), *self._outputs(), *self._products(), *self._sum(), *self._legend()]

    def _heads(self):
        p, n = self.passes, self.n
        top, cells = self.rows.y, self.rows.w
        marks = [
            text(self.outputs.x + self.outputs.w / 2, top - 10, "output", "name", "middle"),
            text(self.seeds.x + 17, top - 10, "seed", "slope", "middle"),
            text(self.rows.x, 16, "Jacobian", "name"),
            text(self.products.x, 16, "seed × row", "name", when=SHOWN),
        ]
        for j, name in enumerate(p.columns):
            for grid, when in ((self.rows, {}), (self.products, SHOWN)):
                marks.append(text(grid.x + (j + 0.5) * cells, 36, name, "tick", "middle", when=when))
        for j in range(n):
            x = self.rows.x + j * cells
            marks.append(rect(x + 1, 41, cells - 2, 22, "leaf", 11))
            marks.append(text(x + cells / 2, 56, number(p.x[j]), "value", "middle"))
        return marks

    def _outputs(self):
        """The outputs, their seeds, and the Jacobian."""
        marks = [self.rows.lines(self.m, self.n), self.seeds.lines(self.m, 1)]
        for i, name in enumerate(self.passes.rows):
            (x, y), link = self.outputs.cell(i, 0), f"row {i}"
            marks += [
                text(self.outputs.x - 8, y + 18, name, "tick", "end", link=link),
                rect(x + 1, y + 1, self.outputs.w - 2, self.outputs.h - 2, "op", 2, link=link),
                text(x + self.outputs.w / 2, y + 18, number(self.passes.y[i]), "value", "middle", link=link),
                *self.seeds.moving(i, 0, SEEDS, self.dials[i], {}),
            ]
            for j in range(self.n):
                marks += self.rows.tile(i, j, self.matrix[i, j], link)
        return marks

    def _products(self):
        marks = [self.products.lines(self.m, self.n, when=SHOWN)]
        for i, dial in enumerate(self.dials):
            marks.append(text(self.products.x - 22, self.products.y + i * self.products.h + 18, "→", "value", "middle",
                              when=SHOWN))  # fmt: skip
            for j in range(self.n):
                marks += self.products.moving(i, j, self.scaled[:, i, j], dial, SHOWN)
        return marks

    def _sum(self):
        """The gradient: for every arrangement of the other dials, numbers that follow the last one."""
        *others, last = self.dials
        edge = 2
        frame = rect(self.below.x - edge, self.below.y - edge, self.n * self.below.w + 2 * edge, self.below.h + 2 * edge,
                     "backedge", when=SHOWN)  # fmt: skip
        label = text(self.below.x - 10, self.below.y + 18, "added: the gradient", "slope", "end", when=SHOWN)
        marks = [self.below.lines(1, self.n, when=SHOWN), label, frame]
        for c in product(range(len(SEEDS)), repeat=len(others)):
            when = {**{dial: [p] for dial, p in zip(others, c)}, **SHOWN}
            sums = [self.sums[(*c, p)] for p in range(len(SEEDS))]
            for j in range(self.n):
                marks += self.below.moving(0, j, [s[j] for s in sums], last, when)
        return marks

    def _legend(self):
        x, y, marks = 8.0, self.height - 10, []
        for role, r, words in (("bar", 1, "positive"), ("backbar", 6, "negative")):
            marks += [rect(x, y - 10, 12, 12, role, r), text(x + 17, y, words, "note")]
            x += 17 + width_of(words, 11.5) + 14
        return [*marks, text(x, y, "stronger: larger. Click an output: its row alone.", "note")]

    def _links(self):
        found = {}
        for i, name in enumerate(self.passes.rows):
            go = {dial: ONE if k == i else ZERO for k, dial in enumerate(self.dials)}
            tip = [f"{name} = {number(self.passes.y[i])}", f"Its row: {in_full(self.matrix[i], MOST_INPUTS)}"]
            found[f"row {i}"] = Link(". ".join(tip), tip, go=go)
        return found
