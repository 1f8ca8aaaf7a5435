"""`Dataset`: a node of a pipeline, and the nodes that come after a source.

A node makes its rows from its input's, one by one: `rows(random)` is one epoch, a generator of tuples of arrays. So a
pipeline holds nothing, and two iterators over it do not disturb each other.
"""

import math
from itertools import islice

import numpy as np

from ...dialects.argument_types import as_tuple, of_kind
from ...dialects.class_paths import Placed
from ..argument_checks import LARGEST, names_of, natural, required
from ..common.tensor import wrap
from .shuffle_order import Slots

__all__ = ["Dataset", "Reader", "as_arrays", "as_tensors"]


class Dataset(metaclass=Placed):
    """The base of all data sets. A pipeline is built from the source on: `source.map(...).shuffle(...).batch(...)`."""

    input: "Dataset"  # of every node but a source

    def rows(self, random):
        """One epoch: a generator of rows; `random.of(self)` gives the node's random numbers."""
        return self.input.rows(random)

    def get_dataset_size(self):
        """The number of rows (batches, after `batch`) of one epoch."""
        return self.input.get_dataset_size()

    def get_col_names(self):
        """The names of the columns."""
        return self.input.get_col_names()

    # ---- reading ----

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=False):
        """An iterator of rows `{column: tensor}`, of arrays with `output_numpy`; each `for` over it is an epoch."""
        names = self.get_col_names()
        values = as_arrays if output_numpy else as_tensors
        return Reader(self, lambda row: dict(zip(names, values(row), strict=True)), num_epochs)

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        """An iterator of rows, lists of tensors (arrays with `output_numpy`); `columns` chooses some, in order."""
        values = as_arrays if output_numpy else as_tensors
        if columns is None:
            return Reader(self, values, num_epochs)
        places = [self.place(c) for c in names_of(columns, "columns")]
        return Reader(self, lambda row: values([row[k] for k in places]), num_epochs)

    def __iter__(self):
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self):
        return self.get_dataset_size()

    # ---- building ----

    def map(self, operations, input_columns=None, output_columns=None, column_order=None, num_parallel_workers=None,
            **options):  # fmt: skip
        """Apply functions, one after the other, to some columns: `operations` is a transform or function, or a list.

        `input_columns`: the names of the arguments, by default the first ones. `output_columns`: their new names, if
        what comes back is another number of columns or is to be called otherwise. Options of the real `map` for its
        workers are accepted.
        """
        return MapDataset(self, operations, input_columns, output_columns)

    def shuffle(self, buffer_size):
        """Rows in random order: each is drawn from the next `buffer_size` ones. Seeded by `config.set_seed`."""
        return ShuffleDataset(self, buffer_size)

    def batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, *, python_multiprocessing=False,
              max_rowsize=None):  # fmt: skip
        """`batch_size` rows as one, stacked along a new first axis; the last may be smaller, or be dropped.

        Options of the real `batch` for its workers are accepted.
        """
        return BatchDataset(self, batch_size, drop_remainder)

    def repeat(self, count=None):
        """All rows `count` times in one epoch; None and -1: without end."""
        return RepeatDataset(self, count)

    def place(self, column):
        """The index of a column. Raises RuntimeError for an unknown one."""
        names = self.get_col_names()
        if column not in names:
            raise RuntimeError(
                f"Invalid parameter, input column name: {column} doesn't exist in the dataset columns, {names}."
            )
        return names.index(column)


class MapDataset(Dataset):
    def __init__(self, input, operations, input_columns, output_columns):
        self.input = input
        self.operations = as_tuple(operations, (list, tuple))
        for operation in self.operations:
            if not callable(operation):
                raise ValueError(
                    "Parameter operations's element of method map should be a python function or class method which "
                    f"should be callable, but got: {operation}. It doesn't need parentheses for python function or "
                    "class method."
                )
        names = input.get_col_names()
        self.columns = names[:1] if input_columns is None else names_of(input_columns, "input_columns")
        self.made = self.columns if output_columns is None else names_of(output_columns, "output_columns")

    def get_col_names(self):
        return _renamed(self.input.get_col_names(), self.columns, self.made)

    def rows(self, random):
        names, order = self.input.get_col_names(), self.get_col_names()
        given = [self.input.place(c) for c in self.columns]
        for row in self.input.rows(random):
            kept = dict(zip(names, row, strict=True))
            kept.update(zip(self.made, self._applied([row[k] for k in given]), strict=True))
            yield tuple(kept[c] for c in order)

    def _applied(self, values):
        for operation in self.operations:
            try:
                made = operation(*values)
            except Exception as error:
                name = getattr(operation, "__name__", type(operation).__name__)
                raise RuntimeError(
                    "Exception thrown from user defined Python function in dataset.\n"
                    f"map operation: [{name}] failed. Error description:\n{type(error).__name__}: {error}"
                ) from error
            values = as_tuple(made)
        if len(values) != len(self.made):
            raise RuntimeError(
                "map: the operations returned {count} columns, but output_columns (or input_columns) names {names}.".format(
                    count=len(values), names=self.made
                )
            )
        return list(map(np.asarray, values))


def _renamed(names, given, made):
    """The names of columns, those `given` now `made`; another number of them comes first."""
    if len(made) != len(given):
        return made + [c for c in names if c not in given]
    new = dict(zip(given, made, strict=True))
    return [new.get(c, c) for c in names]


class ShuffleDataset(Dataset):
    def __init__(self, input, buffer_size):
        self.input, self.buffer_size = input, natural(buffer_size, "buffer_size", 2)

    def rows(self, random):
        slots, rows = random.of(self, Slots), iter(self.input.rows(random))
        buffer = list(islice(rows, self.buffer_size))
        while buffer:
            k = slots.below(len(buffer))
            buffer[k], buffer[-1] = buffer[-1], buffer[k]
            yield buffer.pop()
            buffer.extend(islice(rows, 1))


class BatchDataset(Dataset):
    def __init__(self, input, batch_size, drop_remainder):
        of_kind(batch_size, int, "batch_size should either be an int or a callable.")
        self.input, self.batch_size = input, natural(batch_size, "batch_size", 1)
        self.drop_remainder = required(drop_remainder, "drop_remainder", (bool,))

    def get_dataset_size(self):
        size = self.input.get_dataset_size() / self.batch_size
        return math.floor(size) if self.drop_remainder else math.ceil(size)

    def rows(self, random):
        rows = iter(self.input.rows(random))
        while batch := list(islice(rows, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_remainder:
                yield tuple(self._stacked(name, column) for name, column in zip(self.get_col_names(), zip(*batch)))

    def _stacked(self, name, column):
        try:
            return np.stack(column)
        except ValueError:
            shapes = sorted({np.shape(value) for value in column})
            raise RuntimeError(
                "Inconsistent batch shapes, batch operation expects same shape for each data row, but got "
                f"inconsistent shape in column '{name}': {shapes}."
            ) from None


class RepeatDataset(Dataset):
    def __init__(self, input, count):
        if count is not None and (not isinstance(count, int) or count == 0 or not -1 <= count <= LARGEST):
            raise ValueError("count should be either -1 or positive integer, range[1, INT32_MAX].")
        self.input, self.count = input, -1 if count is None else count

    def get_dataset_size(self):
        return self.input.get_dataset_size() * max(self.count, 1)

    def rows(self, random):
        left = self.count
        while left != 0:
            yield from self.input.rows(random)
            left -= 1


class Randomness(dict):
    """What each shuffling node draws from, made when it is first asked for: from the seed set, else from nothing."""

    def of(self, node, kind):
        """The node's `Orders` or `Slots`, whichever the `kind` is."""
        if id(node) not in self:
            self[id(node)] = kind()
        return self[id(node)]


class Reader:
    """An iterator over one epoch after the other; each `for` over it takes the next epoch, shuffled again.

    `make` turns a row, a tuple of arrays, into what is given out. Beyond `num_epochs` (-1: no end) it raises
    RuntimeError.
    """

    def __init__(self, dataset, make, num_epochs):
        self._dataset, self._make, self._left = dataset, make, num_epochs
        self._random, self._rows = Randomness(), None

    def __iter__(self):
        return self

    def __next__(self):
        if self._rows is None:
            if self._left == 0:
                raise RuntimeError(
                    "EOF buffer encountered. User tries to fetch data beyond the specified number of epochs."
                )
            self._left -= 1
            self._rows = self._dataset.rows(self._random)
        row = next(self._rows, None)
        if row is None:
            self._rows = None
            raise StopIteration
        return self._make(row)


def as_tensors(row):
    """A row as a list of tensors; text stays an array."""
    arrays = map(np.array, row)
    return [a if a.dtype.kind in "US" else wrap(a) for a in arrays]


_SHOWN = {np.dtype(np.int64): np.longlong, np.dtype(np.uint64): np.ulonglong}  # as the real one's arrays show theirs


def as_arrays(row):
    """A row as a list of arrays."""
    arrays = map(np.asarray, row)
    return [a.astype(_SHOWN[a.dtype]) if a.dtype in _SHOWN else a for a in arrays]
