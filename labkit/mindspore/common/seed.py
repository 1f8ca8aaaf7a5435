"""One generator of random numbers per thread, which `set_seed` restarts."""

import threading

import numpy as np


class _Random(threading.local):
    def __init__(self):
        self.generator, self.seed = np.random.default_rng(), None


_random = _Random()


def set_seed(seed):
    """Make what follows reproducible: initial weights and random ops. `seed` is an integer from 0 on."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"The argument 'seed' must be type of int, but got {type(seed)}.")
    if seed < 0:
        raise ValueError(f"For 'global_seed', the 'seed' must be int and must >= 0, but got '{seed}' with type 'int'.")
    _random.generator, _random.seed = np.random.default_rng(seed), seed
    np.random.seed(seed % 2**32)


def get_seed():
    """The seed set, or None."""
    return _random.seed


def generator():
    """This thread's generator."""
    return _random.generator
