"""Small random programs, and their chain rule worked out here, step by step: to hold pictures of runs against."""

from dataclasses import dataclass

import autograd.numpy as np
import numpy as onp
from hypothesis import strategies as st

OPS = {  # name -> number of arguments, the op, its partial derivatives
    "+": (2, lambda x, y: x + y, lambda x, y: (1.0, 1.0)),
    "−": (2, lambda x, y: x - y, lambda x, y: (1.0, -1.0)),
    "×": (2, lambda x, y: x * y, lambda x, y: (y, x)),
    "sin": (1, lambda x: np.sin(x), lambda x: (onp.cos(x),)),
    "tanh": (1, lambda x: np.tanh(x), lambda x: (1 - onp.tanh(x) ** 2,)),
    "pow 2": (1, lambda x: x**2, lambda x: (2 * x,)),
    "× 3": (1, lambda x: x * 3, lambda x: (3.0,)),
    "maximum": (2, lambda x, y: np.maximum(x, y), lambda x, y: ((x > y) + (x == y) / 2, (y > x) + (x == y) / 2)),
}


@dataclass(frozen=True)
class Program:
    """`leaves`: the inputs' values. `ops`: for each op its name and what it takes, counted from the first leaf.
    `ends`: what the function returns."""

    leaves: tuple[float, ...]
    ops: tuple[tuple[str, tuple[int, ...]], ...]
    ends: tuple[int, ...]

    def __call__(self, *inputs):
        values = list(inputs)
        for name, taken in self.ops:
            values.append(OPS[name][1](*(values[i] for i in taken)))
        return values[self.ends[0]] if len(self.ends) == 1 else tuple(values[i] for i in self.ends)

    @property
    def values(self):
        """All values, leaves first."""
        values = [onp.float64(leaf) for leaf in self.leaves]
        for name, taken in self.ops:
            values.append(OPS[name][1](*(values[i] for i in taken)))
        return values

    @property
    def titles(self):
        """The names of the ops."""
        return [name for name, _ in self.ops]

    def walk(self):
        """The steps back, last op first: `(node, gradient, [(parent, slope, value, total), ...])`, and all totals."""
        values, totals, steps = self.values, {}, []
        for end in self.ends:
            totals[end] = totals.get(end, 0.0) + 1.0
        for node in range(len(values) - 1, len(self.leaves) - 1, -1):
            if node not in totals:
                continue
            name, taken = self.ops[node - len(self.leaves)]
            sent = []
            for parent, slope in zip(taken, OPS[name][2](*(values[i] for i in taken)), strict=True):
                totals[parent] = totals.get(parent, 0.0) + totals[node] * slope
                sent.append((parent, slope, totals[node] * slope, totals[parent]))
            steps.append((node, totals[node], sent))
        return steps, totals


@st.composite
def programs(draw, most=9, ends=1):
    """Programs of 1 to 3 leaves and up to `most` ops, the last of which is returned, with up to `ends` values in all."""
    number = st.integers(-20, 20).map(lambda n: n / 8)
    leaves = draw(st.lists(number, min_size=1, max_size=3))
    ops = []
    for i in range(draw(st.integers(1, most))):
        name = draw(st.sampled_from(sorted(OPS)))
        earlier = st.integers(max(0, len(leaves) + i - 5), len(leaves) + i - 1)
        ops.append((name, tuple(draw(earlier) for _ in range(OPS[name][0]))))
    last = len(leaves) + len(ops) - 1
    more = draw(st.lists(st.integers(0, last), max_size=ends - 1)) if ends > 1 else []
    return Program(tuple(leaves), tuple(ops), (last, *more))
