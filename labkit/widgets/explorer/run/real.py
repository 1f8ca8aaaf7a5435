"""The story of a tape of the installed PyTorch, from its plain data.

Its steps are those of an extra backward pass.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....engine import Summary
from ....ops import row_of_node
from ....realtape import CHANGED, FREED, KEPT, PACKED, BackStep, Saved, Tape, TapeNode, Value, in_bytes
from ...kit.words import counted, listed, number
from .findings import Finding, faults, findings
from .gaps import array_of, data_leaf, identity, is_data, missing
from .story import Layer, Node, Sent, Step, Story

LAYOUT = ("_sym_sizes", "_sym_strides", "_layout")  # how an operand lies in memory: settings that nobody has made
UNDONE = "The run was undone; backward=True runs an extra backward pass and shows the gradients."
ONLY_READ = "The tape was only read; backward=True runs an extra backward pass and shows the gradients."
NOT_KEPT = "Its value is not kept by the tape: no node saved it."


def of_tape(tape: Tape) -> Story:
    """The story of a tape that `labkit.realtape` read; its steps are those of an extra backward pass, if one was run."""
    return _Telling(tape).story()


@dataclass
class _Telling:
    """`index`: the story's index of each node of the tape. What a node saves and the tape did not make, such as the input or
    a frozen parameter, is a leaf of the story where it has a name: `constants` has its index by name and memory."""

    tape: Tape
    nodes: list[Node] = field(default_factory=list)
    index: dict[int, int] = field(default_factory=dict)
    constants: dict[Any, int] = field(default_factory=dict)
    shown: dict[int, int] = field(default_factory=dict)  # which output of a node with several is shown

    def story(self) -> Story:
        self.shown = dict(reversed([p for n in self.tape.nodes for p in n.parents if p] + [*self.tape.roots]))
        for node in self.tape.nodes:
            if node.leaf:
                self._add(node, _leaf(node))
        for node in self.tape.nodes:
            for saved in node.saved:
                self._add_constant(saved, node)
        for node in self.tape.nodes:
            if not node.leaf:
                self._add(node, self._op(node))
        self._seed()
        what = "run on the installed PyTorch" if self.tape.ran else "on PyTorch's tape"
        story = Story(self.tape.name, self.nodes, steps_of(self.tape, self.index), taped=True)
        story.retained, story.about = True, [self.tape.summary(), *_about(self.tape)]
        found = [*_alarms(self.tape), *missing(self.tape), *findings(self.tape)]
        story.notices = [*faults(story), *(finding.words for finding in found)]
        cut = [node.index for node in self.nodes if self.tape.unreached and node.title.endswith(", detached")]
        story.marked = frozenset([*cut, *(self.index[i] for finding in found for i in finding.places)])
        story.ending = next((finding.ending for finding in found if finding.ending), "")
        story.heading = f"{self.tape.name}, {what}"
        return story

    def _add(self, node, made):
        made.index = self.index[node.index] = len(self.nodes)
        self.nodes.append(made)

    def _add_constant(self, saved, node):
        if is_data(saved, node) and identity(saved) not in self.constants:
            self.constants[identity(saved)] = len(self.nodes)
            self.nodes.append(data_leaf(saved, node, len(self.nodes)))

    def _op(self, node: TapeNode) -> Node:
        nr = self.shown.get(node.index, 0)
        dims, dtype, _ = node.outputs[nr] if nr < len(node.outputs) else ((), "", "")
        parents = [self.index[p[0]] for p in node.parents if p is not None]
        constants = [self.constants[identity(s)] for s in node.saved if is_data(s, node)]
        made = Node(
            -1, _title(node), node.op, node.label, (*parents, *dict.fromkeys(constants)), array_of(node.values.get(nr)),
            dims, dtype, scope=tuple(Layer(*call) for call in node.scope), grad_fn=node.name,
        )  # fmt: skip
        made.slots = tuple((saved.name, self._kept(saved)) for saved in node.saved if saved.state != FREED)
        made.keeps = tuple(dict.fromkeys(what for _, what in made.slots))
        made.freed = any(saved.state == FREED for saved in node.saved)
        made.facts, made.line = tuple(_facts(node)), _place(node)
        made.given = tuple(
            (s.name, array_of(s.value)) for s in node.saved if s.of is None and s.value and not is_data(s, node)
        )
        made.held = tuple(self.tape.held(node))
        made.fate = tuple(_fate(node, sum(size for _, size in made.held)))
        return made

    def _kept(self, saved: Saved) -> int | str:
        """What a node keeps: a node of the story, or PyTorch's name for it where it is none."""
        if saved.state == PACKED:
            return f"{saved.name} (packed)"
        if saved.of is not None:
            return self.index.get(saved.of[0], len(self.nodes))  # the node itself comes next
        return self.constants.get(identity(saved), saved.label or saved.name)

    def _seed(self):
        for i, _ in self.tape.roots:
            root = self.nodes[self.index[i]]
            root.seed = np.ones(root.shape) if np.prod(root.shape) <= 64 else Summary(np.ones(root.shape))


# ---- the nodes ----


def _leaf(node: TapeNode) -> Node:
    (dims, dtype, device), value = node.outputs[0], array_of(node.values.get(0))
    made = Node(-1, node.label, "input", "", (), value, dims, dtype)
    made.facts = tuple(filter(None, ["Its node AccumulateGrad adds to .grad.", _on(device)]))
    return made


def _title(node: TapeNode) -> str:
    """An op as on a card: `tanh`, `× 2`."""
    row = row_of_node(node.name)
    sign = row.sign if row and row.sign else node.op
    single = [s.value for s in node.saved if s.of is None and not s.label and s.value is not None and s.shape == ()]
    if "exponent" in node.settings and not isinstance(node.settings["exponent"], list):
        return f"{sign} {number(node.settings['exponent'])}"
    return f"{sign} {number(single[0].numbers)}" if len(single) == 1 and sign in ("×", "÷") else sign


def _place(node: TapeNode) -> str:
    """Where a node is, for a reader who looks for it: PyTorch's name for it, and the module it ran in."""
    inside = ".".join(name for name, _, _ in node.scope)
    return f"{node.name}{f' in {inside}' if inside else ''}"


def _facts(node: TapeNode):
    if not node.values:
        yield NOT_KEPT
    elif node.seen:
        yield "Not kept by the tape: recorded when a module returned it."
    if len(node.outputs) > 1:
        yield f"Results: {listed(f'{dtype} {list(dims)}' for dims, dtype, _ in node.outputs)}."
    yield from (f"Saves {saved.describe()}" for saved in node.saved)
    if not node.saved:
        yield "Saves no tensor."
    given = {
        name: value for name, value in node.settings.items() if not name.endswith(LAYOUT) and value not in ([], None)
    }
    if given:
        yield f"Settings: {listed(f'{name} = {value}' for name, value in given.items())}."
    yield from filter(None, [_on(node.outputs[0][2])] if node.outputs else [])


def _fate(node: TapeNode, held: int):
    if held:
        when = "until backward() has run here (retain_graph=True keeps them), or nothing leads here any more"
        yield f"It keeps {in_bytes(held)} alive, {when}."
    elif any(saved.state in (KEPT, CHANGED) for saved in node.saved):
        yield "What it saves are parameters, inputs or buffers, which stay in memory anyway."


def _on(device):
    return "" if device in ("cpu", "") else f"On {device}."


# ---- what is said first ----


def _about(tape: Tape):
    unknown, packed = sum(not n.values for n in tape.nodes), [s.why for s in tape.saved if s.state == PACKED]
    if unknown:
        are, them = ("are", "them") if unknown > 1 else ("is", "it")
        yield f"{counted(unknown, 'value')} {are} not kept by the tape: no node saved {them}."
    if packed:
        yield f"Packed by a hook, so not read: {counted(len(packed), 'saved tensor')} ({listed(dict.fromkeys(packed))})."
    if not tape.ran and any(node.scope for node in tape.nodes):
        yield "The tape has no module names: boxes are named after the parameters that their ops use."
    yield from tape.notices
    if not tape.backward and not any(s.state == FREED for s in tape.saved):
        yield UNDONE if tape.ran else ONLY_READ


def _alarms(tape: Tape):
    freed = sum(saved.state == FREED for saved in tape.saved)
    if tape.failed and not any(saved.state == CHANGED for saved in tape.saved):
        yield Finding(tape.failed)
    elif freed:
        yield Finding(
            f"{counted(freed, 'saved tensor')} freed: backward() has run on this tape, or on part of it.",
            ending="No gradient can be computed again; backward(retain_graph=True) would have kept them.",
        )


def steps_of(tape: Tape, index: dict[int, int]) -> list[Step]:
    """The steps of the extra backward pass, later nodes first; [] where none was run.

    `index`: the story's index of each node of the tape."""
    return _Walked(tape, index).steps() if tape.backward else []


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


def _sum(before, value):
    if before is None:
        return value
    summaries = [v for v in (before, value) if isinstance(v, Summary)]
    return Summary.unknown(summaries[0]) if summaries else before + value


def _slopes(node: TapeNode, step: BackStep) -> list[float | None]:
    """What went along each edge for an upstream gradient of 1, where all are single numbers."""
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
