"""Several arrays packed into one, because an op has one result and a message is one array."""

from math import prod
from typing import Any

import autograd.numpy as anp
import numpy as np

from ..engine import cast, dtype_of, shape_of


def pack(values, dtype=None) -> Any:
    """The elements of all `values` in one row, in `dtype` or else in the one that they have in common.

    >>> pack([np.ones((1, 2), np.float32), np.zeros(1)])
    array([1., 1., 0.])
    """
    common = np.result_type(*map(dtype_of, values)) if dtype is None else dtype
    return anp.concatenate([anp.reshape(_as(v, common), (-1,)) for v in values])


def unpack(row, forms) -> list:
    """The arrays that `pack` made a row of, or others in their places; `forms` are their pairs of shape and dtype."""
    found, start = [], 0
    for shape, dtype in forms:
        end = start + prod(shape)
        found.append(_as(anp.reshape(row[start:end], shape), dtype))
        start = end
    return found


def forms(values) -> list:
    """The shape and the dtype of each, for `unpack`."""
    return [(shape_of(v), dtype_of(v)) for v in values]


def _as(value, dtype):
    return value if dtype_of(value) == dtype else cast(value, dtype)
