"""Examples put together into a batch: numbers and arrays become tensors with one dimension more."""

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ..._creation import as_tensor, tensor
from ..._dtype import DTYPES
from ..._joining import stack
from ..._tensor import Tensor

UNKNOWN = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch) -> Any:
    """A list of examples as one: tensors and arrays stacked, numbers in a tensor, inside of dicts, tuples and lists.

    Raises TypeError for what is none of these, RuntimeError for shapes or lengths that differ.

    >>> from labkit.torch.utils.data import default_collate
    >>> default_collate([{"x": 1.0, "y": 2}, {"x": 3.0, "y": 4}])
    {'x': tensor([1., 3.], dtype=torch.float64), 'y': tensor([2, 4])}
    """
    first = batch[0]
    for kinds, made in _LEAVES:
        if isinstance(first, kinds):
            return made(batch)
    if isinstance(first, Mapping):
        return _mapping_like(first, {key: default_collate([d[key] for d in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(d) != len(first) for d in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return _sequence_like(first, [default_collate(each) for each in zip(*batch, strict=True)])
    raise TypeError(UNKNOWN.format(type(first)))


def _arrays(batch):
    if batch[0].dtype.kind in "SUaO":
        raise TypeError(UNKNOWN.format(batch[0].dtype))
    return stack([as_tensor(a) for a in batch])


_LEAVES: list[tuple[Any, Callable]] = [
    (Tensor, stack),
    (np.ndarray, _arrays),
    (float, lambda batch: tensor(batch, dtype=DTYPES["float64"])),
    ((np.bool_, np.number, np.object_), as_tensor),
    (int, tensor),
    ((str, bytes), lambda batch: batch),
]


def _mapping_like(example, entries):
    """The entries in a mapping of the type of `example`, with all that it may hold besides."""
    try:
        if not isinstance(example, MutableMapping):
            return type(example)(entries)  # type: ignore[call-arg]
        made = copy.copy(example)
        made.update(entries)
        return made
    except TypeError:
        return entries


def _sequence_like(example, entries):
    """The entries in a sequence of the type of `example`; a tuple becomes a list, as it always has."""
    if isinstance(example, tuple):
        return entries
    try:
        if not isinstance(example, MutableSequence):
            return type(example)(entries)  # type: ignore[call-arg]
        made = copy.copy(example)
        for i, entry in enumerate(entries):
            made[i] = entry
        return made
    except TypeError:
        return entries


def default_convert(data) -> Any:
    """One example as a batch has it, without a dimension more: arrays become tensors, all else stays.

    >>> import numpy as np
    >>> from labkit.torch.utils.data import default_convert
    >>> default_convert([1, np.ones(2)])
    [1, tensor([1., 1.], dtype=torch.float64)]
    """
    if isinstance(data, Tensor):
        return data
    if isinstance(data, (np.ndarray, np.bool_, np.number)):
        return data if isinstance(data, np.ndarray) and data.dtype.kind in "SUaO" else as_tensor(data)
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _sequence_like(data, [default_convert(d) for d in data])
    return data
