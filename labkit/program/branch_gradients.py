"""Derivatives of a compiled `if`: a choice between two runs, when which of them counts is not known yet.

Both sides run under boxes. Their nodes stay out of the backward pass; the results of the choice are nodes of their own,
whose gradients a `Choice` collects. Its derivative is again a choice: the backward pass through one side, or through the other.
A derivative around this one may need values from inside of a side; the choice then gives them out as further results.
"""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp
import numpy as np

from ..engine.boxes import Gradients, dtype_of, ids, isbox, shape_of
from ..engine.forward import Forward
from ..engine.guest import new_box
from ..engine.reverse import Reverse, below, reverse_pass

TINY = 2.0**-20  # between the ids of a choice and of what is given out of it later


class Given(Reverse):
    """The node of what a value inside of a loop is in each round."""

    __slots__ = ()


class Region(Reverse):
    """The node behind all results of ops that stay out of the backward pass: its derivative goes through them itself.

    An op inside knows its `region`, which is this node and a side. `frontier`: the nodes outside that ops inside use, parents of
    this one. `given`: for a node inside, the one that stands outside for it.
    """

    __slots__ = ("frontier", "given")

    def _begin(self, origin, parents):
        self.id, self.dtype, self.origin, self.parents = next(ids), None, origin, parents
        self.frontier, self.given = [], {}

    def _reach(self, stack, since, side):
        """Take in what the nodes in `stack` were computed from, down to the id `since`; what they use of before is outside."""
        while stack:
            node = stack.pop()
            if node.id < since:
                if node not in self.frontier:
                    self.frontier.append(node)
                    self.parents.append(outside(node))
            elif getattr(node, "region", None) is None:
                node.region = self, side
                stack.extend(node.parents)

    def result(self, place, value, ident=None) -> Reverse:
        """The node of a result, whose value is `value`."""
        node = Reverse.__new__(Reverse)
        node.id, node.dtype, node.origin = next(ids) if ident is None else ident, dtype_of(value), value
        node.parents, node.vjp = (self,), lambda g: (Gradients({place: g}),)
        return node

    def given_out(self, node, side) -> Reverse:
        """The node that stands outside for one inside."""
        if node not in self.given:
            made = self._given(node, side)
            if (around := getattr(self, "region", None)) is not None:
                made.region = around
            self.given[node] = made
        return self.given[node]

    def _given(self, node, side) -> Reverse:
        raise NotImplementedError


class Choice(Region):
    """The node behind all results of a choice.

    `ends`: for each result the node it has on either side, or None where it is a constant there. `starts`: the lowest id that a
    node of either side has. `choose(through)` runs `through(0)` and `through(1)`, lists of values, and returns those that count.
    """

    __slots__ = ("choose", "ends", "starts")

    def __init__(self, ends, starts, choose, origin):
        self._begin(origin, [])
        self.starts, self.choose, self.ends = starts, choose, []
        for pair in ends:
            self._add(pair)

    def _add(self, pair):
        self.ends.append(pair)
        for side, node in enumerate(pair):
            if node is not None:
                self._reach([node], self.starts[side], side)

    def _given(self, node, side):
        place = len(self.ends)
        made = self.result(place, None, self.id + (place + 1) * TINY)
        made.dtype = node.dtype
        if type(node) is Given:
            made.__class__ = Given
        self._add((None, None)[:side] + (node,) + (None,) * (1 - side))
        return made

    def vjp(self, gradients) -> list:  # type: ignore[override] # a slot of VJPNode
        """The gradient of each parent."""
        of_rounds: dict[int, Gradients] = {}  # by the parent's place: there is one side's alone

        def through(side):
            pairs = [(self.ends[k][side], g) for k, g in gradients.items()]
            totals = walked_back(pairs, self.starts[side])
            found = [totals.get(node) for node in self.frontier]
            of_rounds.update((k, g) for k, g in enumerate(found) if type(g) is Gradients)
            return [None if type(g) is Gradients else g for g in found]

        return [of_rounds.get(k, g) for k, g in enumerate(self.choose(through))]


def walked_back(pairs, since) -> dict:
    """The gradients of what a region uses, from pairs of a node in it, or None, and its gradient."""
    pairs = [(node, g) for node, g in pairs if node is not None]
    return reverse_pass([n for n, _ in pairs], [g for _, g in pairs], since=since) if pairs else {}


def outside(node) -> Reverse:
    """`node`, or what stands for it where it is inside of a choice that was made before."""
    while (region := getattr(node, "region", None)) is not None:
        choice, side = region
        node = choice.given_out(node, side)
    return node


def joined(pairs, floor, starts, choose, bottom) -> list:
    """The value that each of `pairs`, the values of the two sides, will turn out to be.

    Boxes above the level `floor` are taken off, `bottom(pairs)` joins what is left, and the joined values get boxes of the same
    levels, whose derivatives are choices. `starts` and `choose` are those of `Choice`.

    >>> joined([(1.0, 2.0)], 0, (0, 0), None, lambda pairs: [a if a > b else b for a, b in pairs])
    [2.0]
    """
    boxes = [value for pair in pairs for value in pair if isbox(value)]
    level = max((box._trace for box in boxes), default=floor)
    if level <= floor:
        return bottom(pairs)
    node = next(box._node for box in boxes if box._trace == level)
    lower = [tuple(below(value, level) for value in pair) for pair in pairs]
    boxed = [k for k, pair in enumerate(pairs) if any(_is_at(value, level) for value in pair)]
    if isinstance(node, Forward):
        tangents = [tuple(tangent_at(value, level) for value in pairs[k]) for k in boxed]
        values = joined(lower + tangents, floor, starts, choose, bottom)
        for k, tangent in zip(boxed, values[len(pairs) :], strict=True):
            values[k] = new_box(values[k], level, Forward.new_root(tangent))
        return values[: len(pairs)]
    if not isinstance(node, Reverse):
        raise TypeError(f"a choice has no derivative for a {type(node).__name__}")
    values = joined(lower, floor, starts, choose, bottom)
    ends = [tuple(v._node if _is_at(v, level) else None for v in pairs[k]) for k in boxed]
    choice = Choice(ends, starts, choose, values[boxed[0]])
    for place, k in enumerate(boxed):
        values[k] = new_box(values[k], level, choice.result(place, values[k]))
    return values


def _is_at(value, level):
    return isbox(value) and value._trace == level


def tangent_at(value, level) -> Any:
    """The tangent that a value has at a level."""
    return value._node.g if _is_at(value, level) else anp.zeros_like(value)


def filled(one, other) -> tuple[Any, Any]:
    """Two gradients, zeros for the one that is None."""
    zeros: Callable = lambda g: np.zeros(shape_of(g), dtype_of(g))
    return (zeros(other) if one is None else one), (zeros(one) if other is None else other)
