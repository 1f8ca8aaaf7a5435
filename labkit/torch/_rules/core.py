"""Declaring primitives: one node of the tape each, with derivative rules and what the node saves."""

import re
from functools import wraps
from typing import Any

import numpy as np
from autograd.extend import defvjp, primitive

from ...engine import dtype_of
from ...primitives import kept
from ..declared import declare


def op(name, *vjps, tensors="self", others="", saves=""):
    """Declare the decorated NumPy function as a primitive whose node is called `name`."""

    def wrap(fun):
        if fun.__name__ in ("fun", "<lambda>"):
            fun.__name__ = re.sub(r"Backward\d.*$", "", name if isinstance(name, str) else "op").lower()
        made = primitive(kept(fun))
        defvjp(made, *vjps)
        return declare(made, name, tensors, others, saves)

    return wrap


def wide(fun):
    """Compute half precision in float32, and round the result."""

    @wraps(fun)
    def computed(x, *args: Any, **kwargs):
        kind = x.dtype
        if kind.itemsize != 2 or kind.kind in "iu":
            return fun(x, *args, **kwargs)
        raised = [a.astype(np.float32) if getattr(a, "dtype", None) == kind else a for a in args]
        return np.asarray(fun(x.astype(np.float32), *raised, **kwargs)).astype(kind)

    return computed


def zero(g):
    """A 0-d zero of the gradient's dtype."""
    return np.zeros((), dtype_of(g))
