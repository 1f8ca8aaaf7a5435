"""What MindSpore's kernels on the CPU make of exp, and of what is made of it, in Float32: polynomials, to the last bit."""

from functools import wraps

import numpy as np

_LEFT = [np.float32(1 / n) for n in (120, 24, 6, 2, 1, 1)]
_MOST = np.float32(88.72283935546875)  # from there on exp is infinite


def _fused(a, b, c):
    """a b + c, rounded once to Float32."""
    return (np.multiply(a, b, dtype=np.float64) + c).astype(np.float32)


def _polynomial(x, first, *others):
    for number in others:
        first = _fused(x, first, np.float32(number))
    return first


def _in_parts(kernel):
    """The kernel on 4096 numbers at a time, so that what it needs on its way is small."""

    @wraps(kernel)
    def computed(x):
        if x.size <= 4096:
            return kernel(x)
        parts = np.array_split(np.ravel(x), -(-x.size // 4096))
        return np.concatenate([kernel(part) for part in parts]).reshape(x.shape)

    return computed


@_in_parts
def exp(x) -> np.ndarray:
    """exp(x): a power of two, times a polynomial of degree 5 of what is left, which lies between -0.35 and 0.35.

    >>> exp(np.float32([0.0, 1.5])), np.exp(np.float32([0.0, 1.5]))
    (array([1.       , 4.4816904], dtype=float32), array([1.      , 4.481689], dtype=float32))
    """
    with np.errstate(all="ignore"):
        bounded = np.clip(x, -_MOST, _MOST)
        power = np.floor(_fused(bounded, np.float32(np.log2(np.e)), np.float32(0.5)))
        value = _polynomial(_fused(-power, np.float32(0.693147), bounded), *_LEFT)
        found = np.where(power > -126, np.ldexp(value, np.nan_to_num(power).astype(np.int32)), np.float32(0))
    return np.where(np.isnan(x), x, np.where(x > _MOST, np.float32(np.inf), found))


@_in_parts
def sigmoid(x) -> np.ndarray:
    """1 / (1 + exp(-x))."""
    return np.float32(1) / (np.float32(1) + exp(-x))


@_in_parts
def tanh(x) -> np.ndarray:
    """tanh(x): a ratio of polynomials up to 5, where it reaches 1.00001, and 1 from there on."""
    with np.errstate(all="ignore"):
        square = x * x
        above = _polynomial(square, square + np.float32(378), 17325, 135135) * x
        return np.where(abs(x) > 5, np.sign(x), above / _polynomial(square, np.float32(28), 3150, 62370, 135135))


def softmax(x) -> np.ndarray:
    """exp(x - max(x)) times 1 over its sum, along the last axis."""
    high = exp(x - np.max(x, axis=-1, keepdims=True))
    return high * (np.float32(1) / np.cumsum(high, axis=-1, dtype=np.float32)[..., -1:])
