"""What labkit does while an answer runs, as plain data that is judged elsewhere: each is a word for `doings`.

`gradients`: for each backward pass the arrays that it delivered. `live nodes`: the most ops that were on the tape of PyTorch
at one time. `peak bytes`: the most memory that was taken beyond what there was before. `sheets`: what patients of the ward gave
out, as `(name, whether it is the drawn patient, sheet)`.
"""

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any
from unittest.mock import patch
from weakref import WeakSet

from ..engine import dense, getval, isbox
from .values import plain_data

_MOST = 200  # backward passes, or sheets
_LARGEST = 1000  # elements of one gradient


@contextmanager
def observing(what: tuple[str, ...], record: dict[str, Any]) -> Iterator[None]:
    """Note in `record` what happens inside, for each word of `what` that is in `OBSERVERS`.

    >>> from labkit import torch
    >>> x, record = torch.tensor(3.0, requires_grad=True), {}
    >>> with observing(("gradients", "live nodes"), record):
    ...     (x**2).backward()
    >>> record
    {'gradients': [[array(6., dtype=float32)]], 'live nodes': 1}
    """
    with ExitStack() as stack:
        for word in what:
            if word in OBSERVERS:
                stack.enter_context(OBSERVERS[word](record))
        yield


@contextmanager
def _gradients(record):
    tape, node = (import_module(f"labkit.torch._tape.{name}") for name in ("backward_pass", "node"))
    engine = import_module("labkit.engine.reverse")
    passes: list[list] = []
    record["gradients"] = passes
    run, pull, reverse_pass = tape.BackwardPass.run, node.AccumulateGrad.pull, engine.reverse_pass

    def begin(gradients=()):
        found = [_plain(g) for g in gradients if g is not None]
        if len(passes) < _MOST:
            passes.append(found)
        return found

    def observed_run(self):
        mine = begin()
        captured = run(self)
        mine += [_plain(g) for g in captured.values() if g is not None]
        return captured

    def observed_pull(self, gradients, wanted, create):
        if passes and gradients[0] is not None:
            passes[-1].append(_plain(gradients[0]))
        return pull(self, gradients, wanted, create)

    def observed_reverse_pass(*arguments, **options):
        totals = reverse_pass(*arguments, **options)
        begin(totals.values())
        return totals

    with (
        patch.object(tape.BackwardPass, "run", observed_run),
        patch.object(node.AccumulateGrad, "pull", observed_pull),
        patch.object(engine, "reverse_pass", observed_reverse_pass),
    ):
        yield


def _plain(gradient):
    while isbox(gradient):
        gradient = getval(gradient)
    array = plain_data(dense(gradient))
    return array if getattr(array, "size", 1) <= _LARGEST else None


@contextmanager
def _live_nodes(record):
    tape = import_module("labkit.torch._tape.op_node")
    place, alive = tape.here, WeakSet[Any]()
    record["live nodes"] = 0

    def observed(depth):  # a node that is being made asks where
        alive.add(sys._getframe(1).f_locals["self"])
        record["live nodes"] = max(record["live nodes"], len(alive))
        return place(depth + 1)

    with patch.object(tape, "here", observed):
        yield


@contextmanager
def _peak_bytes(record):
    others = tracemalloc.is_tracing()
    tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        yield
    finally:
        record["peak bytes"] = tracemalloc.get_traced_memory()[1] - before
        if not others:
            tracemalloc.stop()


@contextmanager
def _sheets(record):
    ward = import_module("labkit.classroom.clinic.patient")
    sheets: list[tuple] = []
    record["sheets"] = sheets
    handed, home = ward.handed, ward.__file__

    def observed(name, is_drawn, sheet):
        if sys._getframe(1).f_code.co_filename == home and len(sheets) < _MOST:  # a patient, nobody in its name
            sheets.append((name, is_drawn, sheet))
        return handed(name, is_drawn, sheet)

    with patch.object(ward, "handed", observed):
        yield


OBSERVERS: dict[str, Callable] = {
    "gradients": _gradients,
    "live nodes": _live_nodes,
    "peak bytes": _peak_bytes,
    "sheets": _sheets,
}
