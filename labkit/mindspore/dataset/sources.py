"""Sources of rows: arrays, Python code, the digits, and MNIST from its own files."""

import math
import os
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from math import prod

import numpy as np

from ...data import digits
from ...dialects.argument_types import as_tuple
from ..argument_checks import at_most, names_of, required
from ..common.seed import data_seed
from ..common.tensor import Tensor
from .pipeline import Dataset
from .shuffle_order import Orders

__all__ = ["DigitsDataset", "GeneratorDataset", "MnistDataset", "NumpySlicesDataset"]


class Rows(Dataset):
    """A source with random access: `total` rows, of which `row(i)` gives one, read as the arguments say.

    `sampler`: indices of rows, as `__iter__`, or `__getitem__` and `__len__`, gives them. `num_shards` and `shard_id`: each
    `num_shards`-th row, from `shard_id` on, after a shuffle that is the same for all shards unless `shuffle` is False.
    """

    def __init__(self, names, shuffle, num_samples, sampler=None, num_shards=None, shard_id=None, **options):
        if shuffle is not None:
            required(shuffle, "shuffle", (bool,))
        self.names, self.shuffled, self.num_samples, self.sampler = names, shuffle is not False, num_samples, sampler
        self.shards = None if num_shards is None else (num_shards, shard_id)

    def get_col_names(self) -> list[str]:
        return self.names

    def get_dataset_size(self) -> int:
        if self.shards is None:
            return at_most(self.total, self.num_samples) if self.sampler is None else len(self._sampled())
        return at_most(math.ceil(self.total / self.shards[0]), self.num_samples)

    @property
    def total(self) -> int:
        """The number of rows that there are."""
        raise NotImplementedError

    def row(self, index) -> tuple:
        """One row, a tuple of arrays."""
        raise NotImplementedError

    def rows(self, random) -> Iterator[tuple]:
        return (self.row(int(k)) for k in self._places(random))

    def _places(self, random):
        """The indices of an epoch's rows; `random.of(self, kind)` gives the random numbers."""
        if self.shards is not None:
            count, own = self.shards
            chosen = [(k * count + own) % self.total for k in range(self.get_dataset_size())]
            make = lambda: Orders((data_seed() or 0) + 1)
        elif self.sampler is not None:
            return self._sampled()
        else:
            chosen, make = list(range(self.get_dataset_size())), Orders
        if not self.shuffled:
            return chosen
        order = random.of(self, make).permutation(self.total)
        return [int(order[k]) for k in chosen]

    def _sampled(self):
        if hasattr(self.sampler, "__iter__"):
            return list(self.sampler)
        return [self.sampler[k] for k in range(len(self.sampler))]


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
        super().__init__(names, shuffle, num_samples, **options)

    @property
    def total(self) -> int:
        return len(self.columns[0])

    def row(self, index) -> tuple:
        return tuple(column[index] for column in self.columns)


class GeneratorDataset(Rows):
    """Rows from Python code: `source` has `__getitem__` and `__len__`, or is iterable, or a function giving such.

    A row is a tuple of arrays or numbers, one per column (or just one). With `__getitem__` the order is random unless
    `shuffle=False`.

    >>> list(GeneratorDataset(lambda: iter([1.0, 2.0]), ["x"]).create_dict_iterator(num_epochs=1, output_numpy=True))
    [{'x': array(1.)}, {'x': array(2.)}]
    """

    def __init__(self, source, column_names=None, column_types=None, schema=None, num_samples=None,
                 num_parallel_workers=1, shuffle=None, **options):  # fmt: skip
        if column_names is None:
            raise ValueError("Neither columns_names nor schema are provided.")
        super().__init__(names_of(column_names, "column_names"), shuffle, num_samples, **options)
        self.source, self.random_access = source, hasattr(source, "__getitem__") and hasattr(source, "__len__")

    @property
    def total(self) -> int:
        return len(self.source)

    def get_dataset_size(self) -> int:
        if self.random_access:
            return super().get_dataset_size()
        return at_most(
            self.total if hasattr(self.source, "__len__") else sum(1 for _ in self._items()), self.num_samples
        )

    def rows(self, random) -> Iterator[tuple]:
        rows = super().rows(random) if self.random_access else map(self._row, self._items())
        return islice(rows, self.num_samples)

    def row(self, index) -> tuple:
        return self._row(self.source[index])

    def _items(self):
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


class _Images(Rows):
    """A source of images and labels, which are read when a row or the size is asked for."""

    def __init__(self, usage, num_samples, shuffle, **options):
        if usage not in _PREFIXES:
            raise ValueError("Input usage is not within the valid set of ['train', 'test', 'all'].")
        super().__init__(["image", "label"], shuffle, num_samples, **options)

    @cached_property
    def images_and_labels(self) -> tuple[np.ndarray, np.ndarray]:
        """Images (n, height, width, 1) of uint8, and labels (n,) of uint32."""
        images, labels = (np.concatenate(arrays) for arrays in zip(*self._parts(), strict=True))
        return self._scaled(images)[..., None], labels.astype(np.uint32)

    def _parts(self):
        """Pairs of images and labels."""
        raise NotImplementedError

    def _scaled(self, images):
        return images

    @property
    def total(self) -> int:
        return len(self.images_and_labels[1])

    def row(self, index) -> tuple:
        images, labels = self.images_and_labels
        return images[index], labels[index]


class DigitsDataset(_Images):
    """Images (8, 8, 1) of uint8 from 0 to 255 and labels of uint32, as `MnistDataset` gives its own, from `labkit.data`.

    `usage`: "train", "test" or "all", the default. In random order unless `shuffle=False`. Ask `vision.Resize` for the
    32 x 32 pixels of LeNet-5.

    >>> import labkit.mindspore as ms
    >>> data = ms.dataset.DigitsDataset("test", shuffle=False).batch(32)
    >>> image, label = next(data.create_tuple_iterator())
    >>> image.shape, image.dtype, label.shape
    ((32, 8, 8, 1), mindspore.uint8, (32,))
    """

    def __init__(self, usage="all", num_samples=None, num_parallel_workers=None, shuffle=None):
        super().__init__(usage, num_samples, shuffle)
        self.usage = usage

    def _parts(self):
        found = digits()
        return {"train": [found.train], "test": [found.test], "all": [found.train, found.test]}[self.usage]

    def _scaled(self, images):
        return np.rint(images * (255 / 16)).astype(np.uint8)


_PREFIXES = {"train": ["train"], "test": ["t10k"], "all": ["train", "t10k"]}
_KINDS = {"images": ("-images-idx3-ubyte", 2051, "image"), "labels": ("-labels-idx1-ubyte", 2049, "label")}


class MnistDataset(_Images):
    """Images (28, 28, 1) of uint8 and labels of uint32 from the IDX files in `dataset_dir`.

    `usage`: "train", "test" or "all", by default what is there. In random order unless `shuffle=False`. The files are
    read when the first row or the size is asked for; one that is missing, cut off or of another kind is a RuntimeError
    that names it and what was expected.
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, **options):
        if not os.path.isdir(dataset_dir):
            raise ValueError(f"The folder {dataset_dir} does not exist or is not a directory or permission denied!")
        super().__init__("all" if usage is None else usage, num_samples, shuffle, **options)
        self.folder, self.usage = dataset_dir, usage

    def _parts(self):
        return [read_pair(self.folder, prefix) for prefix in self._prefixes()]

    def _prefixes(self):
        if self.usage is not None:
            return _PREFIXES[self.usage]
        there = [p for p in _PREFIXES["all"] if os.path.exists(_path(self.folder, p, "images"))]
        return there or ["train"]


def read_pair(folder, prefix):
    """`(images, labels)` of one pair of files. Raises RuntimeError where they do not belong together."""
    images, labels = (read_idx(_path(folder, prefix, kind), kind) for kind in _KINDS)
    if len(images) != len(labels):
        raise RuntimeError(
            "Invalid mnist file, num of images should be equal to num of labels, but got "
            f"num of images: {len(images)}, num of labels: {len(labels)} in {folder}."
        )
    return images, labels


def _path(folder, prefix, kind):
    return os.path.join(folder, prefix + _KINDS[kind][0])


def read_idx(path, kind):
    """The array in an IDX file of `kind` "images" or "labels". Raises RuntimeError for a file that is not one."""
    _, magic, noun = _KINDS[kind]
    axes = magic % 256
    content = _content(path, noun)
    whole = len(content) >= 4 * (1 + axes)
    header = np.frombuffer(content[: 4 * (1 + axes)], ">u4") if whole else [0]
    if header[0] != magic:
        raise RuntimeError(
            f"Invalid mnist file, the {noun} number of {path} should be {magic} (the first four bytes), "
            f"but got {int(header[0]) if whole else f'a file of {len(content)} bytes'}."
        )
    shape = tuple(int(n) for n in header[1:])
    expected = 4 * (1 + axes) + prod(shape)
    if len(content) != expected:
        raise RuntimeError(
            f"Invalid mnist file, truncated data: the length of {path} should be {expected} bytes for {shape[0]} "
            f"{noun}s, but it is {len(content)}."
        )
    return np.frombuffer(content, np.uint8, offset=4 * (1 + axes)).reshape(shape)


def _content(path, noun):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        packed = (
            " There is a compressed file of this name: unpack it with gunzip." if os.path.exists(path + ".gz") else ""
        )
        raise RuntimeError(
            f"Invalid data, MnistDataset API can't read the data file: {path} is missing, the {noun}s of MNIST in the "
            f"IDX format, unpacked.{packed}"
        ) from None
