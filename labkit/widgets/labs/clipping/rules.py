"""The three rules of clipping, done by labkit's own MindSpore operations, and what tells them apart: length and angle.

R. Pascanu, T. Mikolov, Y. Bengio, "On the difficulty of training recurrent neural networks", ICML 2013, clip by norm:
g times limit / |g| wherever |g| is larger than the limit. Clipping by value limits each element on its own.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ....mindspore import Tensor, ops

Arrays = Sequence[np.ndarray]


def by_global_norm(gradients: Arrays, limit: float) -> list[np.ndarray]:
    """All gradients times one factor, so that the length of all together is at most `limit`: `ops.clip_by_global_norm`.

    >>> [round(float(g[0]), 6) for g in by_global_norm([np.array([3.0]), np.array([4.0])], 1.0)]
    [0.6, 0.8]
    """
    with np.errstate(all="ignore"):  # it computes in Float32
        return _arrays(ops.clip_by_global_norm(_tensors(gradients), float(limit)), gradients)


def each_by_norm(gradients: Arrays, limit: float) -> list[np.ndarray]:
    """Each gradient times a factor of its own, so that its length is at most `limit`: `ops.clip_by_norm`, one by one."""
    return _arrays([ops.clip_by_norm(tensor, float(limit)) for tensor in _tensors(gradients)], gradients)


def by_value(gradients: Arrays, limit: float) -> list[np.ndarray]:
    """Each element limited to [-limit, limit]: `ops.clip_by_value`."""
    return _arrays(ops.clip_by_value(_tensors(gradients), -float(limit), float(limit)), gradients)


Rule = Callable[[Arrays, float], list[np.ndarray]]


def length(gradients: Arrays) -> float:
    """The length of all gradients together, the global norm.

    >>> length([np.array([3.0]), np.array([4.0])])
    5.0
    """
    return _scaled(gradients)[1]


def angle(before: Arrays, after: Arrays) -> float:
    """By how many degrees a gradient was turned; 0 where one of the two is zero, nan where one is not finite.

    >>> round(angle([np.array([1.0, 0.0])], [np.array([1.0, 1.0])]), 6)
    45.0
    """
    (a, long), (b, short) = _scaled(before), _scaled(after)
    if not (np.isfinite(long) and np.isfinite(short)):
        return float("nan")
    if long == 0 or short == 0:
        return 0.0
    along = float(np.dot(a, b))
    turned = float(np.degrees(np.arctan2(np.linalg.norm(b - along * a), along)))
    return 0.0 if turned < 1e-3 else turned  # less is the rounding of Float32


def _tensors(gradients):
    return tuple(Tensor(np.asarray(g)) for g in gradients)


def _arrays(tensors, like):
    return [t.asnumpy().reshape(np.shape(g)) for t, g in zip(tensors, like, strict=True)]


def _scaled(gradients) -> tuple[np.ndarray, float]:
    """All elements as one vector of length 1 (or 0), and their length, also where the squares would overflow."""
    flat = np.concatenate([np.ravel(g).astype(float) for g in gradients])
    largest = float(np.abs(flat).max(initial=0.0))
    if not 0 < largest < np.inf:
        return np.zeros_like(flat), largest
    norm = float(np.linalg.norm(flat / largest))
    return flat / largest / norm, largest * norm
