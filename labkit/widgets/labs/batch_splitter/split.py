"""The parts of one batch: how it is cut, the gradient of each part, and what is made of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
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
    each: list[float] = field(default_factory=list)  # the gradient of each sample alone

    @cached_property
    def ends(self) -> list[int]:
        """After which sample each part ends."""
        return np.cumsum(self.sizes).tolist()

    def weights(self, how: str) -> list[float]:
        """How much each part counts: 1 in the "sum", as much as the others in the "mean", or its share of the batch."""
        return {"mean": [1 / len(self.parts)] * len(self.parts), "sum": [1.0] * len(self.parts),
                "weighted": [size / sum(self.sizes) for size in self.sizes]}[how]  # fmt: skip

    def combined(self, how: str) -> float:
        """The "mean" or the "sum" of the parts' gradients, or their sum "weighted" by the parts' shares of the batch."""
        return float(np.dot(self.weights(how), self.parts))

    def error(self, how: str) -> float:
        """How far off the combination is, as a part of the big batch's gradient."""
        return abs(self.combined(how) / self.big - 1)


def split_of(of: Of, count: int, shards: str, yours) -> Split:
    """The batch cut into `count` parts."""
    bounds = list(pairwise([0, *ends_of(count, shards, yours), SAMPLES]))
    each = [of(i, i + 1) for i in range(SAMPLES)]
    return Split([b - a for a, b in bounds], [of(a, b) for a, b in bounds], of(0, SAMPLES), each)


def ends_of(count, shards, yours) -> list[int]:
    """After which samples the batch is cut."""
    if shards == "yours":
        return list(_kept_apart(yours[: count - 1], count))
    return [k * SAMPLES // count if shards == "even" else k for k in range(1, count)]


def _kept_apart(ends, count) -> Iterator[int]:
    """Each part has a sample of its own, and leaves one for those that follow."""
    before = 0
    for k, end in enumerate(ends, 1):
        before = min(max(end, before + 1), SAMPLES - count + k)
        yield before


def whole(name, value) -> int:
    """A cut. Raises ValueError for what is no whole number within the batch."""
    if value != int(value) or not 0 < value < SAMPLES:
        raise ValueError(f"{name}: expected a whole number from 1 to {SAMPLES - 1}, but got {value:g}")
    return int(value)
