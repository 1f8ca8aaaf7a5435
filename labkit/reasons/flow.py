"""The way back from the loss to a tensor as numbers: what arrives at each op, and what it sends on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .probe import Probe


@dataclass(eq=False)
class Sent:
    """What an op sends to `parent` (a key), an array. `probe()`: what its derivative in that argument is like, or None."""

    parent: Any
    value: np.ndarray
    probe: Callable[[], Probe | None] = lambda: None


@dataclass(eq=False)
class Step:
    """The derivative of one op: what `arrived`, and what was `sent` to what leads on.

    `key` names what the op made. `again(change)`: the arrays sent when `change(gradient)` arrives in place of each gradient.
    `elsewhere()`: whether others of its arguments get something. `factors`: the arrays that it has beside the one that leads on.
    """

    key: Any
    op: str
    place: Any
    arrived: np.ndarray
    sent: list[Sent]
    again: Callable[[Callable], list[np.ndarray]] = lambda change: []
    elsewhere: Callable[[], bool] = lambda: False
    factors: list[np.ndarray] = field(default_factory=list)
    kind: str = ""  # the name of its dtype, where NumPy has none of that name


@dataclass(eq=False)
class Flow:
    """The steps back from the loss, last op first, and what comes out for the `target` (a key): an array, or None.

    `bad`: `(op, place)` of the first op whose value is not finite although what went in was, where the loss is not; else None.
    `first_bad(key)`: the same of what went into this step.
    """

    steps: list[Step]
    target: Any
    gradient: np.ndarray | None
    bad: tuple[str, Any] | None = None
    first_bad: Callable[[Any], tuple[str, Any] | None] = lambda key: None

    def into(self) -> dict[Any, list[tuple[Step, Sent]]]:
        """What is sent to each key, by which steps."""
        found: dict[Any, list[tuple[Step, Sent]]] = {}
        for step in self.steps:
            for sent in step.sent:
                found.setdefault(sent.parent, []).append((step, sent))
        return found


def plain(array: Any) -> np.ndarray:
    """As float64, or complex."""
    values = np.asarray(array)
    return values if values.dtype.kind == "c" else values.astype(float)


def largest(array: Any) -> float:
    """The largest absolute value among the finite ones; 0 for nothing.

    >>> largest(np.array([1.0, -3.0, np.inf]))
    3.0
    """
    values = np.abs(plain(array))
    return float(np.max(values[np.isfinite(values)], initial=0.0))


def finite(array: Any) -> bool:
    """Whether all of it is."""
    return bool(np.isfinite(plain(array)).all())
