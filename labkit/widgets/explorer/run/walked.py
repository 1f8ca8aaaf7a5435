"""The way back over a real tape as the steps of a story: of an extra backward, or its order alone."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....engine import Summary, Unknown
from ....ops import row_of_node
from ....realtape import CHANGED, FREED, BackStep, Flat, Tape, TapeNode, Value
from ...kit.words import faulty
from .story import Sent, Step


def steps_of(tape: Tape, index: dict[int, int]) -> list[Step]:
    """The steps in the order of the views, later nodes first; where no backward was run, as it would go.

    `index`: the story's index of each node of the tape."""
    return _Walked(tape, index).steps() if tape.backward else list(_in_order(tape, index))


def _in_order(tape: Tape, index: dict[int, int]) -> Iterator[Step]:
    """The steps that a backward would take, as far as it would come; of the numbers those that are known without it: the ones
    that it starts with, and the zeros behind what lets nothing through."""
    roots = dict(tape.roots)
    arrived: dict[int, list[bool]] = {
        i: [False] for i in roots
    }  # whether each part is 0, at the nodes that it comes to
    for node in reversed(tape.nodes):
        if node.leaf or node.index not in arrived:
            continue
        stops, none = any(saved.state in (FREED, CHANGED) for saved in node.saved), all(arrived[node.index])
        shut = (none and _finite(node)) or _lets_nothing_through(node)
        sent = []
        for k, (i, nr) in enumerate([] if stops else [edge for edge in node.parents if edge is not None]):
            arrived.setdefault(i, []).append(shut)
            value, total = (_unknown(tape.nodes[i], nr, zero) for zero in (shut, all(arrived[i])))
            sent.append(Sent(index[i], k, value, total, None))
        arrives = _unknown(node, roots.get(node.index, 0), none)
        if node.index in roots and arrives.size == 1:
            arrives = np.ones(arrives.shape)
        yield Step(index[node.index], arrives, tuple(sent))
        if stops:
            return


def _lets_nothing_through(node: TapeNode) -> bool:
    return node.op == "relu" and node.flat is not None and Flat(*node.flat).closed == 1


def _finite(node: TapeNode) -> bool:
    """Whether 0 times what a node saves is 0."""
    return not any(faulty(array_of(saved.value)) for saved in node.saved)


def _unknown(node: TapeNode, nr: int, zero: bool) -> Any:
    """What arrives at an output, of which the shape is known, and where nothing does that it is 0."""
    dims = node.outputs[nr][0] if nr < len(node.outputs) else ()
    return np.zeros(dims) if zero else Unknown.of(dims, "float32")


class _Walked:
    """`left`: how much is still to come along the edges to an output; `totals`: what has come there so far."""

    def __init__(self, tape: Tape, index: dict[int, int]):
        self.tape, self.index = tape, index
        self.found = {step.node: step for step in tape.steps if step.arrived}
        self.totals: dict[tuple[int, int], Any] = {}
        self.left: dict[tuple[int, int], int] = {}
        for step in self.found.values():
            for edge, value in zip(tape.nodes[step.node].parents, step.sent, strict=False):
                if edge is not None and value is not None:
                    self.left[edge] = self.left.get(edge, 0) + 1

    def steps(self) -> list[Step]:
        return [self._step(self.found[i]) for i in sorted(self.found, reverse=True)]

    def _step(self, step: BackStep) -> Step:
        node, sent, place = self.tape.nodes[step.node], [], 0
        slopes, row = _slopes(node, step), row_of_node(node.name)
        for edge, value, slope in zip(node.parents, step.sent, slopes, strict=False):
            if edge is not None and value is not None:
                total = self._add(edge, value.numbers)
                sent.append(Sent(self.index[edge[0]], place, array_of(value), total, slope))
            place += edge is not None
        arrived: Any = step.arrived[min(step.arrived)].numbers
        return Step(self.index[step.node], arrived, tuple(sent), row.words if row else "")

    def _add(self, edge, value):
        """What is at an output once `value` has come there, too; at last what PyTorch gave it, hooks included."""
        self.left[edge] -= 1
        whole = self._arrives(edge) if not self.left[edge] else None
        self.totals[edge] = _sum(self.totals.get(edge), value) if whole is None else whole
        return self.totals[edge]

    def _arrives(self, edge):
        if self.tape.nodes[edge[0]].leaf:
            return array_of(self.tape.gradients.get(edge[0]))
        return array_of(self.found[edge[0]].arrived.get(edge[1])) if edge[0] in self.found else None


def array_of(value: Value | None) -> Any:
    """The numbers of a value, or a summary of them."""
    return None if value is None else value.numbers


def _sum(before, value):
    if before is None:
        return value
    summaries = [v for v in (before, value) if isinstance(v, Summary)]
    return Summary.unknown(summaries[0]) if summaries else before + value


def _slopes(node: TapeNode, step: BackStep) -> list[float | None]:
    """What went along each edge for 1 that arrived, where all are single numbers."""
    single = [_single(value) for value in (*step.arrived.values(), *step.sent)]
    if len(step.arrived) > 1 or any(s is None for s, v in zip(single[1:], step.sent, strict=True) if v is not None):
        return [None] * len(step.sent)
    arrived, *sent = single
    if not arrived or not np.isfinite(arrived):
        return [None] * len(step.sent)
    return [None if s is None else s / arrived for s in sent]


def _single(value: Value | None) -> float | None:
    """A value as a number, where it is one real number."""
    raw = array_of(value)
    return float(raw.ravel()[0]) if isinstance(raw, np.ndarray) and raw.size == 1 and raw.dtype.kind != "c" else None
