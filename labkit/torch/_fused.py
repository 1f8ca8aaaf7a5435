"""Multiplication and addition rounded once, as the processors that PyTorch is compiled for do it (FMA)."""

import numpy as np

_SPLIT = 2.0**27 + 1  # cuts the 53 digits of a float64 in two


def multiply_add(a, b, c):
    """`a * b + c`, rounded once: in float64 for an array `a` of float32, else in pairs of float64."""
    if a.dtype == np.float32:
        return (a.astype(np.float64) * b + c).astype(np.float32)
    product, lost = _product(a, b)
    total = product + c
    added = total - product
    return total + ((product - (total - added)) + (c - added) + lost)


def _product(a, b):
    """`a * b` and what its rounding lost (T. J. Dekker, 1971)."""
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, (a1 * b1 - product) + a1 * b2 + a2 * b1 + a2 * b2


def _halves(x):
    high = x * _SPLIT
    high = high - (high - x)
    return high, x - high
