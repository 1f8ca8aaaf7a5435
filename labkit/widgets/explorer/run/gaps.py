"""What comes into a real tape without a history, and the parameters that no path leads to: the two sides of a gap.

The tape cannot tell whether these parameters were detached on the way or not used. It does tell where data without a
grad_fn comes in, and what shares memory with a variable that has one.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from ....realtape import CHANGED, KEPT, Saved, Tape, TapeNode, Value
from ...kit.words import listed
from .findings import Finding
from .rules import plain
from .story import Node

MOST_APART = 4  # modules, or parameters, that have boxes although no path leads to them
SHORT_NAME = 10  # letters of what the tape leads to, on a card
DETACHED, VIEW, COPY, NONE = "detached from ", "a view of ", "a copy of ", ": no grad_fn"
COPIED = ", a copy"  # how the title of such data ends
UNSURE, WITHOUT = "cut, or unused?", "no history"  # what is said of a path that is not there


def array_of(value: Value | None) -> Any:
    """The numbers of a value, or a summary of them."""
    return None if value is None else value.numbers


def is_data(saved: Saved, node: TapeNode) -> bool:
    """Whether what a node saves was given to it and has no history, so that it is a leaf that gets no gradient."""
    if saved.of is not None or saved.state not in (KEPT, CHANGED) or saved.note == "buffer":
        return False
    return bool(saved.label) or (saved.state == KEPT and (saved.note.startswith(DETACHED) or _enters(saved, node)))


def _enters(saved, node):
    """Whether it is an operand for which the tape has no way back: of floating point, more than a number, and no result."""
    floats = "float" in saved.dtype and saved.shape != ()
    return floats and None in node.parents and not saved.name.startswith("result")


def identity(saved: Saved) -> tuple:
    """What is the same for the same data."""
    named = saved.label or saved.note.startswith(DETACHED)
    return (saved.label or saved.note, saved.memory) if named else (saved.note, saved.memory, saved.shape)


def data_leaf(saved: Saved, node: TapeNode, index: int) -> Node:
    """The leaf of data."""
    known = array_of(saved.value)
    drops = plain(known) and np.size(known) > 1 and node.op == "mul" and not np.any(known * (known - np.max(known)))
    unnamed = "mask" if drops or (node.scope and "Dropout" in str(node.scope[-1])) else f"data ({saved.name})"
    title = saved.label or saved.note.removeprefix(DETACHED).removeprefix(VIEW).removeprefix(COPY) or unnamed
    kind = {"frozen": "frozen"}.get(
        saved.note, "detached" if DETACHED in saved.note else saved.note.partition(" of ")[0]
    )
    made = Node(
        index, f"{title}, {kind}" if kind else title, "input", "", (), array_of(saved.value), saved.shape or (), saved.dtype,
        grad_fn="",
    )  # fmt: skip
    why = {"": "It has no grad_fn, and requires no gradient.", "frozen": "It is frozen: requires_grad=False."}
    made.facts = (why.get(saved.note, f"{saved.note[:1].upper()}{saved.note[1:]}."), "No gradient goes there.")
    return made


class Gap:
    """The parameters that no path leads to and that are not on the tape, as `piles`, a leaf for each module, and the data at
    which there may have been one. `nodes`: of the story so far, which the piles come after; `marked`: the nodes on both sides."""

    def __init__(self, tape: Tape, nodes: list[Node]):
        self.tape, self.nodes, self.marked = tape, nodes, list[int]()
        self.piles: list[Node] = []
        name = f"no path to {tape.name}" if len(tape.name) <= SHORT_NAME else "no path"
        self.unreached = [self._pile(*group, name, UNSURE) for group in _groups(tape, tape.unreached)]
        self.marked += [i for pile in self.unreached for i in (pile.index, *dict(pile.cut or ()))]
        for group in _groups(tape, [name for name in tape.frozen if name in tape.homes]):
            self._pile(*group, "frozen", WITHOUT)

    def _pile(self, title, names, instead, words) -> Node:
        made = Node(
            len(self.nodes) + len(self.piles), title, "input", "", (), None, (), "", grad_fn="", instead=instead
        )
        told = {"frozen": f"Frozen (requires_grad=False): {listed(names, 6)}."}
        made.facts = (told.get(instead, f"No path of the tape leads to {listed(names, 6)}."),)
        made.names = tuple(names)
        made.cut = tuple(self._ends([self.tape.homes[name] for name in names if name in self.tape.homes], words))
        self.piles.append(made)
        return made

    def _ends(self, homes, words) -> Iterator[tuple[int, str]]:
        """Where these parameters would have come on the tape: what was made with them and is detached; else, of those that others
        were registered after, the data that no variable holds and that meets parameters nearest to them, if one does."""
        data = [node for node in self.nodes if node.leaf and not node.grad_fn]
        through = {f"Detached from {name}." for *_, name in homes if name}
        known = [node for node in data if node.facts[0] in through]
        if known:
            yield from ((node.index, DETACHED.split()[0]) for node in known)
        elif any(after for _, _, after, _ in homes):
            ends = (NONE, COPIED)
            unnamed = [node for node in data if node.title.startswith("data (") or node.title.endswith(ends)]
            near = [max(_shared(home, name) for home, *_ in homes for name in self._met(node)) for node in unnamed]
            if near.count(max(near, default=0)) == 1:
                node = unnamed[near.index(max(near))]
                name = node.title.removeprefix("data (").removesuffix(")")
                node.title = f"{name.removesuffix(NONE).removesuffix(COPIED)}{NONE}"
                yield node.index, words

    def _met(self, data) -> list[str]:
        """The names of parameters that data meet in an op, which may be turned around before."""
        others = [p for node in self.nodes if data.index in node.parents for p in node.parents]
        while any(len(self.nodes[p].parents) == 1 for p in others):
            others = [self.nodes[p].parents[0] if len(self.nodes[p].parents) == 1 else p for p in others]
        return [self.nodes[p].title for p in others] or [""]

    def found(self) -> Iterator[Finding]:
        """What is said of it."""
        for op in dict.fromkeys(self.tape.hidden.values()):
            within = [name for name, known in self.tape.hidden.items() if known == op]
            yield Finding(
                f"{listed(within, MOST_APART)}: inside {op}, which records its ops only when backward() runs."
            )
        names = self.tape.unreached
        if not names:
            return
        ends = [
            (self.nodes[i].title.removesuffix(NONE), words) for pile in self.unreached for i, words in pile.cut or ()
        ]
        here = f"Here the way back ends: {ends[0][0].partition(',')[0]}" if ends else "The way back has come to its end"
        who = listed([pile.title.partition(":")[0] for pile in self.unreached], 3)
        was = "Were" if len(self.unreached) > 1 else "Was"
        asks = f"{was} {who} detached on the way, or not used? labkit.why(lambda: ..., {names[0]}) runs it and says."
        if ends and ends[0][1] != UNSURE:
            told = f"{here} was detached, by detach() or .data: the same numbers without a grad_fn."
        else:
            told = f"{here}{' has no grad_fn' if ends else ''}. {asks}"
        get = "get" if len(names) > 1 else "gets"
        yield Finding(f"{listed(names, MOST_APART)} {get} no gradient: no path leads there.", ending=told)


def _shared(home: str, name: str) -> int:
    """How many modules both are in, from the outermost on."""
    pairs = zip(home.split("."), name.split("."), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _groups(tape: Tape, names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Parameters by what one box stands for: their module, the outermost one, or all."""
    homes = {name: tape.homes[name][:2] for name in names if name in tape.homes}
    whole = {name: f"{home}: {kind}" if home else name for name, (home, kind) in homes.items()}
    outer = {name: home.partition(".")[0] or name for name, (home, _) in homes.items()}
    for titles in (whole, outer):
        found: dict[str, list[str]] = {}
        for name in names:
            found.setdefault(titles.get(name, name), []).append(name)
        if len(found) <= MOST_APART:
            return list(found.items())
    return [(f"{len(names)} parameters", list(names))]
