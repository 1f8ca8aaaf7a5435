"""# Clip by the global norm, yourself (2 points)

Write `clip(a, b, max_norm)`. `a` and `b` are gradients (Tensors), `max_norm` is a number.
If the norm of all their elements together is larger than `max_norm`, scale both by the same factor so that it becomes
`max_norm`; otherwise leave them as they are. Return a tuple of two Tensors.
Do not use the `clip` functions of `ops`.
"""

from functools import partial

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import Way, judged, wrong


def clip(a, b, max_norm):
    norm = float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5
    factor = max_norm / max(norm, max_norm)
    return a * factor, b * factor


def _norm(*arrays):
    return np.sqrt(sum(np.sum(np.square(a)) for a in arrays))


def _draw_gradients(rng, part):
    """Two gradients, and a limit that is this part of their norm: below the norm of one, of both, or above all."""
    a, b = (g / _norm(g) for g in (rng.normal(size=(2, 3)), rng.normal(size=4)))
    a, b = (np.float32(g * rng.uniform(1.0, 1.2)) for g in (a, b))
    return a, b, round(float(_norm(a, b) * part), 3)


def reference(a, b, max_norm):
    return ms.ops.clip_by_global_norm((a, b), float(max_norm))


draw = tuple(partial(_draw_gradients, part=part) for part in (0.3, 1.5, 0.6, 1.2, 0.9))
tensors = "mindspore"


@wrong(
    "You clipped each gradient by its own norm. Global means one norm over all elements, and one factor for all: "
    "the direction of the whole step stays."
)
def each_its_own_norm(a, b, m):
    return tuple(g * min(1.0, m / float((g**2).sum().asnumpy()) ** 0.5) for g in (a, b))


@wrong("You clipped each element. That bends the direction; scaling all by one factor keeps it.")
def by_value(a, b, m):
    return ms.ops.clip_by_value(a, -m, m), ms.ops.clip_by_value(b, -m, m)


@wrong("You scaled gradients that were already short enough. Clipping never makes a gradient longer.")
def always_scaled(a, b, m):
    f = m / float(((a**2).sum() + (b**2).sum()).asnumpy()) ** 0.5
    return a * f, b * f


@wrong("You added the two norms. Add the squares of all elements first, and take one root at the end.")
def norms_added(a, b, m):
    n = float((a**2).sum().asnumpy()) ** 0.5 + float((b**2).sum().asnumpy()) ** 0.5
    return a * min(1.0, m / n), b * min(1.0, m / n)


@judged("kind")
def a_list(a, b, m):
    return list(ms.ops.clip_by_global_norm((a, b), m))


ways = (
    Way(
        "Do not use the `clip` functions of `ops`.",
        ("clips",),
        holds=lambda inputs, expected, got, done: not done["clips"],
    ),
)
hints = (
    "The global norm is the root of the sum of the squares of all elements of a and of b.",
    "One factor serves both: max_norm / norm where norm is larger than max_norm, else 1.",
    "norm = ((a**2).sum() + (b**2).sum()) ** 0.5; multiply both by max_norm / max(norm, max_norm).",
)
