"""The seed of each output: the gradient is the rows of the Jacobian, each times its seed, added up."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ...kit.lab import Lab, plain
from ...kit.module import module, style
from ...kit.passes import passes
from ...kit.sketch import Sketch
from ...kit.traits import Trait, traits
from ...kit.words import bracketed, in_full, number

MOST_OUTPUTS, MOST_INPUTS, SPELLED, REACH = 3, 8, 4, 2.0
WORDS = {
    "about": "Each output has a seed, its upstream gradient. Its row of the Jacobian is multiplied by it, and the rows are "
    "added. Rows: {rows}.",
    "broken": " Some local gradients are not finite: they have no arrow.",
    "row": "row of {name}",
    "sum": "{terms} = {sum}.",
    "none": " No output counts.",
    "ones": " All ones: the gradient without a seed.",
    "alone": " {name} alone counts.",
    "zero": " Zero, though not every seed is.",
    "ask": "With the seeds {seeds}, which number is the gradient of {name}?",
    "right": "{terms} = {sum}.",
    "ones slip": "That is the sum of the column with every seed 1.",
    "mean slip": "That is the mean. The products are added, not averaged.",
    "sign slip": "The size is right, the sign is not.",
    "otherwise": "Multiply each number of its column by the seed of its row, and add.",
}


def seed() -> Trait:
    """The seed of an output."""
    return traits.Float(default_value=1.0, min=-REACH, max=REACH).tag(sync=True)


class SensDial(Lab):
    """What `sens` selects: a seed per output element of `fn`, to drag, and the gradient that it gives.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module, with up to 3 output elements; `args`: its
    arguments. `argnum`: the argument to differentiate by, a position or a name, of up to 8 elements. `outputs` names the
    output elements. Traits: `seed0`, `seed1` and `seed2`, from -2 to 2, as far as there are outputs.

    Raises TypeError for what is not numeric, IndexError for an unknown argument, ValueError for more elements than that or a
    wrong number of names.

    >>> lab = SensDial(lambda x: x**2, np.array([1.0, 3.0]))
    >>> lab.gradient(1, -2)
    array([  2., -12.])
    >>> print(lab.describe(seed1=-2.0).splitlines()[-1])
    1 × [2, 0] + (−2) × [0, 6] = [2, −12].
    """

    path = Path(__file__).with_name("sens.js")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    seed0: Trait = seed()
    seed1: Trait = seed()
    seed2: Trait = seed()

    def __init__(self, fn: Callable, *args: Any, argnum: int | str = 0, outputs: Sequence[str] = ()):
        p = passes(fn, args, argnum, "SensDial")
        m, n = p.matrix.shape
        if m > MOST_OUTPUTS or n > MOST_INPUTS:
            raise ValueError(
                f"SensDial: expected at most {MOST_OUTPUTS} output and {MOST_INPUTS} input elements, but got {m} and {n}"
            )
        if outputs and len(outputs) != m:
            raise ValueError(f"outputs: expected {m} names, one per output element, but got {len(outputs)}")
        self.matrix, self.state_names = p.matrix, tuple(f"seed{i}" for i in range(m))
        self._names, called = list(outputs) or p.rows, "f" if p.name == "<lambda>" else p.name
        function = p.formula if 0 < len(p.formula) <= 32 else f"{called}({p.input_name})"
        rows = "; ".join(
            f"{name}: {in_full(row, MOST_INPUTS)}" for name, row in zip(self._names, p.matrix, strict=True)
        )
        about = WORDS["about"].format(rows=rows) + WORDS["broken"] * (not np.isfinite(p.matrix).all())
        super().__init__(f"Weigh the outputs{'' if called == 'f' else f' of {called}'}: what gradient comes back?", {
            "about": about, "keys": self.state_names, "names": self._names, "columns": p.columns, "values": plain(p.y),
            "matrix": plain(p.matrix), "written": f"y = {function}, {p.input_name} = {in_full(p.x, SPELLED)}", "spelled": SPELLED,
        })  # fmt: skip

    def gradient(self, *seeds: float) -> np.ndarray:
        """The gradient for these seeds, one per output element."""
        counted = np.asarray(seeds, self.matrix.dtype)[:, None] * self.matrix
        return np.add.reduce(counted)  # row by row, as the page adds them up: a matrix product may round otherwise

    def describe(self, **state: Any) -> str:
        """The rows, and the sum that the seeds give. `state`: other seeds."""
        seeds = list(self.state_with(**state).values())
        with np.errstate(all="ignore"):
            found = self.gradient(*seeds)
        rows = [WORDS["row"].format(name=name) for name in self._names]
        rows = rows if self.matrix.shape[1] > SPELLED else [in_full(row, SPELLED) for row in self.matrix]
        terms = [
            f"{bracketed(number(s)) if i else number(s)} × {row}"
            for i, (s, row) in enumerate(zip(seeds, rows, strict=True))
        ]
        used, several = [i for i, s in enumerate(seeds) if s], len(seeds) > 1
        kind = "none" if not used else "zero" if not found.any() else ""
        kind = kind or ("ones" if several and set(seeds) == {1} else "alone" if several and len(used) == 1 else "")
        more = WORDS[kind].format(name=self._names[used[0]] if used else "") if kind else ""
        said = WORDS["sum"].format(terms=" + ".join(terms), sum=in_full(found, MOST_INPUTS)) + more
        return Prose("\n".join((f"{self.title}.", self.data["about"], said)))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """A small still picture: seeds, rows and their sum. `state`: other seeds."""
        seeds = list(self.state_with(**state).values())
        m, n = self.matrix.shape
        sketch = Sketch(theme, 170 + 56 * n, 40 * m + 60, self.describe(**state).splitlines()[-1])
        with np.errstate(all="ignore"):
            lines = [*self.matrix, self.gradient(*seeds)]
        for i, (name, line) in enumerate(zip([*self._names, "gradient"], lines, strict=True)):
            sketch.text(10, 30 + 40 * i, name, "ink", "start")
            sketch.text(140, 30 + 40 * i, f"{number(seeds[i])} ×" if i < m else "=", "forward-ink", "end")
            for j, value in enumerate(line):
                sketch.text(180 + 56 * j, 30 + 40 * i, number(value), "ink" if i < m else "backward-ink")
        return str(sketch)
