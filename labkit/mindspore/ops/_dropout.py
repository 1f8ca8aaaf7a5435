"""Dropout: elements left out at random, while training."""

import math
from collections.abc import Callable

import numpy as np

from ..tensor import wrap
from ._op import OPS, register, value_of


def dropout(input, p=0.5, training=True, seed=None):
    """Each element 0 with probability `p`, else divided by 1 - p; `input` itself unless `training`.

    A compiled function leaves out other elements whenever it runs. `seed` is one besides that of `set_seed`. Raises
    RuntimeError for `p` outside [0, 1).
    """
    value = value_of(input, "Dropout")
    if not 0 <= p < 1:
        raise RuntimeError(f"For 'Dropout, the 'keep_prob' must be in (0.0, 1.0], but got {1 - p:g}")
    if not training:
        return input
    from .._seed import op_seed

    return dropped(input, value, p, op_seed("dropout", seed))


def _of_channels(dims):
    def drop(input, p=0.5, training=True):
        value = value_of(input, f"Dropout{dims}D")
        if not 0 <= p <= 1:
            raise ValueError(f"For 'Dropout{dims}D', the 'keep_prob' must be in range [0, 1], but got {1 - p:g}")
        if not training or p == 0:
            return input
        if p == 1:
            return input * 0
        from .._seed import op_seed

        ones = wrap(np.ones((*input.shape[:-dims], *(1,) * dims), value.dtype))
        return input * dropped(ones, ones._value, p, op_seed("dropout"))

    drop.__name__ = drop.__qualname__ = f"dropout{dims}d"
    drop.__doc__ = f"`dropout` of whole channels, of which each has the last {dims} axes."
    return drop


def dropped(input, value, p, seed, engines=None):
    """`value`, that of `input`, with elements left out; a layer goes on with its `engines`, one for every size and type."""
    from .._engines import Kept
    from .._seed import drawn

    if p == 0:
        return input
    shape, dtype = input.shape, value.dtype
    scale = (1 / np.float32(1 - p)).astype(dtype)
    mask = drawn(
        lambda: Kept(seed),
        lambda engine: engine(math.prod(shape), 1 - p).reshape(shape).astype(dtype) * scale,
        "kept",
        engines,
        (shape, dtype),
    )
    with np.errstate(all="ignore"):
        return wrap(value * mask)


register(dropout, method=False)
for _dims in (1, 2, 3):
    register(_of_channels(_dims), method=False)
OPTIONS: dict[str, tuple[dict, Callable]] = {
    "Dropout": ({"keep_prob": 0.5, "Seed0": 0, "Seed1": 0}, lambda o, x: _with_mask(x, o["keep_prob"])),
    "Dropout2D": ({"keep_prob": 0.5}, lambda o, x: _with_mask(x, o["keep_prob"], "dropout2d")),
    "Dropout3D": ({"keep_prob": 0.5}, lambda o, x: _with_mask(x, o["keep_prob"], "dropout3d")),
}


def _with_mask(x, keep_prob, name="dropout"):
    """The result and where elements were kept, as the class gives them."""
    ones = OPS[name](wrap(np.ones(x.shape, x._value.dtype)), 1 - keep_prob)
    return x * ones, (ones != 0).astype("float32")
