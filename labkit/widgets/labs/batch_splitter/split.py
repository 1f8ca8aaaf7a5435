"""The parts of one batch: how it is cut, the gradient of each part, and what is made of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

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
        """How far off the combination is, as a part of the big batch's gradient."""
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


def all_splits(of: Of) -> Iterator[Split]:
    """The batch cut in every way."""
    for count in COUNTS:
        yield from (split_of(of, list(ends)) for ends in combinations(range(1, SAMPLES), count - 1))


# ---- a dial for each cut ----


def cut_of(k: int, count: int) -> str:
    """The dial of the k-th cut into so many parts. Its position is how many samples more than one the parts before it have."""
    return f"cut{k}of{count}"


def places_of(count: int) -> int:
    """How many places a cut into so many parts can have."""
    return SAMPLES - count + 1


def put(shards: str) -> dict[str, int]:
    """Where all cuts stand for sizes of a kind."""
    return {cut_of(k, count): end - k for count in COUNTS for k, end in enumerate(ends_of(count, shards), 1)}
