"""An accidental broadcast: a column of n numbers with a row of n numbers. To be called where `kinds.unseen` is in force."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .replay import is_kept
from .saved import Slot
from .tape import TapeNode
from .values import array_of

SPREADING = {"add", "sub", "rsub", "mul", "div", "expand", "maximum", "minimum", "pow", "lerp"}


class Spread(NamedTuple):
    """`side`: n. `at`: the node that computes with all pairs. `sure`: whether the other side is known to be a row, and not n
    times n by itself."""

    side: int
    at: int
    sure: bool = False


def spread_of(nodes: Sequence[TapeNode], saved: Mapping[int, Sequence[Slot]]) -> dict[int, Spread]:
    """By the index of the node that makes n times n of n times 1. `saved`: what each node holds."""
    found = {}
    for node in nodes:
        count = _squares(nodes, node)
        if count:
            users = [n for n in nodes if any(p and p[0] == node.index for p in n.parents)]
            at = users[0] if node.op == "expand" and len(users) == 1 else node
            start = node if "reduction" in at.settings else at
            slots = [slot for i in dict.fromkeys((start.index, at.index)) for slot in saved[i] if is_kept(slot)]
            sure = _is_a_row(count, slots) or _adds_a_row(start, _result(nodes, saved, start))
            found[node.index] = Spread(count, at.index, sure)
    return found


def _squares(nodes, node) -> int:
    """The n of an op that makes n times n of n times 1, or of n; else 0."""
    before = [nodes[p[0]].outputs[p[1]][0] for p in node.parents if p and not nodes[p[0]].leaf]
    dims: Sequence[int] = node.outputs[0][0] if node.outputs else ()
    square = len(dims) == 2 and dims[0] == dims[1] > 1 and node.op in SPREADING
    return dims[0] if square and len(before) == 1 and before[0] in ((dims[0], 1), (dims[0],)) else 0


def _result(nodes, saved, start):
    """The n times n numbers, where the only user of the result has saved them."""
    users = [n for n in nodes if any(p and p[0] == start.index for p in n.parents)]
    for slot in saved[users[0].index] if len(users) == 1 else ():
        made = slot.tensor.grad_fn if is_kept(slot) else None
        if made is not None and made._sequence_nr() == start.sequence and slot.tensor.shape == start.outputs[0][0]:
            return slot.tensor
    return None


def _is_a_row(count, slots) -> bool:
    """Whether the other side is saved as a row, or was made larger by repeats."""
    for tensor in (slot.tensor for slot in slots if slot.tensor.grad_fn is None):
        dims = tuple(tensor.shape)
        if dims in ((count,), (1, count)) or (dims == (count, count) and 0 in tensor.stride()):
            return True
    return False


def _adds_a_row(start, square) -> bool:
    """Whether the same was added in each row of the result."""
    if square is None or start.op not in ("add", "sub", "rsub"):
        return False
    array = array_of(square).astype(float)
    rest = array - array[:1] - array[:, :1] + array[0, 0]
    return bool(np.isfinite(rest).all() and np.abs(rest).max() <= 1e-5 * max(np.abs(array).max(), 1e-12))
