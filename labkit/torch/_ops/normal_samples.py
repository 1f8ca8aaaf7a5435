"""Normally distributed numbers in PyTorch's two ways, both of G. Box and M. Muller (1958).

Fewer than 16 numbers, or memory with gaps: pair by pair in float64, the second of a pair kept in the generator for the
next call. Otherwise: uniform numbers first, blocks of 16 of them turned into normal ones, and the last 16 drawn again
where they are no whole block. In float32 that takes the logarithm, sine and cosine of S. Moshier's Cephes library, which
PyTorch uses there, operation by operation: others would differ in the last digit.
"""

import math

import numpy as np

from ..random import multiply_add, unit

BLOCK = 16


def normal(generator, count, dtype, mean, std, contiguous):
    """`count` numbers of mean `mean` and deviation `std`, in the order of memory."""
    if count < BLOCK or not contiguous:
        return multiply_add(_in_pairs(generator, count), std, mean).astype(dtype)
    kind = np.float64 if dtype == np.float64 else np.float32
    normals = _in_blocks(generator, count, kind, skipped=0 if dtype.itemsize == 2 else count % BLOCK)
    return multiply_add(normals, kind(std), kind(mean)).astype(dtype, copy=False)


def _in_pairs(generator, count):
    """Standard normal numbers in float64; what an earlier call left over comes first."""
    left = [] if generator.next_normal is None or not count else [generator.next_normal]
    turns, radii = unit(generator, count - len(left) + (count - len(left)) % 2, np.float64).reshape(-1, 2).T
    for turn, u in zip(turns.tolist(), radii.tolist(), strict=True):
        radius, angle = math.sqrt(-2.0 * math.log1p(-u)), 2.0 * math.pi * turn
        left += [radius * math.cos(angle), radius * math.sin(angle)]
    if count:
        generator.next_normal = left[count] if len(left) > count else None
    return np.array(left[:count])


def _in_blocks(generator, count, kind, skipped):
    """Standard normal numbers; before the last 16 are drawn again, PyTorch draws `skipped` numbers that it overwrites."""
    whole = count - count % BLOCK
    normals = _blocks_of(unit(generator, whole + skipped, kind)[:whole])
    if whole == count:
        return normals
    return np.concatenate([normals[: count - BLOCK], _blocks_of(unit(generator, BLOCK, kind))])


def _blocks_of(drawn):
    """Standard normal numbers of uniform ones: in each block the first eight give radii, the others angles."""
    first, second = drawn.reshape(-1, 2, BLOCK // 2).swapaxes(0, 1)
    kind = drawn.dtype.type
    log, sine_and_cosine = (_log32, _sine_and_cosine32) if kind is np.float32 else (_log64, _sine_and_cosine64)
    radius = np.sqrt(kind(-2) * log(1 - first))
    sine, cosine = sine_and_cosine(kind(2 * math.pi) * second)
    return np.stack([radius * cosine, radius * sine], 1).reshape(-1)


# ---- float64: the C library's functions, which Python calls one by one ----


_log64 = lambda x: _each(math.log, x)
_sine_and_cosine64 = lambda x: (_each(math.sin, x), _each(math.cos, x))


def _each(fun, x):
    return np.array([fun(v) for v in x.ravel().tolist()]).reshape(x.shape)


# ---- float32: Cephes ----

_LOG = np.array(
    [7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
     2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1], np.float32)  # fmt: skip
_LOG_2 = np.array([-2.12194440e-4, 0.693359375], np.float32)  # log(2) in two parts
_SINE = np.array([-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1], np.float32)
_COSINE = np.array([2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2], np.float32)
_QUARTER = np.array([-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8], np.float32)  # -pi / 4 in parts
_HALF = np.float32(0.5)


def _polynomial(coefficients, x):
    y = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        y = multiply_add(y, x, c)
    return y


def _log32(x):
    """log(x) of float32 in (0, 1]: the mantissa's by a polynomial around 1, plus log(2) times the exponent."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < np.float32(math.sqrt(0.5))
    exponent = (exponent - small).astype(np.float32)
    x = mantissa - 1 + np.where(small, mantissa, np.float32(0))
    square = x * x
    y = multiply_add(_polynomial(_LOG, x) * x, square, exponent * _LOG_2[0])
    return multiply_add(exponent, _LOG_2[1], x + multiply_add(-square, _HALF, y))


def _sine_and_cosine32(x):
    """The sine and cosine of float32 from 0 to 2 pi: what is left of the nearest even eighth of a turn, by polynomials."""
    eighth = ((x * np.float32(4 / math.pi)).astype(np.int32) + 1) & ~1
    for part in _QUARTER:
        x = multiply_add(eighth.astype(np.float32), part, x)
    square = x * x
    cosine = multiply_add(_polynomial(_COSINE, square) * square, square, -square * _HALF) + 1
    sine = multiply_add(_polynomial(_SINE, square) * square, x, x)
    sine, cosine = (np.where(eighth & 2, a, b) for a, b in ((cosine, sine), (sine, cosine)))
    return np.where(eighth & 4, -sine, sine), np.where((eighth + 2) & 4, -cosine, cosine)
