"""# How far back is anything heard? (2 points)

Without a `tanh`, a gradient `g` (an array of n numbers) becomes `g @ w.T` at each step back. Write `horizon(w, g, tiny)`:
after how many steps is its length below `tiny` times the length it began with, for the first time? If that does not happen
within 1000 steps, return 0.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, wrong


def horizon(w, g, tiny):
    begin = np.linalg.norm(g)
    for steps in range(1, 1001):
        g = g @ w.T
        if np.linalg.norm(g) < tiny * begin:
            return steps
    return 0


def _matrix(rng, low, high, swell=0.0):
    """A rotation of three directions, shortened; with `swell` one direction pours into the next before it shrinks."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    w = q @ (float(rng.uniform(low, high)) * np.eye(3) + swell * np.eye(3, k=1)) @ q.T
    return w, 3 * rng.normal(size=3), float(10.0 ** rng.uniform(-5, -2))


def _one_step(rng):
    """The first step is enough."""
    return 0.01 * rng.normal(size=(3, 3)), rng.normal(size=3), 0.5


def _last_step(rng, steps):
    """So many steps are needed, near the thousand that are allowed."""
    shrink = 0.97
    return shrink * np.eye(3), 3 * rng.normal(size=3), float(shrink ** (steps - 0.5))


def _tie(rng):
    """After two steps the length is exactly at the limit, and not below it."""
    return 0.5 * np.eye(3), 3 * rng.normal(size=3), 0.25


draw = (
    _tie,
    partial(_matrix, low=0.5, high=0.9),
    partial(_matrix, low=0.8, high=0.9, swell=2.0),
    partial(_matrix, low=1.01, high=1.1),
    _one_step,
    partial(_last_step, steps=1000),
    partial(_last_step, steps=1001),
)


def _steps(w, g, tiny, through=lambda g, w: g @ w.T, begin=None, first=0):
    begin = np.linalg.norm(g) if begin is None else begin
    for steps in range(1, 1001):
        g = through(g, w)
        if np.linalg.norm(g) < tiny * begin:
            return steps + first
    return 0


@wrong(
    "You compare with tiny alone. The gradient did not begin with length 1: compare with tiny times its first length."
)
def not_relative(w, g, tiny):
    return _steps(w, g, tiny, begin=1.0)


@wrong("You count one step too few: after the first multiplication one step is done.")
def counted_from_zero(w, g, tiny):
    return _steps(w, g, tiny, first=-1)


@wrong("You multiply by w, the way forward. The way back is g @ w.T.")
def the_way_forward(w, g, tiny):
    return _steps(w, g, tiny, through=lambda g, w: g @ w)


@wrong("You took one factor for all steps. A matrix may stretch at first and shrink later: multiply step by step.")
def one_factor(w, g, tiny):
    factor = np.max(np.abs(np.linalg.eigvals(w)))
    if factor >= 1:
        return 0
    steps = max(int(np.ceil(np.log(tiny) / np.log(factor))), 1)
    return steps if steps <= 1000 else 0


@judged("value")
def always_all(w, g, tiny):
    return 1000


hints = (
    "Keep begin = np.linalg.norm(g). Then multiply in a loop, and look after each step.",
    "for steps in range(1, 1001): g = g @ w.T",
    "if np.linalg.norm(g) < tiny * begin: return steps. After the loop: return 0.",
)
