"""What comes into a real tape without a history, and what is said of parameters that no path leads to.

The tape cannot tell whether these parameters were detached on the way or not used. It does tell where data without a
grad_fn comes in, and what shares memory with a variable that has one.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....realtape import CHANGED, KEPT, Saved, Tape, TapeNode, Value
from ...kit.words import listed
from .findings import Finding
from .rules import plain
from .story import Node

MOST_NAMED = 4  # parameters
DETACHED, VIEW, COPY = "detached from ", "a view of ", "a copy of "
HIDDEN = "{names}: inside {op}, which records its ops only when backward() runs."
UNREACHED = "{names} get no gradient: no path leads there."
ONE_UNREACHED = "{names} gets no gradient: no path leads there."
WHY = "Was it detached on the way, or not used? labkit.why(lambda: ..., {name}) runs it and reports which."


def array_of(value: Value | None) -> Any:
    """The numbers of a value, or a summary of them."""
    return None if value is None else value.numbers


def is_data(saved: Saved, node: TapeNode) -> bool:
    """Whether what a node saves was given to it and has no history, so that it is a leaf that gets no gradient."""
    if saved.of is not None or saved.state not in (KEPT, CHANGED) or saved.note == "buffer":
        return False
    return bool(saved.label) or (saved.state == KEPT and (saved.note.startswith(DETACHED) or _enters(saved, node)))


def _enters(saved, node):
    """Whether it is an operand from which the tape leads no further: of floating point, more than a number, and no result."""
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


def missing(tape: Tape) -> Iterator[Finding]:
    """What is said of parameters that no path of the tape leads to."""
    for op in dict.fromkeys(tape.hidden.values()):
        within = [name for name, known in tape.hidden.items() if known == op]
        yield Finding(HIDDEN.format(names=listed(within, MOST_NAMED), op=op))
    if tape.unreached:
        words = UNREACHED if len(tape.unreached) > 1 else ONE_UNREACHED
        why = WHY.format(name=tape.unreached[0])
        yield Finding(words.format(names=listed(tape.unreached, MOST_NAMED)), ending=why)
