"""Tidying what was recorded: constants folded, identities and dead code removed, equal ops shared."""

from collections import ChainMap
from typing import Any

from .branches import ForkOp, chosen
from .effects import Effect
from .equal import identity, same_value
from .lines import Branch, Line, Repeat, everyone
from .loops import LoopOp, began, left
from .nodes import Op


def simplify(log) -> tuple[list[Line], dict]:
    """`(lines, found)`: the lines to keep, in order, and for every recorded node the line or constant that stands for it."""
    tidying = _Tidying()
    return tidying.lines_of(log, {}), tidying.found


class _Tidying:
    """`found` as it grows, and for the sides of each test the lines that may be shared there.

    `loops`: the lines of each loop; `back`: the loops that go through the rounds of others, as far as they are open.
    """

    def __init__(self):
        self.found, self.sides, self.loops, self.back = {}, {}, {}, []

    def lines_of(self, log, shared):
        """The lines of a log; `shared` has those whose results are known where it runs."""
        lines = []
        for node in log:
            if type(node) is ForkOp:
                lines += self._fork(node, shared)
            elif type(node) is LoopOp:
                lines.append(self._loop(node, shared))
            else:
                line = Line(node, node.fun, self._args(node), node.kwargs, node.value)
                fixed = node.fun is None or type(node.fun) is Effect or getattr(node.fun, "communicates", False)
                result = line if fixed else same_value(line)
                if result is line and not fixed:
                    result = shared.setdefault(identity(line), line)
                if result is line:
                    lines.append(line)
                elif type(result) is Line:
                    _inherit(result.node, node)
                self.found[node] = result
        return lines

    def _args(self, node):
        args = list(node.args)
        for argnum, parent in zip(node.argnums, node.parents, strict=True):
            args[argnum] = self._end(parent) if self.back else self.found[parent]
        return tuple(args)

    def _end(self, end):
        """The line or constant for a node, or a constant; in a loop through another's rounds, what that one kept."""
        return self._at_hand(self.found[end]) if isinstance(end, Op) else end

    def _at_hand(self, line):
        if type(line) is not Line:
            return line
        for loop in reversed(self.back):
            if line in loop.taken:
                return loop.taken[line]
            for member in loop.family:
                if member is not loop and id(line) in member.own:
                    loop.taken[line] = Line(line.node, taken_out, (line, *member.kept), {}, line.value)
                    self._goes_through(loop, member)
                    return loop.taken[line]
        return line

    def _goes_through(self, loop, member):
        """Note that a loop goes through what another kept of its rounds."""
        if loop not in member.users:
            inner = self.back[self.back.index(loop) :] if loop in self.back else []
            self.back = self.back[: len(self.back) - len(inner)]
            loop.args += tuple(map(self._at_hand, member.kept))
            self.back += inner
            member.users.append(loop)
            loop.through.append(member)

    def _fork(self, node, shared):
        """The lines of an `if`: of its one side alone where the test is known."""
        (test,) = self._args(node)
        known = None if type(test) is Line else int(not test)
        blocks = []
        for side, block in enumerate(node.blocks):
            inner = shared if side == known else _inside(shared, self.sides.setdefault((id(test), side), {}))
            blocks.append(self.lines_of(block, inner))
        joins = []
        for join, ends in node.joins:
            one, other = map(self._end, ends)
            line = Line(join, chosen, (test, one, other), {}, join.value)
            plain = known is not None or one is other
            result = (one, other)[known or 0] if plain else shared.setdefault(identity(line), line)
            if result is line:
                joins.append(line)
            self.found[join] = result
        if known is not None:
            return blocks[known]
        return [Branch(node, node.fun, (test,), {}, None, blocks=blocks, joins=joins)]

    def _loop(self, node, shared):
        loop = self.loops[node] = Repeat(node, node.fun, (), {}, None, of=self.loops.get(node.of))
        loop.kept = [Line(node, keeping, (), {}, None)]
        for header, entry, _, _ in node.carries:
            self.found[header] = line = Line(header, began, (self._end(entry),), {}, header.value)
            loop.headers.append(line)
        loop.family = [] if loop.of is None else loop.of.family
        if loop.of is not None:
            loop.forwards = not loop.of.forwards
            self._goes_through(loop, loop.of)
            self.back.append(loop)
        inner = _inside(shared, {})
        loop.testing, loop.body = self.lines_of(node.testing, inner), self.lines_of(node.ops, inner)
        loop.test = self._end(node.test)
        for line, (_, _, end, result) in zip(loop.headers, node.carries, strict=True):
            line.args = (*line.args, self._end(end), loop.test, *loop.args)
            self.found[result] = join = Line(result, left, (line,), {}, result.value)
            loop.joins.append(join)
        if loop.of is not None:
            self.back.pop()
        loop.kept[0].args = (loop.test, *loop.args)
        loop.family.append(loop)
        loop.own = set(map(id, everyone([loop])))
        return loop


def _inside(shared, own):
    """What is shared in a block: its `own` lines, and those outside."""
    return shared.new_child(own) if isinstance(shared, ChainMap) else ChainMap(own, shared)


def taken_out(line, kept) -> Any:
    """A line of a round, taken out of what was kept."""
    return line


def keeping(test) -> list:
    """What a loop keeps of all rounds."""
    return []


def _inherit(kept, dropped):
    """The node that stands for another takes over its name, or the gradient it completes."""
    if kept.step is not None and kept.target is None:
        kept.target = dropped.target
    if kept.fun is not None and kept.name is None and dropped.step is None:
        kept.name = dropped.name


def needed(lines, ends) -> list[Line]:
    """The inputs, and the lines that an output or an effect depends on."""
    every = list(everyone(lines))
    alive, stack = (
        set(),
        [end for end in ends if type(end) is Line] + [line for line in every if type(line.fun) is Effect],
    )
    for line in every:  # what decides whether there is the effect
        if isinstance(line, Branch | Repeat) and any(type(inner.fun) is Effect for inner in everyone([line])):
            stack += [a for a in (*line.args, *(line.kept if type(line) is Repeat else ())) if type(a) is Line]
    while stack:
        line = stack.pop()
        if line not in alive:
            alive.add(line)
            stack.extend(line.parents)
    return _alive(lines, alive)


def _alive(lines, alive):
    """Those of `lines` that are alive; a block as long as something in it is."""
    kept: list[Line] = []
    for line in lines:
        if type(line) is Branch:
            line.joins, line.blocks = _alive(line.joins, alive), [_alive(block, alive) for block in line.blocks]
            if line.joins or any(line.blocks):
                kept.append(line)
        elif type(line) is Repeat:
            line.taken = {of: inside for of, inside in line.taken.items() if inside in alive}
            line.headers, line.joins = _alive(line.headers, alive), _alive(line.joins, alive)
            line.kept, line.testing = _alive(line.kept, alive), _alive(line.testing, alive)
            line.body = _alive(line.body, alive)
            if line.headers or line.kept or line.body:
                kept.append(line)
            elif line.of is not None:
                for source in line.through:
                    source.users.remove(line)
        elif line in alive or line.fun is None:
            kept.append(line)
    return kept
