"""Records what labkit does while an answer runs, as plain data that is judged elsewhere.

`passes`: of each backward pass and JVP, the value that it differentiates and the arrays that it delivers. `custom rules`: the
gradients that each call of the `backward` of a `torch.autograd.Function` got and returned. `live nodes`: the most ops that
were on the tape of PyTorch at one time. `peak bytes`: the most memory that was allocated beyond what there was
before. `clips`: how often MindSpore's ops clipped. `own steps`: how often `nn.SGD` was called inside a Cell that is not
labkit's. `patients`: what was measured of each patient that was admitted by name, and what it gave out.

Each observer replaces functions that labkit's own code looks up when it runs, so it makes no difference under which name an
answer has imported something, on which thread it runs, or whether a debugger traces it.
"""

import sys
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from typing import Any
from weakref import WeakSet

import numpy as np

from ..engine import dense, getval, isbox, leaves
from .values import plain_data

_MOST = 200  # passes
_LARGEST = 1000  # elements of one gradient


class observing:
    """Record in `record` what happens inside, for each of `what`, which are keys of `OBSERVERS`.

    Whatever it replaces is put back by this file alone, which a time limit does not leave half-way.

    >>> from labkit import torch
    >>> x, record = torch.tensor(3.0, requires_grad=True), {}
    >>> with observing(("passes", "live nodes"), record):
    ...     (x**2).backward()
    >>> record
    {'passes': [[9.0, [array(6., dtype=float32)]]], 'live nodes': 1}
    """

    def __init__(self, what: tuple[str, ...], record: dict[str, Any]) -> None:
        self.what, self.record = what, record
        self.finishing: list[Callable[[], None]] = []

    def __enter__(self) -> None:
        for replacements, finish in [OBSERVERS[word](self.record) for word in self.what]:
            self.finishing += [finish, *(_replaced(*one) for one in replacements)]

    def __exit__(self, *error: Any) -> None:
        for finish in reversed(self.finishing):
            finish()


def _replaced(owner, name, observed):
    """Replace an attribute; what is returned puts it back."""
    if name not in vars(owner):  # inherited
        setattr(owner, name, observed)
        return lambda: delattr(owner, name)
    before = vars(owner)[name]
    setattr(owner, name, observed)
    return lambda: setattr(owner, name, before)


def _nothing():
    """To finish."""


def _passes(record):
    tape, asked, node = (import_module(f"labkit.torch.{name}") for name in (
        "_tape.backward_pass", "autograd", "_tape.node"))  # fmt: skip
    reverse, graph, forward = (import_module(f"labkit.engine.{name}") for name in ("reverse", "graph", "forward"))
    autograd = import_module("autograd.core")
    passes: list[list] = []
    record["passes"] = passes
    roots_of, run, pull = tape.roots_of, tape.BackwardPass.run, node.AccumulateGrad.pull
    seed_of, reverse_pass, pushed = reverse.seed_of, reverse.reverse_pass, forward.jvp_unchecked
    waiting: list[float] = []  # what the next pass begins with

    def begin():
        one: list = [float(sum(waiting)), []]
        waiting.clear()
        if len(passes) < _MOST:
            passes.append(one)
        return one[1]

    def observed_roots_of(outputs, given, create):
        roots = roots_of(outputs, given, create)
        waiting[:] = [_product(out._value, seed) for out, (_, seed) in zip(outputs, roots, strict=True)]
        return roots

    def observed_run(self):
        mine = begin()
        captured = run(self)
        mine += [_plain(g) for g in captured.values() if g is not None]
        return captured

    def observed_pull(self, gradients, wanted, create):
        if passes and gradients[0] is not None:
            passes[-1][1].append(_plain(gradients[0]))
        return pull(self, gradients, wanted, create)

    def observed_seed_of(value, seed):
        found = seed_of(value, seed)
        waiting.append(_product(value, found))
        return found

    def observed_reverse_pass(*arguments, **options):
        mine = begin()
        totals = reverse_pass(*arguments, **options)
        mine += [_plain(g) for g in totals.values() if g is not None]
        return totals

    def observed_jvp(*arguments):
        output, tangents = pushed(*arguments)
        waiting[:] = [_product(leaf, 1.0) for leaf in leaves(output)]
        begin().extend(_plain(g) for g in leaves(tangents))
        return output, tangents

    def begun(function):  # what autograd traces, and dual tensors
        def observed(*arguments):
            begin()
            return function(*arguments)

        return observed

    return [
        (tape, "roots_of", observed_roots_of),
        (asked, "roots_of", observed_roots_of),
        (tape.BackwardPass, "run", observed_run),
        (node.AccumulateGrad, "pull", observed_pull),
        (reverse, "seed_of", observed_seed_of),
        (reverse, "reverse_pass", observed_reverse_pass),
        (graph, "reverse_pass", observed_reverse_pass),
        (forward, "jvp_unchecked", observed_jvp),
        (autograd, "trace", begun(autograd.trace)),
        (forward.Forward, "new_root", begun(forward.Forward.new_root)),
    ], _nothing


def _product(value, seed):
    with np.errstate(all="ignore"):
        return float(np.sum(np.asarray(_unboxed(value), float) * np.asarray(_unboxed(seed), float)))


def _unboxed(value):
    while isbox(value):
        value = getval(value)
    return value


def _plain(gradient):
    array = plain_data(dense(_unboxed(gradient)))
    return array if getattr(array, "size", 1) <= _LARGEST else None


def _custom_rules(record):
    context = import_module("labkit.torch.autograd._function_context").FunctionCtx
    rules: list[list] = []
    record["custom rules"] = rules
    pull = context.pull

    def observed(self, gradients, *options):
        sent = pull(self, gradients, *options)
        if len(rules) < _MOST:
            rules.append([[None if g is None else _plain(g) for g in each] for each in (gradients, sent)])
        return sent

    return [(context, "pull", observed)], _nothing


def _live_nodes(record):
    tape = import_module("labkit.torch._tape.op_node")
    place, alive = tape.here, WeakSet[Any]()
    record["live nodes"] = 0

    def observed(depth):  # a node that is being made asks where
        alive.add(sys._getframe(1).f_locals["self"])
        record["live nodes"] = max(record["live nodes"], len(alive))
        return place(depth + 1)

    return [(tape, "here", observed)], _nothing


def _peak_bytes(record):
    others = tracemalloc.is_tracing()
    tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]

    def finish():
        record["peak bytes"] = tracemalloc.get_traced_memory()[1] - before
        if not others:
            tracemalloc.stop()

    return [], finish


def _clips(record):
    clipping = import_module("labkit.mindspore.ops.clipping")
    record["clips"] = 0

    def counted(function):
        def observed(*arguments):
            record["clips"] += 1
            return function(*arguments)

        return observed

    names = "_limited", "vector_norm", "_gradients"  # each is called by one of the three functions
    return [(clipping, name, counted(getattr(clipping, name))) for name in names], _nothing


def _own_steps(record):
    cells, inside = import_module("labkit.mindspore.nn"), [False]
    call, record["own steps"] = cells.Cell.__call__, 0

    def observed(self, *arguments, **options):
        record["own steps"] += isinstance(self, cells.SGD) and inside[-1]
        inside.append(inside[-1] or not type(self).__module__.startswith("labkit."))
        try:
            return call(self, *arguments, **options)
        finally:
            inside.pop()

    return [(cells.Cell, "__call__", observed)], _nothing


def _patients(record):
    ward = import_module("labkit.classroom.clinic.patient")
    made, charts = ward.Chart, []

    def observed(*arguments):
        charts.append(made(*arguments))
        return charts[-1]

    def finish():
        record["patients"] = [(tuple(one.paid), tuple(one.sheets)) for one in charts if one.asked_for is None]

    return [(ward, "Chart", observed)], finish


OBSERVERS: dict[str, Callable] = {
    "passes": _passes,
    "custom rules": _custom_rules,
    "live nodes": _live_nodes,
    "peak bytes": _peak_bytes,
    "clips": _clips,
    "own steps": _own_steps,
    "patients": _patients,
}
