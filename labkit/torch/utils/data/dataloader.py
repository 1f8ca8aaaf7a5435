"""`DataLoader`: batches of a dataset, in the order and with the random numbers of PyTorch's.

There are no workers here: batches are read in this process, and put together by `default_collate`.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from ....dialects.class_paths import Placed
from ....dialects.unsupported import attributes
from ..._error_texts import error
from ..._ops.creation import as_tensor, tensor
from ..._ops.random import drawn_seed
from ..._ops.shape import stack
from ..._tensor.dtype import DTYPES
from ..._tensor.tensor import Tensor
from .dataset import BatchSampler, RandomSampler, SequentialSampler, examples

T_co = TypeVar("T_co", covariant=True)
NO_PIN = "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."


class DataLoader(Generic[T_co], metaclass=Placed):
    """Batches of `dataset`: `for inputs, targets in DataLoader(dataset, batch_size=4, shuffle=True): ...`.

    `dataset`: whatever has `__getitem__` and `__len__`. `sampler` gives indices and
    `batch_sampler` lists of them; `collate_fn` makes a batch of a list of examples. With `batch_size=None` there are no
    batches. `num_workers` starts no process, so what else is said of workers (`worker_init_fn`, `timeout`, `prefetch_factor`,
    `persistent_workers`, `multiprocessing_context`) and `pin_memory` change nothing.

    Raises ValueError for options that exclude each other.

    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(0)
    >>> list(torch.utils.data.DataLoader(range(5), batch_size=2, shuffle=True))
    [tensor([1, 4]), tensor([2, 3]), tensor([0])]
    """

    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
        pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None, generator=None,
        *, prefetch_factor=None, persistent_workers=False, pin_memory_device="", in_order=True,
    ):  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise error("batch_sampler")
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.num_workers, self.worker_init_fn, self.pin_memory = num_workers, worker_init_fn, pin_memory
        self.timeout, self.pin_memory_device, self.in_order = timeout, pin_memory_device, in_order
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.multiprocessing_context, self.persistent_workers = multiprocessing_context, persistent_workers

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(NO_PIN, UserWarning, stacklevel=2)
        drawn_seed(self.generator)  # PyTorch draws one for workers here, also where there are none
        if self.batch_sampler is None:
            return (self.collate_fn(self.dataset[index]) for index in iter(self.sampler))
        return (self.collate_fn(examples(self.dataset, indices)) for indices in iter(self.batch_sampler))

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]


def _check_workers(count, timeout, prefetch_factor, persistent, context):
    if count < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if count == 0 and prefetch_factor is not None:
        raise error("prefetch_factor")
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and count == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if context is not None and count == 0:
        raise error("multiprocessing_context")


__getattr__ = attributes(__name__)


UNKNOWN = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch) -> Any:
    """A list of examples as one: tensors and arrays stacked, numbers in a tensor, inside dicts, tuples and lists.

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
        return _rebuilt(type(first), {key: default_collate([d[key] for d in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(d) != len(first) for d in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        found = [default_collate(each) for each in zip(*batch, strict=True)]
        return found if isinstance(first, tuple) else _rebuilt(type(first), found)
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


def _rebuilt(kind, entries):
    try:
        return kind(entries)
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
        return _rebuilt(type(data), {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        found = [default_convert(d) for d in data]
        return found if isinstance(data, tuple) else _rebuilt(type(data), found)
    return data
