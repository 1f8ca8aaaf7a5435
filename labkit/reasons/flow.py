"""The backward pass from the loss to a tensor as numbers: the upstream gradient of each op, and the gradients that it returns."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .probe import Probe


class Bad(NamedTuple):
    """An op whose result is not finite, and its place. What went in: "" was finite; "large": and so large that the result
    overflows; "infinities" went in, and it made nan of them; "brought": what is not finite, from outside the tape; "itself",
    "leaf": this is not an op, but the tensor that is asked about or another leaf; "seen": it was not saved; "unseen": no
    result was saved either, so this is the loss."""

    op: str
    place: Any = None
    given: str = ""


@dataclass(eq=False)
class Sent:
    """The gradient, an array, that an op returns for `parent` (a key). `probe()`: what its derivative there is like, or None."""

    parent: Any
    value: np.ndarray
    probe: Callable[[], Probe | None] = lambda: None


@dataclass(eq=False)
class Step:
    """The derivative of one op: the upstream gradient that `arrived`, and the gradients `sent` to its arguments.

    `key` names what the op made. `again(change)`: the arrays sent when `change(gradient)` arrives in place of each gradient.
    `elsewhere()`: whether others of its arguments get something. `factors`: arrays that multiply what
    leads on, as far as they are zero.
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
    written: bool = False  # whether the user wrote this derivative: a Function's, a bprop or a hook


@dataclass(eq=False)
class Flow:
    """The steps back from the loss, last op first, and the result for the `target` (a key): an array, or None.

    `none`: whether no gradient at all arrived there, not even zeros. `bad`: the op that made the loss not finite; else None.
    `first_bad(key)`: the same of what went into this step. `given(key)`: the `marks` of its own
    arguments, as far as they are known.
    """

    steps: list[Step]
    target: Any
    gradient: np.ndarray | None
    bad: Bad | None = None
    none: bool = False
    first_bad: Callable[[Any], Bad | None] = lambda key: None
    given: Callable[[Any], frozenset[str]] = lambda key: frozenset()

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


def differ(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two floating arrays of one shape differ by more than rounding and another order of sums.

    >>> differ(np.array([1.0, 2.0]), np.array([1.0, 2.0001])), differ(np.zeros(2), np.ones(2))
    (False, True)
    """
    if one.shape != other.shape or one.dtype.kind not in "fc" or not one.size:
        return False
    close = 1e-3 if one.dtype.itemsize > 2 else 3e-2
    with np.errstate(all="ignore"):
        return not np.allclose(plain(one), plain(other), rtol=close, atol=close * largest(other), equal_nan=True)


FINITE: frozenset[str] = frozenset()


def marks(values: Any) -> frozenset[str]:
    """ "nan" and "inf", as far as they are among these arrays and numbers, and "large" for what overflows when it is squared.

    >>> sorted(marks([np.array([1.0, np.nan]), 2.0, None, "same", np.float32(1e30)]))
    ['large', 'nan']
    """
    found = [np.asarray(value) for value in values if value is not None]
    floating = [(plain(array), _large(array.dtype)) for array in found if array.dtype.kind in "fcV"]
    nan, inf = (any(test(array).any() for array, _ in floating) for test in (np.isnan, np.isinf))
    large = any(largest(array) >= limit for array, limit in floating)
    return frozenset(word for word, there in (("nan", nan), ("inf", inf), ("large", large)) if there)


def _large(dtype):
    return float(np.finfo(dtype if dtype.kind in "fc" else np.float32).max) ** 0.5


_LARGE = frozenset({"large"})


def first_bad(
    nodes: Any,
    seen: Callable[[Any], Any],
    named: Callable[[Any], tuple[str, Any]],
    grows: Callable[[Any], bool] = lambda node: False,
) -> Bad | None:
    """The first of these ops that makes what is not finite, or else the first that is given it.

    `seen(node)`: the `marks` of its result and of what went in (None: not known), or None. `grows(node)`: whether it makes huge
    numbers of usual ones, as `exp` does.
    """
    brought = None
    for node in nodes:
        result, given = seen(node) or (FINITE, FINITE)
        result, large = result - _LARGE, bool(given and given >= _LARGE)
        if result and given is None:
            return brought or Bad(*named(node), "seen")
        given = (given or FINITE) - _LARGE
        if result and ("nan" in result - given or not given):
            return Bad(*named(node), "infinities" if given else "large" if large or grows(node) else "")
        if result and brought is None:
            brought = Bad(*named(node), "brought")
    return brought


def finite(array: Any) -> bool:
    """Whether all of it is."""
    return bool(np.isfinite(plain(array)).all())
