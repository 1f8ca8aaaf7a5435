"""Settings of data pipelines."""

from typing import Any

from ...kinds import of_kind
from .. import _seed

__all__ = ["get_num_parallel_workers", "get_prefetch_size", "get_seed", "set_num_parallel_workers",
           "set_prefetch_size", "set_seed"]  # fmt: skip

_LARGEST = 2**32 - 1
_kept: dict[str, Any] = {"num_parallel_workers": 8, "prefetch_size": 16}


def set_seed(seed) -> None:
    """Make shuffling reproducible: pipelines that start to be read from now on draw from `seed`. (`ms.set_seed` too.)"""
    of_kind(seed, int, "seed isn't of type int.")
    if not 0 <= seed <= _LARGEST:
        raise ValueError(f"seed given is not within the required range [0, UINT32_MAX({_LARGEST})].")
    _seed.set_data_seed(seed)


def get_seed() -> int:
    """The seed of shuffling; 5489 stands for none."""
    seed = _seed.data_seed()
    return 5489 if seed is None else seed


def set_num_parallel_workers(num) -> None:
    """Accepted: a pipeline runs in the thread that reads it, so that a seed fixes its order."""
    _kept["num_parallel_workers"] = num


def get_num_parallel_workers() -> int:
    """What was set; 8 at first."""
    return _kept["num_parallel_workers"]


def set_prefetch_size(size) -> None:
    """Accepted: a row is made when it is asked for."""
    _kept["prefetch_size"] = size


def get_prefetch_size() -> int:
    """What was set; 16 at first."""
    return _kept["prefetch_size"]


_KEPT = {  # what else may be set: of workers and memory that there are none of here, so that it changes nothing
    "auto_offload": False, "autotune_interval": 0, "callback_timeout": 60, "debug_mode": False, "dynamic_shape": False,
    "enable_shared_mem": True, "enable_watchdog": True, "fast_recovery": True, "monitor_sampling_interval": 1000,
    "multiprocessing_start_method": "fork", "multiprocessing_timeout_interval": 300, "numa_enable": False,
}  # fmt: skip
_kept.update(_KEPT)


def _keeping(name):
    def read():
        return _kept[name]

    def put(value):
        of_kind(value, type(_KEPT[name]), f"{name} isn't of type {type(_KEPT[name]).__name__}.")
        _kept[name] = value

    read.__doc__ = f"What was set; {_KEPT[name]!r} at first."
    put.__doc__ = "Accepted: a pipeline runs in the thread that reads it."
    return {f"get_{name}": read, f"set_{name}": put}


for _name in _KEPT:
    globals().update(_keeping(_name))
    __all__ += [f"get_{_name}", f"set_{_name}"]
