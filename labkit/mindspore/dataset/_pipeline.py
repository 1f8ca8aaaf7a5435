"""`Dataset`: a node of a pipeline, and the nodes that come after a source.

A node makes its rows from its input's, one by one: `rows(random)` is one epoch, a generator of tuples of arrays. So a
pipeline holds nothing, and two iterators over it do not disturb each other.
"""

import math
from bisect import bisect_right
from itertools import islice

import numpy as np

from ...kinds import as_tuple, of_kind
from ...layout import Placed
from ._check import LARGEST, at_most, names_of, natural, required
from ._order import Orders, Slots
from ._reading import Randomness, Reader, as_arrays, as_tensors

__all__ = ["BatchInfo", "Dataset", "zip_datasets"]


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

    def get_batch_size(self):
        """Rows per batch; 1 before `batch`."""
        return self.input.get_batch_size() if hasattr(self, "input") else 1

    def get_repeat_count(self):
        """How often `repeat` goes through the rows; 1 without."""
        return self.input.get_repeat_count() if hasattr(self, "input") else 1

    def output_shapes(self):
        """The shape of every column."""
        return [list(np.shape(column)) for column in self._first()]

    def output_types(self):
        """The NumPy dtype of every column."""
        return [np.asarray(column).dtype for column in self._first()]

    def _first(self):
        return next(iter(self.rows(Randomness())))

    # ---- reading ----

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=False):
        """An iterator of rows `{column: tensor}`, of arrays with `output_numpy`; each `for` over it is an epoch."""
        names = self.get_col_names()
        values = as_arrays if output_numpy else as_tensors
        return Reader(self, lambda row: dict(zip(names, values(row), strict=True)), num_epochs)

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        """An iterator of rows, lists of tensors (arrays with `output_numpy`); `columns` chooses some, in order."""
        chosen = self if columns is None else self.project(columns)
        return Reader(chosen, as_arrays if output_numpy else as_tensors, num_epochs)

    def __iter__(self):
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self):
        return self.get_dataset_size()

    def sync_update(self, condition_name, num_batch=None, data=None):
        """Call the function of the `sync_wait` of that name with `data`. Raises RuntimeError where there is none."""
        if not hasattr(self, "input"):
            raise RuntimeError(f"Condition name: {condition_name} not found in the pipeline.")
        self.input.sync_update(condition_name, num_batch, data)

    def reset(self):
        """Accepted: every epoch starts from the beginning."""

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

    def batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, per_batch_map=None, input_columns=None,
              output_columns=None, **options):  # fmt: skip
        """`batch_size` rows as one, stacked along a new first axis; the last may be smaller, or be dropped.

        `per_batch_map(*columns, info)` makes new columns of lists of rows; `info.get_batch_num()` counts from 0.
        """
        if per_batch_map is None:
            return BatchDataset(self, batch_size, drop_remainder)
        return _MappedBatch(self, batch_size, drop_remainder, per_batch_map, input_columns, output_columns)

    def padded_batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, pad_info=None):
        """`batch`, of rows made equally large first: `pad_info` is `{column: (shape, value)}`, or {} for all columns.

        None stands for the largest size, and for 0.
        """
        return PaddedBatchDataset(self, batch_size, drop_remainder, pad_info)

    def bucket_batch_by_length(self, column_names, bucket_boundaries, bucket_batch_sizes, element_length_function=None,
                               pad_info=None, pad_to_bucket_boundary=False, drop_remainder=False):  # fmt: skip
        """Batches of rows of like length: a row goes into the first bucket whose boundary is above its length, else the last.

        A full bucket of `bucket_batch_sizes[k]` rows is a batch; those left over come at the end, unless they are dropped. The
        length is that of the column, or `element_length_function(*columns)`. Rows are padded as by `padded_batch`, with
        `pad_to_bucket_boundary` None stands for one less than the boundary.
        """
        buckets = bucket_boundaries, bucket_batch_sizes, pad_to_bucket_boundary
        return BucketBatchByLengthDataset(
            self, column_names, buckets, element_length_function, pad_info, drop_remainder
        )

    def flat_map(self, func):
        """The rows of `func(*columns)`, a data set, for each row."""
        return _FlatMap(self, func)

    def sync_wait(self, condition_name, num_batch=1, callback=None):
        """The same rows; `sync_update(condition_name, data=...)` of what is built on it calls `callback(data)`.

        A row is made when it is asked for, so that nothing has to wait.
        """
        return SyncWaitDataset(self, condition_name, callback)

    def zip(self, datasets):
        """The columns of this and of others (one, or a tuple) side by side, as many rows as the shortest has."""
        return ZipDataset((self, *as_tuple(datasets)))

    def concat(self, datasets):
        """The rows of this and then of others (one, or a list)."""
        return ConcatDataset((self, *as_tuple(datasets, (list, tuple))))

    def __add__(self, datasets):
        return self.concat(datasets)

    def apply(self, apply_func):
        """`apply_func(dataset)`, which gives a data set."""
        made = apply_func(self)
        return of_kind(made, Dataset, "apply_func should return a dataset, but got {type}.")

    def num_classes(self):
        """The number of classes, where a source tells it; else None."""
        return self.input.num_classes() if hasattr(self, "input") else None

    def repeat(self, count=None):
        """All rows `count` times in one epoch; None and -1: without end."""
        return RepeatDataset(self, count)

    def take(self, count=-1):
        """The first `count` rows; -1: all."""
        return _Slice(self, 0, None if count == -1 else natural(count, "count", 1))

    def skip(self, count):
        """All but the first `count` rows."""
        return _Slice(self, natural(count, "count", 0), None)

    def project(self, columns):
        """Some columns, in the order given."""
        return _Columns(self, names_of(columns, "columns"))

    def rename(self, input_columns, output_columns):
        """Other names for some columns."""
        new = dict(zip(names_of(input_columns, "input_columns"), names_of(output_columns, "output_columns")))
        return _Columns(self, self.get_col_names(), [new.get(c, c) for c in self.get_col_names()])

    def filter(self, predicate, input_columns=None, num_parallel_workers=None):
        """The rows for which `predicate(*columns)` is true."""
        return FilterDataset(self, predicate, input_columns)

    def split(self, sizes, randomize=True):
        """Parts that share no row: `sizes` are numbers of rows, or shares that add up to 1; drawn at random, or not."""
        count = self.get_dataset_size()
        if not all(isinstance(s, int) for s in sizes):
            sizes = [round(s * count) for s in sizes]
        if sum(sizes) != count:
            raise RuntimeError(f"Sum of split sizes {sum(sizes)} is not equal to dataset size {count}.")
        order = Randomness().of(self, Orders).permutation(count) if randomize else np.arange(count)
        return [_Part(self, part) for part in np.split(order, np.cumsum(sizes)[:-1])]

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
                f"map: the operations gave {len(values)} columns, but output_columns (or input_columns) names "
                f"{len(self.made)}: {self.made}."
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

    def get_batch_size(self):
        return self.batch_size

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


class _MappedBatch(BatchDataset):
    def __init__(self, input, batch_size, drop_remainder, function, columns, made):
        super().__init__(input, batch_size, drop_remainder)
        names = input.get_col_names()
        self.function = function
        self.columns = names if columns is None else names_of(columns, "input_columns")
        self.made = self.columns if made is None else names_of(made, "output_columns")

    def get_col_names(self):
        return _renamed(self.input.get_col_names(), self.columns, self.made)

    def rows(self, random):
        epoch, rows = random.of(self, lambda: [-1]), iter(self.input.rows(random))
        epoch[0] += 1
        number, order = 0, self.get_col_names()
        while batch := list(islice(rows, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_remainder:
                kept = dict(zip(self.input.get_col_names(), zip(*batch), strict=True))
                given = [list(kept[c]) for c in self.columns]
                kept.update(zip(self.made, as_tuple(self.function(*given, BatchInfo(number, epoch[0]))), strict=True))
                yield tuple(self._stacked(name, kept[name]) for name in order)
                number += 1


class BatchInfo(metaclass=Placed):
    """What a function of batches is told."""

    def __init__(self, batch, epoch):
        self._batch, self._epoch = batch, epoch

    def get_batch_num(self):
        """The number of the batch in its epoch, from 0."""
        return self._batch

    def get_epoch_num(self):
        """The number of the epoch, from 0."""
        return self._epoch


class PaddedBatchDataset(BatchDataset):
    def __init__(self, input, batch_size, drop_remainder, info):
        super().__init__(input, batch_size, drop_remainder)
        self.info = info

    def _stacked(self, name, column, info=None):
        column, info = list(map(np.asarray, column)), self.info if info is None else info
        if info is not None and (not info or name in info):
            shape, value = info.get(name, (None, 0))
            largest = np.max([c.shape for c in column], axis=0).astype(int)
            wanted = largest if shape is None else [m if n is None else n for n, m in zip(shape, largest, strict=True)]
            column = [self._padded(c, wanted, value or 0) for c in column]
        return super()._stacked(name, column)

    def _padded(self, array, shape, value):
        if array.ndim == 0:
            return array
        cut = array[tuple(slice(int(n)) for n in shape)]
        return np.pad(cut, [(0, int(n) - m) for n, m in zip(shape, cut.shape)], constant_values=value)


class BucketBatchByLengthDataset(PaddedBatchDataset):
    def __init__(self, input, columns, buckets, length, info, drop_remainder):
        self.boundaries, self.sizes, self.to_boundary = buckets
        super().__init__(input, max(self.sizes), drop_remainder, info)
        if len(self.sizes) != len(self.boundaries) + 1:
            raise ValueError("bucket_batch_sizes must contain one element more than bucket_boundaries.")
        self.columns, self.length = names_of(columns, "column_names"), length

    def get_dataset_size(self):
        return sum(1 for _ in self.rows(Randomness()))

    def rows(self, random):
        waiting: list[list] = [[] for _ in self.sizes]
        places = [self.input.place(c) for c in self.columns]
        for row in self.input.rows(random):
            k = self._bucket([row[place] for place in places])
            waiting[k].append(row)
            if len(waiting[k]) == self.sizes[k]:
                yield self._batch(k, waiting[k])
                waiting[k] = []
        for k, rows in enumerate(waiting):
            if rows and not self.drop_remainder:
                yield self._batch(k, rows)

    def _bucket(self, values):
        length = len(values[0]) if self.length is None else int(np.ravel(as_tuple(self.length(*values))[0])[0])
        return bisect_right(self.boundaries, length)

    def _batch(self, k, rows):
        info, names = self.info, self.get_col_names()
        if self.to_boundary and info:
            fill = self.boundaries[k] - 1 if k < len(self.boundaries) else None
            info = {c: ([fill if n is None else n for n in shape], value) for c, (shape, value) in info.items()}
        return tuple(self._stacked(name, column, info) for name, column in zip(names, zip(*rows)))


class _FlatMap(Dataset):
    def __init__(self, input, func):
        self.input, self.func = input, func

    def get_col_names(self):
        return self.func(*self.input._first()).get_col_names()

    def get_dataset_size(self):
        return sum(1 for _ in self.rows(Randomness()))

    def rows(self, random):
        for row in self.input.rows(random):
            made = of_kind(self.func(*row), Dataset, "flat_map: the function should return a dataset, but got {type}.")
            yield from made.rows(random)


class SyncWaitDataset(Dataset):
    def __init__(self, input, condition_name, callback):
        self.input, self.condition_name, self.callback = input, condition_name, callback

    def sync_update(self, condition_name, num_batch=None, data=None):
        if condition_name != self.condition_name:
            super().sync_update(condition_name, num_batch, data)
        elif self.callback is not None:
            self.callback(data)


class ZipDataset(Dataset):
    def __init__(self, inputs):
        self.inputs = inputs
        names = self.get_col_names()
        if len(set(names)) < len(names):
            raise RuntimeError(f"Invalid data, duplicate column names in the zipped datasets: {names}.")

    def get_col_names(self):
        return [name for d in self.inputs for name in d.get_col_names()]

    def get_dataset_size(self):
        return min(d.get_dataset_size() for d in self.inputs)

    def rows(self, random):
        return (sum(map(tuple, found), ()) for found in zip(*[d.rows(random) for d in self.inputs]))


class ConcatDataset(Dataset):
    def __init__(self, inputs):
        self.inputs = inputs

    def get_col_names(self):
        return self.inputs[0].get_col_names()

    def get_dataset_size(self):
        return sum(d.get_dataset_size() for d in self.inputs)

    def rows(self, random):
        for d in self.inputs:
            if d.get_col_names() != self.get_col_names():
                raise RuntimeError(
                    "Invalid data, number or names of columns are not the same in the datasets to concatenate: "
                    f"{self.get_col_names()} and {d.get_col_names()}."
                )
            yield from d.rows(random)


def zip_datasets(datasets):
    """The columns of several data sets side by side, as many rows as the shortest has. Raises ValueError for one."""
    required(datasets, "datasets", (tuple,))
    if len(datasets) <= 1:
        raise ValueError("Can't zip empty or just one dataset!")
    return ZipDataset(datasets)


class RepeatDataset(Dataset):
    def __init__(self, input, count):
        if count is not None and (not isinstance(count, int) or count == 0 or not -1 <= count <= LARGEST):
            raise ValueError("count should be either -1 or positive integer, range[1, INT32_MAX].")
        self.input, self.count = input, -1 if count is None else count

    def get_dataset_size(self):
        return self.input.get_dataset_size() * max(self.count, 1)

    def get_repeat_count(self):
        return self.count * self.input.get_repeat_count()

    def rows(self, random):
        left = self.count
        while left != 0:
            yield from self.input.rows(random)
            left -= 1


class _Slice(Dataset):
    def __init__(self, input, start, count):
        self.input, self.start, self.count = input, start, count

    def get_dataset_size(self):
        return at_most(max(self.input.get_dataset_size() - self.start, 0), self.count)

    def rows(self, random):
        stop = None if self.count is None else self.start + self.count
        return islice(self.input.rows(random), self.start, stop)


class _Columns(Dataset):
    def __init__(self, input, columns, names=None):
        self.input, self.names = input, columns if names is None else names
        self.places = [input.place(c) for c in columns]

    def get_col_names(self):
        return self.names

    def rows(self, random):
        return (tuple(row[k] for k in self.places) for row in self.input.rows(random))


class FilterDataset(Dataset):
    def __init__(self, input, predicate, columns):
        self.input, self.predicate = input, predicate
        names = input.get_col_names() if columns is None else names_of(columns, "input_columns")
        self.places = [input.place(c) for c in names]

    def get_dataset_size(self):
        return sum(1 for _ in self.rows(Randomness()))

    def rows(self, random):
        return (row for row in self.input.rows(random) if self.predicate(*[row[k] for k in self.places]))


class _Part(Dataset):
    def __init__(self, input, order):
        self.input, self.order = input, order

    def get_dataset_size(self):
        return len(self.order)

    def rows(self, random):
        rows = list(self.input.rows(random))
        return (rows[k] for k in self.order)
