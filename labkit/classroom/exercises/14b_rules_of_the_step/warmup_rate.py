"""# Up, then down (2 points)

Write a schedule `rate(step, warm, total, peak)`; `step` counts from 0. In the first `warm` steps the learning rate climbs
in a straight line, so that step 0 has `peak / warm` and step `warm - 1` has `peak`. From step `warm` on it falls along half
a cosine: `peak` at step `warm`, half of it in the middle, 0 at step `total`.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, wrong


def rate(step, warm, total, peak):
    if step < warm:
        return peak * (step + 1) / warm
    done = (step - warm) / (total - warm)
    return peak * (1 + np.cos(np.pi * done)) / 2


def _at(rng, where):
    warm = int(rng.integers(5, 20))
    total = warm + int(rng.integers(20, 90))
    return int(where(rng, warm, total)), warm, total, float(rng.uniform(0.1, 2.0))


def _climbing(rng, warm, total):
    return rng.integers(1, warm - 1)


def _falling(rng, warm, total):
    return rng.integers(warm + 3, total - 3)


def _first(rng, warm, total):
    return 0


def _peak(rng, warm, total):
    return warm - 1


def _turn(rng, warm, total):
    return warm


def _end(rng, warm, total):
    return total


draw = tuple(partial(_at, where=where) for where in (_climbing, _falling, _first, _peak, _turn, _end))
draws = 6


def reference(step, warm, total, peak):
    climb = [peak * (k + 1) / warm for k in range(warm)]
    fall = [peak * np.cos(np.pi * k / (total - warm) / 2) ** 2 for k in range(total - warm + 1)]
    return float((climb + fall)[step])


@wrong("Step 0 has the rate 0, so nothing is learned in it: it is to be peak / warm.")
def begins_at_zero(step, warm, total, peak):
    return peak * step / warm if step < warm else rate(step, warm, total, peak)


@wrong("Your cosine begins at step 0. It begins where the climb ends: count from warm.")
def not_counted_from_warm(step, warm, total, peak):
    return rate(step, warm, total, peak) if step < warm else peak * (1 + np.cos(np.pi * step / total)) / 2


@wrong("The way down is a straight line. Half a cosine is asked for: slow at first and at the end.")
def straight_down(step, warm, total, peak):
    return rate(step, warm, total, peak) if step < warm else peak * (total - step) / (total - warm)


@wrong("You took half the way: cos(pi / 2) is 0, and the rate ends at half the peak. The whole way down is cos(pi).")
def half_the_way(step, warm, total, peak):
    if step < warm:
        return rate(step, warm, total, peak)
    return peak * (1 + np.cos(np.pi * (step - warm) / (total - warm) / 2)) / 2


@wrong("There is no climb. In the first steps the rate is peak * (step + 1) / warm.")
def no_warmup(step, warm, total, peak):
    return peak if step < warm else rate(step, warm, total, peak)


@judged("value")
def twice(step, warm, total, peak):
    return 2 * rate(step, warm, total, peak)


hints = (
    "Two branches: if step < warm, and what comes after.",
    "How much of the way down is done: (step - warm) / (total - warm), from 0 to 1.",
    "peak * (1 + np.cos(np.pi * done)) / 2",
)
