"""Random numbers, as MindSpore draws them on the CPU: the engines that make them, and the seeds that it gives out.

Initial values come from Philox (J. Salmon et al., 2011), uniform ops from the Mersenne twister, normal ops and dropout
from the minimal standard generator of S. Park and K. Miller (1988) with the multiplier 16807.

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
from ..argument_checks import above_zero
from ..graph.recorder import current

_LOW, _SHIFT = np.uint64(2**32 - 1), np.uint64(32)
_MULTIPLIERS, _STEPS = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
_MIXING_KEY = 0x02461E293EC8F720
_LARGEST = 2**31 - 1  # the modulus of the minimal standard generator


def philox(key, counters):
    """The four words, rows of an array, that ten rounds make of each column of `counters` (4, n) with a 64-bit `key`."""
    a, b, c, d = counters
    first, second = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        one, two = np.uint64(_MULTIPLIERS[0]) * a, np.uint64(_MULTIPLIERS[1]) * c
        a, b = (two >> _SHIFT) ^ b ^ np.uint64(first), two & _LOW
        c, d = (one >> _SHIFT) ^ d ^ np.uint64(second), one & _LOW
        first, second = ((k + step) % 2**32 for k, step in zip((first, second), _STEPS, strict=True))
    return np.stack([a, b, c, d])


def words_of(seed, count):
    """`count` words of 32 bits that follow from a 64-bit seed."""
    blocks = -(-count // 4)
    counters = np.empty((4, blocks), np.uint64)
    counters[0], counters[1], counters[2], counters[3] = np.arange(blocks), 0, seed & 0xFFFFFFFF, seed >> 32
    return philox(seed, counters).T.reshape(-1)[:count]


def mixed(seeds):
    """One 64-bit seed of a pair, as MindSpore's kernels mix them."""
    counters = [[n >> shift & 0xFFFFFFFF] for n in seeds for shift in (0, 32)]
    low, high = philox(_MIXING_KEY, np.array(counters, np.uint64))[:2, 0].tolist()
    return high << 32 | low


class UniformEngine:
    """Uniform numbers in [0, 1) from the Mersenne twister, two words each."""

    def __init__(self, seed):
        self.twister = np.random.RandomState(seed % 2**32)

    def __call__(self, count):
        """`count` numbers, float32."""
        words = self.twister.randint(0, 2**32, 2 * count, dtype=np.uint32).astype(np.float64)
        return ((words[::2] + words[1::2] * 2.0**32) * 2.0**-64).astype(np.float32)

    def integers(self, size, count):
        """`count` integers in [0, size), int64, one word each; a word in the uneven rest is drawn again."""
        share, found = (2**32 - 1) // size, np.empty(0, np.int64)
        while len(found) < count:
            words = self.twister.randint(0, 2**32, count - len(found), dtype=np.uint32).astype(np.int64)
            found = np.concatenate([found, words[words < size * share] // share])
        return found


class Minimal:
    """The minimal standard generator: every word is 16807 times the one before, modulo 2**31 - 1."""

    def __init__(self, seed):
        self.last = seed % _LARGEST or 1

    def units(self, count):
        """The next `count` words as float64 numbers in [0, 1)."""
        return (self._next(count) - np.uint64(1)) / (_LARGEST - 1)

    def _next(self, count):
        powers = np.array([16807], np.uint64)
        while len(powers) < count:
            powers = np.concatenate([powers, powers * powers[-1] % np.uint64(_LARGEST)])
        words = powers[:count] * np.uint64(self.last) % np.uint64(_LARGEST)
        self.last = int(words[-1]) if count else self.last
        return words


class Kept(Minimal):
    """Which elements dropout keeps, one word each."""

    def __call__(self, count, probability):
        """`count` truth values."""
        return self.units(count) < np.float32(probability)


class NormalEngine(Minimal):
    """Normal numbers by G. Marsaglia's polar method in float32: points are drawn until they fall inside the circle."""

    def __call__(self, count):
        """`count` numbers; the second of a last pair is dropped."""
        pairs, found = -(-count // 2), [np.empty((0, 2), np.float32)]
        while (missing := pairs - sum(map(len, found))) > 0:
            found.append(self._inside(missing))
        return np.concatenate(found).reshape(-1)[:count]

    def _inside(self, pairs):
        """The normal numbers of the next `pairs` points, as far as they fall inside."""
        points = self.units(2 * pairs).astype(np.float32).reshape(-1, 2) * np.float32(2) - np.float32(1)
        squared = points[:, 0] * points[:, 0] + points[:, 1] * points[:, 1]
        inside = (squared > 0) & (squared <= 1)
        squared = squared[inside]
        logarithm = np.log(squared.astype(np.float64)).astype(np.float32)
        return points[inside, ::-1] * np.sqrt(np.float32(-2) * logarithm / squared)[:, None]


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
    above_zero(seed, int, "For 'global_seed', the 'seed'", zero=True)
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
