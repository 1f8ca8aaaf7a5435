"""The seed of each output on a dial: the gradient that comes back is the rows of the Jacobian, each times its seed, added up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ...kit.joint import key_of
from ...kit.passes import Passes, passes
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Changes, Dial, Link, Scene, changes
from ...kit.words import bracketed, in_full, listed, number, times
from .view import ADDED, Seeds, gradient_panel, seeds_panel

SEEDS = [round(k / 10, 1) for k in range(-20, 21)]
MOST_OUTPUTS, MOST_INPUTS, SPELLED = 3, 8, 3
MOST_WRITTEN = 32  # letters of a function
AIMS = ((-1, 2, 1), (2, -1, 1), (-2, 1, 2), (1, -2, -1))  # seeds whose gradient may be looked for


class SensDial(Picture):
    """What `sens` selects: one dial per output element of `fn`, for its seed, and the gradient that comes back.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module, with up to 3 output elements; `args`: its
    arguments. `argnum`: the argument to differentiate by, a position or a name, of up to 8 elements. `outputs` names the
    output elements. Dials: "added" (how many rows are added up), "seed0", "seed1", "seed2" (-2 to 2, by tenths), which are
    dragged in the picture. Rings show a gradient to aim at. Raises TypeError for what is not numeric,
    IndexError for an unknown argument, ValueError for more elements than that or a wrong number of names.

    >>> picture = SensDial(lambda x: x**2, np.array([1.0, 3.0]))
    >>> picture.gradient(1, -2)
    array([  2., -12.])
    """

    plays_at_once = True

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
        super().__init__(_Story(Seeds(self.passes, SEEDS)).scene())

    @property
    def matrix(self) -> np.ndarray:
        """The Jacobian, outputs by inputs, both flattened."""
        return self.passes.matrix

    def gradient(self, *seeds: float) -> np.ndarray:
        """What comes back for these seeds, one per output element."""
        counted = np.asarray(seeds, self.matrix.dtype)[:, None] * self.matrix
        return np.add.reduce(counted)  # row by row, as the picture adds them up: a matrix product may round otherwise


@dataclass
class _Story:
    """What is said and asked about all seeds, and the scene."""

    seeds: Seeds

    def __post_init__(self):
        self.passes: Passes = self.seeds.passes
        self.m, self.n = self.passes.matrix.shape
        self.one = self.seeds.values.index(1.0)
        self.target = self._aim()

    def scene(self) -> Scene:
        p = self.passes
        of = "" if p.name == "<lambda>" else f" of {p.name}"
        rows = "; ".join(f"{name}: {in_full(row, MOST_INPUTS)}" for name, row in zip(p.rows, p.matrix))
        called = f"{'f' if p.name == '<lambda>' else p.name}({p.input_name})"
        function = p.formula if 0 < len(p.formula) <= MOST_WRITTEN else called
        said = f"y = {function}, {p.input_name} = {in_full(p.x, SPELLED)}"
        held, grips = seeds_panel(self.seeds, said)
        return Scene(
            f"Sens dial: how much each output{of} counts",
            f"Each output has a seed. Its row of the Jacobian is multiplied by it, and the rows are added. Rows: {rows}.",
            self._dials(),
            [held, gradient_panel(self.seeds, self.target)],
            list(self._captions()),
            self._links(),
            "" if np.isfinite(p.matrix).all() else "Some slopes are not finite: they have no arrow.",
            grips=grips,
        )

    def _dials(self):
        values = [number(seed) for seed in self.seeds.values]
        rows = ["none", *(f"+ {name}" for name in self.passes.rows)]
        whole = [i for i, seed in enumerate(self.seeds.values) if seed.is_integer()]
        finite = np.isfinite(self.passes.matrix).all()
        places = list(product(whole, repeat=self.m)) if finite else []
        asks = [replace(self._ask(c), when={dial: [p] for dial, p in zip(self.seeds.names, c)}) for c in places]
        return [
            Dial(ADDED, "Rows added", rows, start=self.m, asks={self.m: asks}),
            *(Dial(dial, f"Seed of {name}", values, "inside", self.one, resets={ADDED: 0})
              for dial, name in zip(self.seeds.names, self.passes.rows)),
        ]  # fmt: skip

    def _aim(self) -> np.ndarray | None:
        """A gradient to look for: of other seeds than ones, and not zero; None where there is none."""
        matrix = self.passes.matrix
        found = [np.array(aim[: self.m]) @ matrix for aim in AIMS] if np.isfinite(matrix).all() else []
        return next((g for g in found if g.any() and not np.allclose(g, matrix.sum(0))), None)

    def _hits(self, sums) -> np.ndarray:
        """Where all sums are what is looked for."""
        if self.target is None:
            return np.zeros(sums.shape[:-1], bool)
        return np.isclose(sums, self.target, rtol=1e-5).all(-1)

    # ---- what is said ----

    def _captions(self) -> Iterator[Caption]:
        """What is said while rows are added; at the last the whole sum, each term by its own seed, and what it means."""
        yield Caption(ADDED, [(0, "No row is added yet: where will the sums stand?")], {ADDED: [0]})
        rows = [in_full(row, SPELLED) for row in self.passes.matrix]
        for i, (dial, name, row) in enumerate(zip(self.seeds.names, self.passes.rows, rows, strict=True)):
            said = [f"{name} counts {_times(seed)}: {number(seed)} × {row}." for seed in self.seeds.values]
            yield from () if i + 1 == self.m else (Caption(dial, changes(said), {ADDED: [i + 1]}),)
            words = [f"+ {bracketed(number(seed))}" if i else number(seed) for seed in self.seeds.values]
            yield Caption(dial, changes(f"{factor} × {row}" for factor in words), {ADDED: [self.m]})
        yield Caption(key_of(self.seeds.joint), self._meanings(), {ADDED: [self.m]})

    def _meanings(self) -> Changes:
        """What the sum is, by all seeds."""
        sums, places = self.seeds.sums, np.indices(self.seeds.sums.shape[:-1])
        zero = self.seeds.values.index(0.0)
        counts, ones = (places != zero).sum(0), (places == self.one).all(0)
        told = np.full(counts.shape, "comes back.", dtype=object)
        for i, name in enumerate(self.passes.rows):
            told[(counts == 1) & (places[i] != zero)] = (
                f"comes back. {name} alone counts." if self.m > 1 else "comes back."
            )
        told[ones] = "comes back. All ones: what comes back without sens." if self.m > 1 else "comes back."
        told[(counts > 0) & ~sums.any(-1)] = "comes back. Zero, though not every seed is."
        told[counts == 0] = "comes back. No output counts."
        told[self._hits(sums)] = "comes back. All sums are in their rings!"
        flat = told.reshape(-1)
        turns = [0, *(np.flatnonzero(flat[1:] != flat[:-1]) + 1).tolist()]
        return [(at, flat[at]) for at in turns]

    def _ask(self, place):
        total, seeds = self.seeds.sums[place], [self.seeds.values[p] for p in place]
        matrix, names = self.passes.matrix, self.passes.columns
        j = int(np.argmax(np.abs(matrix).sum(0)))
        answer, column = float(total[j]), matrix[:, j]
        slips = [
            (column.sum(), "That is the sum of the column with every seed 1."),
            (answer / self.m, "That is the mean. The products are added, not averaged."),
            (-answer, "The size is right, the sign is not."),
            *((v, f"That is {name} by {names[j]} without its seed.") for v, name in zip(column, self.passes.rows)),
        ]
        question = f"Seeds {listed(map(number, seeds))}. Which number comes back for {names[j]}?"
        because = f"{' + '.join(map(times, seeds, column))} = {number(answer)}."
        otherwise = "Multiply each number of its column by the seed on its left, and add."
        return Ask.number(question, answer, because, slips, otherwise)

    def _links(self):
        found, zero = {}, self.seeds.values.index(0.0)
        for i, name in enumerate(self.passes.rows):
            go = {dial: self.one if k == i else zero for k, dial in enumerate(self.seeds.names)}
            tip = [f"{name} = {number(self.passes.y[i])}", f"Its row: {in_full(self.passes.matrix[i], MOST_INPUTS)}"]
            found[f"row {i}"] = Link(
                ". ".join([*tip, "Click: it alone counts"]), [*tip, "Click: it alone counts"], go=go
            )
        return found


def _times(seed):
    return "once" if seed == 1 else f"{number(seed)} times"
