"""What a derivative keeps in memory: `memory_report` shows it op by op, `checkpoint` keeps less of it.

Both take plain functions and those of the dialects, Cells and Modules alike (see `labkit.tracing`).
"""

import gc
import tracemalloc
import weakref
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from types import FunctionType, MethodType
from typing import Any

import numpy as np
from autograd import tracer
from autograd.core import VJPNode

from . import engine
from .engine import (
    Own,
    check_function,
    getval,
    inside,
    isbox,
    leaves,
    map_leaves,
    new_box,
    new_level,
    ones_like,
    vjp_of,
)
from .recompute import as_one_op
from .tracing import ANY, holding, plain_function, value_of, wrapped_like

__all__ = ["MemoryMoment", "MemoryReport", "Row", "checkpoint", "memory_report"]


def checkpoint(fun: Callable, parameters: Any = None) -> Callable:
    """`fun` as one op that keeps its inputs alone: what it computes inside is computed again for the derivative.

    `fun` takes arrays, numbers or tensors of a dialect; the parameters of a Cell or Module become inputs of the op, and
    so do those given in `parameters` (a list, for a function that uses parameters from outside). Run with the same
    inputs, `fun` has to give the same outputs: no dropout inside. Raises ValueError where `fun` reads another value
    that is being differentiated.

    >>> square = checkpoint(lambda x: x * x)
    >>> float(engine.grad(square)(3.0))
    6.0
    """
    check_function("checkpoint(f)(x)", fun, ANY)

    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        inner = _bound(fun, parameters or ())
        tensors = [t for t in (*args, *inner) if hasattr(t, "__engine_wrap__")]

        def plain(*values):
            with holding(inner, values[len(args) :]):
                output = fun(*map(wrapped_like, args, values[: len(args)]), **kwargs)
                return map_leaves(value_on_tape, output)

        plain.__name__ = getattr(fun, "__name__", type(fun).__name__)
        output = as_one_op(plain)(*map(value_on_tape, (*args, *inner)))
        return map_leaves(lambda leaf: wrapped_like(tensors[0], leaf), output) if tensors else output

    return wraps(fun)(checkpointed) if hasattr(fun, "__name__") else checkpointed


def _bound(fun, parameters):
    """The parameters of `fun` and those given besides, each of them once."""
    own = fun.__engine_parameters__() if hasattr(fun, "__engine_parameters__") else []
    return list({id(p): p for p in (*(p for _, p in own), *parameters)}.values())


def value_on_tape(leaf):
    """The value as an op sees it: on the tape, where its dialect has one and is recording."""
    return leaf._recorded() if hasattr(leaf, "_recorded") else value_of(leaf)


@dataclass(frozen=True)
class Row:
    """One value of the run: what made it, and what the rule that walks back through it keeps alive.

    `keeps` names the arrays that the rule holds (`constant`: one from outside), `kept` is their size in bytes.
    `released`: the step of the walk back that uses the rule, after which it may go; 0 where none does.
    """

    label: str
    op: str
    shape: tuple[int, ...]
    bytes: int
    keeps: tuple[str, ...]
    kept: int
    released: int


@dataclass(frozen=True)
class MemoryMoment:
    """The bytes of all arrays alive when `op` had just run; `phase` is "forward" or "backward"."""

    phase: str
    op: str
    bytes: int


@dataclass(frozen=True, repr=False)
class MemoryReport:
    """What `memory_report` returns; printing it gives a table.

    `rows`: one per input and op, in the order they ran. `inputs`: bytes of the inputs. `kept`: bytes that the tape
    keeps from the forward run for the walk back, every array counted once and the inputs not at all. `peak_forward`,
    `peak_both`: the most bytes allocated during a plain run, and during a run and its walk back; `bookkeeping`: bytes
    of Python objects per node. These last three are measured by tracemalloc, which sees the whole process, so they vary
    a little from run to run.
    """

    name: str
    rows: tuple[Row, ...]
    inputs: int
    kept: int
    peak_forward: int
    peak_both: int
    bookkeeping: int
    _moments: tuple[MemoryMoment, ...]

    def timeline(self) -> tuple[MemoryMoment, ...]:
        """The bytes of arrays alive after every op of the forward run and of the walk back, recomputed ops included."""
        return self._moments

    @property
    def peak(self) -> int:
        """The largest number of bytes in the timeline: arrays alone, so the same on every machine."""
        return max(moment.bytes for moment in self._moments)

    def __repr__(self) -> str:
        head = f"  {'value':<12}{'op':<12}{'bytes':>10}   {'its rule keeps':<18}{'bytes':>10}   until"
        lines = [f"memory of {self.name}", head]
        for row in self.rows:
            until = f"step {row.released} back" if row.released else "-"
            keeps = ", ".join(row.keeps) or "-"
            lines.append(f"  {row.label:<12}{row.op:<12}{row.bytes:>10}   {keeps:<18}{row.kept:>10}   {until}")
        lines.append(f"  the tape keeps {self.kept} bytes, besides {self.inputs} bytes of inputs")
        lines.append(f"  peak of arrays: {self.peak} bytes")
        lines.append(f"  measured: peak {self.peak_forward} bytes forward, {self.peak_both} with the walk back,")
        return "\n".join([*lines, f"  and about {self.bookkeeping} bytes of bookkeeping per node"])


def memory_report(fun: Callable, *args: Any, parameters: Any = None) -> MemoryReport:
    """Run `fun` and its derivative, and report what is kept in memory, and for how long.

    `fun` and `args` as for `labkit.trace`: arrays, numbers or tensors of a dialect; the parameters of a Cell or Module,
    and those given in `parameters`, count as inputs. `fun` is run five times. For torch, too, this shows the engine's
    derivative of the function, not the tape of a tensor that exists already.

    >>> report = memory_report(lambda x, y: x * y + y, np.ones(4), np.ones(4))
    >>> [(row.op, row.keeps) for row in report.rows]
    [('input', ()), ('input', ()), ('multiply', ('x', 'y')), ('add', ())]
    """
    plain, values, names = plain_function(fun, args, {}, parameters, "memory_report(f, x)")
    values = [v if isbox(v) or isinstance(v, np.ndarray) else np.asarray(v) for v in values]
    with np.errstate(all="ignore"), garbage_left_alone():
        rows, kept, inputs, alive = _rows(plain, values, names)
        moments = _moments(plain, values)
        forward, both, bookkeeping = _measured(plain, values, alive, len(rows))
    return MemoryReport(plain.__name__, rows, inputs, kept, forward, both, bookkeeping, moments)


# ---- what rules keep ----


def _rows(plain, values, names):
    """The rows, the bytes kept besides the inputs, the bytes of the inputs, and those of all arrays the tape holds."""
    graph = engine.record(plain, *values, names=names)
    labels: dict[int, str] = {}
    for node in graph.forward:
        labels.setdefault(id(_owner(node.value)), node.label)
    steps = {step.node: number for number, step in enumerate(graph.steps, 1)}
    rows, buffers = [], {}  # type: list[Row], dict[int, np.ndarray]
    for node in graph.forward:
        held = {} if node.fun is None else _arrays(_rule(node))
        keeps = tuple(sorted({labels.get(key, "constant") for key in held}))
        number = steps.get(node, 0)
        buffers.update(held if number else {})
        rows.append(Row(node.label, node.op, node.shape, _owner(node.value).nbytes, keeps, _bytes(held), number))
    given, outputs = (_owners(node.value for node in nodes) for nodes in (graph.inputs, graph.outputs))
    kept, alive = _bytes(buffers, given), _bytes(buffers | outputs, given)
    return tuple(rows), kept, _bytes(given), alive


def _rule(node):
    return vjp_of(node.fun)(node.argnums, node.value, node.args, node.kwargs)


def _owner(value):
    """The array that owns the memory of a value: views share one."""
    array = getval(value)
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array if isinstance(array, (np.ndarray, np.generic)) else np.asarray(array)


def _owners(values):
    """`{id: array}` of the arrays that own the memory of values."""
    return {id(owner): owner for owner in map(_owner, values)}


def _bytes(arrays, without=()):
    return sum(array.nbytes for key, array in arrays.items() if key not in without)


def _arrays(rule):
    """`{id: array}` of every array that a function holds: in its closure, and in what that holds."""
    found, seen, stack = dict[int, np.ndarray](), set[int](), [rule]
    while stack:
        thing = stack.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isbox(thing) or isinstance(thing, (np.ndarray, np.generic)):
            found |= _owners([thing])
        else:
            stack.extend(_inside(thing))
    return found


def _inside(thing):
    """What a function, a method or a container holds."""
    if isinstance(thing, FunctionType):
        cells = [held for cell in thing.__closure__ or () for held in _contents(cell)]
        return [*cells, *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
    if isinstance(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, MethodType):
        return [thing.__func__]
    if isinstance(thing, dict):
        return list(thing.values())
    return list(thing) if isinstance(thing, (tuple, list, set)) else []


def _contents(cell):
    try:
        return [cell.cell_contents]
    except ValueError:  # a variable that has no value yet
        return []


# ---- what is alive, op by op ----


class _Gauge(Own, VJPNode):
    """A node that keeps nothing: it notes how many bytes of arrays are alive when its op has run."""

    __slots__ = ("log",)

    def __init__(self, value, fun, args, kwargs, argnums, parents) -> None:
        self.log = parents[0].log
        self.log.note(value, getattr(fun, "__name__", "op").strip("_"))

    def initialize_root(self, value, log):
        self.log = log
        log.note(value, "input")


tracer.notrace_primitives[_Gauge] = tracer.notrace_primitives[VJPNode]


@dataclass
class _Log:
    """The arrays alive, found by weak references, and the moments noted so far."""

    bytes: int = 0
    known: dict[int, weakref.ref] = field(default_factory=dict)
    moments: list[MemoryMoment] = field(default_factory=list)
    phase: str = "forward"

    def note(self, value, op):
        owner = _owner(value)
        if isinstance(owner, np.ndarray) and id(owner) not in self.known:
            self.known[id(owner)] = weakref.ref(owner, partial(self._gone, id(owner), owner.nbytes))
            self.bytes += owner.nbytes
        self.moments.append(MemoryMoment(self.phase, op, self.bytes))

    def _gone(self, key, size, ref):
        del self.known[key]
        self.bytes -= size


def _moments(plain, values):
    """The timeline: the derivative runs as usual, on boxes whose nodes are gauges, so that every op is seen."""
    log, level = _Log(), new_level()
    boxes = [new_box(value, level, _Gauge.new_root(value, log)) for value in values]
    with inside(level):
        output, pull = engine.vjp(plain, *boxes)
        log.phase = "backward"
        seeds = [ones_like(leaf) for leaf in leaves(output)]
        gradients = pull(seeds)
    del output, pull, seeds
    log.moments.append(MemoryMoment("backward", "end", log.bytes))
    del gradients
    return tuple(log.moments)


# ---- what is measured ----


@contextmanager
def garbage_left_alone():
    """No collection of cycles inside, at a moment that nobody can foresee."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _measured(plain, values, alive, nodes):
    """Peak bytes of a plain run, of a run with its walk back, and bytes of bookkeeping per node."""
    forward = _peak(lambda: plain(*values))[0]
    both, held = _peak(lambda: _walked(plain, values))
    return forward, both, max(0, held - alive) // max(nodes, 1)


def _walked(plain, values):
    """Run and walk back; returns the bytes that were allocated between the two."""
    before = tracemalloc.get_traced_memory()[0]
    _, pull = engine.vjp(plain, *values)
    between = tracemalloc.get_traced_memory()[0] - before
    pull()
    return between


def _peak(run):
    """`(the most bytes allocated at once during run(), its result)`."""
    running = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        result = run()
        return tracemalloc.get_traced_memory()[1] - before, result
    finally:
        if not running:
            tracemalloc.stop()
