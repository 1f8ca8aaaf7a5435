"""Random numbers of the binomial distribution, with PyTorch's numbers.

Few expected successes: by the gaps between them (L. Devroye, 1980); many: transformed rejection, W. Hormann (1993).
"""

import math

import numpy as np

from ._dispatch import apply
from ._draws import unit
from ._gamma import each
from ._generator import default_generator
from ._rules import drawing
from ._table import function


def _uniform(generator):
    return float(unit(generator, 1, np.float64)[0])


def _one(generator, count, share):
    """How many of `count` trials succeed with probability `share`."""
    if count <= 0 or share <= 0:
        return 0.0
    if share >= 1:
        return count
    rare = min(share, 1 - share)
    found = (_by_rejection if count * rare >= 10 else _by_gaps)(generator, count, rare)
    return found if share <= 0.5 else count - found


def _by_gaps(generator, count, share):
    found, total, log = 0.0, 0.0, math.log1p(-share)
    while True:
        total += math.ceil(math.log(_uniform(generator)) / log)
        if total > count:
            return found
        found += 1


def _by_rejection(generator, count, share):
    deviation, odds = math.sqrt(count * share * (1 - share)), share / (1 - share)
    b = 1.15 + 2.53 * deviation
    a, center, surely = -0.0873 + 0.0248 * b + 0.01 * share, count * share + 0.5, 0.92 - 4.2 / b
    alpha, m = (2.83 + 5.1 / b) * deviation, math.floor((count + 1) * share)
    while True:
        u, v = _uniform(generator) - 0.5, _uniform(generator)
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + center) if us else -1
        if us >= 0.07 and v <= surely:
            return k
        if k < 0 or k > count:
            continue
        bound = (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
        bound += (count + 1) * math.log((count - m + 1) / (count - k + 1))
        bound += (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
        bound += _beside_stirling(m) + _beside_stirling(count - m) - _beside_stirling(k) - _beside_stirling(count - k)
        if math.log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


def _beside_stirling(k):
    """log(k!) less its approximation by Stirling."""
    return math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + k + 1 - 0.5 * math.log(2 * math.pi)


@function()
def binomial(count, prob, generator=None):
    """How many of `count` trials succeed with probability `prob`, for each element: random counts, as floats."""
    source = generator or default_generator
    drawn = each(lambda n, p: _one(source, n, p), prob._array.dtype, count._array, prob._array)
    return apply(drawing.drawn_for, prob, drawn, "NotImplemented")
