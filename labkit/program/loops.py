"""`while` in a program: one round of a loop is recorded, and the program runs as many as its test says.

    loop = Loop(recording_log, level)
    values = loop.run(entries, step)       # `step(values)` calls `loop.test(value)` and gives those of the next round

For its derivative the program saves, in every round, what the backward pass needs, and takes it out in reverse order.
"""

from typing import Any

import autograd.numpy as anp

from ..engine import dtype_of, isbox, new_box, shape_of
from .loop_gradients import levels_of, looped
from .nodes import Op, recorded


def looping() -> None:
    """What a loop is called in a log."""


def began(entry, end, test) -> Any:
    """What a round begins with."""
    return entry


def left(begun) -> Any:
    """What a value is when the loop is left."""
    return begun


class LoopOp(Op):
    """A loop in the log.

    `carries`: of each value that goes from round to round the header, what it is in the first round, what it is after a round,
    and what becomes of it. `testing`, `ops`: the ops of the test, and of a round. `test`: what decides, None for the backward
    pass through the rounds of the loop `of`.
    """

    __slots__ = ("carries", "of", "ops", "test", "testing")
    carries: list
    of: Any
    ops: list
    test: Any
    testing: list


class Loop:
    """A loop while it is recorded."""

    def __init__(self, log, level, of=None):
        self.log, self.level, self.of = log, level, of
        self.known: dict[int, type] = {}  # the levels of derivatives that it has values of
        self._test: Any = None
        self._tested = 0

    def test(self, value) -> None:
        """Said by a round when its test is there; the round goes on with the ops of the body."""
        self._test, self._tested = value, len(self.log)

    def run(self, entries, step, names=None, also=list) -> list:
        """The values after the loop. An entry that is None is zeros, like what a round gives for it.

        `also()`: values of a round that are used besides.
        """
        names = [*(names or []), *[None] * (len(entries) - len(names or []))]
        entries, levels = self._settled(list(entries), step)
        return looped(entries, levels, step, lambda entries, step: self._closed(entries, step, names), also)

    def _settled(self, entries, step):
        """The entries without None, and the levels of derivatives that values of the loop have: by rounds on trial."""
        levels: dict[int, type] = {}
        while True:
            found = self.known | levels | levels_of(entries, self.level)
            ends = self._on_trial(entries, sorted(found.items(), reverse=True), step)
            if any(entry is None for entry in entries):
                entries = [_zeros(end) if entry is None else entry for entry, end in zip(entries, ends, strict=True)]
                continue
            found |= levels_of(ends, self.level)
            if found == levels:
                self.known = levels
                return entries, sorted(found.items(), reverse=True)
            levels = found

    def _on_trial(self, entries, levels, step):
        """What a round gives; nothing of it is kept."""
        before = len(self.log)
        ends: list = []

        def tried(values):
            given = iter(values)
            ends[:] = step([None if entry is None else next(given) for entry in entries])
            return [end for end, entry in zip(ends, entries, strict=True) if entry is not None]

        def once(given, step):
            step([self.header(value) for value in given])
            return given, None

        looped([entry for entry in entries if entry is not None], [(k, v) for k, v in levels], tried, once)
        new = self.log[before:]
        self.log[before:] = [node for node in new if node.fun is None]
        return ends

    def header(self, value, name=None) -> Any:
        """A stand-in for a value that a round begins with."""
        while isbox(value) and value._trace > self.level:
            value = value._value
        raw = value._value if isbox(value) else value
        node = Op.new_root(raw, name, [])
        node.log = self.log
        return new_box(raw, self.level, node)

    def _closed(self, entries, step, names):
        """The loop in the log, and what runs it the other way round."""
        names = [*names, *[None] * (len(entries) - len(names))]
        headers = [self.header(entry, name) for entry, name in zip(entries, names, strict=True)]
        begin = len(self.log)
        self._tested = begin
        ends = step(headers)
        new, tested = self.log[begin:], self._tested - begin
        self.log[begin:] = [node for node in new if node.fun is None]
        loop = Op.__new__(LoopOp)
        loop._fill(None, looping, (), {}, (), (), None, None, self.log)
        loop.of = self.of.op if self.of is not None else None
        loop.testing, loop.ops = ([n for n in part if n.fun is not None] for part in (new[:tested], new[tested:]))
        loop.test = None if self._test is None else recorded(self._test) or self._test
        loop.carries, results, self.op = [], [], loop
        for header, entry, end in zip(headers, entries, ends, strict=True):
            raw = end._value if isbox(end) else end
            result = Op(raw, left, (header._value,), {}, (0,), (header._node,))
            self.log.pop()
            loop.carries.append((header._node, recorded(entry) or entry, recorded(end) or end, result))
            results.append(new_box(raw, self.level, result))
        return results, self._again

    def _again(self, entries, step, level, also):
        """The loop of as many rounds the other way round, of values below a level."""
        back = Loop(self.log, self.level, self)
        back.known = {k: kind for k, kind in self.known.items() if k < level}
        return back.run(entries, step, also=also)


def _zeros(end):
    return anp.zeros(shape_of(end), dtype_of(end))
