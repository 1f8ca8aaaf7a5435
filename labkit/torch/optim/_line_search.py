"""How far to go in a direction: a step that fulfils the strong conditions of Wolfe."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Point(NamedTuple):
    """A step `t` along a direction: the loss there, its gradient, and the slope along the direction."""

    t: float
    loss: float
    gradient: np.ndarray
    slope: float


def lowest_of_cubic(a, b, bounds=None) -> float:
    """Where the cubic through two points with these slopes is lowest, within `bounds`, or else the middle of these.

    >>> flat = np.zeros(1)
    >>> lowest_of_cubic(Point(0.0, 1.0, flat, -2.0), Point(2.0, 1.0, flat, 2.0))
    1.0
    """
    low, high = bounds or sorted((a.t, b.t))
    bend = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = bend**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2.0
    root = square**0.5
    left, right = (a, b) if a.t <= b.t else (b, a)
    place = right.t - (right.t - left.t) * ((right.slope + root - bend) / (right.slope - left.slope + 2 * root))
    return min(max(place, low), high)


def strong_wolfe(
    at: Callable[[float], Point], start: Point, t, length, c1=1e-4, c2=0.9, change=1e-9, most=25
) -> tuple[Point, int]:
    """`(a point where the loss has fallen enough and is flat enough, how often it was asked for)`.

    `at(t)` is the point of a step `t`, the first that is tried; `start` is that of no step. `length` is the largest element
    of the direction: below `change`, no step is looked for.
    """
    fallen = lambda point: point.loss <= start.loss + c1 * point.t * start.slope
    flat = lambda point: abs(point.slope) <= -c2 * start.slope
    before, here, asked, tries = start, at(t), 1, 0
    found: list[Point] = [start, here]
    while tries < most:
        if flat(here) and fallen(here) and not (tries > 1 and here.loss >= before.loss):
            return here, asked
        found = [before, here]
        if not fallen(here) or (tries > 1 and here.loss >= before.loss) or here.slope >= 0:
            break
        further = (here.t + 0.01 * (here.t - before.t), here.t * 10)
        before, here = here, at(lowest_of_cubic(before, here, further))
        asked, tries = asked + 1, tries + 1
    else:
        found = [start, here]
    return _between(at, found, fallen, flat, length, change, (asked, tries, most))


def _between(at, ends, fallen, flat, length, change, counts):
    """A point between the two `ends`, which are drawn together, the lower one first."""
    asked, tries, most = counts
    low, high = sorted(ends, key=lambda point: point.loss)
    stuck = False
    while tries < most and abs(high.t - low.t) * length >= change:
        first, last = ends = sorted((low, high), key=lambda point: point.t)
        t, edge = lowest_of_cubic(*ends), 0.1 * (last.t - first.t)
        if min(last.t - t, t - first.t) >= edge:
            stuck = False
        elif stuck or not first.t < t < last.t:
            t, stuck = (last.t - edge if abs(t - last.t) < abs(t - first.t) else first.t + edge), False
        else:
            stuck = True
        here = at(t)
        asked, tries = asked + 1, tries + 1
        if not fallen(here) or here.loss >= low.loss:
            low, high = sorted((low, here), key=lambda point: point.loss)
            continue
        if flat(here):
            return here, asked
        low, high = here, low if here.slope * (high.t - low.t) >= 0 else high
    return low, asked
