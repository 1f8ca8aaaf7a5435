"""Elements before and behind those of a tensor."""

from typing import Any

import numpy as np

from ..tensor import wrap
from ._op import OPS, register

_BEYOND: dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap", "symmetric": "symmetric"}


def pad(input_x, padding, mode="constant", value=None):
    """`input_x` with elements before and behind: pairs of numbers for the last axis, the one before, and so on.

    `mode`: "constant" (`value`, 0 unless given; a negative number cuts), "reflect", "replicate" or "circular". Raises ValueError
    for another mode.

    >>> import labkit.mindspore as ms
    >>> ms.ops.pad(ms.Tensor([1.0, 2.0]), (1, 2)).tolist()
    [0.0, 1.0, 2.0, 0.0, 0.0]
    """
    if mode not in ("constant", *_BEYOND):
        raise ValueError(
            f"For 'pad', the 'mode' must be one of ['constant', 'reflect', 'replicate', 'circular'], but got {mode}."
        )
    sides = [int(n) for n in padding]
    for back, sides_of_one in enumerate(zip(sides[::2], sides[1::2], strict=True), 1):
        input_x = _padded(input_x, input_x.ndim - back, sides_of_one, mode, value or 0)
    return input_x


def _padded(x, axis, sides, mode, value):
    if mode != "constant":
        return OPS["gather"](x, wrap(np.pad(np.arange(x.shape[axis]), sides, _BEYOND[mode])), axis)
    first, last = (max(-n, 0) for n in sides)
    inner = x[(slice(None),) * axis + (slice(first, x.shape[axis] - last),)] if first or last else x
    edge = lambda n: wrap(np.full([n if i == axis else m for i, m in enumerate(x.shape)], value, x._value.dtype))
    before, behind = ([edge(n)] if n > 0 else [] for n in sides)
    return OPS["concat"]([*before, inner, *behind], axis) if before or behind else inner


register(pad, method=False)
