"""`torch.random`: seeds, and the state of the generator that is used where none is given."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..aliases import attributes
from ._generator import Generator, default_generator
from ._tensor import Tensor

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]


def manual_seed(seed) -> Generator:
    """Make random numbers repeat from here: the same as PyTorch's of this seed. Returns the generator.

    `seed`: an integer from -2**63 to 2**64 - 1, else ValueError; its low 32 bits count.

    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(42)
    >>> torch.randint(10, (5,))
    tensor([2, 7, 6, 4, 6])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start from a seed that nobody can foresee, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that random numbers began with."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Where the random numbers stand, a tensor of bytes for `set_rng_state`."""
    return default_generator.get_state()


def set_rng_state(new_state) -> None:
    """Go on from where `get_rng_state()` was called."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices=None, enabled=True) -> Iterator[None]:
    """While open, numbers may be drawn; afterwards they go on as if none had been."""
    state = default_generator.get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.set_state(state)


__getattr__ = attributes(__name__)
