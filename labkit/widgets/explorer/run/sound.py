"""What is told of a run on which nothing is found: that all leaves get a gradient, and how far apart those of the weights are."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...kit.words import number

FEWEST, EVEN = 2, 100.0  # leaves; times that the gradients of the weights of a sound run lie apart
CLIFF = 1e4  # times that those of any two leaves do, biases among them
ROUNDING = float(
    np.finfo(np.float32).eps
)  # of its own length: a shorter gradient moves nothing with a learning rate of 1
NEAR = 2.0  # times, which are told exactly


class Lengths(NamedTuple):
    """Of a leaf: how long its gradient is, and itself, nan where that is not known; whether it is a matrix or more."""

    gradient: float
    own: float
    weight: bool


class Verdict(NamedTuple):
    """What the title says, and what is said at last; the shortest and the longest gradient of the `kind` of leaves that was
    compared, and whether that is `sound`."""

    heading: str
    words: str
    kind: str
    low: float
    high: float
    sound: bool

    @property
    def factor(self) -> str:
        """How far apart these are."""
        return f"within a factor of {times(self.high / self.low)}"


def verdict_of(leaves: Sequence[Lengths]) -> Verdict | None:
    """None where there are few leaves, or one gets none, or one of length 0, or one that is not finite."""
    if len(leaves) < FEWEST or not all(np.isfinite(leaf.gradient) and leaf.gradient > 0 for leaf in leaves):
        return None
    weights = [leaf for leaf in leaves if leaf.weight]
    kind, seen = ("weights", weights) if len(weights) > 1 else ("leaves", leaves)
    sizes = [leaf.gradient for leaf in seen]
    every = [leaf.gradient for leaf in leaves]
    still = [leaf for leaf in leaves if leaf.gradient < ROUNDING * leaf.own]
    if max(every) > CLIFF * min(every) and max(sizes) <= EVEN * min(sizes):
        kind, seen, sizes = "leaves", leaves, every
    found = Verdict("", "", kind, min(sizes), max(sizes), not still and max(sizes) <= EVEN * min(sizes))
    lost = (
        f" With a learning rate of 1, SGD moves {len(still)} of {len(leaves)} by less than rounding." if still else ""
    )
    told = f"he gradients of all {len(seen)} {kind} lie {found.factor}.{lost}{_moved(weights)}"
    which = "those of weights " if kind == "weights" else ""
    less = f", {len(still)} of them too small to move anything" if still else ""
    heading = (
        f"{'✓ sound, ' if found.sound else ''}all {len(leaves)} leaves get a gradient{less}, {which}{found.factor}"
    )
    return found._replace(heading=heading, words=f"Sound: t{told}" if found.sound else f"T{told}")


def titled(name: str, found: Verdict) -> str:
    """The title of a picture.

    >>> titled("loss", verdict_of([Lengths(0.1, 1.0, True), Lengths(0.2, 1.0, True)]))
    'loss: ✓ sound, all 2 leaves get a gradient, those of weights within a factor of 2'
    """
    return f"{name}: {found.heading}"


def _moved(weights: Sequence[Lengths]) -> str:
    """How long gradients are beside their weights, which is how far a step goes."""
    parts = [leaf.gradient / leaf.own for leaf in weights if np.isfinite(leaf.own) and leaf.own > 0]
    if len(parts) < 2:
        return ""
    return f" SGD moves each by lr × {number(min(parts), 2)} to {number(max(parts), 2)} of its norm."


def times(factor: float) -> str:
    """A large factor in words.

    >>> times(1.043), times(3.37), times(512.3), times(25642)
    ('1.04', '3.4', '510', '26,000')
    """
    return number(factor, 3 if factor < NEAR else 2) if factor < 100 else f"{float(f'{factor:.2g}'):,.0f}"
