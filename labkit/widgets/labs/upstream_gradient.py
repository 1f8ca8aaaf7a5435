"""The upstream gradient of each output: the gradient is the sum of the Jacobian's rows, each times its upstream gradient."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...messages.wrapping import Prose
from ..kit.lab import Lab, plain
from ..kit.module import module, style
from ..kit.passes import passes
from ..kit.sketch import Sketch
from ..kit.traits import Trait, traits
from ..kit.words import bracketed, in_full, number

MOST_OUTPUTS, MOST_INPUTS, SPELLED, REACH = 3, 8, 4, 2.0
WORDS = {
    "about": "Each output has an upstream gradient. The backward pass multiplies the output's row of the Jacobian by it and adds "
    "the rows. Rows: {rows}.",
    "title": "Upstream gradients: which gradient do they give?",
    "title of": "Upstream gradients of {name}: which gradient do they give?",
    "drag": "Drag the upstream gradient of an output",
    "weight": "Upstream gradient of {name}",
    "calls": "PyTorch: y.backward(gradient=v); MindSpore: sens",
    "gradient": "gradient",
    "added": "The gradient: upstream gradient × row, tip to tail",
    "broken": " Some local gradients are not finite: they have no arrow.",
    "row": "row of {name}",
    "sum": "{terms} = {sum}.",
    "none": " Every upstream gradient is 0.",
    "ones": " All ones: the gradient of the sum of the outputs.",
    "alone": " Only {name} contributes.",
    "zero": " The sum is 0, although not every upstream gradient is.",
    "ask": "The upstream gradients are {values}. What is the gradient of {name}?",
    "right": "{terms} = {sum}.",
    "ones slip": "That is the sum of the column, with 1 as every upstream gradient.",
    "mean slip": "That is the mean. The products are added, not averaged.",
    "sign slip": "The size is right, but the sign is wrong.",
    "otherwise": "Multiply each number of its column by the upstream gradient of its row, and add the products.",
}


def upstream() -> Trait:
    """The upstream gradient of an output."""
    return traits.Float(default_value=1.0, min=-REACH, max=REACH).tag(sync=True)


class UpstreamGradientLab(Lab):
    """An upstream gradient to drag for each output element of `fn`, and the gradient that it gives.

    PyTorch calls it `gradient` (`y.backward(gradient=v)`), MindSpore `sens`.

    `fn`: any function of arrays or of a dialect's tensors, a Cell or a Module, with up to 3 output elements; `args`: its
    arguments. `argnum`: the argument to differentiate by, a position or a name, of up to 8 elements. `outputs` names the
    output elements. Traits: `v0`, `v1` and `v2`, from -2 to 2, one for each output.

    Raises TypeError for what is not numeric, IndexError for an unknown argument, ValueError for more elements than that or a
    wrong number of names.

    >>> lab = UpstreamGradientLab(lambda x: x**2, np.array([1.0, 3.0]))
    >>> lab.gradient(1, -2)
    array([  2., -12.])
    >>> print(lab.describe(v1=-2.0).splitlines()[-1])
    1 × [2, 0] + (−2) × [0, 6] = [2, −12].
    """

    path = Path(__file__).with_name("upstream_gradient.js")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    v0: Trait = upstream()
    v1: Trait = upstream()
    v2: Trait = upstream()

    def __init__(self, fn: Callable, *args: Any, argnum: int | str = 0, outputs: Sequence[str] = ()):
        p = passes(fn, args, argnum, "UpstreamGradientLab")
        m, n = p.matrix.shape
        if m > MOST_OUTPUTS or n > MOST_INPUTS:
            text = "UpstreamGradientLab: expected at most {outputs} output and {inputs} input elements, but got {m} and {n}"
            raise ValueError(text.format(outputs=MOST_OUTPUTS, inputs=MOST_INPUTS, m=m, n=n))
        if outputs and len(outputs) != m:
            text = "outputs: expected {m} names, one per output element, but got {count}"
            raise ValueError(text.format(m=m, count=len(outputs)))
        self.matrix, self.state_names = p.matrix, tuple(f"v{i}" for i in range(m))
        self._names, called = list(outputs) or p.rows, "f" if p.name == "<lambda>" else p.name
        function = p.formula if 0 < len(p.formula) <= 32 else f"{called}({p.input_name})"
        rows = "; ".join(
            f"{name}: {in_full(row, MOST_INPUTS)}" for name, row in zip(self._names, p.matrix, strict=True)
        )
        about = WORDS["about"].format(rows=rows) + WORDS["broken"] * (not np.isfinite(p.matrix).all())
        super().__init__(WORDS["title" if called == "f" else "title of"].format(name=called), {
            "about": about, "keys": self.state_names, "names": self._names, "columns": p.columns, "values": plain(p.y),
            "matrix": plain(p.matrix), "written": f"y = {function}, {p.input_name} = {in_full(p.x, SPELLED)}", "spelled": SPELLED,
        })  # fmt: skip

    def gradient(self, *weights: float) -> np.ndarray:
        """The gradient for these upstream gradients, one per output element."""
        counted = np.asarray(weights, self.matrix.dtype)[:, None] * self.matrix
        return np.add.reduce(counted)  # row by row, as the page adds them up: a matrix product may round otherwise

    def describe(self, **state: Any) -> str:
        """The rows, and the sum that they give. `state`: other upstream gradients."""
        weights = list(self.state_with(**state).values())
        with np.errstate(all="ignore"):
            found = self.gradient(*weights)
        rows = [WORDS["row"].format(name=name) for name in self._names]
        rows = rows if self.matrix.shape[1] > SPELLED else [in_full(row, SPELLED) for row in self.matrix]
        terms = [
            f"{bracketed(number(s)) if i else number(s)} × {row}"
            for i, (s, row) in enumerate(zip(weights, rows, strict=True))
        ]
        used, several = [i for i, s in enumerate(weights) if s], len(weights) > 1
        kind = "none" if not used else "zero" if not found.any() else ""
        kind = kind or ("ones" if several and set(weights) == {1} else "alone" if several and len(used) == 1 else "")
        more = WORDS[kind].format(name=self._names[used[0]] if used else "") if kind else ""
        said = WORDS["sum"].format(terms=" + ".join(terms), sum=in_full(found, MOST_INPUTS)) + more
        return Prose("\n".join((self.title, self.data["about"], said)))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """A small still picture: upstream gradients, rows and their sum. `state`: other upstream gradients."""
        weights = list(self.state_with(**state).values())
        m, n = self.matrix.shape
        sketch = Sketch(theme, 170 + 56 * n, 40 * m + 60, self.describe(**state).splitlines()[-1])
        with np.errstate(all="ignore"):
            lines = [*self.matrix, self.gradient(*weights)]
        for i, (name, line) in enumerate(zip([*self._names, "gradient"], lines, strict=True)):
            sketch.text(10, 30 + 40 * i, name, "ink", "start")
            sketch.text(140, 30 + 40 * i, f"{number(weights[i])} ×" if i < m else "=", "forward-ink", "end")
            for j, value in enumerate(line):
                sketch.text(180 + 56 * j, 30 + 40 * i, number(value), "ink" if i < m else "backward-ink")
        return str(sketch)
