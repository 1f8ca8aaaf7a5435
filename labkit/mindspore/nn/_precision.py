"""Computing in another float type: what `to_float` makes a cell do."""

from contextlib import nullcontext

import numpy as np

from ...engine import cast, map_leaves
from ..parameter import bound
from ..tensor import Tensor, wrap


def in_dtype(value, dtype):
    """A floating tensor in `dtype`, everything else as it is."""
    if not isinstance(value, Tensor) or value._value.dtype.kind in "biu" or value._value.dtype == dtype:
        return value
    return wrap(_cast(value._value, dtype))


def _cast(value, dtype):
    with np.errstate(all="ignore"):
        return cast(value, dtype)


def run_in(cell, dtype, args, kwargs):
    """Run a cell with its inputs and its own parameters in `dtype`; parameters keep their type, gradients come back in it."""
    args, kwargs = map_leaves(lambda leaf: in_dtype(leaf, dtype), (tuple(args), kwargs))
    own = {p: p._value.dtype for p in cell._params.values() if in_dtype(p, dtype) is not p}
    with bound(list(own), [_cast(p._value, dtype) for p in own]) if own else nullcontext():
        output = cell._compute(args, kwargs)
    for p, kept in own.items():
        if p._value.dtype != kept:  # what the cell has written, such as a running mean
            p._value = _cast(p._value, kept)
    return output
