"""Read the tape behind tensors of the installed PyTorch. Reading changes nothing, runs no hook and keeps nothing alive."""

import re
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from ..ops import op_of_node
from .flat import flat_of
from .holding import reached
from .kinds import is_leaf, is_real_module, is_real_tensor, unseen
from .names import Names
from .saved import Slot, settings, slots
from .spread import spread_of
from .tape import KEPT, Saved, Tape, TapeNode
from .values import Value, array_of, bytes_of, dtype_of, readable, same_numbers, shape_of, storage_of, value_of

MOST_NAMED = 4  # tensors that a tape leads to
MOST_SUMMED_UP = 2**27  # numbers that one reading goes through, in tensors of which there are summaries


def read(roots: Any, names: Names | None = None) -> Tape:
    """The tape that leads to a tensor, or to several in a sequence, as plain data.

    Raises ValueError for a tensor without a history.
    """
    tensors = [roots] if is_real_tensor(roots) else list(roots)
    with unseen():
        for tensor in tensors:
            if tensor.grad_fn is None:
                raise ValueError(_without_history(tensor))
        return _Reading(tensors, names or Names()).tape()


def _without_history(tensor):
    if tensor.requires_grad:
        return (
            "show: this tensor is a leaf: it was not computed from anything, so there is no tape. "
            "Show what is computed from it, such as the loss."
        )
    return (
        "show: this tensor has no history: nothing with requires_grad=True led to it, or it was computed under no_grad, "
        "detached, or computed by an op that returns integers, such as argmax. Make the leaves with requires_grad=True, "
        "and compute outside no_grad. labkit.why(lambda: ..., w), with the computation inside, names the line."
    )


def nodes_of(tensors: Sequence[Any]) -> list[Any]:
    """The nodes behind tensors: leaves first, as they are met from the end, then each node after what it was computed from;
    of those that could come next the one that ran first."""
    seen, stack = {}, [tensor.grad_fn for tensor in reversed(tensors)]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = [child for child, _ in node.next_functions if child is not None]
            stack += reversed(seen[node])
    users: dict[Any, list[Any]] = {node: [] for node in seen}
    waits: dict[Any, int] = {}
    ready: list[tuple] = []
    for node, children in seen.items():
        waits[node] = len(set(children))
        for child in set(children):
            users[child].append(node)
    place = {node: i for i, node in enumerate(seen)}

    def offer(node):
        heappush(ready, (not is_leaf(node), 0 if is_leaf(node) else sequence_of(node) or 0, place[node], node))

    for node in (n for n, count in waits.items() if not count):
        offer(node)
    order = []
    while ready:
        order.append(node := heappop(ready)[-1])
        for user in users[node]:
            waits[user] -= 1
            if not waits[user]:
                offer(user)
    return order


def sequence_of(node: Any) -> int | None:
    """When its op ran: a number that grows."""
    return node._sequence_nr() if hasattr(node, "_sequence_nr") else None


class _Reading:
    """One reading: what it knows of tensors is dropped with it."""

    def __init__(self, tensors, names):
        self.tensors, self.names = tensors, names
        self.order = nodes_of(tensors)
        self.index = {node: i for i, node in enumerate(self.order)}
        self.leaves = {id(node.variable): i for node, i in self.index.items() if is_leaf(node)}
        self.read_values: dict[
            int, tuple[Any, Value | None]
        ] = {}  # by id; the tensor too, so that the id stays its own
        self.made: dict[int, str] = {}  # what made the memory, of all that is on the tape
        self.left = MOST_SUMMED_UP

    def tape(self):
        places = {node: list(slots(node)) for node in self.order}
        nodes = [self._node(i, node) for i, node in enumerate(self.order)]
        self._note_made(slot.tensor for found in places.values() for slot in found)
        for node, known in zip(nodes, self.order, strict=True):
            node.saved = tuple(self._saved(node, slot) for slot in places[known])
            node.flat = flat_of(node.op, places[known])
            for saved in node.saved:
                if saved.of is not None and saved.value is not None:
                    nodes[saved.of[0]].values.setdefault(saved.of[1], saved.value)
        for i, found in spread_of(nodes, {self.index[node]: places[node] for node in self.order}).items():
            nodes[i].spread = found
        roots = tuple((self.index[t.grad_fn], t.output_nr) for t in self.tensors)
        for tensor, (i, nr) in zip(self.tensors, roots, strict=True):
            nodes[i].values[nr] = self._value(tensor) or nodes[i].values.get(nr)
        named = [nodes[i].label or nodes[i].op for i, _ in roots]
        name = ", ".join(named) if len(roots) <= MOST_NAMED else f"{len(roots)} tensors"
        hidden = self._hidden()
        made = Tape(name, roots, nodes, *self._parameters(hidden))
        made.hidden = hidden
        return made

    def _node(self, i, node):
        if is_leaf(node):
            return self._leaf(i, node.variable)
        made = TapeNode(i, node.name().rpartition("::")[2], op_of(node), outputs=tuple(_kinds(node)))
        made.parents = tuple(None if n is None else (self.index[n], nr) for n, nr in node.next_functions)
        made.settings, made.sequence = settings(node), sequence_of(node)
        for nr in range(len(made.outputs)):
            name, tensor = self.names.results.get((node, nr), ("", None))
            made.label = made.label or name
            if tensor is not None and (value := self._value(tensor)) is not None:
                made.values[nr] = value
        return made

    def _leaf(self, i, variable):
        kind = (shape_of(variable) or (), dtype_of(variable), str(variable.device))
        label = self.names.leaves.get(id(variable)) or f"leaf {i + 1}"
        value = self._value(variable)
        hooks = len(variable._backward_hooks or ())
        known = {} if value is None else {0: value}
        return TapeNode(i, "AccumulateGrad", "leaf", outputs=(kind,), label=label, values=known, hooks=hooks)

    def _note_made(self, saved):
        """Note the memory of the tape's values: what shares it without being on the tape was detached."""
        for node in self.order:
            if is_leaf(node):
                self._note(node.variable, self.names.leaves.get(id(node.variable), "a leaf"))
        for name, tensor in self.names.results.values():
            self._note(tensor, name)
        for tensor in saved:
            if tensor is not None and tensor.grad_fn in self.index:
                self._note(tensor, "the result of {op}".format(op=op_of(tensor.grad_fn)))

    def _note(self, tensor, name):
        if (memory := storage_of(tensor)) is not None:
            self.made.setdefault(memory, name)

    def _saved(self, node, slot: Slot):
        tensor = slot.tensor
        if tensor is None:
            return Saved(slot.name, slot.state, why=slot.why)
        memory, of = storage_of(tensor), self._of(tensor)
        label, note = ("", "") if of else self._outside(tensor, memory)
        return Saved(
            slot.name, slot.state, shape_of(tensor), dtype_of(tensor), bytes_of(tensor), memory, of,
            label, note, slot.why, self._value(tensor) if slot.state == KEPT else None,
        )  # fmt: skip

    def _of(self, tensor):
        if tensor.grad_fn in self.index:
            return self.index[tensor.grad_fn], tensor.output_nr
        leaf = self.leaves.get(id(tensor))
        return None if leaf is None else (leaf, 0)

    def _outside(self, tensor, memory):
        """The name of a tensor that no node of the tape made, and a note: whether it is frozen, what it was detached from."""
        own = self.names.leaves.get(id(tensor), "")
        name, note = self.names.memory.get(memory, ("", ""))
        if memory in self.made and not note:
            return own, f"detached from {self.made[memory]}"
        if not (own or name or note) and memory in self.names.data:
            return "", f"a view of {self.names.data[memory]}"
        if not (own or name or note):
            copied = next((named for named, variable in self.names.variables if same_numbers(tensor, variable)), "")
            return "", f"a copy of {copied}" if copied else ""
        return own or name, note

    def _value(self, tensor):
        if id(tensor) not in self.read_values:
            count = 0 if tensor.is_nested else tensor.numel()
            self.left -= count
            self.read_values[id(tensor)] = tensor, value_of(tensor) if self.left > 0 else None
        return self.read_values[id(tensor)][1]

    def _hidden(self):
        """Parameters off the tape that a node holds, or can reach by a function that it holds, with that node's op."""
        parameters = self.names.parameters or self._of_variables()
        names = {id(p): name for name, p in parameters.items() if p.requires_grad and id(p) not in self.leaves}
        found: dict[str, str] = {}
        for node in self.order if names else ():
            held = reached(dict(getattr(node, "__dict__", None) or {})).values()
            inside = [p for one in held for p in (one.parameters() if is_real_module(one) else [one])]
            found |= {names[id(p)]: op_of(node) for p in inside if id(p) in names}
        return found

    def _parameters(self, hidden):
        """The parameters that are frozen, those that the tape does not reach, and the leaves with a `.grad` that is not 0."""
        parameters = self.names.parameters or self._of_variables()
        frozen = tuple(name for name, p in parameters.items() if not p.requires_grad)
        unreached = [
            name
            for name, p in parameters.items()
            if p.requires_grad and id(p) not in self.leaves and name not in hidden
        ]
        leaves = [node.variable for node in self.order if is_leaf(node)]
        filled = [self.names.leaves.get(id(leaf), "") for leaf in leaves if _holds(leaf.grad)]
        return frozen, tuple(unreached), tuple(filter(None, filled))

    def _of_variables(self):
        """The parameters of the modules among the variables that the tape goes through."""
        used = [found for found in self.names.others if any(id(p) in self.leaves for p in found.values())]
        return {name: p for found in reversed(used) for name, p in found.items() if name == self.names.leaves[id(p)]}


def _holds(gradient):
    """Whether there is something in a gradient, as far as that can be read."""
    return gradient is not None and readable(gradient) and bool(array_of(gradient).any())


def op_of(node: Any) -> str:
    """The op of a node in words: `log_softmax` of LogSoftmaxBackward0, "leaf" of AccumulateGrad."""
    name = node.name().rpartition("::")[2]
    plain = re.sub(r"Backward\d*$", "", name)
    if is_leaf(node):
        return "leaf"
    if hasattr(node, "_forward_cls") or not plain:  # a Function of the user's: its own name
        return plain or name
    return op_of_node(name)


def _kinds(node):
    """`(shape, dtype, device)` of each result of a node's op."""
    for kind in getattr(node, "_input_metadata", ()):
        try:
            yield tuple(map(int, kind.shape)), dtype_of(kind), str(kind.device)
        except (RuntimeError, AttributeError, TypeError):  # a result that is not a plain tensor
            yield (), "", ""
