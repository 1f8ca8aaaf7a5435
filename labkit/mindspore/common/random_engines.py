"""The engines that MindSpore draws from on the CPU, and what the C++ standard library makes of their words.

Initial values come from Philox (J. Salmon et al., 2011), uniform ops from the Mersenne twister, normal ops and dropout
from the minimal standard generator of S. Park and K. Miller (1988) with the multiplier 16807.
"""

import numpy as np

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
