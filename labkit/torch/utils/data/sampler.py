"""Samplers: the order in which a dataset is read. Random ones draw as PyTorch's do, so a seed gives the same order."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from ....aliases import attributes
from ....layout import Placed
from ..._choosing import drawn_seed, multinomial
from ..._creation import as_tensor
from ..._dtype import DTYPES
from ..._generator import Generator
from ..._random import randint, randperm

T_co = TypeVar("T_co", covariant=True)


def _whole(name, n):
    if not isinstance(n, int) or isinstance(n, bool) or n <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={n}")
    return n


class Sampler(Generic[T_co], metaclass=Placed):
    """Indices of a dataset, one after the other: a subclass has `__iter__`, and most have `__len__`."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """The indices of `data_source` in order.

    >>> from labkit.torch.utils.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices of `data_source` in random order; with `replacement`, each drawn anew.

    `num_samples`: how many, as many as there are examples if left out. Without a `generator`, each pass draws a seed for
    one of its own. Raises ValueError for a number that is not positive, TypeError for a `replacement` that is no bool.

    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(1)
    >>> list(torch.utils.data.RandomSampler(range(6)))
    [0, 3, 4, 1, 5, 2]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        _whole("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices a pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n, count = len(self.data_source), self.num_samples
        source = self.generator
        if source is None:
            source = Generator().manual_seed(drawn_seed(None))
        if self.replacement:
            for begin in range(0, count, 32):
                yield from randint(n, (min(32, count - begin),), generator=source).tolist()
        else:
            for begin in range(0, count + 1, n):  # also where none are left of the last: PyTorch draws it all the same
                yield from randperm(n, generator=source).tolist()[: count - begin]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given `indices` in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """`num_samples` indices below the number of `weights`, drawn with these probabilities (they need not add up to 1).

    Raises ValueError for weights that are not a sequence of numbers, and for a number of samples that is not positive.

    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(0)
    >>> list(torch.utils.data.WeightedRandomSampler([0.1, 0.9, 0.4, 0.7, 3.0, 0.6], 5))
    [5, 4, 4, 5, 4]
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        self.num_samples = _whole("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=DTYPES["float64"])
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.replacement, self.generator = replacement, generator

    def __iter__(self):
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices of `sampler`; a last one that is shorter is left out with `drop_last`.

    >>> from labkit.torch.utils.data import BatchSampler
    >>> list(BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler, batch_size, drop_last):
        self.batch_size = _whole("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.drop_last = sampler, drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size


__getattr__ = attributes(__name__)
