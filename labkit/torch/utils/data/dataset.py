"""Datasets: examples by index, or one after the other; several as one, and parts of one."""

import math
import warnings
from bisect import bisect_right
from itertools import accumulate
from typing import Any, Generic, TypeVar

from ....aliases import attributes
from ....layout import Placed
from ..._random import randperm
from ..._tensor import Tensor

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co], metaclass=Placed):
    """Examples by index: a subclass has `__getitem__`, and `__len__` for most samplers.

    >>> from labkit.torch.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, i):
    ...         return i * i
    >>> (Squares() + Squares())[5]
    4
    """

    def __getitem__(self, index) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: "Dataset") -> "Dataset":
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Examples one after the other: a subclass has `__iter__`.

    >>> from labkit.torch.utils.data import DataLoader, IterableDataset
    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(3))
    >>> list(DataLoader(Count(), batch_size=2))
    [tensor([0, 1]), tensor([2])]
    """

    def __iter__(self) -> Any:
        raise NotImplementedError

    def __add__(self, other: Dataset) -> Dataset:
        return ChainDataset([self, other])


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


class StackDataset(Dataset):
    """Datasets side by side: example i is a tuple of the i-th of each, a dict where they were given by name.

    Raises ValueError where their lengths differ, where there are none, or where some have names and others not.
    """

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        sets = args or tuple(kwargs.values())
        self._length = len(sets[0])
        if any(len(d) != self._length for d in sets):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: d[index] for name, d in self.datasets.items()}
        return tuple(d[index] for d in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[T_co]):
    """One dataset after the other. Raises AssertionError for none, and for an `IterableDataset` among them."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(len(d) for d in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset):
    """One `IterableDataset` after the other. Raises AssertionError for another kind among them."""

    def __init__(self, datasets):
        self.datasets = datasets

    def _parts(self):
        for d in self.datasets:
            if not isinstance(d, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield d

    def __iter__(self):
        for d in self._parts():
            yield from d

    def __len__(self) -> int:
        return sum(len(d) for d in self._parts())


class Subset(Dataset[T_co]):
    """The examples of `dataset` at `indices`.

    >>> from labkit.torch.utils.data import Subset
    >>> list(Subset("abcdef", [0, 2, 4]))
    ['a', 'c', 'e']
    """

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices
        own = type(self)
        if own.__getitem__ is not Subset.__getitem__ and own.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{own.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your "
                "custom logic. A simple implementation:\n\ndef __getitems__(self, indices):\n    return "
                "[self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices) -> list:
        return examples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def examples(dataset, indices) -> list:
    """The examples at `indices`, asked for at once where the dataset can be asked so."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[i] for i in indices]


def random_split(dataset, lengths, generator=None) -> list[Subset]:
    """Parts of `dataset` of the given lengths (or fractions that add up to 1), its examples in random order.

    Raises ValueError where the lengths do not add up to that of the dataset.

    >>> import labkit.torch as torch
    >>> a, b = torch.utils.data.random_split(range(10), [0.3, 0.7], torch.Generator().manual_seed(42))
    >>> list(a)
    [2, 6, 1]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _of_fractions(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(sum(lengths), generator=generator).tolist()
    return [Subset(dataset, order[end - n : end]) for end, n in zip(accumulate(lengths), lengths, strict=True)]


def _of_fractions(count, fractions):
    """Whole numbers near `count * fraction` that add up to `count`."""
    for i, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(count * fraction) for fraction in fractions]
    for i in range(count - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, n in enumerate(lengths):
        if n == 0:
            warnings.warn(
                f"Length of split at index {i} is 0. This might result in an empty dataset.", UserWarning, stacklevel=3
            )
    return lengths


__getattr__ = attributes(__name__)
