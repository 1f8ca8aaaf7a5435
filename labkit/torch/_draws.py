"""Uniform numbers, integers, choices and permutations from a generator's words, as flat arrays in PyTorch's order."""

import numpy as np

from ._fused import multiply_add

LONG = 2**28  # ranges of integers from here on take two words each
_DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}


def unit(generator, count, kind):
    """Numbers in [0, 1): multiples of 2**-24 from one word each (float32), or of 2**-53 from two (float64)."""
    if kind == np.float32:
        words = generator.words(count)
        words &= np.uint64(2**24 - 1)
        return words.astype(np.float32) * np.float32(2.0**-24)
    return (generator.long_words(count) & np.uint64(2**53 - 1)) * 2.0**-53


def uniform(generator, count, dtype, low, high):
    """Numbers in [low, high); half precision is computed in float32 and rounded."""
    kind = np.float64 if dtype == np.float64 else np.float32
    drawn = unit(generator, count, kind)
    if (low, high) != (0, 1):
        drawn = multiply_add(drawn, kind(high) - kind(low), kind(low))
    drawn = drawn.astype(dtype, copy=False)
    ends = np.array([low, high], kind).astype(dtype)
    drawn[drawn == ends[1]] = ends[0]  # where rounding has reached the end
    return drawn


def integers(generator, count, dtype, low, high, long=None):
    """Integers from `low` below `high`: the remainder of a word, or of two (`long`, by default for wide ranges)."""
    span = high - low
    words = generator.long_words(count) if (span >= LONG if long is None else long) else generator.words(count)
    if span < 2**64:
        words %= np.uint64(span)
    return (words + np.uint64(low % 2**64)).view(np.int64).astype(dtype)


def any_integers(generator, count, dtype):
    """Integers from 0 to the `largest` of the dtype."""
    return integers(generator, count, dtype, 0, largest(dtype) + 1, long=dtype.name in ("int64", "float64"))


def largest(dtype):
    """The largest integer of an integer dtype, or the one up to which a floating dtype has them all."""
    if dtype.name in _DIGITS:
        return 2 ** _DIGITS[dtype.name]
    return 1 if dtype == np.bool_ else int(np.iinfo(dtype).max)


def choices(generator, count, probability):
    """True with `probability`; one float64 is drawn for each, as PyTorch does where it has not an Intel processor."""
    return unit(generator, count, np.float64) < probability


def permutation(generator, n):
    """The integers below `n`, each place changed in turn with one drawn from those not yet passed."""
    order = list(range(n))
    places = np.arange(max(n - 1, 0), dtype=np.uint64)
    partners = generator.words(len(places)) % (np.uint64(n) - places) + places
    for i, j in enumerate(partners.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


def exact_bounds(low, high, dtype):
    """`low` and `high` moved inwards, so that no integer between them is rounded beyond them in a floating dtype."""
    digits = _DIGITS.get(dtype.name)
    if digits is None:
        return low, high
    first, last = (int(np.float64(n).astype(dtype)) for n in (low + 1, high - 1))
    if first < low:
        low = first + 2 ** (abs(low + 1).bit_length() - digits)
    if last >= high:
        high = last - 2 ** (abs(high - 1).bit_length() - digits)
    return low, high
