"""Forward mode: a run whose values carry their tangents along."""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
from autograd import tracer
from autograd.core import JVPNode
from autograd.extend import vspace

from .box_errors import run
from .boxes import Own, new_box
from .checks import check_function, check_output, with_tangents
from .dtypes import dense, dtype_of, isbox, match_dtype
from .levels import inside, new_level
from .no_warnings import no_warnings
from .observers import watch
from .reverse import below, vjp_unchecked
from .rule_lookup import jvp_of, pullback, pushforward
from .trees import map_leaves


class Forward(Own, JVPNode):
    """A node that carries `g`, the tangent of its value. A primitive that has only a vjp gets its jvp from it."""

    def __init__(self, value, fun, args, kwargs, argnums, parents):
        rule = jvp_of(fun) or transposed(fun)
        tangents = [parent.g for parent in parents]
        self.g = match_dtype(pushforward(rule, fun, argnums, tangents, value, args, kwargs), dtype_of(value))


tracer.notrace_primitives[Forward] = tracer.notrace_primitives[JVPNode]


def transposed(fun) -> Callable:
    """The jvp rule of a primitive that has only a vjp: J v is the gradient of u -> <vjp(u), v>, which is linear in u.

    (The double-backward trick: J. Townsend, "A new trick for calculating Jacobian vector products", 2017.)
    """

    def rule(argnums, tangents, ans, args, kwargs):
        def paired(u):
            pulled = pullback(fun, argnums, ans, args, kwargs)(u)
            return sum(anp.sum(dense(g) * t) for g, t in zip(pulled, tangents, strict=True))

        # <vjp(u), v> is linear in u, so its gradient is the same at any u; not at zeros, as some rules skip what is zero.
        _, pull = vjp_unchecked(paired, [vspace(ans).ones()])
        with watch.unseen():
            return pull(1.0)[0]

    return rule


def jvp(fun, args, tangents) -> tuple[Any, Any]:
    """`(output, directional derivative)` of `fun` at `args` along `tangents`, both in the output's nested structure.

    >>> [float(v) for v in jvp(lambda x, y: x * y, (3.0, 4.0), (1.0, 0.0))]
    [12.0, 4.0]
    """
    check_function("jvp(f, (x,), (v,))", fun)
    return jvp_unchecked(fun, with_tangents(args, tangents))


def jvp_unchecked(fun, pairs) -> tuple[Any, Any]:
    """`jvp` for pairs of an argument and its tangent that have been checked.

    >>> [float(v) for v in jvp_unchecked(lambda x, y: x * y, [(3.0, 1.0), (4.0, 0.0)])]
    [12.0, 4.0]
    """
    level = new_level()
    boxes = [new_box(value, level, Forward.new_root(tangent)) for value, tangent in pairs]
    with no_warnings(), inside(level):
        output = check_output(fun, run(fun, boxes))

    def tangent_of(leaf):
        return leaf._node.g if isbox(leaf) and leaf._trace == level else anp.zeros_like(leaf)

    return map_leaves(lambda leaf: below(leaf, level), output), map_leaves(tangent_of, output)
