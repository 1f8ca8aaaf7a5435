"""`DataLoader`: batches of a dataset, in the order and with the random numbers of PyTorch's.

Workers are not processes here: each has its turn in this one, with the seed that it has in PyTorch.
"""

import math
import random
import warnings
from collections.abc import Iterator
from copy import copy
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ....aliases import attributes
from ....layout import Placed
from ..._choosing import drawn_seed
from ..._generator import Generator, default_generator
from ._collate import default_collate, default_convert
from .dataset import IterableDataset, examples
from .sampler import BatchSampler, RandomSampler, SequentialSampler

T_co = TypeVar("T_co", covariant=True)
NO_PIN = "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."
FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class WorkerInfo(NamedTuple):
    """What `get_worker_info()` tells: the worker's `id` of `num_workers`, its `seed`, the `dataset`."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_now: list[WorkerInfo] = []  # the worker whose turn it is


def get_worker_info() -> WorkerInfo | None:
    """The worker that reads the dataset right now; None outside of a loader that has workers."""
    return _now[-1] if _now else None


class _Endless:
    """The sampler of an `IterableDataset`, which has no indices."""

    def __iter__(self):
        while True:
            yield None


class DataLoader(Generic[T_co], metaclass=Placed):
    """Batches of `dataset`: `for inputs, targets in DataLoader(dataset, batch_size=4, shuffle=True): ...`.

    `dataset`: whatever has `__getitem__` and `__len__`, or an `IterableDataset`. `sampler` gives indices and
    `batch_sampler` lists of them; `collate_fn` makes a batch of a list of examples. With `batch_size=None` there are no
    batches. `num_workers` starts no process: the workers take turns in this one, each with the random numbers that it
    has in PyTorch; a `timeout`, `pin_memory`, `prefetch_factor` and `multiprocessing_context` change nothing.

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
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            _check_iterable(shuffle=shuffle or None, sampler=sampler, batch_sampler=batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = _order(dataset, self._iterable, shuffle, generator)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.sampler, self.batch_sampler, self.generator = sampler, batch_sampler, generator
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self.num_workers, self.worker_init_fn, self.pin_memory = num_workers, worker_init_fn, pin_memory
        self.timeout, self.pin_memory_device, self.in_order = timeout, pin_memory_device, in_order
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.multiprocessing_context, self._workers = multiprocessing_context, []
        self.persistent_workers = persistent_workers

    def __setattr__(self, name, value):
        if name in FIXED and "persistent_workers" in vars(self):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            warnings.warn(NO_PIN, UserWarning, stacklevel=2)
        return _Pass(self)

    def __len__(self) -> int:
        if not self._iterable:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]
        length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


def _check_workers(count, timeout, prefetch_factor, persistent, context):
    if count < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if count == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and count == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if context is not None and count == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0"
        )


def _check_iterable(**options):
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


def _order(dataset, iterable, shuffle, generator):
    if iterable:
        return _Endless()
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)


class _Pass:
    """One pass through a loader. It draws a seed for its workers, also where there are none, and then the order."""

    def __init__(self, loader):
        batches = loader.batch_sampler is not None
        self.loader, self.indices = loader, iter(loader.batch_sampler if batches else loader.sampler)
        workers = loader._workers
        if not workers:
            seed = drawn_seed(loader.generator)
            workers = [_Worker(loader, seed, i) for i in range(loader.num_workers)]
            loader._workers = workers if loader.persistent_workers else []
        self.turns = [worker.begin() for worker in workers] or [_Reader(loader, loader.dataset)]

    def __iter__(self):
        return self

    def __len__(self):
        return len(self.loader)

    def __next__(self):
        index = next(self.indices)
        while self.turns:
            turn = self.turns.pop(0)
            try:
                batch = turn.read(index)
            except StopIteration:
                continue
            self.turns.append(turn)
            return batch
        raise StopIteration


class _Reader:
    """Reads a dataset at one index, or at a list of them."""

    def __init__(self, loader, dataset):
        self.loader, self.dataset, self.batches = loader, dataset, loader.batch_sampler is not None
        self.rest: Any = iter(dataset) if loader._iterable else None

    def read(self, index):
        return self.loader.collate_fn(self._ahead(index) if self.rest is not None else self._at(index))

    def _at(self, index):
        return examples(self.dataset, index) if self.batches else self.dataset[index]

    def _ahead(self, index):
        """The next example, or as many as `index` has places. Raises StopIteration at the end."""
        if not self.batches:
            return next(self.rest)
        found = [example for _, example in zip(index, self.rest, strict=False)]
        if not found or (self.loader.drop_last and len(found) < len(index)):
            raise StopIteration
        return found


class _Worker:
    """A worker's turns: its own random numbers, its copy of the dataset, and what `get_worker_info` tells meanwhile."""

    def __init__(self, loader, seed, number):
        self.loader = loader
        self.info = WorkerInfo(number, loader.num_workers, seed + number, copy(loader.dataset))
        self.torch = Generator().manual_seed(seed + number).get_state()
        self.python = random.Random(seed + number).getstate()
        entropy = np.random.SeedSequence([number, seed % 2**32, seed >> 32, 0])
        self.numpy = np.random.RandomState(entropy.generate_state(4)).get_state()
        if loader.worker_init_fn is not None:
            self._turn(loader.worker_init_fn, number)

    def begin(self):
        """Begin to read the dataset, in a turn of its own."""
        self.reader = self._turn(lambda dataset: _Reader(self.loader, dataset), self.info.dataset)
        return self

    def read(self, index):
        return self._turn(self.reader.read, index)

    def _turn(self, do, what):
        _now.append(self.info)
        self._swap()
        try:
            return do(what)
        finally:
            self._swap()
            _now.pop()

    def _swap(self):
        """Exchange the worker's random numbers and those of the program."""
        before = default_generator.get_state(), random.getstate(), np.random.get_state()
        default_generator.set_state(self.torch)
        random.setstate(self.python)
        np.random.set_state(self.numpy)
        self.torch, self.python, self.numpy = before


__getattr__ = attributes(__name__)
