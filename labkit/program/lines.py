"""The lines of a program: ops, and blocks of them under an `if` or in a `while`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .nodes import Op


@dataclass(eq=False, slots=True)
class Line:
    """One op of a program, `name = fun(*args, **kwargs)`; an argument is another line or a constant.

    `node` is the recorded node it comes from; `number` its line in the source, counted from 1.
    """

    node: Op
    fun: Any
    args: tuple
    kwargs: dict
    value: Any = field(repr=False)
    name: str = ""
    number: int = 0

    @property
    def parents(self) -> list["Line"]:
        return [a for a in self.args if type(a) is Line]


@dataclass(eq=False, slots=True)
class Block(Line):
    """Lines that run together, or do not: what all blocks have in common."""

    def parts(self) -> list[list[Line]]:
        """The lines inside, in lists."""
        raise NotImplementedError

    @property
    def parents(self) -> list[Line]:
        """The lines outside that it needs."""
        inside = list(everyone([line for part in self.parts() for line in part]))
        own = set(map(id, inside))
        return [a for line in (self, *inside) for a in line.args if type(a) is Line and id(a) not in own]


@dataclass(eq=False, slots=True)
class Branch(Block):
    """An `if`: its one argument is the test, `blocks` are the lines of both sides, `joins` those of its results.

    A join is a line whose arguments are the test and what it is on either side.
    """

    blocks: list[list[Line]] = field(default_factory=list)
    joins: list[Line] = field(default_factory=list)

    def parts(self) -> list[list[Line]]:
        return [self.joins, *self.blocks]


@dataclass(eq=False, slots=True)
class Repeat(Block):
    """A `while`: `headers` are the lines of what a round begins with, `testing` and `body` what it does, `joins` what is left.

    The arguments of a header are what it is in the first round, what it is after a round, and what decides. A loop through the
    rounds of the loop `of`, the last one first, has in `taken` a line for each that it takes out of what was `kept` there, or in
    another loop of the same rounds, the `family`; `users` are those that take something out of this one's.
    """

    test: Any = None
    of: "Repeat | None" = None
    headers: list[Line] = field(default_factory=list)
    testing: list[Line] = field(default_factory=list)
    body: list[Line] = field(default_factory=list)
    joins: list[Line] = field(default_factory=list)
    kept: list[Line] = field(default_factory=list)
    taken: dict[Line, Line] = field(default_factory=dict)
    users: list["Repeat"] = field(default_factory=list)
    family: list["Repeat"] = field(default_factory=list)
    through: list["Repeat"] = field(default_factory=list)
    forwards: bool = True
    own: set[int] = field(default_factory=set)

    def parts(self) -> list[list[Line]]:
        return [self.headers, self.kept, list(self.taken.values()), self.testing, self.body, self.joins]

    def keeps(self) -> list[Line]:
        """The lines that it keeps in every round."""
        return list(dict.fromkeys(line for user in self.users for line in user.taken if id(line) in self.own))


def everyone(lines) -> Iterator[Line]:
    """All lines, with those inside of others."""
    for line in lines:
        yield line
        if isinstance(line, Block):
            for part in line.parts():
                yield from everyone(part)
