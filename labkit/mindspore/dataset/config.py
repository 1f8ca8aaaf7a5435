"""Settings of data pipelines."""

from ...dialects.argument_types import of_kind
from ..common import seed as _seed

__all__ = ["get_seed", "set_seed"]

_LARGEST = 2**32 - 1


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
