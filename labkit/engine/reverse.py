"""Reverse mode: a forward pass that saves what the backward pass needs, and the backward pass.

`vjp_unchecked` runs a function on boxes and returns its VJP; `vjp` checks the arguments first, and `derive` is a few lines
on top of the two. (`graph` does the same with nodes that save what a picture shows.)
"""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np
from autograd import tracer
from autograd.core import VJPNode

from .box_errors import run
from .boxes import Own, new_box
from .checks import check_function, check_output, numeric
from .dtypes import accumulate, dense, dtype_of, ids, isbox, match_dtype, shape_of
from .levels import inside, new_level
from .no_warnings import no_warnings
from .observers import watch
from .rule_lookup import pullback
from .trees import leaves, map_leaves


class Reverse(Own, VJPNode):
    """A node that knows its parents and how to pull a gradient back to them.

    `vjp(gradient)` gives one gradient per node in `parents`; a root has none. `id` is higher than those of all that it was
    computed from.

    >>> level, root = new_level(), Reverse.new_root(3.0)
    >>> y = new_box(3.0, level, root) * 5.0
    >>> y._node.parents == (root,), [float(g) for g in y._node.vjp(1.0)]
    (True, [5.0])
    """

    __slots__ = ("dtype", "id", "origin")

    # autograd's primitives call this for every op on a box with such a node; the rule is asked for at once, so that an op
    # without one is named where it runs.
    def __init__(self, value, fun, args, kwargs, argnums, parents):
        self.parents, self.vjp = parents, pullback(fun, argnums, value, args, kwargs)  # type: ignore[misc] # VJPNode's slots
        self._fill(value)

    def initialize_root(self, value) -> None:
        super().initialize_root()
        self._fill(value)

    def _fill(self, value):
        self.id, self.dtype = next(ids), dtype_of(value)
        self.origin = value if isbox(value) else None  # the box below, where a derivative is inside another one


# What is not differentiable for autograd's nodes (comparisons, argmax ...) is not for ours; the sets are shared.
tracer.notrace_primitives[Reverse] = tracer.notrace_primitives[VJPNode]


def latest_first(ends) -> list:
    """The op nodes that lead to `ends` (nodes), latest first, so that each node comes after all its consumers.

    This is the reversed order of their ids. Roots are left out, because they have no parents.

    >>> level, root = new_level(), Reverse.new_root(3.0)
    >>> y = new_box(3.0, level, root) ** 2 + 1.0
    >>> latest_first([y._node]) == [y._node, *y._node.parents]
    True
    """
    reached: dict = {}
    waiting = list(ends)
    while waiting:
        node = waiting.pop()
        if node.id not in reached:
            reached[node.id] = node
            waiting.extend(node.parents)
    return [reached[i] for i in sorted(reached, reverse=True) if reached[i].parents]


def reverse_pass(ends, seeds, observe=None) -> dict:
    """The backward pass from several nodes at once. Returns `{node: gradient}` for the roots that were reached.

    `ends`: nodes; `seeds`: a gradient for each. A gradient has the shape of its node's value, and the dtype where that is a
    floating one. A rule may give None for a parent that gets nothing.

    `observe(node, gradient, contributions)` sees each step, a contribution being `(parent, value, running total)`.

    >>> level, root = new_level(), Reverse.new_root(3.0)
    >>> y = new_box(3.0, level, root) ** 2
    >>> float(reverse_pass([y._node], [1.0])[root])
    6.0
    """
    totals: dict = {}
    for end, seed in zip(ends, seeds, strict=True):
        totals[end] = accumulate(totals.get(end), match_dtype(seed, end.dtype))
    observe = observe or watch.observe
    with watch.walk():
        for node in latest_first(ends):
            if node not in totals:  # none of its consumers sent a gradient
                continue
            watch.node, gradient, contributions = node, totals.pop(node), []
            for parent, g in zip(node.parents, node.vjp(gradient), strict=True):
                if g is not None:
                    g = match_dtype(dense(g), parent.dtype)
                    totals[parent] = accumulate(totals.get(parent), g)
                    contributions.append((parent, g, totals[parent]))
            if observe:
                observe(node, gradient, contributions)
    return totals


def vjp(fun, *args) -> tuple[Any, Callable]:
    """Run `fun(*args)` once and return `(output, pull)`.

    `pull(seeds)` gives one gradient per argument, each with its argument's shape and dtype (an integer's as its rule
    answers); `seeds` is a list of cotangents, one per leaf of the output, or a single one that serves every leaf; without
    `seeds` every output element counts once, as in the gradient of their sum. An argument that the output does not depend on
    gets zeros of its own dtype. `pull` can be called again.

    >>> out, pull = vjp(lambda x, y: x * y, 3.0, 4.0)
    >>> float(out), [float(g) for g in pull()]
    (12.0, [4.0, 3.0])
    """
    check_function("vjp(f, x)", fun)
    watch.asks(fun, args)
    values = [numeric(value, "vjp: argument", i) for i, value in enumerate(args)]
    with no_warnings():
        output, pull = vjp_unchecked(fun, values)

    def quiet_pull(seeds=None):
        with no_warnings():
            return pull(seeds)

    return check_output(fun, output), quiet_pull


def vjp_unchecked(fun, args) -> tuple[Any, Callable]:
    """`vjp` without its checks.

    `args`: a list of arrays and floats. Returns `(output, pull)`, as `vjp` does.

    >>> output, pull = vjp_unchecked(lambda x: x**2, [3.0])
    >>> float(output), float(pull()[0])
    (9.0, 6.0)
    """
    level = new_level()
    roots = [Reverse.new_root(value) for value in args]
    with inside(level):
        output = run(fun, [new_box(value, level, root) for value, root in zip(args, roots, strict=True)])
    boxes = [leaf if isbox(leaf) and leaf._trace == level else None for leaf in leaves(output)]

    def pull(seeds=None):
        seeds = seeds if isinstance(seeds, (list, tuple)) else [seeds] * len(boxes)
        if len(seeds) != len(boxes):
            raise ValueError(_COUNT.format(expected=len(boxes), count=len(seeds)))
        ends = [(box._node, seed_of(box._value, s)) for box, s in zip(boxes, seeds, strict=True) if box is not None]
        totals = reverse_pass(*zip(*ends, strict=True)) if ends else {}
        return _apart([totals[r] if r in totals else anp.zeros_like(a) for r, a in zip(roots, args, strict=True)])

    return map_leaves(lambda leaf: below(leaf, level), output), pull


_COUNT = "vjp: expected {expected} cotangents, one per output, but got {count}"
_SHAPE = "vjp: expected a cotangent of the output's shape {expected}, but got {shape}"


def _apart(gradients):
    """Copies of gradients that share an array, as those of x + y do: a change of one must not change the other."""
    first: dict = {}
    return [
        g.copy() if type(g) is np.ndarray and first.setdefault(id(g), k) < k else g for k, g in enumerate(gradients)
    ]


def below(leaf, level) -> Any:
    """The value in the box of `leaf` at `level`; `leaf` itself if it has no such box."""
    return leaf._value if isbox(leaf) and leaf._trace == level else leaf


def seed_of(value, seed) -> Any:
    """The cotangent of an output `value`: ones, or `seed`, where a scalar serves every element."""
    if seed is None:
        return anp.ones_like(value)
    seed = numeric(seed, "vjp: the cotangent")
    if shape_of(seed) not in (shape_of(value), ()):
        raise ValueError(_SHAPE.format(expected=shape_of(value), shape=shape_of(seed)))
    return seed if shape_of(seed) == shape_of(value) else seed * anp.ones_like(value)
