"""One generator of random numbers per thread, which `set_seed` restarts."""

import threading
from contextlib import contextmanager

import numpy as np

from ...program import trace_error
from .._recording import current


class _Random(threading.local):
    def __init__(self):
        self.generator, self.seed = np.random.default_rng(), None
        self.data_seed = None  # of shuffling in data pipelines


_random = _Random()


def set_seed(seed):
    """Make what follows reproducible: initial weights, random ops, shuffled data. `seed` is an integer from 0 on."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"The argument 'seed' must be type of int, but got {type(seed)}.")
    if seed < 0:
        raise ValueError(f"For 'global_seed', the 'seed' must be int and must >= 0, but got '{seed}' with type 'int'.")
    generator()
    _random.generator, _random.seed, _random.data_seed = np.random.default_rng(seed), seed, seed
    np.random.seed(seed % 2**32)


def get_seed():
    """The seed set, or None."""
    return _random.seed


def set_data_seed(seed):
    """Restart the random numbers of data pipelines only."""
    _random.data_seed = seed


def data_seed():
    """The seed of data pipelines, or None."""
    return _random.data_seed


def generator():
    """This thread's generator. Raises TraceError while a program is recorded: what it draws would be drawn once."""
    if current.recorder is not None:
        raise trace_error("draw initial weights, or restart the random numbers")
    return _random.generator


def drawn(draw, name):
    """`draw(generator)`, an array of random numbers; while a program is recorded, an input of it drawn at every run."""
    if current.recorder is None:
        return draw(_random.generator)
    return current.recorder.input(lambda: draw(_random.generator), name)


@contextmanager
def unmoved():
    """While open, numbers may be drawn; afterwards this thread's generator goes on as if none had been."""
    generator = _random.generator
    state = generator.bit_generator.state
    try:
        yield
    finally:
        generator.bit_generator.state = state
