"""Where engines are tried: a recorded run as plain nodes, which note everything that an engine does to them."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import pow as power
from typing import Any, NamedTuple

import numpy as np

from ....engine import Graph, dense, getval, match_dtype, vjp_of
from ...explorer import of_graph

MOST_EVENTS = 10_000  # of one walk back; a plain recursion can need 2^n of them


class Endless(RuntimeError):
    """The engine did not come to an end."""


class Place(NamedTuple):
    """A line of code: the file, and the number of the line in it."""

    file: str
    number: int


@dataclass(frozen=True, eq=False)
class Visit:
    """`vjp` was called on the node at index `node`. `gradient` is what it was given; `at`: its place among all events."""

    at: int
    node: int
    gradient: Any
    place: Place


@dataclass(frozen=True, eq=False)
class Write:
    """`grad` of the node at index `node` was set, from `before` to `value`. `part` is what the node at index `sender` had
    sent there and was not stored yet; None where nothing was waiting. `at`: its place among all events."""

    at: int
    node: int
    before: Any
    value: Any
    place: Place
    sender: int | None
    part: Any


class Log:
    """What an engine does, in order: `events`. More than `most` of them raise `Endless`."""

    def __init__(self, most: int = MOST_EVENTS):
        self.events: list[Visit | Write] = []
        self.most = most
        self._waiting: list[list[tuple[int, int, Any]]] = []  # by visit: (receiver, sender, part), until it is stored

    def add(self, kind: type[Visit] | type[Write], *what: Any) -> None:
        """Note an event: its fields behind `at`."""
        at = len(self.events)
        if at >= self.most:
            raise Endless(f"stopped after {self.most:,} calls of vjp and changes of grad")
        self.events.append(kind(at, *what))

    def sent(self, sender: int, receivers: Sequence[int], parts: Sequence[Any]) -> None:
        self._waiting.append([(to, sender, part) for to, part in zip(receivers, parts, strict=True)])

    def taken(self, receiver: int) -> tuple[int | None, Any]:
        """`(sender, part)` of what was sent there by the latest visit that sent something."""
        for waiting in reversed(self._waiting):
            for i, (to, sender, part) in enumerate(waiting):
                if to == receiver:
                    del waiting[i]
                    return sender, part
        return None, None


class Node:
    """A value of a run, as engines see it.

    `value`: an array that cannot be written to. `parents`: the nodes it was computed from, one for each use (none: a leaf).
    `vjp(g)`: pulls the gradient `g` that arrived here back to the parents. `grad`: where an engine keeps the gradient,
    zeros at first. `label`: the user's name, or v1, v2 ...; `op`: what computed it.
    """

    __slots__ = ("_grad", "_log", "_pull", "index", "label", "op", "parents", "value")

    def __init__(self, index: int, label: str, op: str, value: Any, parents: tuple["Node", ...], pull: Callable):
        self.index, self.label, self.op, self.parents, self._pull = index, label, op, parents, pull
        self._log = Log()
        self.hold(value)
        self._grad: Any = np.zeros_like(self.value)

    def hold(self, value: Any) -> None:
        """Hold another value; `grad` stays."""
        self.value = np.array(value)
        self.value.flags.writeable = False

    def watch(self, log: Log) -> None:
        """Note in `log` from now on what is done to this node."""
        self._log = log

    @property
    def grad(self) -> Any:
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        sender, part = self._log.taken(self.index)
        self._log.add(Write, self.index, self._grad, _copy(value), _caller(), sender, part)
        self._grad = value

    def vjp(self, g: Any) -> tuple[np.ndarray, ...]:
        """What arrives at the parents if `g` arrives here: one array for each of `parents`, new ones at each call.

        Broadcasting is not undone: if a parent was repeated to a larger shape, its part has that shape. Raises TypeError
        for a `g` that is not numeric.
        """
        if not self.parents:
            return ()
        self._log.add(Visit, self.index, _copy(g), _caller())
        if numeric(g) is None:
            raise TypeError(f"{self.label}.vjp: expected the gradient that arrived here, an array, but got {g!r}")
        parts = self._pull(np.array(g))
        self._log.sent(self.index, [p.index for p in self.parents], parts)
        return parts

    def __repr__(self) -> str:
        return f"<{self.label}: {self.op}>"


def numeric(value: Any) -> np.ndarray | None:
    """`value` as an array, or None where it is no number, no array and no tensor."""
    raw = getval(value.__engine_value__() if hasattr(value, "__engine_value__") else value)
    try:
        array = np.asarray(raw)
    except ValueError:  # rows of different lengths
        return None
    return None if array.dtype.kind in "OSUc" else array


def _copy(value):
    array = numeric(value)
    return value if array is None else array.copy()


def _caller():
    frame = sys._getframe(2)
    return Place(frame.f_code.co_filename, frame.f_lineno)


# ---- a recorded run as nodes ----


class Bench:
    """A recorded run, ready for an engine.

    `nodes`, `output`: what an engine is called with. `story`: the same run for the views. `gradients`: the right gradient
    of each node, by index; `parts[i]`: `(sender, part)` of all that rightly arrives at node i. These come from labkit's
    own reverse pass. `kept`: leaves of an earlier run, by index, which stay the same objects with new values.
    """

    def __init__(self, graph: Graph, kept: dict[int, Node] | None = None):
        self.story = of_graph(graph)
        self.nodes: list[Node] = []
        index = {record: i for i, record in enumerate(graph.forward)}
        for record, i in index.items():
            if kept and i in kept:
                self.nodes.append(kept[i])
                kept[i].hold(getval(record.value))
                continue
            parents = tuple(self.nodes[index[p]] for p in record.parents)
            self.nodes.append(Node(i, record.label, record.op, getval(record.value), parents, _pull(record)))
        self.output = self.nodes[index[graph.outputs[0]]]
        self.parts: dict[int, list[tuple[int, np.ndarray]]] = {i: [] for i in index.values()}
        self.gradients = [np.zeros_like(node.value) for node in self.nodes]
        self.gradients[self.output.index] = np.ones_like(self.output.value)
        for step in self.story.steps:
            for sent in step.sent:
                self.parts[sent.parent].append((step.node, sent.value))
                self.gradients[sent.parent] = sent.total

    def called(self, i: int) -> str:
        """What sentences call a node."""
        return self.story.nodes[i].called

    def users(self, i: int) -> list[int]:
        """The nodes that use a node, each once, in the order they ran."""
        return [n.index for n in self.nodes if any(p.index == i for p in n.parents)]

    @property
    def shape(self) -> list[tuple]:
        """What two runs have in common if their graphs are the same: ops, parents and shapes."""
        return [(n.op, n.value.shape, *(p.index for p in n.parents)) for n in self.nodes]


def _pull(record):
    """The rule of an op, answering with the shape of its result where an argument was repeated to that shape."""
    args, value = tuple(getval(a) for a in record.args), getval(record.value)
    if _elementwise(record.fun) and not record.kwargs:
        args = tuple(np.broadcast_to(a, np.shape(value)) for a in args)
    dtypes = [parent.dtype for parent in record.parents]

    def pull(g):
        parts = vjp_of(record.fun)(record.argnums, value, args, record.kwargs)(g)
        return tuple(np.array(match_dtype(dense(p), dtype)) for p, dtype in zip(parts, dtypes, strict=True))

    return pull


def _elementwise(fun):
    raw = getattr(fun, "fun", None)
    return raw is power or (isinstance(raw, np.ufunc) and raw.signature is None)
