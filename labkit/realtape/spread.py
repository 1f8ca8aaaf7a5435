"""An accidental broadcast: a column of n numbers with a row of n numbers. The result that it has, and that of the n pairs.

Both are computed from copies, by PyTorch's own op on the tensors that the tape has saved, and reported only where the op
on all of them reproduces the value on the tape. To be called where `kinds.unseen` is in force.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .replay import called, is_kept
from .saved import Slot
from .tape import TapeNode
from .values import MOST_READ, Value, array_of, readable

SHOWN = 16  # rows and columns
MOST_OPS = 6  # between the op and what the tape leads to
CLOSE = 1e-4
SPREADING = {"add", "sub", "rsub", "mul", "div", "expand", "maximum", "minimum", "pow", "lerp"}


class Spread(NamedTuple):
    """`side`: n. `at`: the node that computes with all pairs. `sure`: whether the other side is known to be a row, and not n
    times n by itself. `terms`: the first of the n times n numbers, or None; `whole`, `pairs`: what the tape leads to, and what it
    would be of the n pairs alone, or None. `left`, `top`: the first numbers of the column and of the row, where both are kept."""

    side: int
    at: int
    sure: bool = False
    terms: Value | None = None
    whole: float | None = None
    pairs: float | None = None
    left: Value | None = None
    top: Value | None = None


def spread_of(
    nodes: Sequence[TapeNode], saved: Mapping[int, Sequence[Slot]], roots: Sequence[Any]
) -> dict[int, Spread]:
    """By the index of the node that makes n times n of n times 1. `saved`: what each node holds; `roots`: the tensors."""
    found = {}
    for node in nodes:
        count = _squares(nodes, node)
        if count:
            users = [n for n in nodes if any(p and p[0] == node.index for p in n.parents)]
            at = users[0] if node.op == "expand" and len(users) == 1 else node
            start = node if "reduction" in at.settings else at
            found[node.index] = _Replay(nodes, saved, roots, start, at.index).spread(count)
    return found


def _squares(nodes, node) -> int:
    """The n of an op that makes n times n of n times 1, or of n; else 0."""
    before = [nodes[p[0]].outputs[p[1]][0] for p in node.parents if p and not nodes[p[0]].leaf]
    dims: Sequence[int] = node.outputs[0][0] if node.outputs else ()
    square = len(dims) == 2 and dims[0] == dims[1] > 1 and node.op in SPREADING
    return dims[0] if square and len(before) == 1 and before[0] in ((dims[0], 1), (dims[0],)) else 0


class _Replay:
    """The ops from `start`, whose result one of them saved, to what the tape leads to, run once more on copies."""

    def __init__(self, nodes, saved, roots, start: TapeNode, at: int):
        self.nodes, self.saved, self.roots, self.start, self.at = nodes, saved, roots, start, at
        self.path = self._path()

    def _path(self) -> list[TapeNode]:
        """The ops that use the result, one after the other."""
        path: list[TapeNode] = []
        here = self.start
        while len(path) <= MOST_OPS:
            users = [n for n in self.nodes if any(p and p[0] == here.index for p in n.parents)]
            if len(users) != 1:
                return path
            path.append(here := users[0])
        return path

    def spread(self, count: int) -> Spread:
        square = self._result()
        sure = self._is_a_row(count, square)
        if square is None or not self.path or square.numel() > MOST_READ:
            return Spread(count, self.at, sure)
        terms = self._terms(square)
        whole, pairs = (self._run(square, cut) for cut in (False, True))
        known = len(self.roots) == 1 and self.roots[0].numel() == 1 and readable(self.roots[0])
        given = float(array_of(self.roots[0]).reshape(-1)[0]) if known else np.nan
        told = whole is not None and pairs is not None and abs(whole - given) <= CLOSE * max(abs(given), 1e-12)
        sums = (given, pairs) if told else (None, None)
        return Spread(count, self.at, sure, _corner(terms), *sums, *self._sides(count))

    def _sides(self, count):
        """The numbers of the column and of the row, where the op has saved both."""
        left = top = None
        for slot in self.saved[self.at] if self.at != self.start.index or self.start.op == "mul" else ():
            if is_kept(slot) and slot.tensor.dim() in (1, 2):
                tensor = slot.tensor.detach()
                dims, steps = tuple(tensor.shape), tensor.stride()
                square = dims == (count, count)
                if dims == (count, 1) or (square and steps[1] == 0 != steps[0]):
                    left = tensor[:SHOWN, 0]
                elif dims in ((count,), (1, count)) or (square and steps[0] == 0 != steps[1]):
                    top = tensor.reshape(-1, count)[0, :SHOWN]
        return (None, None) if left is None or top is None else (_corner(left), _corner(top))

    def _result(self):
        """The n times n numbers, where a user of the result has saved them."""
        for user in self.path[:1]:
            for slot in self.saved[user.index]:
                if is_kept(slot) and slot.tensor.shape == self.start.outputs[0][0] and self._is(slot, self.start):
                    return slot.tensor.detach()
        return None

    def _is(self, slot, node):
        """Whether what is saved is the result of a node."""
        return slot.tensor.grad_fn is not None and slot.tensor.grad_fn._sequence_nr() == node.sequence

    def _is_a_row(self, count, square):
        """Whether the other side is a row: it was made larger by repeats, or is saved as it was, or adds the same everywhere."""
        for i in {self.start.index, self.at}:
            for slot in self.saved[i]:
                if is_kept(slot) and slot.tensor.grad_fn is None:
                    dims, steps = tuple(slot.tensor.shape), slot.tensor.stride()
                    if dims in ((count,), (1, count)) or (dims == (count, count) and 0 in steps):
                        return True
        if square is None or self.start.op not in ("add", "sub", "rsub"):
            return False
        array = array_of(square).astype(float)
        rest = array - array[:1] - array[:, :1] + array[0, 0]
        return bool(np.isfinite(rest).all() and np.abs(rest).max() <= 1e-5 * max(np.abs(array).max(), 1e-12))

    def _terms(self, square):
        """What is computed of each pair: by a loss without its reduction, or the result itself."""
        user = self.nodes[self.at]
        if "reduction" in user.settings:
            return called(user.op, self._arguments(user, square, self.start, False) | {"reduction": 0})
        return square

    def _run(self, square, cut: bool) -> float | None:
        """What the path gives of all, or of the `cut`, the pairs."""
        here, last = square.diagonal() if cut else square, self.start
        for node in self.path:
            here = called(node.op, self._arguments(node, here, last, cut))
            if here is None:
                return None
            last = node
        return float(array_of(here).reshape(-1)[0]) if here.numel() == 1 else None

    def _arguments(self, node, here, last, cut) -> dict[str, Any]:
        """By their names: what is saved, the settings, and the result of the node before."""
        found: dict[str, Any] = dict(node.settings)
        for slot in self.saved[node.index]:
            if is_kept(slot):
                tensor, square = slot.tensor.detach(), tuple(slot.tensor.shape) == self.start.outputs[0][0]
                found[slot.name] = here if self._is(slot, last) else tensor.diagonal() if cut and square else tensor
        return {"self": here, **found}


def _corner(terms) -> Value | None:
    if terms is None:
        return None
    array = array_of(terms[(slice(SHOWN),) * terms.dim()]).copy()
    return Value(array.shape, str(array.dtype), array) if array.dtype.kind == "f" else None
