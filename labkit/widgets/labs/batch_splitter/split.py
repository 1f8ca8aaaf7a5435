"""The parts of one batch: how it is cut, the gradient of each part, and how they are combined."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

SAMPLES, COUNTS = 12, (1, 2, 3, 4, 6)
SHARDS, COMBINE = ["even", "uneven", "yours"], ["mean", "sum", "weighted"]
YOURS = (3, 6, 9, 10, 11)  # after which samples the batch is cut, until they are dragged
Of = Callable[[int, int], float]  # the gradient of the mean loss of the samples from one to another


@dataclass(frozen=True)
class Split:
    """The `sizes` of the parts and the gradient of each part's mean loss; `big`: the gradient of the whole batch."""

    sizes: list[int]
    parts: list[float]
    big: float

    def combined(self, how: str) -> float:
        """The "mean" or the "sum" of the parts' gradients, or their sum "weighted" by the parts' shares of the batch."""
        count = len(self.parts)
        return float(np.dot([weight(how, count, size) for size in self.sizes], self.parts))

    def error(self, how: str) -> float:
        """How far off the combination is, relative to the gradient of the whole batch."""
        return abs(self.combined(how) / self.big - 1)


def weight(how: str, count: int, size: int) -> float:
    """How much a part counts: 1 in the "sum", as much as the others in the "mean", or its share of the batch."""
    return {"mean": 1 / count, "sum": 1.0, "weighted": size / SAMPLES}[how]


def split_of(of: Of, ends: list[int]) -> Split:
    """The batch cut after some samples."""
    bounds = list(pairwise([0, *ends, SAMPLES]))
    return Split([b - a for a, b in bounds], [of(a, b) for a, b in bounds], of(0, SAMPLES))


def ends_of(count: int, shards: str) -> list[int]:
    """After which samples the batch is cut, until the cuts are dragged."""
    return {"even": [k * SAMPLES // count for k in range(1, count)], "uneven": list(range(1, count)),
            "yours": list(YOURS[: count - 1])}[shards]  # fmt: skip
