"""Generators, as MindSpore hands them out: a seed and how far it has been used."""

import secrets

import numpy as np

from ..layout import Placed
from .tensor import Tensor

_LARGEST = 2**32


class Generator(metaclass=Placed):
    """A source of random numbers, with its seed and its state: a tensor of the seed and an offset.

    >>> Generator().manual_seed(5).initial_seed()
    5
    """

    def __init__(self):
        self._seed, self._offset = 0, 0
        self.seed()

    def manual_seed(self, seed) -> "Generator":
        """Begin anew with this seed. Returns the generator."""
        if not isinstance(seed, int):
            raise TypeError("Seed must be an integer.")
        self._seed, self._offset = seed, 0
        return self

    def seed(self) -> int:
        """Begin anew with a seed by chance, which is returned."""
        self._seed, self._offset = secrets.randbelow(_LARGEST), 0
        return self._seed

    def initial_seed(self) -> int:
        """The seed."""
        return self._seed

    def get_state(self) -> Tensor:
        """The state, for `set_state`."""
        return Tensor(np.array([self._seed, self._offset], np.int64).view(np.uint8))

    def set_state(self, state) -> None:
        """Take up a state that `get_state` gave."""
        self._seed, self._offset = (int(n) for n in state.asnumpy().view(np.int64))


default_generator = Generator()


def manual_seed(seed) -> Generator:
    """Begin anew with this seed, in the default generator, which is returned."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Begin anew with a seed by chance, which is returned."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator."""
    return default_generator.get_state()


def set_rng_state(state) -> None:
    """Take up a state of the default generator."""
    default_generator.set_state(state)
