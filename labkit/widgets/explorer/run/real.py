"""The story of a tape of the installed PyTorch, from its plain data."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....engine import Summary
from ....ops import row_of_node
from ....realtape import CHANGED, FREED, KEPT, PACKED, Behind, Saved, Tape, TapeNode, behind, in_bytes
from ...kit.words import capital, counted, listed, number
from .findings import findings, sound
from .notices import faults
from .story import Layer, Node, Story
from .walked import array_of, steps_of

MOST_APART = 4  # parameters that have boxes although no path leads to them
NOT_KEPT = "Its value is not kept by the tape: no node saved it."


def of_tape(tape: Tape) -> Story:
    """The story of a tape that `labkit.realtape` read; its steps are those of an extra backward, if one was run."""
    return _Telling(tape).story()


@dataclass
class _Telling:
    """`index`: the story's index of each node of the tape. What a node saves and the tape did not make, such as the input or
    a frozen parameter, is a leaf of the story where it has a name: `constants` has its index by name and memory."""

    tape: Tape
    nodes: list[Node] = field(default_factory=list)
    index: dict[int, int] = field(default_factory=dict)
    constants: dict[Any, int] = field(default_factory=dict)
    cut: list[Behind] = field(default_factory=list)  # what would go with each node
    shown: dict[int, int] = field(default_factory=dict)  # which output of a node with several is shown

    def story(self) -> Story:
        self.cut = behind(self.tape)
        self.shown = dict(reversed([p for n in self.tape.nodes for p in n.parents if p] + [*self.tape.roots]))
        for node in self.tape.nodes:
            if node.leaf:
                self._add(node, _leaf(node))
        for node in self.tape.nodes:
            for saved in node.saved:
                self._add_constant(saved)
        for node in self.tape.nodes:
            if not node.leaf:
                self._add(node, self._op(node))
        self._seed()
        apart = list(self._unreached())
        what = "a run on the installed PyTorch, and its tape" if self.tape.ran else "its tape in the installed PyTorch"
        story = Story(self.tape.name, self.nodes, steps_of(self.tape, self.index), taped=True)
        several = len(self.tape.roots) > 1 and not self.tape.ran
        what = what.replace("its", "their") if several else what
        story.retained, story.about = True, [f"A tape of {self.tape.summary()}", *_about(self.tape)]
        found = list(findings(self.tape))
        story.notices = [*_alarms(self.tape), *faults(story), *(finding.words for finding in found)]
        story.marked = frozenset([*apart, *(self.index[i] for finding in found for i in finding.places)])
        story.coloured = any(finding.coloured for finding in found)
        story.heading = f"{self.tape.name}: {(not story.notices and sound(self.tape)) or what}"
        return story

    def _add(self, node, made):
        made.index = self.index[node.index] = len(self.nodes)
        self.nodes.append(made)

    def _add_constant(self, saved):
        if _is_constant(saved) and _identity(saved) not in self.constants:
            self.constants[_identity(saved)] = len(self.nodes)
            self.nodes.append(_constant(saved, len(self.nodes)))

    def _op(self, node: TapeNode) -> Node:
        nr = self.shown.get(node.index, 0)
        dims, dtype, _ = node.outputs[nr] if nr < len(node.outputs) else ((), "", "")
        parents = [self.index[p[0]] for p in node.parents if p is not None]
        constants = [self.constants[_identity(s)] for s in node.saved if _is_constant(s)]
        made = Node(
            -1, _title(node), node.op, node.label, (*parents, *dict.fromkeys(constants)), array_of(node.values.get(nr)),
            dims, dtype, scope=tuple(Layer(*call) for call in node.scope), grad_fn=node.name,
        )  # fmt: skip
        made.keeps = tuple(dict.fromkeys(self._kept(saved) for saved in node.saved if saved.state != FREED))
        made.freed = any(saved.state == FREED for saved in node.saved)
        made.facts, made.line = tuple(_facts(node)), _place(node)
        made.given = tuple(
            (s.name, array_of(s.value)) for s in node.saved if s.of is None and s.value and not _is_constant(s)
        )
        made.held = tuple(self.tape.held(node))
        made.fate = tuple(_fate(node, sum(size for _, size in made.held), self.cut[node.index]))
        return made

    def _unreached(self):
        """A leaf for each parameter that no path leads to, or one for all: their indices."""
        names = self.tape.unreached
        alone = len(names) <= MOST_APART
        for title in names if alone else [f"{len(names)} parameters"]:
            node = Node(len(self.nodes), title, "input", "", (), None, (), "", grad_fn="", instead="no path")
            node.facts = (f"No path of the tape leads {'here' if alone else f'to {listed(names)}'}.",)
            self.nodes.append(node)
            yield node.index

    def _kept(self, saved: Saved) -> str:
        """What a node keeps, under PyTorch's name for it."""
        if saved.state == PACKED:
            return f"{saved.name} (packed)"
        label = saved.label or (self.tape.nodes[saved.of[0]].label if saved.of else "")
        return f"{saved.name} = {label}" if label else saved.name

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


def _constant(saved: Saved, index: int) -> Node:
    title = (
        f"{saved.label or saved.note.removeprefix('detached from ')}{', detached' if 'detached' in saved.note else ''}"
    )
    title = f"{title}, frozen" if saved.note == "frozen" else title
    made = Node(index, title, "input", "", (), array_of(saved.value), saved.shape or (), saved.dtype, grad_fn="")
    why = {"": "It requires no gradient.", "frozen": "It is frozen: requires_grad=False."}
    made.facts = (why.get(saved.note, f"{capital(saved.note)[:1].upper()}{saved.note[1:]}."), "No gradient goes there.")
    return made


def _is_constant(saved: Saved) -> bool:
    named = bool(saved.label or saved.note.startswith("detached"))
    return saved.of is None and saved.state in (KEPT, CHANGED) and named and saved.note != "buffer"


def _identity(saved: Saved):
    return saved.label or saved.note, saved.memory


def _title(node: TapeNode) -> str:
    """An op as on a card: `tanh`, `× 2`."""
    row = row_of_node(node.name)
    sign = row.sign if row and row.sign else node.op
    single = [s.value for s in node.saved if s.of is None and not s.label and s.value is not None and s.shape == ()]
    if "exponent" in node.settings and not isinstance(node.settings["exponent"], list):
        return f"{sign} {number(node.settings['exponent'])}"
    return f"{sign} {number(single[0].numbers)}" if len(single) == 1 and sign in ("×", "÷") else sign


def _place(node: TapeNode) -> str:
    """Where a node is, for who looks for it: PyTorch's name for it, and the module it ran in."""
    inside = ".".join(name for name, _, _ in node.scope)
    return f"{node.name}{f' in {inside}' if inside else ''}"


def _facts(node: TapeNode):
    if not node.values:
        yield NOT_KEPT
    elif node.seen:
        yield "Not kept by the tape: seen as a module returned it."
    if len(node.outputs) > 1:
        yield f"Results: {listed(f'{dtype} {list(dims)}' for dims, dtype, _ in node.outputs)}."
    yield from (f"Saves {saved.told()}" for saved in node.saved)
    if not node.saved:
        yield "Saves no tensor."
    if node.settings:
        yield f"Settings: {listed(f'{name} = {value}' for name, value in node.settings.items())}."
    yield from filter(None, [_on(node.outputs[0][2])] if node.outputs else [])


def _fate(node: TapeNode, held: int, cut: Behind):
    if held:
        when = "until backward() has run here (retain_graph=True keeps them), or nothing leads here any more"
        yield f"It keeps {in_bytes(held)} alive, {when}."
    elif any(saved.state in (KEPT, CHANGED) for saved in node.saved):
        yield "What it saves are parameters, inputs or buffers, which live anyway."
    yield cut.told()


def _on(device):
    return "" if device in ("cpu", "") else f"On {device}."


# ---- what is said first ----


def _about(tape: Tape):
    unknown, packed = sum(not n.values for n in tape.nodes), [s.why for s in tape.saved if s.state == PACKED]
    if unknown:
        are, them = ("are", "them") if unknown > 1 else ("is", "it")
        yield f"{counted(unknown, 'value')} {are} not kept by the tape: no node saved {them}."
    if packed:
        yield f"Packed by a hook, so not looked into: {counted(len(packed), 'saved tensor')} ({listed(dict.fromkeys(packed))})."
    if not tape.ran and any(node.scope for node in tape.nodes):
        yield "The tape names no modules: boxes are named by the parameters that their ops use."
    yield from tape.notices
    if not tape.backward and not any(s.state == FREED for s in tape.saved):
        what = "The run was taken back" if tape.ran else "Nothing was run to read it"
        yield f"{what}; backward=True runs an extra backward, and steps through the real gradients."


def _alarms(tape: Tape):
    freed = sum(saved.state == FREED for saved in tape.saved)
    if tape.failed and not any(saved.state == CHANGED for saved in tape.saved):
        yield tape.failed
    elif freed:
        yield (
            f"{counted(freed, 'saved tensor')} freed: backward() has walked this tape, or part of it. "
            "No gradient can be computed again; backward(retain_graph=True) would have kept them."
        )
    if tape.unreached:
        hidden = any(node.name == "CheckpointFunctionBackward" for node in tape.nodes)
        where = ", or inside the reentrant checkpoint, which shows its inside only in backward" if hidden else ""
        yield f"No path of the tape leads to {listed(tape.unreached)}: detached on the way, or not used{where}."
