"""Reading a pipeline: iterators over its epochs, with rows as lists of tensors or as dictionaries."""

import numpy as np

from ..tensor import wrap

__all__ = ["Reader", "as_arrays", "as_tensors"]


class Randomness(dict):
    """What each shuffling node draws from, made when it is first asked for: from the seed set, else from nothing."""

    def of(self, node, kind):
        """The node's `Orders` or `Slots`, whichever the `kind` is."""
        if id(node) not in self:
            self[id(node)] = kind()
        return self[id(node)]


class Reader:
    """An iterator over one epoch after the other; each `for` over it takes the next epoch, shuffled anew.

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
