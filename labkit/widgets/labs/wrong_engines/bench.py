"""Where engines are tried: a recorded run as plain nodes, which note everything that an engine does to them.

An engine runs one backward pass, or several with a training step after each.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import pow as power
from typing import Any, NamedTuple

import numpy as np

from ....engine import Graph, dense, getval, match_dtype, record, vjp_of
from ....tracing import plain_function
from ...explorer import of_graph

MOST_EVENTS = 10_000  # of one backward pass; a plain recursion can need 2^n of them


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
    """`grad` of the node at index `node` was set, from `before` to `value`. `part` is the contribution that was not stored yet:
    of the node at index `sender`, in the visit at event `visit`, for its parent number `use`; all are None where nothing was
    waiting. `at`: its place among all events."""

    at: int
    node: int
    before: Any
    value: Any
    place: Place
    sender: int | None
    part: Any
    visit: int | None
    use: int | None

    @property
    def resets(self) -> bool:
        """Whether zeros were put there that no node sent."""
        return self.sender is None and numeric(self.value) is not None and not np.any(self.value)


class Log:
    """What an engine does, in order: `events`. More than `most` of them raise `Endless`."""

    def __init__(self, most: int = MOST_EVENTS):
        self.events: list[Visit | Write] = []
        self.most = most
        self._waiting: list[list[tuple[Any, ...]]] = []  # by visit: (receiver, sender, part, visit, use), until it is stored

    def add(self, kind: type[Visit] | type[Write], *what: Any) -> None:
        """Note an event: its fields behind `at`."""
        if len(self.events) >= self.most:
            raise Endless("stopped after {most:,} calls of vjp and changes of grad".format(most=self.most))
        self.events.append(kind(len(self.events), *what))

    def sent(self, sender: int, receivers: Sequence[int], parts: Sequence[Any]) -> None:
        visit = len(self.events) - 1
        pairs = enumerate(zip(receivers, parts, strict=True))
        self._waiting.append([(to, sender, part, visit, use) for use, (to, part) in pairs])

    def taken(self, receiver: int) -> tuple[Any, ...]:
        """`(sender, part, visit, use)` of what was sent there by the latest visit that sent something."""
        for waiting in reversed(self._waiting):
            for i, (to, *rest) in enumerate(waiting):
                if to == receiver:
                    del waiting[i]
                    return tuple(rest)
        return None, None, None, None


class Node:
    """A value of a run, as engines see it.

    `value`: an array that cannot be written to. `parents`: the nodes it was computed from, one for each use (none: a leaf).
    `vjp(g)`: the contributions to the gradients of the parents for the upstream gradient `g`. `grad`: where an engine keeps the
    gradient, zeros at first. `label`: the user's name, or v1, v2 ...; `op`: what computed it.
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
        self._log.add(Write, self.index, self._grad, _copy(value), _caller(), *self._log.taken(self.index))
        self._grad = value

    def vjp(self, g: Any) -> tuple[np.ndarray, ...]:
        """The contributions to the gradients of `parents`, one array for each, new ones at each call.

        Broadcasting is not undone: if a parent was repeated to a larger shape, its contribution has that shape. Raises TypeError
        for a `g` that is not numeric.
        """
        if not self.parents:
            return ()
        self._log.add(Visit, self.index, _copy(g), _caller())
        if numeric(g) is None:
            text = "{node}.vjp: expected the upstream gradient, an array, but got {got!r}"
            raise TypeError(text.format(node=self.label, got=g))
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
    of each node, by index; `parts[i]`: `(sender, part)` of all contributions to node i. These come from labkit's
    own reverse pass. `kept`: leaves of an earlier run, by index, which stay the same objects with new values.
    """

    def __init__(self, graph: Graph, kept: dict[int, Node] | None = None):
        self.story = of_graph(graph)
        self.nodes: list[Node] = []
        index = {made: i for i, made in enumerate(graph.forward)}
        for made, i in index.items():
            if kept and i in kept:
                self.nodes.append(kept[i])
                kept[i].hold(getval(made.value))
                continue
            parents = tuple(self.nodes[index[p]] for p in made.parents)
            self.nodes.append(Node(i, made.label, made.op, getval(made.value), parents, _pull(made)))
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


class Subject:
    """A function at some values, to be run again at others. `learned`: the positions of the leaves that training changes.

    `fun`: a function, Cell or Module; `args`: numbers, arrays or tensors, whole numbers becoming floats. `argnums`: which
    arguments training changes; of a Cell or Module it is the parameters. Raises TypeError and IndexError for what does
    not fit.
    """

    def __init__(
        self, fun: Callable, args: Sequence[Any], argnums: int | Sequence[int] = 0, caller: str = "first_wrong"
    ):
        if not callable(fun) or not args:
            came = "no arguments" if callable(fun) else type(fun).__name__
            raise TypeError(f"{caller}: expected a function and its arguments, but got {came}")
        self.fun, self.caller, self.args = fun, caller, [_floating(a) for a in args]
        self.plain, values, self.names = plain_function(fun, self.args, {}, None, f"{caller}(f, x)")
        self.values = [np.asarray(v) for v in values]
        self.learned = tuple(range(len(args), len(values))) or _places(argnums, len(args), caller)

    def bench(self, values: Sequence[Any], kept: dict[int, Node] | None = None) -> Bench:
        """Run the function at `values`, with the leaves in `kept` from before.

        An exception of the function is passed on. Raises ValueError unless one value comes out that was computed from
        the inputs.

        >>> bench = Subject(lambda x, w: x * w, [3.0, 2.0]).bench([3.0, 2.0])
        >>> bench.nodes, [float(part) for part in bench.output.vjp(1.0)]
        ([<x: input>, <w: input>, <v1: multiply>], [2.0, 3.0])
        """
        try:
            graph = record(self.plain, *values, names=self.names)
        except Exception as error:
            error.add_note(f"{self.caller}: your function raised this in the forward pass, before any engine ran.")
            raise
        if len(graph.outputs) != 1 or graph.outputs[0].fun is None:
            came = f"{len(graph.outputs)} of them" if len(graph.outputs) != 1 else "an unchanged input"
            raise ValueError(
                f"{self.caller}: expected a function that returns one value computed from its inputs, but got {came}. "
                "Is the input used, with autograd.numpy or a dialect's functions? Several outputs can be added up."
            )
        return Bench(graph, kept)


def _floating(value):
    if hasattr(value, "__engine_value__") or np.asarray(value).dtype.kind not in "iub":
        return value
    return np.asarray(value, float)


def _places(argnums, count, caller):
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not all(isinstance(p, int) and 0 <= p < count for p in places):
        raise IndexError(f"{caller}: expected argnums below {count}, the number of arguments, but got {argnums!r}")
    return places


@dataclass
class Pass:
    """One backward pass of an engine. `events`: what it did; `result`: the gradient it left for each node, None for none;
    `before`: what the leaves held from the steps before; `error`: what it raised; `problem`: what is odd about its answer."""

    bench: Bench
    events: list[Visit | Write]
    result: list[Any]
    before: dict[int, Any]
    error: Exception | None = None
    problem: str = ""

    def visits(self, node: int) -> list[Visit]:
        """The calls of `vjp` on a node."""
        return [e for e in self.events if isinstance(e, Visit) and e.node == node]

    def writes(self, node: int) -> list[Write]:
        """The changes of the `grad` of a node."""
        return [e for e in self.events if isinstance(e, Write) and e.node == node]

    @property
    def has_writes(self) -> bool:
        """Whether the engine keeps its gradients in `grad`."""
        return any(isinstance(e, Write) for e in self.events)


def walk_back(engine: Callable, bench: Bench, before: Mapping[int, Any] | None = None, most: int = MOST_EVENTS) -> Pass:
    """Run an engine once and keep all it did, also where it raises."""
    log = Log(most)
    for node in bench.nodes:
        node.watch(log)
    returned, error = None, None
    try:
        returned = engine(bench.nodes, bench.output)
    except Exception as raised:  # whatever it is, it is reported in words
        error = raised
    result, problem = _result(bench, returned, log, error)
    return Pass(bench, log.events, result, dict(before or {}), error, problem)


def _result(bench, returned, log, error):
    """What the engine left in `grad`, or returned as a dict, and what is odd about it."""
    written = {e.node for e in log.events if isinstance(e, Write)}
    kept = [_copy(n.grad) if n.index in written else None for n in bench.nodes]
    if isinstance(returned, Mapping):
        strangers = [key for key in returned if not isinstance(key, Node)]
        if strangers:
            return kept, f"expected nodes as the keys of the dict it returns, but got {strangers[0]!r}"
        return [_copy(returned[n]) if n in returned else kept[n.index] for n in bench.nodes], ""
    if error is None and not written:
        came = "nothing" if returned is None else f"a {type(returned).__name__}"
        text = "expected gradients in node.grad, or a dict {{node: gradient}}, but it returned {came} and set no grad"
        return kept, text.format(came=came)
    return kept, ""


@np.errstate(all="ignore")
def train(engine: Callable, subject: Subject, steps: int = 1, rate: float = 0.1, most: int = MOST_EVENTS) -> list[Pass]:
    """Run `steps` backward passes, with a step of gradient descent by the engine's own gradients in between.

    What is learned stays the same node, as a parameter does, so it keeps its `grad`. It ends early where the engine
    raised, where its gradient does not fit the parameter, and where the function takes another branch.

    >>> from .broken import right
    >>> [float(one.result[0]) for one in train(right, Subject(lambda w: w**2, [3.0]), steps=2)]
    [6.0, 4.8]
    """
    values, passes = list(subject.values), list[Pass]()
    kept: dict[int, Node] = {}
    before: dict[int, Any] = {}
    for step in range(steps):
        bench = subject.bench(values, kept)
        if passes and bench.shape != passes[0].bench.shape:
            break
        passes.append(walk_back(engine, bench, before, most))
        moved = [_descend(values[i], passes[-1].result[i], rate) for i in subject.learned]
        if passes[-1].error is not None or any(m is None for m in moved) or step + 1 == steps:
            break
        for i, new in zip(subject.learned, moved, strict=True):
            values[i], kept[i], before[i] = new, bench.nodes[i], passes[-1].result[i]
    return passes


def _descend(value, gradient, rate):
    """The parameter after a step of gradient descent; None where the gradient does not fit it."""
    g = numeric(gradient)
    if g is None or g.shape != value.shape:
        return None
    return (value - rate * g).astype(value.dtype)


def raised_at(engine: Callable, error: BaseException) -> Place | None:
    """The line of the engine that was running when it raised `error`; None where the engine has no lines."""
    code, found, traceback = getattr(engine, "__code__", None), None, error.__traceback__
    while traceback is not None and code is not None:
        if traceback.tb_frame.f_code.co_filename == code.co_filename:
            found = Place(code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
