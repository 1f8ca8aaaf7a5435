"""Sources in memory: arrays cut into rows, and rows made by Python code."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...kinds import as_tuple
from ..tensor import Tensor
from ._check import at_most, names_of, required
from ._order import Orders
from ._pipeline import Dataset
from .samplers import DistributedSampler, sampler_from

__all__ = ["GeneratorDataset", "NumpySlicesDataset"]


def chosen_by(shuffle, num_samples, sampler=None, num_shards=None, shard_id=None, **options):
    """The `Sampler` that a source's arguments ask for, or None. Raises ValueError where they contradict each other."""
    if (num_shards is None) != (shard_id is None):
        raise ValueError("num_shards and shard_id need to be passed in together.")
    if num_shards is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False, num_samples)
    if sampler is not None and not (shuffle is None and num_samples is None):
        raise ValueError(
            f"Conflicting arguments during sampler assignments. num_samples: {num_samples}, num_shards: {num_shards}, "
            f"shard_id: {shard_id}, shuffle: {shuffle}."
        )
    return None if sampler is None else sampler_from(sampler)


class Sampled(Dataset):
    """A source whose rows a sampler may choose."""

    sampler: Any = None

    def use_sampler(self, new_sampler) -> None:
        """Let this sampler choose the rows, in place of another."""
        self.sampler = sampler_from(new_sampler)

    def add_sampler(self, new_sampler) -> None:
        """Let this sampler choose among the rows that the sampler of before chooses."""
        new = sampler_from(new_sampler)
        if self.sampler is not None:
            new.add_child(self.sampler)
        self.sampler = new


class Rows(Sampled):
    """A source with random access: `count` rows, of which `row(i)` gives one; `shuffle` as the source's argument.

    `options` may be `sampler`, or `num_shards` and `shard_id`.
    """

    def __init__(self, names, count, shuffle, num_samples, **options):
        self.names = names
        self.sampler = chosen_by(shuffle, num_samples, **options)
        self.count = at_most(count, num_samples)
        self.total, self.shuffled = count, True if shuffle is None else required(shuffle, "shuffle", (bool,))

    def get_col_names(self):
        return self.names

    def get_dataset_size(self):
        return self.count if self.sampler is None else self.sampler.all_size(self.total)

    def row(self, index):
        """One row, a tuple of arrays."""
        raise NotImplementedError

    def rows(self, random):
        if self.sampler is not None:
            return (self.row(int(k)) for k in self.sampler.places(self.total, random))
        order = random.of(self, Orders).permutation(self.total) if self.shuffled else range(self.total)
        return (self.row(int(k)) for k in order[: self.count])


class NumpySlicesDataset(Rows):
    """Rows from arrays, or nested lists: `data` is one, a tuple of them (columns), or a dictionary `{column: array}`.

    `shuffle`: rows in random order, the default; `sampler` says which rows, else. Raises ValueError for columns of
    different lengths.

    >>> [row[0].tolist() for row in NumpySlicesDataset([[1, 2], [3, 4]], shuffle=False)]
    [[1, 2], [3, 4]]
    """

    def __init__(self, data, column_names=None, num_samples=None, num_parallel_workers=1, shuffle=None, **options):
        required(data, "data", (list, tuple, dict, np.ndarray))
        if len(data) == 0:
            raise ValueError("Argument data cannot be empty")
        if isinstance(data, dict):
            column_names = list(data) if column_names is None else column_names
            columns = list(data.values())
        else:
            columns = list(data) if isinstance(data, tuple) else [data]
        self.columns = [np.asarray(c) for c in columns]
        if len({len(c) for c in self.columns}) > 1:
            raise ValueError("Data length in each column is not equal.")
        names = [f"column_{k}" for k in range(len(columns))] if column_names is None else column_names
        names = names_of(names, "column_names")
        if len(names) != len(columns):
            raise ValueError(f"Num of input column names is {len(names)}, but required is {len(columns)}.")
        super().__init__(names, len(self.columns[0]), shuffle, num_samples, **options)

    def row(self, index) -> tuple:
        return tuple(column[index] for column in self.columns)


class GeneratorDataset(Sampled):
    """Rows from Python code: `source` has `__getitem__` and `__len__`, or is iterable, or a function giving such.

    A row is a tuple of arrays or numbers, one per column (or just one). With `__getitem__` the order is random unless
    `shuffle=False`.

    >>> list(GeneratorDataset(lambda: iter([1.0, 2.0]), ["x"]).create_dict_iterator(num_epochs=1, output_numpy=True))
    [{'x': array(1.)}, {'x': array(2.)}]
    """

    def __init__(self, source, column_names=None, column_types=None, schema=None, num_samples=None,
                 num_parallel_workers=1, shuffle=None, **options):  # fmt: skip
        if not (callable(source) or hasattr(source, "__iter__") or hasattr(source, "__getitem__")):
            raise TypeError(
                "Input `source` function of GeneratorDataset should be callable, iterable or random accessible, "
                "commonly it should implement one of the method like yield, __getitem__ or __next__(__iter__)."
            )
        if column_names is None:
            raise ValueError("Neither columns_names nor schema are provided.")
        self.names = names_of(column_names, "column_names")
        self.source, self.num_samples = source, num_samples
        self.random_access = hasattr(source, "__getitem__") and hasattr(source, "__len__")
        self.shuffled = self.random_access and shuffle is not False
        self.sampler = chosen_by(shuffle, num_samples, **options)
        if self.sampler is not None and not self.random_access:
            raise RuntimeError("sampler: expected a source with `__getitem__` and `__len__` for it.")

    def get_col_names(self) -> list[str]:
        return self.names

    def get_dataset_size(self) -> int:
        if self.sampler is not None:
            return self.sampler.all_size(len(self.source))
        count = len(self.source) if hasattr(self.source, "__len__") else sum(1 for _ in self._items(None))
        return at_most(count, self.num_samples)

    def rows(self, random) -> Iterator[tuple]:
        for count, item in enumerate(self._items(random)):
            if count == self.num_samples:
                return
            yield self._row(item)

    def _items(self, random):
        if self.random_access:
            count = len(self.source)
            if self.sampler is not None:
                return (self.source[int(k)] for k in self.sampler.places(count, random))
            order = random.of(self, Orders).permutation(count) if self.shuffled else range(count)
            return (self.source[int(k)] for k in order)
        return iter(self.source() if callable(self.source) else self.source)

    def _row(self, item):
        values = tuple(item) if isinstance(item, Iterator) else as_tuple(item, (tuple, list))
        if len(values) != len(self.names):
            raise RuntimeError(
                "Invalid Python function, the 'source' of 'GeneratorDataset' should return same number of NumPy "
                f"arrays as specified in column_names, the size of column_names is:{len(self.names)} and number of "
                f"returned NumPy array is:{len(values)}"
            )
        return tuple(v.asnumpy() if isinstance(v, Tensor) else np.asarray(v) for v in values)
