"""Compares two corresponding modules on the same inputs, apart from their models."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .rounding import RUNS, Difference, Rule
from .runs import Call, Run
from .trees import Numbers, leaves_of, mapped


@dataclass
class Bench:
    """A pair of calls, to be made again with other numbers or other settings, and compared."""

    sides: tuple[Any, Any]
    calls: tuple[Call, Call]
    given: tuple[Any, Any]
    held: list  # of the pair of modules, if they hold parameters: those put together, with their layouts
    rule: Rule

    @classmethod
    def of(cls, sides, runs: tuple[Run, Run], calls, pair, rule) -> "Bench | None":
        """What two calls were, MindSpore's with PyTorch's numbers; None where their arguments have other shapes."""
        given = [run.given.get(call) for run, call in zip(runs, calls, strict=True)]
        if None in given:
            return None
        numbers = [leaves_of(tree, Numbers) for tree in given]
        if len(numbers[0]) != len(numbers[1]) or any(
            a.array.shape != b.array.shape for a, b in zip(*numbers, strict=False)
        ):
            return None
        left = iter(numbers[0])
        there = mapped(lambda b: Numbers(next(left).array.astype(b.array.dtype)), given[1], Numbers)
        return cls(sides, calls, (given[0], there), pair.held if pair else [], rule)

    @property
    def modules(self) -> tuple[Any, Any]:
        return tuple(side.parts[call[0]].module for side, call in zip(self.sides, self.calls, strict=True))  # type: ignore[return-value]

    def results(self) -> list[Difference]:
        """Both modules' outputs, and their buffers afterwards; outputs that are far apart differ whatever rounding explains."""
        (a, kept), (b, there) = (
            side.alone(call[0], given) for side, call, given in zip(self.sides, self.calls, self.given, strict=True)
        )
        if any(_far(x, y) for x, y in zip(a, b, strict=False)):
            return [Difference(x, y, np.zeros(x.shape)) for x, y in zip(a, b, strict=False)]
        runs = [self.sides[0].alone(self.calls[0][0], self.given[0], self.rule.jitter(seed)) for seed in range(RUNS)]
        found = [
            Difference(x, y, self.rule.allowed(x, [outputs[i] for outputs, _ in runs]))
            for i, (x, y) in enumerate(zip(a, b, strict=False))
        ]
        for x, y, layout in self.held:
            if x.buffer or y.buffer:
                mine, moves = layout.carry(kept[x.name]), [layout.carry(state[x.name]) for _, state in runs]
                found.append(Difference(mine, there[y.name], self.rule.allowed(mine, moves)))
        return found

    def agrees(self) -> bool:
        return not any(d.differs for d in self.results())


def _far(x, y):
    if x.shape != y.shape:
        return True
    with np.errstate(all="ignore"):
        return bool(np.max(np.abs(np.asarray(x, float) - y), initial=0.0) > 0.03 * np.max(np.abs(x), initial=0.0))
