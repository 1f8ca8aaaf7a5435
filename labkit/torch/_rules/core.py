"""Declaring the nodes that PyTorch alone has."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from autograd.extend import defvjp_argnums, primitive

from ...engine import cast, dtype_of, vjp
from ...ops import known, rule, variant


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
    return variant(declared, wide(declared.fun))


def fused(node, tensors="self", others="", saves=None, **row) -> Any:
    """Declare the decorated composition of recorded functions as one op whose node is called `node`; see `labkit.ops.Row`.

    Its derivative is that of the composition, which is run again on the way back; it keeps its arguments.
    """
    saves = " ".join(name.lstrip("-?") for name in tensors.split()) if saves is None else saves

    def declare(computed):
        composed = wraps(computed)(lambda *args, **kwargs: _in_float32(computed, args, kwargs))
        fun = primitive(composed)

        def pullback(argnums, ans, args, kwargs):
            def of_chosen(*chosen):
                given = dict(zip(argnums, chosen, strict=True))
                return composed(*(given.get(i, a) for i, a in enumerate(args)), **kwargs)

            return lambda g: vjp(of_chosen, *(args[i] for i in argnums))[1](g)

        defvjp_argnums(fun, pullback)
        known(fun, node, tensors, others, saves, **row).defined_here = True
        return fun

    return declare


def _in_float32(computed, args, kwargs):
    """What a composition gives, its half precision computed in float32 and rounded once."""
    kind = dtype_of(args[0])
    if kind.itemsize != 2:
        return computed(*args, **kwargs)
    raised = [cast(a, np.float32) if getattr(a, "dtype", None) == kind else a for a in args]
    return cast(computed(*raised, **kwargs), kind)
