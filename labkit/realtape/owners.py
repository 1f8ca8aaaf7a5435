"""The modules that the nodes of a finished tape belong to, inferred from the parameters that they use."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from .names import Names
from .tape import Tape, TapeNode

Path = tuple[str, ...]
RECURRENT = ("RNN", "LSTM", "GRU")  # they use their parameters once for each step of a single call


def note_owners(tape: Tape, names: Names) -> None:
    """Write into the nodes of a tape the `scope` that parameters show: what ran between a module's first parameter and its
    last belongs to it. A module whose parameters come again in the same order was called again."""
    ops = [node for node in tape.nodes if not node.leaf]
    _Owners(ops, _uses(tape, ops, names), names.kinds).divide(0, len(ops), (), ())


@dataclass(frozen=True)
class _Use:
    """An op uses parameters of the module `path`; `name` is the first of them, and how it is moved, if it is only moved."""

    path: Path
    name: str


@dataclass
class _Owners:
    """`uses`: of each of the `ops`, or None. `counts`: how often each module was called so far in a call of another."""

    ops: list[TapeNode]
    uses: list[_Use | None]
    kinds: dict[Path, str]
    counts: Counter = field(default_factory=Counter)

    def divide(self, begin: int, end: int, path: Path, scope: tuple) -> None:
        """Give the ops from `begin` to before `end`, which ran in the module `path`, to the modules right inside it."""
        used = [(i, use) for i in range(begin, end) if (use := self.uses[i])]
        for name, run in groupby(used, key=lambda pair: pair[1].path[len(path) :][:1]):
            for call in self._calls((*path, *name), list(run)) if name else ():
                first, last = call[0], call[-1] + 1
                inner = (*path, *name)
                self.counts[scope, name] += 1
                here = (*scope, (*name, self.kinds.get(inner, ""), self.counts[scope, name]))
                for op in self.ops[first:last]:
                    op.scope = here
                self.divide(first, last, inner, here)

    def _calls(self, path, run: list[tuple[int, _Use]]) -> list[list[int]]:
        """The places of a module's parameters, for each of its calls."""
        places, names = [i for i, _ in run], [use.name for _, use in run]
        inside = {use.path[: len(path) + 1] for _, use in run}
        alone = len(inside) == 1 and len(*inside) > len(path)  # then it is the module inside that was called again
        period = len(names) if alone or self.kinds.get(path) in RECURRENT else _period(names)
        return [places[i : i + period] for i in range(0, len(places), period)]


def _period(names: Sequence[str]) -> int:
    """After how many a sequence comes again, as a whole.

    >>> _period("abab"), _period("aba"), _period("aaa")
    (2, 3, 1)
    """
    count = len(names)
    return next(
        n for n in range(1, count + 1) if count % n == 0 and all(names[i] == names[i % n] for i in range(count))
    )


def _uses(tape: Tape, ops: Sequence[TapeNode], names: Names) -> list[_Use | None]:
    """What each op uses, itself or by an op that only moves a parameter, such as the transpose of a weight."""
    labels: list[str] = []
    alone = {node.index: node.label for node in tape.nodes if node.leaf}  # parameters, and what they became
    for op in ops:
        parents = [p[0] for p in op.parents if p]
        found = [*(alone.get(i, "") for i in parents), *(saved.label for saved in op.saved)]
        labels.append(next((label for label in found if label in names.owners), ""))
        if len(op.parents) == 1 and not op.saved and parents[0] in alone:
            alone[op.index] = alone[parents[0]]
    owner: dict[int, Path] = {}
    for label in dict.fromkeys(filter(None, labels)):
        users = [op for op, used in zip(ops, labels, strict=True) if used == label]
        owner |= zip((op.index for op in users), _shared(users, names.owners[label], names.kinds), strict=True)
    moved = {op.index: op.op for op in ops if op.index in alone}
    return [
        _Use(owner[op.index], f"{label} {moved.get(op.index, '')}") if label else None
        for op, label in zip(ops, labels, strict=True)
    ]


def _shared(users: Sequence[TapeNode], owners: Sequence[Path], kinds: dict[Path, str]) -> Iterator[Path]:
    """For each op that uses a parameter of several owners whose it is: of the one that is called as the op, else of the next."""
    called = [next((path for path in owners if kinds[path].lower() == op.op), None) for op in users]
    others = iter([path for path in owners if path not in called])
    last = owners[-1]
    for path in called:
        last = path or next(others, last)
        yield last
