"""The seed of each output on a dial: the gradient that comes back is the rows of the Jacobian, each times its seed, added up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ...kit.heat import Grid, full_colour, legend
from ...kit.passes import Passes, passes
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Link, Mark, Panel, Scene, changes, only, rect, text, width_of
from ...kit.words import bracketed, in_full, listed, number, times

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
        top, h = 72.0, 28.0
        self.outputs = Grid(label, top, wide, h, True, full_colour(self.sums.values()))
        self.seeds = Grid(label + wide + 14, top, 34.0, h, True, 2.0)
        self.rows = replace(self.outputs, x=self.seeds.x + 34 + 14)
        self.products = replace(self.outputs, x=self.rows.x + self.n * wide + 44)
        self.below = replace(self.products, y=top + self.m * h + 18)
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
        asks = [replace(self._ask(c), when=self._at(c)) for c, total in self.sums.items() if np.isfinite(total).all()]
        show = Dial("show", "Show the gradient", ["seeds", "gradient"], "toggle", 1, asks={1: asks})
        return [*dials, show]

    def _at(self, combination: Sequence[int]) -> dict[str, list[int]]:
        return {dial: [p] for dial, p in zip(self.dials, combination)}

    # ---- what is said ----

    def _captions(self):
        hidden = "Which gradient comes back for these seeds? Predict it, then show it."
        found = [Caption("show", [(0, hidden)], {"show": [0]})]
        for when, combinations in self._along_last():
            found.append(Caption(self.dials[-1], changes(map(self._sentence, combinations)), {**when, **SHOWN}))
        return found

    def _sentence(self, combination):
        total = in_full(self.sums[combination], MOST_INPUTS)
        return f"{self._terms(combination)} = {total}. {self._meaning([SEEDS[p] for p in combination])}"

    def _terms(self, combination):
        factors = [number(SEEDS[p]) for p in combination]
        rows = [in_full(row, MOST_INPUTS) for row in self.matrix]
        brackets = [factors[0], *map(bracketed, factors[1:])]
        return " + ".join(f"{factor} × {row}" for factor, row in zip(brackets, rows))

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
        slips = [
            (column.sum(), "That is the sum of the column with every seed 1."),
            (answer / self.m, "That is the mean. The products are added, not averaged."),
            (-answer, "The size is right, the sign is not."),
            *((v, f"That is {name} by {self.passes.columns[j]} without its seed.")
              for v, name in zip(column, self.passes.rows)),
        ]  # fmt: skip
        question = f"Seeds {listed(map(number, seeds))}. Which number comes back for {self.passes.columns[j]}?"
        because = f"{' + '.join(map(times, seeds, column))} = {number(answer)}."
        otherwise = "Multiply each number of its column by the seed on its left, and add."
        return Ask.number(question, answer, because, slips, otherwise)

    # ---- what is drawn ----

    def _marks(self) -> list[Mark]:
        signs = {"positive": True, "negative": True}
        note = legend(self.height - 10, signs, "stronger: larger. Click an output: its row alone.")
        return [*self._heads(), *self._outputs(), *only(SHOWN, [*self._products(), *self._sum()]), *note]

    def _heads(self) -> Iterator[Mark]:
        top, inputs = self.rows.y, replace(self.rows, y=40.0, h=24.0)
        yield self.outputs.over(0, top - 10, "output", "name")
        yield self.seeds.over(0, top - 10, "seed", "slope")
        yield text(self.rows.x, 16, "Jacobian", "name")
        yield text(self.products.x, 16, "seed × row", "name", when=SHOWN)
        for j, name in enumerate(self.passes.columns):
            yield self.rows.over(j, 36, name)
            yield self.products.over(j, 36, name, when=SHOWN)
        for j, x in enumerate(self.passes.x):
            yield from inputs.entry(0, j, x, "leaf")

    def _outputs(self) -> Iterator[Mark]:
        """The outputs, their seeds, and the Jacobian."""
        yield self.rows.lines(self.m, self.n)
        yield self.seeds.lines(self.m, 1)
        for i, name in enumerate(self.passes.rows):
            yield self.outputs.before(i, self.outputs.x - 8, name, link=f"row {i}")
            yield from self.outputs.entry(i, 0, self.passes.y[i], "op", f"row {i}")
            yield from self.seeds.moving(i, 0, SEEDS, self.dials[i])
            for j in range(self.n):
                yield from self.rows.tile(i, j, self.matrix[i, j], f"row {i}")

    def _products(self) -> Iterator[Mark]:
        yield self.products.lines(self.m, self.n)
        for i, dial in enumerate(self.dials):
            yield text(self.products.x - 22, self.products.y + i * self.products.h + 18, "→", "value", "middle")
            for j in range(self.n):
                yield from self.products.moving(i, j, self.scaled[:, i, j], dial)

    def _sum(self) -> Iterator[Mark]:
        """The gradient: for every arrangement of the other dials, numbers that follow the last one."""
        below, edge = self.below, 2
        yield below.lines(1, self.n)
        yield below.before(0, below.x - 10, "added: the gradient", "slope")
        yield rect(below.x - edge, below.y - edge, self.n * below.w + 2 * edge, below.h + 2 * edge, "backedge")
        for when, combinations in self._along_last():
            for j in range(self.n):
                yield from only(when, below.moving(0, j, [self.sums[c][j] for c in combinations], self.dials[-1]))

    def _along_last(self):
        """`(the positions of the other dials, the combinations along the last dial)`."""
        along = [self.combinations[k : k + len(SEEDS)] for k in range(0, len(self.combinations), len(SEEDS))]
        return [({dial: [p] for dial, p in zip(self.dials[:-1], same[0])}, same) for same in along]

    def _links(self):
        found = {}
        for i, name in enumerate(self.passes.rows):
            go = {dial: ONE if k == i else ZERO for k, dial in enumerate(self.dials)}
            tip = [f"{name} = {number(self.passes.y[i])}", f"Its row: {in_full(self.matrix[i], MOST_INPUTS)}"]
            found[f"row {i}"] = Link(". ".join(tip), tip, go=go)
        return found
