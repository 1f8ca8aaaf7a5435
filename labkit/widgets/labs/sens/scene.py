"""The seed of each output on a dial: the gradient that comes back is the rows of the Jacobian, each times its seed, added up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...kit.joint import key_of
from ...kit.passes import Passes, passes
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Link, Scene, changes
from ...kit.words import bracketed, in_full, listed, number, paragraph, times
from .view import ADDED, Seeds, gradient_panel, seeds_panel

FINE, COARSE = np.linspace(-2, 2, 9).tolist(), [-2.0, -1.0, 0.0, 1.0, 2.0]  # seeds of up to two outputs, and of three
MOST_OUTPUTS, MOST_INPUTS, SPELLED = 3, 8, 3
AIMS = ((-1, 2, 1), (2, -1, 1), (-2, 1, 2), (1, -2, -1))  # seeds whose gradient may be looked for


class SensDial(Picture):
    """What `sens` selects: one dial per output element of `fn`, for its seed, and the gradient that comes back.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module, with up to 3 output elements; `args`: its
    arguments. `argnum`: the argument to differentiate by, a position or a name, of up to 8 elements. `outputs` names the
    output elements. Dials: "added" (how many rows are added up), "seed0", "seed1", "seed2" (-2 to 2, by halves for up to two
    outputs), which are dragged in the picture. Rings show a gradient to aim at. Raises TypeError for what is not numeric,
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
        super().__init__(_Story(Seeds(self.passes, FINE if m < MOST_OUTPUTS else COARSE)).scene())

    @property
    def matrix(self) -> np.ndarray:
        """The Jacobian, outputs by inputs, both flattened."""
        return self.passes.matrix

    def gradient(self, *seeds: float) -> np.ndarray:
        """What comes back for these seeds, one per output element."""
        return np.asarray(seeds, self.matrix.dtype) @ self.matrix


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
        held, grips = seeds_panel(self.seeds)
        return Scene(
            f"Sens dial: how much each output{of} counts",
            f"Each output has a seed. Its row of the Jacobian is multiplied by it, and the rows are added. Rows: {rows}.",
            self._dials(),
            [held, gradient_panel(self.seeds, self.target)],
            [Caption(key_of(self.seeds.joint), changes(self._captions()))],
            self._links(),
            "" if np.isfinite(p.matrix).all() else "Some slopes are not finite: they have no arrow.",
            grips=grips,
        )

    def _dials(self):
        values = [number(seed) for seed in self.seeds.values]
        rows = ["none", *(f"+ {name}" for name in self.passes.rows)]
        known = [c for c in self.seeds.places if np.isfinite(self.seeds.total(c)).all()]
        asks = [replace(self._ask(c), when={dial: [p] for dial, p in zip(self.seeds.names, c)}) for c in known]
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

    def _hits(self, total) -> bool:
        return self.target is not None and np.allclose(total, self.target, rtol=1e-5)

    # ---- what is said ----

    def _captions(self) -> Iterator[str]:
        """A text for all positions of all seeds, and of how many rows are added."""
        for place, sums in zip(self.seeds.places, self.seeds.sums):
            chosen = self.seeds.of(place)
            yield f"sens = [{', '.join(map(number, chosen))}]. No row is added yet: where will the sums stand?"
            for name, seed, row in zip(self.passes.rows[:-1], chosen, self.passes.matrix):
                yield f"{name} counts {number(seed)} times: {number(seed)} × {in_full(row, SPELLED)}."
            yield paragraph(f"{self._terms(chosen)} = {in_full(sums[-1], SPELLED)}.", self._meaning(chosen, sums[-1]))

    def _terms(self, chosen):
        rows = [in_full(row, SPELLED) for row in self.passes.matrix]
        factors = [number(seed) if i == 0 else bracketed(number(seed)) for i, seed in enumerate(chosen)]
        return " + ".join(f"{factor} × {row}" for factor, row in zip(factors, rows))

    def _meaning(self, chosen, total):
        if self._hits(total):
            count = sum(self._hits(sums[-1]) for sums in self.seeds.sums)
            return "All sums are in their rings!" + (f" {count} choices of seeds do that." if count > 1 else "")
        if any(chosen) and not total.any():
            return "Zero, though not every seed is."
        if self.m > 1 and set(chosen) == {1.0}:
            return "All ones: what comes back without sens."
        counted = [name for name, seed in zip(self.passes.rows, chosen) if seed]
        if not counted:
            return "No output counts."
        alone = len(counted) == 1 and self.m > 1
        return f"{counted[0]} alone counts." if alone else ""

    def _ask(self, place):
        total, seeds = self.seeds.total(place), self.seeds.of(place)
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
