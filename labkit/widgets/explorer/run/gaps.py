"""What comes into a real tape without a history, and the parameters that no path leads to: the two sides of a gap.

The tape cannot tell whether these parameters were detached on the way or not used. It does tell where data without a
grad_fn comes in, and what shares memory with a variable that has one.
"""

from collections.abc import Iterator

from ....realtape import CHANGED, KEPT, Saved, Tape, TapeNode
from ...kit.words import listed
from .findings import Finding
from .story import Node
from .walked import array_of

MOST_APART = 4  # modules, or parameters, that have boxes although no path leads to them
SHORT_NAME = 10  # letters of what the tape leads to, on a card
DETACHED, VIEW = "detached from ", "a view of "


def is_data(saved: Saved, node: TapeNode) -> bool:
    """Whether what a node saves was given to it and has no history, so that it is a leaf that gets no gradient."""
    if saved.of is not None or saved.state not in (KEPT, CHANGED) or saved.note == "buffer":
        return False
    return bool(saved.label or saved.note.startswith(DETACHED)) or _enters(saved, node)


def _enters(saved, node):
    """Whether it is an operand for which the tape has no way back: of floating point, more than a number, and no result."""
    floats = "float" in saved.dtype and saved.shape != ()
    return floats and None in node.parents and not saved.name.startswith("result")


def identity(saved: Saved) -> tuple:
    """What is the same for the same data."""
    named = saved.label or saved.note.startswith(DETACHED)
    return (saved.label or saved.note, saved.memory) if named else (saved.note, saved.memory, saved.shape)


def data_leaf(saved: Saved, index: int) -> Node:
    """The leaf of data."""
    title = saved.label or saved.note.removeprefix(DETACHED).removeprefix(VIEW) or f"{saved.name} (data)"
    kind = {"frozen": "frozen"}.get(
        saved.note, "detached" if DETACHED in saved.note else "a view" if saved.note else ""
    )
    made = Node(
        index, f"{title}, {kind}" if kind else title, "input", "", (), array_of(saved.value), saved.shape or (), saved.dtype,
        grad_fn="",
    )  # fmt: skip
    why = {"": "It has no grad_fn, and requires no gradient.", "frozen": "It is frozen: requires_grad=False."}
    made.facts = (why.get(saved.note, f"{saved.note[:1].upper()}{saved.note[1:]}."), "No gradient goes there.")
    return made


class Gap:
    """The parameters that no path leads to, as `piles`, a leaf for each module, and the data at which it may have been cut.

    `nodes`: of the story so far, which the piles come after; `places`: the nodes on both sides."""

    def __init__(self, tape: Tape, nodes: list[Node]):
        self.tape, self.nodes = tape, nodes
        groups = _groups(tape)
        self.ends = _ends(nodes) if groups else []
        for end in self.ends:
            end.title = f"{end.title.removesuffix(' (data)')}: no grad_fn"
        name = tape.name if len(tape.name) <= SHORT_NAME else ""
        self.piles = [self._pile(i, title, names, f"no path to {name}" if name else "no path")
                      for i, (title, names) in enumerate(groups.items(), len(nodes))]  # fmt: skip
        self.places = [*(node.index for node in self.piles), *(end.index for end in self.ends)]

    def _pile(self, index, title, names, instead):
        early = any(
            after for name, (_, _, after) in zip(self.tape.unreached, self.tape.homes, strict=False) if name in names
        )
        made = Node(index, title, "input", "", (), None, (), "", grad_fn="", instead=instead)
        made.cut = tuple(end.index for end in self.ends) if early else ()
        made.facts = (f"No path of the tape leads to {listed(names, 6)}.",)
        return made

    def found(self) -> Iterator[Finding]:
        """What is said of it."""
        names = self.tape.unreached
        if not names:
            return
        hidden = any(node.name == "CheckpointFunctionBackward" for node in self.tape.nodes)
        inside = ", or inside the reentrant checkpoint, which shows its inside only in backward" if hidden else ""
        get = "get" if len(names) > 1 else "gets"
        at = [self.nodes[i].title.removesuffix(": no grad_fn") for pile in self.piles[:1] for i in pile.cut or ()]
        end = f"Here the way back ends: {at[0]} has no grad_fn." if at else "The way back has come to its end."
        who = listed([pile.title.partition(":")[0] for pile in self.piles], 3)
        yield Finding(
            f"{listed(names, MOST_APART)} {get} no gradient: no path leads there.",
            ending=f"{end} Was {who} detached on the way, or not used{inside}? "
            f"labkit.why(lambda: ..., {names[0]}) runs it and says.",
        )


def _groups(tape: Tape) -> dict[str, list[str]]:
    """The parameters without a path, by what one box stands for: their module, the outermost one, or all."""
    homes = dict(zip(tape.unreached, tape.homes, strict=False)) if tape.homes else {}
    whole = {name: f"{home}: {kind}" if home else name for name, (home, kind, _) in homes.items()}
    outer = {name: home.partition(".")[0] or name for name, (home, _, _) in homes.items()}
    for titles in (whole, outer):
        found: dict[str, list[str]] = {}
        for name in tape.unreached:
            found.setdefault(titles.get(name, name), []).append(name)
        if len(found) <= MOST_APART:
            return found
    return {f"{len(tape.unreached)} parameters": list(tape.unreached)}


def _ends(nodes: list[Node]) -> list[Node]:
    """The data at which a path may have been cut: what is known to be detached, else the first that no variable holds."""
    data = [node for node in nodes if node.leaf and not node.grad_fn]
    return ([n for n in data if n.title.endswith(", detached")] or [n for n in data if n.title.endswith(" (data)")])[:1]
