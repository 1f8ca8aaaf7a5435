"""Declares the nodes that only PyTorch has."""

import re
from typing import Any

from ...ops import known, rule, whole


def op(node, *vjps, name=None, saves="", **row) -> Any:
    """Declare the decorated NumPy function as an op whose node is called `node`; see `labkit.ops.rule`."""

    def declare(fun):
        anonymous = fun.__name__ in ("fun", "<lambda>")
        shown = re.sub(r"Backward\d.*$", "", node if isinstance(node, str) else "op").lower() if anonymous else None
        return rule(*vjps, node=node, name=name or shown, saves=saves, **row)(fun)

    return declare


def mover(node, *vjps, **row) -> Any:
    """Declare an op that moves elements and computes nothing."""
    return op(node, *vjps, rounds=False, **row)


def fused(node, tensors="self", others="", saves=None, **row) -> Any:
    """Declare the decorated composition of recorded functions as one op whose node is called `node`; see `labkit.ops.Row`.

    Its derivative is that of the composition (see `labkit.ops.whole`).
    """
    saves = " ".join(name.lstrip("-?") for name in tensors.split()) if saves is None else saves

    def declare(computed):
        fun = whole(computed)
        known(fun, node, tensors, others, saves, **row).defined_here = True
        return fun

    return declare
