"""`if` in a program: both sides of a choice are recorded, and the program runs the one that its test says.

fork = Fork(test)                          # a recorded value
one, other = fork.run(first), fork.run(second)     # what they compute belongs to the sides from here on
values = fork.join(zip(one, other), names)
"""

from typing import Any

from ..engine import isbox, new_box
from .branch_gradients import filled, joined
from .nodes import Op, recorded


def chosen(test, one, other) -> Any:
    """The result of the side that ran."""
    return one if test else other


def forked(test) -> None:
    """What a fork is called in a log: an op of its test alone."""


class ForkOp(Op):
    """A choice in the log: `blocks` are the ops of its two sides, `joins` its results with what they are on either side."""

    __slots__ = ("blocks", "joins")
    blocks: list
    joins: list


class Fork:
    """A choice while it is recorded; `test` is a recorded number or array of one element."""

    def __init__(self, test):
        while type(test._node) is not Op:
            test = test._value
        self.test, self.log, self.level = test, test._node.log, test._trace
        self.blocks, self.starts = [], []

    def run(self, side) -> list:
        """The values that `side()` gives; the ops that it records are kept apart."""
        begin = len(self.log)
        self.starts.append(Op.new_root(None, None, []).id)
        values = side()
        new = self.log[begin:]
        self.log[begin:] = [node for node in new if node.fun is None]  # an input of the program is one of all of it
        self.blocks.append([node for node in new if node.fun is not None])
        return values

    def join(self, pairs, names=None) -> list:
        """What each of `pairs`, results of the two sides, will turn out to be, as recorded values.

        Two of a pair have the same shape and dtype. `names` are those that the user gave them, or None.
        """
        return joined(list(pairs), self.level, self.starts, self._again, lambda pairs: self._closed(pairs, names or []))

    def _again(self, side):
        """A choice by the same test: of the lists that `side(0)` and `side(1)` give, whose entries may be None."""
        fork = Fork(self.test)
        one, other = fork.run(lambda: side(0)), fork.run(lambda: side(1))
        wanted = [k for k, pair in enumerate(zip(one, other, strict=True)) if any(g is not None for g in pair)]
        values: list = [None] * len(one)
        for k, value in zip(wanted, fork.join([filled(one[k], other[k]) for k in wanted]), strict=True):
            values[k] = value
        return values

    def _closed(self, pairs, names):
        fork = ForkOp(None, forked, (self.test._value,), {}, (0,), (self.test._node,))
        fork.blocks, fork.joins = self.blocks, []
        names = [*names, *[None] * (len(pairs) - len(names))]
        return [one if one is other else self._joined(fork, one, other, name)
                for (one, other), name in zip(pairs, names, strict=True)]  # fmt: skip

    def _joined(self, fork, one, other, name):
        values = [side._value if isbox(side) else side for side in (one, other)]
        value = values[0] if self.test._value else values[1]
        node = Op(value, chosen, (self.test._value, *values), {}, (0,), (self.test._node,))
        self.log.remove(node) if self.log[-1] is not node else self.log.pop()
        node.name, node.site = name, None
        fork.joins.append((node, [recorded(side) or side for side in (one, other)]))
        return new_box(value, self.level, node)
