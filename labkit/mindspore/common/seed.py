"""The global seed."""

from .._seed import get_seed, set_seed

__all__ = ["get_seed", "set_seed"]
