"""Random orders, as MindSpore's pipelines draw them: of all rows of a source, and through a buffer of some."""

import secrets

import numpy as np

from ..common.seed import data_seed

__all__ = ["Orders", "Slots"]

_WORD = 2**64 - 1
_LENGTH, _SHIFTED = 312, 156  # words of a state, and how far apart those are that meet


def _seed():
    seed = data_seed()
    return secrets.randbits(32) if seed is None else seed


class Orders:
    """The order of a source's rows: each epoch shuffles that of the epoch before, with the next seed."""

    def __init__(self, seed=None):
        self.seed, self.order = _seed() if seed is None else seed, []

    def permutation(self, count):
        """The next epoch's order of `count` rows."""
        self.order = order = self.order or list(range(count))
        for i, j in (_in_twos if count < 2**16 else _one_by_one)(_Twister(self.seed), count):
            order[i], order[j] = order[j], order[i]
        self.seed += 1
        return np.array(order, np.int64)


def _in_twos(draw, count):
    """Each place with one up to it; a number drawn serves for two places, as in the C++ standard library."""
    if count and count % 2 == 0:
        yield 1, draw.below(2)
    for i in range(2 - count % 2, count, 2):
        first, second = divmod(draw.below((i + 1) * (i + 2)), i + 2)
        yield i, first
        yield i + 1, second


def _one_by_one(draw, count):
    for i in range(1, count):
        yield i, draw.below(i + 1)


class _Twister:
    """Integers below a bound from the Mersenne twister: a word divided by the width of the bound's share of all words."""

    def __init__(self, seed):
        self.words = np.random.MT19937(0)
        np.random.RandomState(self.words).seed(seed % 2**32)

    def below(self, bound):
        """The next integer from 0 below `bound`."""
        share = (2**32 - 1) // bound
        while (word := int(self.words.random_raw())) >= share * bound:
            pass
        return word // share


class Slots:
    """Places in a buffer, from the Mersenne twister of 64-bit words (T. Nishimura, 2000)."""

    def __init__(self):
        state = [_seed()]
        for i in range(1, _LENGTH):
            state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) & _WORD)
        self.state, self.place = state, _LENGTH

    def below(self, bound):
        """The next integer from 0 below `bound`."""
        if self.place == _LENGTH:
            self._renew()
        word = self.state[self.place]
        self.place += 1
        word ^= word >> 29 & 0x5555555555555555
        word ^= word << 17 & 0x71D67FFFEDA60000
        word ^= word << 37 & 0xFFF7EEE000000000
        return (word ^ word >> 43) % bound

    def _renew(self):
        state = self.state
        for i in range(_LENGTH):
            joined = state[i] & 0xFFFFFFFF80000000 | state[(i + 1) % _LENGTH] & 0x7FFFFFFF
            state[i] = state[(i + _SHIFTED) % _LENGTH] ^ joined >> 1 ^ (joined & 1) * 0xB5026F5AA96619E9
        self.place = 0
