"""`torch.utils.data.distributed`: the share of a dataset that one of several processes reads."""

import math
from collections.abc import Iterator

from ....aliases import attributes
from ..._generator import Generator
from ..._random import randperm
from ...distributed import get_rank, get_world_size
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler):
    """Every `num_replicas`-th place of a dataset from `rank` on; shuffled by `seed` and the epoch, the same for all.

    What is left over is filled up from the beginning, or left out with `drop_last`. Raises ValueError for a rank that is none.

    >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        num_replicas = get_world_size() if num_replicas is None else num_replicas
        rank = get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.epoch, self.drop_last, self.shuffle, self.seed = 0, drop_last, shuffle, seed
        over = len(dataset) % num_replicas
        whole = len(dataset) - num_replicas if drop_last and over else len(dataset)
        self.num_samples = math.ceil(whole / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        places = list(range(count))
        if self.shuffle:
            places = randperm(count, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        if not self.drop_last:
            places = (places * math.ceil(self.total_size / max(count, 1)))[: self.total_size]
        return iter(places[: self.total_size][self.rank :: self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch) -> None:
        """The epoch, by which the order changes."""
        self.epoch = epoch


__getattr__ = attributes(__name__)
