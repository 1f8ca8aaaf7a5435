"""Datasets, examples by index; and samplers, the order in which one is read, from one seed the same as PyTorch's."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from ....dialects.class_paths import Placed
from ....dialects.unsupported import attributes
from ..._ops.random import drawn_seed, randint, randperm
from ..._tensor.tensor import Tensor
from ...random import Generator

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co], metaclass=Placed):
    """Examples by index: a subclass has `__getitem__`, and `__len__` for most samplers.

    >>> from labkit.torch.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, i):
    ...         return i * i
    >>> Squares()[2]
    4
    """

    def __getitem__(self, index) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Examples along the first dimension of tensors: number i is a tuple of the i-th entry of each.

    Raises AssertionError where the first dimensions differ.

    >>> import labkit.torch as torch
    >>> torch.utils.data.TensorDataset(torch.tensor([1.0, 2.0]), torch.tensor([3, 4]))[1]
    (tensor(2.), tensor(4))
    """

    def __init__(self, *tensors):
        if any(tensors[0].size(0) != t.size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


def examples(dataset, indices) -> list:
    """The examples at `indices`, asked for at once where the dataset can be asked so."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[i] for i in indices]


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
    """The indices of `data_source` in random order; with `replacement`, each drawn again.

    `num_samples`: how many, as many as there are examples if left out. Without a `generator`, each pass draws a seed for
    one of its own. Raises ValueError for a number that is not positive, TypeError for a `replacement` that is not a bool.

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
