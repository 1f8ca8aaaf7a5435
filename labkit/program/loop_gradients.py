"""Derivatives of a compiled `while`: a loop whose number of rounds is not known yet.

One round is run under boxes that stand for what every round begins with. The derivative is the backward pass through it,
again and again, the last round first: the gradient of what a round begins with is that of what the round before it ended with,
and the gradients of what all rounds use are added up.

    forward    entries -> [round 1] -> [round 2] -> ... -> [round n] -> values
    backward   entries <- [round 1] <- [round 2] <- ... <- [round n] <- gradients of the values
                              +            +                   +
                              gradients of what all rounds use
"""

from collections.abc import Callable
from typing import Any

import autograd.numpy as anp

from ..engine.boxes import Gradients, ids, isbox
from ..engine.forward import Forward
from ..engine.guest import new_box
from ..engine.reverse import Reverse, below
from ..engine.trees import leaves
from .branch_gradients import TINY, Given, Region, tangent_at, walked_back


class Rounds(Region):
    """The node behind all results of a loop.

    `entries`: the nodes of the values that it begins with, None for constants. `roots` and `ends`: the nodes that a round begins
    and ends with. `since`: the lowest id of a node in it. `values`: what the loop gave. `again(entries, step, level, seen)` is
    the loop of as many rounds, the other way round, whose rounds also use the values that `seen()` gives. The `Given` node that
    stands outside for a node inside stands for its value in every round.
    """

    __slots__ = ("again", "ends", "entries", "level", "roots", "since", "values")

    def __init__(self, level, entries, roots, ends, since, seen, again, values):
        self._begin(next(filter(isbox, values), None), [node for node in entries if node is not None])
        self.level, self.entries, self.roots, self.ends = level, entries, roots, ends
        self.since, self.again, self.values = since, again, values
        for root in roots:
            root.region = self, 0
        self._reach([node for node in (*ends, *seen) if node is not None], since, 0)

    def _given(self, node, side):
        made = Given.__new__(Given)
        place: Any = self.id + (len(self.given) + 1) * TINY
        made.id, made.dtype, made.origin = place, None, None
        made.parents, made.vjp = (self,), lambda g: (g,)
        self._reach([node], self.since, side)
        return made

    def vjp(self, gradients) -> list:  # type: ignore[override] # a slot of VJPNode
        """The gradient of each parent. The loop is run the other way round: it carries the gradients of what a round begins
        with, and behind them the sums, so far, of those of the nodes outside that every round uses."""
        numbers = [k for k, value in enumerate(self.values) if getattr(value.dtype, "kind", "f") in "fViu"]
        single, summed = self._outside()
        seen: dict = {}
        step = self._step_back(numbers, summed, [(key[0], g) for key, g in gradients.items() if type(key) is tuple])

        def noted(arrived):
            back, totals = step(arrived)
            seen.update((node, totals.get(node)) for node in single)
            return back

        arriving = [gradients[k] if k in gradients else anp.zeros_like(self.values[k]) for k in numbers]
        found = self.again([*arriving, *[None] * len(summed)], noted, self.level, seen.values)
        of_entries = dict(zip(numbers, found, strict=False))
        of_sums = dict(zip(summed, found[len(numbers) :], strict=True))
        outside = [self._in_each(node, seen[node]) if node in seen else of_sums[node] for node in self.frontier]
        return [of_entries.get(k) for k, node in enumerate(self.entries) if node is not None] + outside

    def _outside(self):
        """The nodes outside that the rounds use: those that are another one in each round of a loop before, whose gradients
        stay apart, and those that are the same in every round, whose gradients are added up."""
        behind = self.parents[len(self.parents) - len(self.frontier) :]
        single = [node for node, made in zip(self.frontier, behind, strict=True) if type(made) is Given]
        return single, [node for node in self.frontier if node not in single]

    def _step_back(self, numbers, summed, inner):
        """The backward pass through one round, from the gradients of what it ended with and of the nodes inside (`inner`)."""

        def step(arrived):
            totals = walked_back([*zip([self.ends[k] for k in numbers], arrived, strict=False), *inner], self.since)
            back = [totals.get(self.roots[k]) for k in numbers]
            back = [anp.zeros_like(self.values[k]) if g is None else g for k, g in zip(numbers, back, strict=True)]
            sums = [_sum(a, totals.get(n)) for a, n in zip(arrived[len(numbers) :], summed, strict=True)]
            return back + sums, totals

        return step

    def _in_each(self, node, g):
        """The gradient of a node inside of other rounds, of each round by itself; None where there is none."""
        if type(node) is Given:
            node = next((inside for inside, made in node.parents[0].given.items() if made is node), None)
        return None if g is None else Gradients({(node, next(ids)): g})


def _sum(total, g):
    return g if total is None else total if g is None else total + g


def levels_of(values, floor) -> dict[int, type]:
    """The levels above `floor` of boxes, each with the class of its nodes."""
    found: dict[int, type] = {}
    for value in leaves(values):
        while isbox(value) and value._trace > floor:
            found[value._trace] = type(value._node)
            value = value._value
    return found


def looped(entries, levels, step, bottom, also=list) -> list:
    """What a loop gives that begins with `entries`; `step` takes values and gives those of the next round.

    `levels`: those of derivatives, `(level, class of its nodes)`, the highest first. `bottom(entries, step)` is the loop of
    values without boxes of these; it returns them, and `again`, the loop of as many rounds the other way round. `also()`: values
    of a round that are used besides.
    """
    return _looped(entries, levels, step, bottom, also)[0]


def _looped(entries, levels, step, bottom, also) -> tuple[list, Callable]:
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

        values, again = _looped(lower + tangents, others, forward, bottom, also)
        pairs = zip(values[:count], values[count:], strict=True)
        return [new_box(value, level, Forward.new_root(t)) for value, t in pairs], again

    def reverse(headers):
        since, roots = next(ids), [Reverse.new_root(header) for header in headers]
        ends = step([new_box(h, level, root) for h, root in zip(headers, roots, strict=True)])
        seen = [_at(value, level) for value in _boxes(also())]
        kept.update(roots=roots, since=since, ends=[_node(end, level) for end in ends], seen=seen)
        return [below(end, level) for end in ends]

    values, again = _looped(lower, others, reverse, bottom, also)
    rounds = Rounds(level, [_node(entry, level) for entry in entries], again=again, values=values, **kept)
    return [new_box(value, level, rounds.result(place, value)) for place, value in enumerate(values)], again


def _boxes(values):
    """The values in gradients, however nested."""
    for value in values:
        yield from _boxes(value.values()) if type(value) is Gradients else (value,)


def _at(value, level):
    """The node that a value, or None, has at a level, under boxes of higher ones."""
    while isbox(value) and value._trace > level:
        value = value._value
    return _node(value, level)


def _node(value, level) -> Any:
    return value._node if isbox(value) and value._trace == level else None
