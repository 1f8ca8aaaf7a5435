"""Sources of rows: arrays, Python code, the digits, and MNIST from its own files."""

import math
import os
from collections.abc import Iterator
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


class Choice:
    """Which rows of a source are read, and in which order, as the source's arguments say.

    `sampler`: indices of rows, as `__iter__`, or `__getitem__` and `__len__`, gives them. `num_shards` and `shard_id`: each
    `num_shards`-th row, from `shard_id` on, after a shuffle that is the same for all shards unless `shuffle` is False.
    """

    def __init__(self, shuffle, num_samples, sampler=None, num_shards=None, shard_id=None, **options):
        self.shuffled, self.num_samples, self.sampler = shuffle is not False, num_samples, sampler
        self.shards = None if num_shards is None else (num_shards, shard_id)

    def size(self, total):
        """How many of `total` rows are read."""
        if self.shards is None:
            return at_most(total, self.num_samples) if self.sampler is None else len(self._sampled())
        return at_most(math.ceil(total / self.shards[0]), self.num_samples)

    def places(self, total, random):
        """The indices of an epoch's rows; `random.of(self, kind)` gives the random numbers."""
        if self.shards is not None:
            count, own = self.shards
            chosen = [(k * count + own) % total for k in range(self.size(total))]
            make = lambda: Orders((data_seed() or 0) + 1)
        elif self.sampler is not None:
            return self._sampled()
        else:
            chosen, make = list(range(self.size(total))), Orders
        if not self.shuffled:
            return chosen
        order = random.of(self, make).permutation(total)
        return [int(order[k]) for k in chosen]

    def _sampled(self):
        if hasattr(self.sampler, "__iter__"):
            return list(self.sampler)
        return [self.sampler[k] for k in range(len(self.sampler))]


class Rows(Dataset):
    """A source with random access: `total` rows, of which `row(i)` gives one; the other arguments are those of `Choice`."""

    def __init__(self, names, total, shuffle, num_samples, **options):
        if shuffle is not None:
            required(shuffle, "shuffle", (bool,))
        self.names, self.total, self.choice = names, total, Choice(shuffle, num_samples, **options)

    def get_col_names(self):
        return self.names

    def get_dataset_size(self):
        return self.choice.size(self.total)

    def row(self, index):
        """One row, a tuple of arrays."""
        raise NotImplementedError

    def rows(self, random):
        return (self.row(int(k)) for k in self.choice.places(self.total, random))


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


class GeneratorDataset(Dataset):
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
        self.names = names_of(column_names, "column_names")
        self.source, self.num_samples = source, num_samples
        self.random_access = hasattr(source, "__getitem__") and hasattr(source, "__len__")
        self.choice = Choice(shuffle, num_samples, **options)

    def get_col_names(self) -> list[str]:
        return self.names

    def get_dataset_size(self) -> int:
        if self.random_access:
            return self.choice.size(len(self.source))
        count = len(self.source) if hasattr(self.source, "__len__") else sum(1 for _ in self._items(None))
        return at_most(count, self.num_samples)

    def rows(self, random) -> Iterator[tuple]:
        for count, item in enumerate(self._items(random)):
            if count == self.num_samples:
                return
            yield self._row(item)

    def _items(self, random):
        if self.random_access:
            return (self.source[int(k)] for k in self.choice.places(len(self.source), random))
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


class DigitsDataset(Rows):
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
        if usage not in ("train", "test", "all"):
            raise ValueError("Input usage is not within the valid set of ['train', 'test', 'all'].")
        found = digits()
        parts = {"train": [found.train], "test": [found.test], "all": [found.train, found.test]}[usage]
        images, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        self.images = np.rint(images * (255 / 16)).astype(np.uint8)[..., None]
        self.labels = labels.astype(np.uint32)
        super().__init__(["image", "label"], len(labels), shuffle, num_samples)

    def row(self, index) -> tuple:
        return self.images[index], self.labels[index]


_PREFIXES = {"train": ["train"], "test": ["t10k"], "all": ["train", "t10k"]}
_KINDS = {"images": ("-images-idx3-ubyte", 2051, "image"), "labels": ("-labels-idx1-ubyte", 2049, "label")}


class MnistDataset(Rows):
    """Images (28, 28, 1) of uint8 and labels of uint32 from the IDX files in `dataset_dir`.

    `usage`: "train", "test" or "all", by default what is there. In random order unless `shuffle=False`. The files are
    read when the first row or the size is asked for; one that is missing, cut off or of another kind is a RuntimeError
    that names it and what was expected.
    """

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, **options):
        if not os.path.isdir(dataset_dir):
            raise ValueError(f"The folder {dataset_dir} does not exist or is not a directory or permission denied!")
        if usage is not None and usage not in _PREFIXES:
            raise ValueError("Input usage is not within the valid set of ['train', 'test', 'all'].")
        super().__init__(["image", "label"], 0, shuffle, num_samples, **options)
        self.folder, self.usage = dataset_dir, usage
        self._read: tuple = ()  # images and labels, once they are read

    def get_dataset_size(self) -> int:
        self._load()
        return super().get_dataset_size()

    def rows(self, random) -> Iterator[tuple]:
        self._load()
        return super().rows(random)

    def row(self, index) -> tuple:
        images, labels = self._read
        return images[index], labels[index]

    def _load(self):
        if self._read:
            return
        pairs = [read_pair(self.folder, prefix) for prefix in self._prefixes()]
        images, labels = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
        self.total = len(images)
        self._read = images[..., None], labels.astype(np.uint32)

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
    header = np.frombuffer(content[: 4 * (1 + axes)], ">u4") if len(content) >= 4 * (1 + axes) else [0]
    if header[0] != magic:
        raise RuntimeError(
            f"Invalid mnist file, the {noun} number of {path} should be {magic} (the first four bytes), "
            f"but got {int(header[0]) if len(content) >= 4 * (1 + axes) else f'a file of {len(content)} bytes'}."
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
        packed = " It is there packed: unpack it with gunzip." if os.path.exists(path + ".gz") else ""
        raise RuntimeError(
            f"Invalid data, MnistDataset API can't read the data file: {path} is missing, the {noun}s of MNIST in the "
            f"IDX format, unpacked.{packed}"
        ) from None
