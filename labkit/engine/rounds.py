"""Derivatives of a loop whose number of rounds is not known yet.

One round is run under boxes that stand for what every round begins with. Its derivative is the walk back through it, again and
again, the last round first: the gradient of what a round begins with is that of what the round before it ended with, and the
gradients of what all rounds use are added up.
"""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp

from .boxes import Gradients, ids, isbox
from .choice import tangent_at
from .forward import Forward
from .guest import new_box
from .reverse import Reverse, below, reverse_pass
from .trees import leaves


class Rounds(Reverse):
    """The node behind all results of a loop.

    `entries`: the nodes of the values that it begins with, None for constants. `roots` and `ends`: the nodes that a round begins
    and ends with. `since`: the lowest id of a node in it. `values`: what the loop gave. `again(entries, step)` is the loop of
    as many rounds, the other way round.
    """

    __slots__ = ("again", "ends", "entries", "frontier", "roots", "since", "values")

    def __init__(self, entries, roots, ends, since, again, values):
        self.id, self.dtype, self.origin = next(ids), None, next(filter(isbox, values), None)
        self.entries, self.roots, self.ends, self.since, self.again, self.values = (
            entries,
            roots,
            ends,
            since,
            again,
            values,
        )
        self.frontier: list = []
        self.parents = [node for node in entries if node is not None]
        stack = [node for node in ends if node is not None]
        seen = set(roots)
        for root in roots:
            root.region = self, 0
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node.id < since:
                if getattr(node, "region", None) is not None:
                    raise TypeError("there is no derivative of the derivative of a loop")
                self.frontier.append(node)
            else:
                node.region = self, 0
                stack.extend(node.parents)
        self.parents += self.frontier

    def result(self, place, value) -> Reverse:
        """The node of a result."""
        node = Reverse.__new__(Reverse)
        node.id, node.dtype, node.origin = next(ids), value.dtype, value
        node.parents, node.vjp = (self,), lambda g: (Gradients({place: g}),)
        return node

    def vjp(self, gradients) -> list:  # type: ignore[override] # a slot of VJPNode
        """The gradient of each parent."""
        floating = [k for k, end in enumerate(self.ends) if getattr(self.values[k].dtype, "kind", "f") in "fV"]
        count = len(floating)
        given = [gradients[k] if k in gradients else anp.zeros_like(self.values[k]) for k in floating]

        def step(arrived):
            pairs = [(self.ends[k], g) for k, g in zip(floating, arrived, strict=False) if self.ends[k] is not None]
            totals = reverse_pass([n for n, _ in pairs], [g for _, g in pairs], since=self.since) if pairs else {}
            back = [totals.get(self.roots[k]) for k in floating]
            back = [anp.zeros_like(self.values[k]) if g is None else g for k, g in zip(floating, back, strict=True)]
            parts = [totals.get(node) for node in self.frontier]
            sums = [b if a is None else a if b is None else a + b for a, b in zip(arrived[count:], parts, strict=True)]
            return [*back, *sums]

        found = self.again([*given, *[None] * len(self.frontier)], step)
        by_place = dict(zip(floating, found, strict=False))
        return [by_place.get(k) for k, node in enumerate(self.entries) if node is not None] + found[count:]


def levels_of(values, floor) -> dict[int, type]:
    """The levels above `floor` of boxes, each with the class of its nodes."""
    found: dict[int, type] = {}
    for value in leaves(values):
        while isbox(value) and value._trace > floor:
            found[value._trace] = type(value._node)
            value = value._value
    return found


def looped(entries, levels, step, bottom) -> list:
    """What a loop gives that begins with `entries`; `step` takes values and gives those of the next round.

    `levels`: those of derivatives, `(level, class of its nodes)`, the highest first. `bottom(entries, step)` is the loop of
    values without boxes of these; it returns them, and `again`, the loop of as many rounds the other way round.
    """
    return _looped(entries, levels, step, bottom)[0]


def _looped(entries, levels, step, bottom) -> tuple[list, Callable]:
    if not levels:
        return bottom(entries, step)
    (level, kind), *others = levels
    lower = [below(entry, level) for entry in entries]
    count = len(entries)
    kept: dict[str, Any] = {}
    if issubclass(kind, Forward):
        tangents = [tangent_at(entry, level) for entry in entries]

        def forward(headers):
            boxes = [
                new_box(h, level, Forward.new_root(t)) for h, t in zip(headers[:count], headers[count:], strict=True)
            ]
            ends = step(boxes)
            return [below(end, level) for end in ends] + [tangent_at(end, level) for end in ends]

        values, again = _looped(lower + tangents, others, forward, bottom)
        pairs = zip(values[:count], values[count:], strict=True)
        return [new_box(value, level, Forward.new_root(t)) for value, t in pairs], again

    def reverse(headers):
        since, roots = next(ids), [Reverse.new_root(header) for header in headers]
        ends = step([new_box(h, level, root) for h, root in zip(headers, roots, strict=True)])
        kept.update(roots=roots, since=since, ends=[_node(end, level) for end in ends])
        return [below(end, level) for end in ends]

    values, again = _looped(lower, others, reverse, bottom)
    rounds = Rounds([_node(entry, level) for entry in entries], again=again, values=values, **kept)
    return [new_box(value, level, rounds.result(place, value)) for place, value in enumerate(values)], again


def _node(value, level) -> Any:
    return value._node if isbox(value) and value._trace == level else None
