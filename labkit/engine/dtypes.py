"""Dtypes and shapes of values inside boxes: cast a value, match the dtype of a gradient, add gradients up."""

from itertools import count
from typing import Any

import numpy as np
from autograd.core import SparseBox, SparseObject, sparse_add
from autograd.extend import defjvp, defvjp, primitive, vspace
from autograd.tracer import getval as getval
from autograd.tracer import isbox as isbox

Array = np.ndarray  # or a box around one
ids = count()  # of nodes; `next` on a count is atomic, so they are safe across threads


@primitive
def cast(x, dtype) -> Array:
    """`x` (an array of any shape) as `dtype`; a tangent is cast with it, a cotangent back."""
    return np.asarray(x).astype(dtype)


defvjp(cast, lambda ans, x, dtype: lambda g: cast(g, dtype_of(x)))
defjvp(cast, lambda g, ans, x, dtype: cast(g, dtype))


def dtype_of(value) -> Any:
    """The dtype of an array, scalar or box of any depth; None for what has none, such as a tuple of arrays."""
    value = getval(value)
    if hasattr(value, "dtype"):
        return value.dtype
    if type(value) is SparseObject:
        return getattr(value.vs, "dtype", None)
    return np.result_type(value) if isinstance(value, (bool, int, float, complex)) else None


def shape_of(value) -> tuple[int, ...]:
    """The shape of an array, scalar, sparse gradient or box of any depth."""
    raw = getval(value)
    return raw.vs.shape if type(raw) is SparseObject else np.shape(raw)


def match_dtype(g, dtype) -> Array:
    """A gradient in the dtype of the value it belongs to: autograd's rules often answer in float64.

    The gradient of an integer is not an integer (that of sqrt at 4 is 0.25), so it keeps the rule's dtype.
    """
    if type(g) is np.ndarray and g.dtype == dtype:
        return g
    return g if dtype is None or dtype.kind in "iub" or dtype_of(g) == dtype else cast(g, dtype)


def dense(g) -> Array:
    """A gradient as it is, but a sparse one, the answer of indexing, as an array."""
    return sparse_add(vspace(g), None, g) if type(g) in (SparseObject, SparseBox) else g


def accumulate(total, g) -> Array:
    """`total + g`, never added in place, so that a partial sum once seen never changes."""
    if total is None:
        return g
    if type(g) is np.ndarray and type(total) is np.ndarray:
        return total + g
    return vspace(g).add(total, g)  # boxes, NumPy's scalars, tuples of arrays: as autograd adds them
