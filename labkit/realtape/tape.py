"""A tape of the installed PyTorch as plain data: nothing in it refers to a tensor, and it can be written as JSON."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .values import Value

SMALL = 6  # numbers that are written in full
KEPT, FREED, PACKED, CHANGED, UNKNOWN = "kept", "freed", "packed", "changed", "unknown"


@dataclass(frozen=True, eq=False)
class Saved:
    """What a node saves for its backward, under the `name` that PyTorch gives it ("self", "result", "tensors[0]").

    Attributes:
        state: "kept"; "freed", by a backward; "packed", by a hook, which `why` names: it is not unpacked, for that would run
            the hook; "changed", in place since it was saved, `why` being what PyTorch says; "unknown", `why` says why.
        shape, dtype, bytes: of the tensor; of one that is freed or packed they are not known: None, "" and None; a nested one has
            no shape.
        memory: a number that is the same for what shares memory.
        of: `(node, output)` whose value it is, or None for what no node of the tape made.
        label: the name of the parameter, buffer or variable that it is; `note`: "frozen", "detached from h", or "".
    """

    name: str
    state: str = KEPT
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    bytes: int | None = None
    memory: int | None = None
    of: tuple[int, int] | None = None
    label: str = ""
    note: str = ""
    why: str = ""
    value: Value | None = None

    def describe(self) -> str:
        """In words.

        >>> Saved("self", shape=(2, 3), dtype="float32", bytes=24, label="x").describe(), Saved("result", FREED).describe()
        ('self = x: float32 [2, 3], 24 bytes', 'result: freed')
        """
        name = f"{self.name} = {self.label}" if self.label else self.name
        kind = (
            f"{self.dtype} {list(self.shape)}, {in_bytes(self.bytes)}"
            if self.shape is not None
            else self.dtype and f"{self.dtype}, nested"
        )
        state = {
            KEPT: "", PACKED: "packed by a hook ({why}), not unpacked", CHANGED: "changed in place since",
            UNKNOWN: "not known: {why}",
        }  # fmt: skip
        fate = state.get(self.state, self.state).format(why=self.why)
        note = self.note and f"({self.note})"
        return " ".join(filter(None, [f"{name}: {', '.join(filter(None, [kind, fate]))}{in_full(self.value)}", note]))


@dataclass(eq=False)
class TapeNode:
    """A node, or a leaf (whose node is AccumulateGrad).

    Attributes:
        name: as PyTorch writes it, "MulBackward0". `op`: the op in words, "mul"; "leaf".
        parents: `(node, output)` for each of its next_functions, None where no gradient goes.
        outputs: `(shape, dtype, device)` of each result of the op.
        label: the name of the user's variable or parameter, or "".
        values: what is known of its outputs, by their number: from what is saved and from the user's variables.
        settings: what it saves that is not a tensor, such as `dim`. `attributes`: tensors on a ctx that were not saved by
            save_for_backward, as `Saved`.
        scope: the calls of modules it ran in, from the outside in: (name, class, which call); of a finished tape as far as
            parameters tell (`owners.py`).
        flat: of an op with flat ends, how much of what it gave lies there (`flat.Flat`), where that is known.
        spread: of an op that makes n times n of n times 1, what is known of that (`spread.Spread`).
        hooks: how many hooks are on the leaf. `seen`: whether a value is known only because a module was seen to return it.
    """

    index: int
    name: str
    op: str
    parents: tuple[tuple[int, int] | None, ...] = ()
    outputs: tuple[tuple[tuple[int, ...], str, str], ...] = ()
    saved: tuple[Saved, ...] = ()
    label: str = ""
    values: dict[int, Value] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    sequence: int | None = None
    scope: tuple[tuple[str, str, int], ...] = ()
    hooks: int = 0
    seen: bool = False
    flat: tuple[Any, ...] | None = None
    spread: tuple[Any, ...] | None = None

    @property
    def leaf(self) -> bool:
        """Whether it is a leaf: its gradient would be accumulated in `.grad`."""
        return self.op == "leaf"


@dataclass(frozen=True, eq=False)
class BackStep:
    """A node that ran in an extra backward: what `arrived` at each of its outputs, and what it `sent` along each edge."""

    node: int
    arrived: dict[int, Value]
    sent: tuple[Value | None, ...]


@dataclass(eq=False)
class Tape:
    """A tape.

    Attributes:
        name: of the tensor it leads to. `roots`: `(node, output)` of that, or of those.
        nodes: leaves first, then each node after what it was computed from.
        frozen: parameters of the model with requires_grad=False; `unreached`: those that require a gradient and get none.
        hidden: those that a node holds which runs more code in its backward, such as a reentrant checkpoint, with that node's
            op: whether they get a gradient there the tape does not say.
        filled: leaves whose `.grad` holds something already.
        ran: whether it is of a run that was made for it.
        steps: of an extra backward, in the order they ran, and `gradients`, what each leaf would accumulate, by its index;
            `backward`: whether there was one; `failed`: what stopped it. `notices`: what else a reader has to know.
    """

    name: str
    roots: tuple[tuple[int, int], ...]
    nodes: list[TapeNode]
    frozen: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    hidden: dict[str, str] = field(default_factory=dict)
    steps: list[BackStep] = field(default_factory=list)
    gradients: dict[int, Value] = field(default_factory=dict)
    ran: bool = False
    backward: bool = False
    failed: str = ""
    notices: list[str] = field(default_factory=list)

    @property
    def saved(self) -> list[Saved]:
        """All that its nodes save."""
        return [saved for node in self.nodes for saved in node.saved]

    def held(self, node: TapeNode) -> list[tuple[Any, int]]:
        """`(memory, bytes)` of what a node keeps alive: not of leaves, frozen parameters and buffers, which live anyway."""
        found: list[tuple[Any, int]] = []
        for k, saved in enumerate(node.saved):
            lives = saved.note in ("frozen", "buffer") or (saved.of is not None and self.nodes[saved.of[0]].leaf)
            if saved.state in (KEPT, CHANGED) and saved.bytes is not None and not lives:
                found.append(((node.index, k) if saved.memory is None else saved.memory, saved.bytes))
        return found

    def kept_bytes(self) -> int:
        """The bytes of all that is `held`, what shares memory counted once."""
        sizes: dict[Any, int] = {}
        for memory, size in (pair for node in self.nodes for pair in self.held(node)):
            sizes[memory] = max(sizes.get(memory, 0), size)
        return sum(sizes.values())

    def summary(self) -> str:
        """One sentence or two about it."""
        ops, leaves = sum(not n.leaf for n in self.nodes), sum(n.leaf for n in self.nodes)
        states = Counter(saved.state for saved in self.saved)
        told = ", ".join(f"{fate}: {states[state]}" for state, fate in _FATES.items() if states[state])
        text = _SAVING if self.saved else "Nodes: {ops}. Leaves: {leaves}. Nothing is saved."
        return text.format(ops=ops, leaves=leaves, fates=told, size=in_bytes(self.kept_bytes()))

    def __str__(self) -> str:
        """A line for each node, with what it saves."""
        head = "The tape of {name}: {summary}".format(name=self.name, summary=self.summary())
        return "\n".join([head, *self.notices, *self._rows()])

    def _rows(self) -> Iterable[str]:
        for node in self.nodes:
            kinds = ", ".join(f"{dtype} {list(shape)}" for shape, dtype, _ in node.outputs)
            back = ", ".join("-" if p is None else f"#{p[0]}" for p in node.parents)
            head = f"#{node.index} {node.name}{f' {node.label}' if node.label else ''}: {kinds}{in_full(node.values.get(0))}"
            yield f"{head}{f' <- {back}' if back else ''}"
            yield from (f"    saves {saved.describe()}" for saved in node.saved)


def in_bytes(count: int | None) -> str:
    """A number of bytes in words.

    >>> in_bytes(24), in_bytes(2_500), in_bytes(3_100_000), in_bytes(None)
    ('24 bytes', '2.5 kB', '3.1 MB', 'bytes not known')
    """
    if count is None:
        return "bytes not known"
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"


def in_full(value: Value | None) -> str:
    """The numbers of a small value, after what is said of it.

    >>> import numpy as np
    >>> in_full(Value((2,), "float32", np.array([1.0, -0.5], np.float32))), in_full(None)
    (' = [1, -0.5]', '')
    """
    if value is None or not isinstance(value.numbers, np.ndarray) or value.numbers.size > SMALL:
        return ""
    words = ", ".join(f"{number:.4g}" for number in value.numbers.ravel().tolist())
    return f" = [{words}]" if value.shape else f" = {words}"


_SAVING = "Nodes: {ops}. Leaves: {leaves}. Saved tensors: {fates}; {size} without parameters and buffers."
_FATES = {
    KEPT: "kept", FREED: "freed", PACKED: "packed by a hook and not read", CHANGED: "changed in place since",
    UNKNOWN: "not known",
}  # fmt: skip
