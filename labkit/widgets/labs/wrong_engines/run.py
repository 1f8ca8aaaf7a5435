"""Running an engine: one walk back, or several with a training step after each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....engine import record
from ....tracing import plain_function
from .bench import MOST_EVENTS, Bench, Log, Node, Place, Visit, Write, numeric


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
            came = "no arguments" if callable(fun) else f"{type(fun).__name__} in the place of the function"
            raise TypeError(f"{caller}: expected a function and its arguments, but got {came}")
        self.fun, self.caller = fun, caller
        self.plain, values, self.names = plain_function(fun, [_floating(a) for a in args], {}, None, f"{caller}(f, x)")
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
            error.add_note(f"{self.caller}: your function raised this when it was run forwards; no engine was tried.")
            raise
        if len(graph.outputs) != 1 or graph.outputs[0].fun is None:
            came = f"{len(graph.outputs)} of them" if len(graph.outputs) != 1 else "an input as it came"
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
    """One walk back by an engine. `events`: what it did; `result`: the gradient it left for each node, None for none;
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

    @property
    def has_writes(self) -> bool:
        """Whether the engine keeps its gradients in `grad`."""
        return any(isinstance(e, Write) for e in self.events)

    def writes(self, node: int) -> list[Write]:
        """The changes of the `grad` of a node."""
        return [e for e in self.events if isinstance(e, Write) and e.node == node]


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
        return (
            kept,
            f"expected gradients in node.grad, or a dict {{node: gradient}}, but it returned {came} and set no grad",
        )
    return kept, ""


def _copy(value):
    array = numeric(value)
    return value if array is None else array.copy()


@np.errstate(all="ignore")
def train(engine: Callable, subject: Subject, steps: int = 1, rate: float = 0.1, most: int = MOST_EVENTS) -> list[Pass]:
    """Walk back `steps` times, with a step of gradient descent by the engine's own gradients in between.

    What is learned stays the same node, as a parameter does, so it keeps its `grad`. It ends early where the engine
    raised, where its gradient does not fit the parameter, and where the function takes another way.

    >>> from .broken import right
    >>> [float(walked.result[0]) for walked in train(right, Subject(lambda w: w**2, [3.0]), steps=2)]
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
