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
from .view import AIM, EXAMPLE, HIDDEN, SHOWN, TOLD, Seeds, across_of, gradient_panel, reached, seeds_panel

SEEDS = [round(k / 10, 1) for k in range(-20, 21)]
MOST_OUTPUTS, MOST_INPUTS, SPELLED = 3, 8, 3
MOST_WRITTEN, MOST_RINGS = 32, 12  # letters of a function; rings of all gradients to look for
PACE = 1900.0  # ms
AIMS = ((-1, 2, 1), (2, -1, 1), (-2, 1, 2), (1, -2, -1))  # seeds whose gradient may be looked for


class SensDial(Picture):
    """What `sens` selects: one dial per output element of `fn`, for its seed, and the gradient that comes back.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module, with up to 3 output elements; `args`: its
    arguments. `argnum`: the argument to differentiate by, a position or a name, of up to 8 elements. `outputs` names the
    output elements. Dials: "example" (all ones, then each output alone), "told" (0: what comes back is to be predicted), "seed0",
    "seed1", "seed2" (-2 to 2, by tenths), which are dragged in the picture. Rings show a gradient to aim at.
    Raises TypeError for what is not numeric, IndexError for an unknown argument, ValueError for more elements than that or a
    wrong number of names.

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
        self.targets = self._aims()
        self.hits = [self._hits(target) for target in self.targets]

    def scene(self) -> Scene:
        p = self.passes
        of = "" if p.name == "<lambda>" else f" of {p.name}"
        rows = "; ".join(f"{name}: {in_full(row, MOST_INPUTS)}" for name, row in zip(p.rows, p.matrix))
        called = f"{'f' if p.name == '<lambda>' else p.name}({p.input_name})"
        function = p.formula if 0 < len(p.formula) <= MOST_WRITTEN else called
        said = f"y = {function}, {p.input_name} = {in_full(p.x, SPELLED)}"
        held, grips = seeds_panel(self.seeds, said)
        return Scene(
            f"Weigh the outputs{of}: what gradient comes back?",
            "Each output has a seed, the weight that arrives from above. Its row of the Jacobian is multiplied by it, and the "
            f"rows are added. Rows: {rows}.",
            self._dials(),
            [held, gradient_panel(self.seeds, self.targets, self.hits)],
            list(self._captions()),
            self._links(),
            "" if np.isfinite(p.matrix).all() else "Some slopes are not finite: they have no arrow.",
            grips=grips,
        )

    def _dials(self):
        values, names, back = [number(seed) for seed in self.seeds.values], self.seeds.names, {TOLD: 0}
        whole = [i for i, seed in enumerate(self.seeds.values) if seed.is_integer()]
        finite = np.isfinite(self.passes.matrix).all()
        asked = list(product(whole, repeat=self.m)) if finite else []
        asks = [replace(self._ask(c), when={dial: [p] for dial, p in zip(names, c)}) for c in asked]
        told, examples = zip(*self._examples(), strict=True)
        puts = [dict(zip(names, map(self.seeds.values.index, seeds))) for seeds in examples]
        plays = list(range(len(puts)))
        return [
            Dial(EXAMPLE, "Example", [*told, "yours"], plays=plays, stops=plays, pace=PACE, puts=[*puts, {}], resets=back),
            Dial(TOLD, "What comes back", ["to be predicted", "told"], "told", 1, asks={1: asks}),
            *(Dial(dial, f"Seed of {name}", values, "inside", self.one, resets=back)
              for dial, name in zip(names, self.passes.rows)),
            *([Dial(AIM, "Aim", [in_full(target) for target in self.targets], "inside")] if self.targets else []),
        ]  # fmt: skip

    def _examples(self) -> Iterator[tuple[str, list[float]]]:
        """Seeds that tell something: what they are called, and each."""
        yield "all ones" if self.m > 1 else "1", [1.0] * self.m
        if self.m == 1:
            yield from (("2", [2.0]), ("−1", [-1.0]))
            return
        for i, name in enumerate(self.passes.rows):
            yield f"{name} alone", [float(k == i) for k in range(self.m)]

    def _aims(self) -> list[np.ndarray]:
        """Gradients to look for, one after the other: of other seeds than the examples and those before, and not zero."""
        matrix = self.passes.matrix
        if not np.isfinite(matrix).all():
            return []
        found: list[np.ndarray] = []
        shown = [tuple(map(self.seeds.values.index, seeds)) for _, seeds in self._examples()]
        for aim in dict.fromkeys(aim[: self.m] for aim in AIMS):
            gradient = np.array(aim) @ matrix
            if gradient.any() and not any(self._hits(gradient)[place] for place in shown):
                found.append(gradient)
                shown.append(tuple(map(self.seeds.values.index, map(float, aim))))
        return found[: max(MOST_RINGS // self.n, 1)]

    def _hits(self, target) -> np.ndarray:
        """Where all sums are in the rings of what is looked for."""
        each = ((across_of(self.seeds, j), j, float(value)) for j, value in enumerate(target))
        return np.all([reached(self.seeds, *one) for one in each], axis=0)

    # ---- what is said ----

    def _captions(self) -> Iterator[Caption]:
        """The sum, each term by its own seed, and what it means."""
        yield Caption(TOLD, [(0, "The seeds have arrived: what comes back?")], HIDDEN)
        rows = [in_full(row, SPELLED) for row in self.passes.matrix]
        for i, (dial, row) in enumerate(zip(self.seeds.names, rows, strict=True)):
            words = [f"+ {bracketed(number(seed))}" if i else number(seed) for seed in self.seeds.values]
            yield Caption(dial, changes(f"{factor} × {row}" for factor in words), SHOWN)
        yield Caption(key_of(self.seeds.joint), self._meanings(), SHOWN)
        for k, hit in enumerate(self.hits):
            said = self.seeds.told(hit, "All sums are in their rings!", "")
            yield Caption(key_of(self.seeds.joint), said, {**SHOWN, AIM: [k]})

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
        told[ones] = "comes back. All ones: what comes back without a seed." if self.m > 1 else "comes back."
        told[(counts > 0) & ~sums.any(-1)] = "comes back. Zero, though not every seed is."
        told[counts == 0] = "comes back. No output counts."
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
        aims = {f"aim {k}": Link(f"Aim at {in_full(target)}", go={AIM: k}) for k, target in enumerate(self.targets)}
        return found | aims
