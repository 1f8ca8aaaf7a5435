"""Where an op blocks the gradient: its results at which the local gradient is 0."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .saved import Slot
from .tape import KEPT
from .values import MOST_READ, array_of, readable

FLAT = 1e-4  # a slope that is none, as a part of the steepest one
# Slopes as parts of the steepest one, by what the op gave, which PyTorch keeps; and what that is where they are 0.
SLOPES = {"relu": lambda y: y > 0, "tanh": lambda y: 1 - y * y, "sigmoid": lambda y: 4 * y * (1 - y)}
ENDS = {"relu": "0", "tanh": "−1 or 1", "sigmoid": "0 or 1"}


class Flat(NamedTuple):
    """Of how many `numbers` that an op gave the part `closed` has no slope; of a matrix, examples by units, how many `units` are
    `dead`, which have none for any of the `examples`."""

    numbers: int
    closed: float
    dead: int = 0
    units: int = 0
    examples: int = 0


def flat_of(op: str, slots: Iterable[Slot]) -> Flat | None:
    """What is known of an op by its result, where a node keeps it. It is only looked at."""
    kept = [s.tensor for s in slots if s.name == "result" and s.state == KEPT and op in SLOPES]
    if not kept or not readable(kept[0]) or not 0 < kept[0].numel() <= MOST_READ:
        return None
    given = array_of(kept[0])
    if not np.isfinite(given).all():
        return None
    closed = np.abs(SLOPES[op](given)) < FLAT
    if closed.ndim != 2:
        return Flat(closed.size, float(closed.mean()))
    dead = closed.all(axis=0)
    return Flat(closed.size, float(closed.mean()), int(dead.sum()), dead.size, len(closed))
