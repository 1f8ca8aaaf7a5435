"""Declaring the nodes that PyTorch alone has."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from autograd.core import primitive_vjps
from autograd.extend import defvjp_argnums, primitive

from ...ops import TABLE, rule


def op(node, *vjps, name=None, saves="", **row) -> Any:
    """Declare the decorated NumPy function as an op whose node is called `node`; see `labkit.ops.rule`."""

    def declare(fun):
        anonymous = fun.__name__ in ("fun", "<lambda>")
        shown = re.sub(r"Backward\d.*$", "", node if isinstance(node, str) else "op").lower() if anonymous else None
        return rule(*vjps, node=node, name=name or shown, saves=saves, **row)(fun)

    return declare


def wide(fun) -> Callable:
    """Compute half precision in float32, and round the result."""

    @wraps(fun)
    def computed(x, *args: Any, **kwargs):
        kind = x.dtype
        if kind.itemsize != 2 or kind.kind in "iu":
            return fun(x, *args, **kwargs)
        raised = [a.astype(np.float32) if getattr(a, "dtype", None) == kind else a for a in args]
        return np.asarray(fun(x.astype(np.float32), *raised, **kwargs)).astype(kind)

    return computed


def as_declared(declared) -> Any:
    """The op of a row as it is declared for both dialects, computed in float32 for half precision."""
    fun = primitive(wide(declared.fun))
    defvjp_argnums(fun, primitive_vjps[declared])
    TABLE[fun] = TABLE[declared]
    return fun
