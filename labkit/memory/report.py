"""What the rules of a function's derivative keep, op by op, and the bytes of it all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import engine
from ..engine import isbox, vjp_of
from ..tracing import plain_function
from .alive import MemoryMoment, timeline
from .held import arrays_held, bytes_of, owner_of, owners_of
from .peaks import garbage_left_alone, measured

_TOTALS = """\
  the tape saves {of.kept} bytes, besides {of.inputs} bytes of inputs
  peak of arrays: {of.peak} bytes
  measured: peak {of.peak_forward} bytes forward, {of.peak_both} with the backward pass,
  and about {of.bookkeeping} bytes of bookkeeping per node"""


@dataclass(frozen=True)
class Row:
    """One value of the run: what made it, and what its derivative rule keeps alive.

    `keeps` names the arrays that the rule holds (`constant`: one from outside), `kept` is their size in bytes.
    `released`: the step of the backward pass that uses the rule, after which it may be freed; 0 if none does.
    """

    label: str
    op: str
    shape: tuple[int, ...]
    bytes: int
    keeps: tuple[str, ...]
    kept: int
    released: int


@dataclass(frozen=True, repr=False)
class MemoryReport:
    """What `memory_report` returns; printing it gives a table.

    `rows`: one per input and op, in the order they ran. `inputs`: bytes of the inputs. `kept`: bytes that the tape
    saves in the forward pass for the backward pass, every array counted once and the inputs not at all. `peak_forward`,
    `peak_both`: the most bytes allocated during a plain forward pass, and during both passes; `bookkeeping`: bytes
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
        """The bytes of arrays alive after every op of the forward and the backward pass, recomputed ops included."""
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
        return "\n".join([*lines, _TOTALS.format(of=self)])


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
        moments = timeline(plain, values)
        forward, both, bookkeeping = measured(plain, values, alive, len(rows))
    return MemoryReport(plain.__name__, rows, inputs, kept, forward, both, bookkeeping, moments)


def _rows(plain, values, names):
    """The rows, the bytes saved without the inputs, the bytes of the inputs, and those of all arrays of the tape."""
    graph = engine.record(plain, *values, names=names)
    labels: dict[int, str] = {}
    for node in graph.forward:
        labels.setdefault(id(owner_of(node.value)), node.label)
    steps = {step.node: number for number, step in enumerate(graph.steps, 1)}
    rows, buffers = [], {}  # type: list[Row], dict[int, np.ndarray]
    for node in graph.forward:
        held = {} if node.fun is None else arrays_held(_rule(node))
        keeps = tuple(sorted({labels.get(key, "constant") for key in held}))
        number = steps.get(node, 0)
        buffers.update(held if number else {})
        rows.append(Row(node.label, node.op, node.shape, owner_of(node.value).nbytes, keeps, bytes_of(held), number))
    given, outputs = (owners_of(node.value for node in nodes) for nodes in (graph.inputs, graph.outputs))
    kept, alive = bytes_of(buffers, given), bytes_of(buffers | outputs, given)
    return tuple(rows), kept, bytes_of(given), alive


def _rule(node):
    return vjp_of(node.fun)(node.argnums, node.value, node.args, node.kwargs)
