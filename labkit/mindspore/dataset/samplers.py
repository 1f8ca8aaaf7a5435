"""Samplers: which rows of a source are read, and in which order."""

import math

import numpy as np

from ...aliases import attributes
from ...kinds import of_kind
from ...layout import Placed
from .._seed import data_seed
from ._check import at_most
from ._order import Draws, Orders

__all__ = ["DistributedSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler",
           "SubsetSampler", "WeightedRandomSampler"]  # fmt: skip

_MOST = 2**63 - 1


class Sampler(metaclass=Placed):
    """The base of samplers of your own: define `__iter__`, which gives indices of rows.

    `dataset_size` is the number of rows there are, `num_samples` how many indices are taken (None: all).

    >>> class Odd(Sampler):
    ...     def __iter__(self):
    ...         yield from range(1, self.dataset_size, 2)
    >>> from labkit.mindspore.dataset import NumpySlicesDataset
    >>> [int(row[0]) for row in NumpySlicesDataset([10, 11, 12, 13], sampler=Odd())]
    [11, 13]
    """

    dataset_size = 0
    child: "Sampler | None" = None

    def __init__(self, num_samples=None):
        if num_samples is not None:
            of_kind(num_samples, int, "num_samples must be integer but was: {value}.")
            if not 0 <= num_samples <= _MOST:
                raise ValueError(f"num_samples exceeds the boundary between 0 and {_MOST}(INT64_MAX)!")
        self.num_samples = num_samples

    def __iter__(self):
        raise NotImplementedError("A sampler needs `__iter__`, which gives indices of rows.")

    def size(self, count) -> int:
        """How many of `count` rows are read."""
        self.dataset_size = count
        return at_most(sum(1 for _ in self), self.num_samples)

    def add_child(self, sampler) -> None:
        """Choose among the rows that another sampler chooses. Raises RuntimeError for a second one."""
        if self.child is not None:
            raise RuntimeError("Cannot add child sampler, this sampler already has a child.")
        self.child = sampler_from(sampler)

    def get_child(self) -> "Sampler | None":
        """The sampler among whose rows it chooses."""
        return self.child

    def get_num_samples(self) -> int | None:
        """How many rows it chooses at most; None where that is up to the data."""
        known = [self._own_count(), self.child.get_num_samples() if self.child else None]
        return min((n for n in known if n is not None), default=None)

    def _own_count(self):
        return self.num_samples

    def all_size(self, count) -> int:
        """How many of `count` rows are read, with the samplers below."""
        return self.size(self.child.all_size(count) if self.child else count)

    def places(self, count, random) -> list[int]:
        """The indices of an epoch, with the samplers below."""
        if self.child is None:
            return self.indices(count, random)
        below = self.child.places(count, random)
        return [below[int(k)] for k in self.indices(len(below), random)]

    def indices(self, count, random) -> list[int]:
        """The indices of an epoch, of `count` rows; `random.of(self, kind)` gives the sampler's random numbers."""
        self.dataset_size = count
        return list(self)[: self.num_samples]


class _Given(Sampler):
    """Any object that gives indices, by `__iter__`, or by `__getitem__` and `__len__`."""

    def __init__(self, source):
        super().__init__()
        self.source = source

    def __iter__(self):
        by_place = hasattr(self.source, "__getitem__") and not hasattr(self.source, "__iter__")
        return iter([self.source[k] for k in range(len(self.source))] if by_place else self.source)


def sampler_from(given):
    """A `Sampler` of what a data set was given. Raises TypeError for what gives no indices."""
    if isinstance(given, Sampler):
        return given
    if not (hasattr(given, "__iter__") or (hasattr(given, "__getitem__") and hasattr(given, "__len__"))):
        raise TypeError("sampler should be either iterable or from mindspore.dataset.samplers.")
    return _Given(given)


class SequentialSampler(Sampler):
    """Rows in order, from `start_index` on."""

    def __init__(self, start_index=None, num_samples=None):
        super().__init__(num_samples)
        self.start_index = start_index or 0

    def __iter__(self):
        return iter(range(self.start_index, self.dataset_size))


class SubsetSampler(Sampler):
    """The rows at `indices`, in that order."""

    def __init__(self, indices, num_samples=None):
        super().__init__(num_samples)
        self.chosen = [indices] if isinstance(indices, int) else list(indices)

    def _own_count(self):
        return len(self.chosen) if self.num_samples is None else self.num_samples

    def __iter__(self):
        for index in self.chosen:
            if not 0 <= index < self.dataset_size:
                raise RuntimeError(f"Invalid data, sample id: {index} is out of bounds, 0 to {self.dataset_size}.")
        return iter(self.chosen)


class SubsetRandomSampler(SubsetSampler):
    """The rows at `indices`, in random order."""

    def indices(self, count, random) -> list[int]:
        chosen = super().indices(count, random)
        return [chosen[k] for k in random.of(self, lambda: Orders(ahead=0)).permutation(len(chosen))]


class RandomSampler(Sampler):
    """Rows in random order, each once; with `replacement`, each drawn from all."""

    def __init__(self, replacement=False, num_samples=None, shuffle=None):
        of_kind(replacement, bool, "replacement must be a boolean value but was: {value}.")
        super().__init__(num_samples)
        self.replacement = replacement

    def __iter__(self):
        return iter(range(self.dataset_size))

    def indices(self, count, random) -> list[int]:
        if not self.replacement:
            return list(random.of(self, Orders).permutation(count)[: self.num_samples])
        wanted = count if self.num_samples is None else self.num_samples
        return random.of(self, Draws).below(count, wanted)

    def size(self, count) -> int:
        return self.num_samples if self.replacement and self.num_samples else super().size(count)


class WeightedRandomSampler(Sampler):
    """`num_samples` rows of the first `len(weights)`, each with a probability in proportion to its weight."""

    def __init__(self, weights, num_samples=None, replacement=True):
        super().__init__(num_samples)
        self.weights = np.asarray(weights, float)
        of_kind(replacement, bool, "replacement must be a boolean value but was: {value}.")
        self.replacement = replacement

    def size(self, count) -> int:
        return count if self.num_samples is None else self.num_samples

    def indices(self, count, random) -> list[int]:
        draw = Draws()
        if self.replacement:
            share = np.cumsum(self.weights) / self.weights.sum()
            return [int(np.searchsorted(share, draw.share())) for _ in range(self.size(count))]
        with np.errstate(divide="ignore"):
            waiting = [-math.log(1 - draw.share()) for _ in self.weights] / self.weights
        return np.argsort(waiting, kind="stable")[: self.size(count)].tolist()


class DistributedSampler(Sampler):
    """The rows of one of `num_shards` workers: each `num_shards`-th, from `shard_id` on, after a shuffle by default."""

    def __init__(self, num_shards, shard_id, shuffle=True, num_samples=None, offset=-1):
        for name, value in (("num_shards", num_shards), ("shard_id", shard_id)):
            of_kind(value, int, "{name} must be integer but was: {value}.", name=name)
        super().__init__(num_samples)
        self.num_shards, self.shard_id, self.shuffle = num_shards, shard_id, shuffle

    def __iter__(self):
        each = math.ceil(self.dataset_size / self.num_shards)
        return iter([(k * self.num_shards + self.shard_id) % self.dataset_size for k in range(each)])

    def indices(self, count, random) -> list[int]:
        places = super().indices(count, random)
        if not self.shuffle:
            return places
        order = random.of(self, lambda: Orders((data_seed() or 0) + 1)).permutation(count)  # all workers shuffle alike
        return [int(order[k]) for k in places]


__getattr__ = attributes(__name__)
