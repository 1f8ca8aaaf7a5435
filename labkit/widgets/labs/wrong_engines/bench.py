"""Where engines are tried: a recorded run as plain nodes, which note everything that an engine does to them.

An engine runs one backward pass, or several with the same leaves.
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


NO_PART = (None, None, None, None)


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
    place: Place | None
    sender: int | None
    part: Any
    visit: int | None
    use: int | None

    @property
    def how(self) -> str:
        """ "add" where the contribution was added, "put" where it replaced what was there, "set" where none waited, else ""."""
        if self.part is None:
            return "set"
        added = numeric(self.before) is not None and near(self.value, np.asarray(self.before + self.part))
        return "add" if added else "put" if near(self.value, self.part) else ""

    @property
    def resets(self) -> bool:
        """Whether zeros were put there that no node sent."""
        return self.sender is None and numeric(self.value) is not None and not np.any(self.value)


class Log:
    """What an engine does, in order: `events`. More than `most` of them raise `Endless`."""

    def __init__(self, most: int = MOST_EVENTS):
        self.events: list[Visit | Write] = []
        self.most = most
        self._waiting: list[
            list[tuple[Any, ...]]
        ] = []  # by visit: (receiver, sender, part, visit, use), until it is stored

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
        return NO_PART


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
        self.value = np.array(value)
        self.value.flags.writeable = False
        self._grad: Any = np.zeros_like(self.value)

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


def near(got: Any, right: np.ndarray) -> bool:
    """Whether `got` has the shape of `right` and its numbers, within half the square root of the dtype's eps.

    >>> near(0.1 + 0.2, np.array(0.3)), near([0.3], np.array(0.3))
    (True, False)
    """
    array = numeric(got)
    if array is None or array.shape != np.shape(right):
        return False
    kinds = [k for k in (array.dtype, right.dtype) if k.kind != "i"]
    eps = max([float(np.finfo(k).eps) if k.kind == "f" else 0.01 for k in kinds], default=0.0)
    a, b = array.astype(float), right.astype(float)
    scale = np.max(np.abs(b), initial=1e-6, where=np.isfinite(b))
    with np.errstate(all="ignore"):
        return bool(np.all((np.abs(a - b) <= 0.5 * np.sqrt(eps) * scale) | (a == b) | (np.isnan(a) & np.isnan(b))))


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
    of each node, by index; `parts[i]`: `(sender, part)` of all contributions to node i. These come from labkit's own
    reverse pass. `uses`: node and number of the parent for each use of a value. `kept`: the nodes of an earlier run, of which
    the leaves stay the same objects.
    """

    def __init__(self, graph: Graph, kept: Sequence[Node] = ()):
        self.story = of_graph(graph)
        self.nodes: list[Node] = []
        index = {made: i for i, made in enumerate(graph.forward)}
        for made, i in index.items():
            parents = tuple(self.nodes[index[p]] for p in made.parents)
            node = Node(i, made.label, made.op, getval(made.value), parents, _pull(made))
            self.nodes.append(node if parents or not kept else kept[i])
        self.uses = [(node.index, k) for node in self.nodes for k in range(len(node.parents))]
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


@dataclass
class Pass:
    """One backward pass of an engine. `events`: what it did; `result`: the gradient it left for each node, None for none;
    `before`: what the leaves held from the pass before; `error`: what it raised."""

    bench: Bench
    events: list[Visit | Write]
    result: list[Any]
    before: dict[int, Any]
    error: Exception | None = None

    def visits(self, node: int) -> list[Visit]:
        """The calls of `vjp` on a node."""
        return [e for e in self.events if isinstance(e, Visit) and e.node == node]

    def writes(self, node: int) -> list[Write]:
        """The changes of the `grad` of a node."""
        return [e for e in self.events if isinstance(e, Write) and e.node == node]


NO_RESULT = (
    "expected gradients in node.grad, or a dict {{node: gradient}}, but the engine returned {came} and set no grad"
)
STRANGER = "expected nodes as the keys of the dict that the engine returns, but got {key!r}"
IN_FORWARD = "{caller}: your function raised this in the forward pass, before any engine ran."
NO_FUNCTION = "{caller}: expected a function and its arguments, but got {came}"
NO_OUTPUT = (
    "{caller}: expected a function that returns one value computed from its inputs, but got {came}. "
    "Is the input used, with autograd.numpy or a dialect's functions? Several outputs can be added up."
)


def _run(engine, bench, before, most):
    """Run an engine once and keep all it did, also where it raises."""
    log, error = Log(most), None
    for node in bench.nodes:
        node.watch(log)
    try:
        returned = engine(bench.nodes, bench.output)
        if isinstance(returned, Mapping):
            for node, gradient in returned.items():
                if not isinstance(node, Node):
                    raise TypeError(STRANGER.format(key=node))
                log.add(Write, node.index, node.grad, _copy(gradient), None, *NO_PART)
        elif not any(isinstance(e, Write) for e in log.events):
            raise TypeError(NO_RESULT.format(came="nothing" if returned is None else f"a {type(returned).__name__}"))
    except Exception as raised:  # whatever it is, it is reported in words
        error = raised
    left = {e.node: e.value for e in log.events if isinstance(e, Write)}
    return Pass(bench, log.events, [left.get(node.index) for node in bench.nodes], before, error)


@np.errstate(all="ignore")
def backward_passes(
    engine: Callable,
    fun: Callable,
    args: Sequence[Any],
    count: int = 1,
    caller: str = "first_wrong",
    most: int = MOST_EVENTS,
) -> list[Pass]:
    """Run `count` forward passes of `fun(*args)`, each with a backward pass by the engine. The leaves stay the same nodes, as
    parameters do, so they keep their `grad`. It ends early where the engine raised.

    `fun`: a function, Cell or Module; `args`: numbers, arrays or tensors, whole numbers becoming floats. An exception of the
    function is passed on. Raises TypeError for what is no function with arguments, ValueError unless one value comes out that
    was computed from the inputs.

    >>> from .broken import ENGINES
    >>> [float(one.result[0]) for one in backward_passes(ENGINES["not reset"], lambda w: w**2, [3.0], 2)]
    [6.0, 12.0]
    """
    if not callable(fun) or not args:
        raise TypeError(NO_FUNCTION.format(caller=caller, came="no arguments" if callable(fun) else type(fun).__name__))
    plain, values, names = plain_function(fun, [floating(a) for a in args], {}, None, f"{caller}(f, x)")
    passes = list[Pass]()
    for _ in range(count):
        try:
            graph = record(plain, *map(np.asarray, values), names=names)
        except Exception as error:
            error.add_note(IN_FORWARD.format(caller=caller))
            raise
        if len(graph.outputs) != 1 or graph.outputs[0].fun is None:
            came = f"{len(graph.outputs)} of them" if len(graph.outputs) != 1 else "an unchanged input"
            raise ValueError(NO_OUTPUT.format(caller=caller, came=came))
        last = passes[-1] if passes else None
        bench = Bench(graph, last.bench.nodes if last else ())
        before = {n.index: last.result[n.index] for n in bench.nodes if not n.parents} if last else {}
        passes.append(_run(engine, bench, before, most))
        if passes[-1].error is not None:
            break
    return passes


def floating(value: Any) -> Any:
    """An argument, whole numbers as floats."""
    if hasattr(value, "__engine_value__") or np.asarray(value).dtype.kind not in "iub":
        return value
    return np.asarray(value, float)


def raised_at(engine: Callable, error: BaseException) -> Place | None:
    """The line of the engine that was running when it raised `error`; None where the engine has no lines."""
    code, found, traceback = getattr(engine, "__code__", None), None, error.__traceback__
    while traceback is not None and code is not None:
        if traceback.tb_frame.f_code.co_filename == code.co_filename:
            found = Place(code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
