"""Seeds, as MindSpore hands them out: to initial values, to random ops, to shuffled data.

Initial values ask NumPy's generator for a seed each. Every random op gets a pair of seeds: the one set, and a count of the
ops of its kind. An op written as a function makes an engine of them for one call; a layer, or an op of a compiled
function, goes on with its engine from call to call.
"""

import secrets
from contextlib import contextmanager
from copy import deepcopy

import numpy as np

from ...dialects.argument_types import of_kind
from ...program import trace_error
from ..graph.recorder import current
from .random_engines import mixed

_LARGEST = 2**31 - 1
_UNSEEN = 87654321  # stands for the seed 0
_STEP = 3528531795 ^ 3449720151  # between the seeds of two ops of a kind


class _Seeds:
    def __init__(self):
        self.seed = self.data_seed = None
        self.counts: dict = {}  # (kind of op, its own seed) -> the second seed of the next one


_seeds = _Seeds()


def set_seed(seed):
    """Make what follows reproducible, with MindSpore's numbers: initial values, random ops, shuffled data, `np.random`.

    `seed`: an integer from 0 to 2**32 - 1, else TypeError or ValueError.

    >>> import labkit.mindspore as ms
    >>> def draw():
    ...     ms.set_seed(1)
    ...     return ms.nn.Dense(2, 3).weight.asnumpy()
    >>> bool((draw() == draw()).all())
    True
    """
    of_kind(seed, int, "The argument 'seed' must be type of int, but got {type}.")
    if seed < 0:
        raise ValueError(f"For 'global_seed', the 'seed' must be int and must >= 0, but got '{seed}' with type 'int'.")
    check_not_recording()
    np.random.seed(seed)
    _seeds.seed, _seeds.data_seed, _seeds.counts = seed, seed, {}


def get_seed():
    """The seed set, or None."""
    return _seeds.seed


def set_data_seed(seed):
    """Restart the random numbers of data pipelines only."""
    _seeds.data_seed = seed


def data_seed():
    """The seed of data pipelines, or None."""
    return _seeds.data_seed


def check_not_recording():
    """Raise TraceError while a program is recorded: what is drawn then would be drawn once."""
    if current.recorder is not None:
        raise trace_error("draw initial weights, or restart the random numbers")


def initial_seed():
    """A seed of 63 bits for one array of initial values, drawn from NumPy's generator."""
    check_not_recording()
    return int(np.random.randint(1, 2**63, dtype=np.int64))


def op_seed(kind, own=None):
    """The mixed seed of the next random op of a kind; `own` is the one given to it. Two zeros stand for any seed."""
    if _seeds.seed is None and not own:
        return secrets.randbits(64)
    first = 0 if _seeds.seed is None else _seeds.seed or _UNSEEN
    second = _seeds.counts.get((kind, own or 0), own or 0)
    _seeds.counts[kind, own or 0] = second + _STEP
    seeds = first % _LARGEST, second % _LARGEST
    return mixed(seeds) if any(seeds) else secrets.randbits(64)


def drawn(make, draw, name, engines=None, key=None):
    """`draw(engine)`, an array, from a new engine `make()`, or from the one that a layer has in `engines` under `key`.

    While a program is recorded, it is an input drawn at every run, from an engine of the program's own.
    """
    if current.recorder is None:
        return draw(make() if engines is None else engines.setdefault(key, make()))
    engine, example = make(), make()
    return current.recorder.input(lambda: draw(engine), name, draw(example))


@contextmanager
def unmoved():
    """While open, ops may take their seeds; if an error ends it, the next ones go on as if none had."""
    before = dict(_seeds.counts)
    try:
        yield
    except BaseException:
        _seeds.counts = before
        raise


@contextmanager
def drawing_aside(engines):
    """While open, ops and the `engines` of layers draw; afterwards all go on as if they had not."""
    counts, before = dict(_seeds.counts), [(engine, deepcopy(vars(engine))) for engine in engines]
    try:
        yield
    finally:
        _seeds.counts = counts
        for engine, state in before:
            for name, value in state.items():
                setattr(engine, name, value)
