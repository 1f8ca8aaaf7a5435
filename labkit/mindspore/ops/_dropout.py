"""Dropout: elements left out at random, while training."""

from collections.abc import Callable

import numpy as np

from ..tensor import wrap
from ._op import register, value_of


def dropout(input, p=0.5, training=True, seed=None):
    """Each element 0 with probability `p`, else divided by 1 - p; `input` itself unless `training`.

    A compiled function leaves out other elements whenever it runs. Raises RuntimeError for `p` outside [0, 1).
    """
    value = value_of(input, "Dropout")
    if not 0 <= p < 1:
        raise RuntimeError(f"For 'Dropout, the 'keep_prob' must be in (0.0, 1.0], but got {1 - p:g}")
    if not training or p == 0:
        return input
    from ..common.seed import drawn

    shape, dtype = input.shape, value.dtype
    kept = np.asarray(1 / (1 - p), dtype)
    mask = drawn(lambda generator: (generator.random(shape) >= p).astype(dtype) * kept, "kept")
    with np.errstate(all="ignore"):
        return wrap(value * mask)


register(dropout, method=False)
OPTIONS: dict[str, tuple[dict, Callable]] = {
    "Dropout": ({"keep_prob": 0.5, "Seed0": 0, "Seed1": 0}, lambda o, x: _with_mask(x, o["keep_prob"]))
}


def _with_mask(x, keep_prob):
    """The result and where elements were kept, as the class gives them."""
    ones = dropout(wrap(np.ones(x.shape, x._value.dtype)), 1 - keep_prob)
    return x * ones, ones != 0
