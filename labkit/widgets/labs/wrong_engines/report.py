"""`first_wrong`: try an engine and hear about its first wrong node."""

import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....messages.wrapping import wrapped
from . import causes
from .bench import Endless
from .faults import Fault, all_wrong, first_fault
from .run import Pass, Subject, raised_at, train


@dataclass(frozen=True, eq=False)
class Report:
    """What became of an engine: true where it is right, and printable.

    `cause`: "" where it is right, else a key of `MENDS`, or "raised", "endless", "no answer". `node`: the label of the
    first wrong node, and `step` the training step, counted from 1. `arrived`, `expected`: the gradients there. `line`,
    `code`: the line of the engine, counted as its file counts, and what stands there. `others`: the labels of further wrong
    nodes in that step. `error`: what the engine raised. `text`: all of it in sentences.
    """

    text: str
    cause: str = ""
    node: str = ""
    step: int = 0
    arrived: Any = None
    expected: Any = None
    line: int | None = None
    code: str = ""
    others: tuple[str, ...] = ()
    error: Exception | None = None

    def __bool__(self) -> bool:
        return not self.cause

    def __str__(self) -> str:
        return wrapped(self.text)

    def __repr__(self) -> str:
        return str(self)


@np.errstate(all="ignore")
def first_wrong(
    engine: Callable, fun: Callable, *args: Any, steps: int = 2, argnums: int | Sequence[int] = 0, rate: float = 0.1
) -> Report:
    """Run `engine` backwards through a run of `fun(*args)` and report the first wrong node and the likely cause.

    `engine(nodes, output)` finds the derivative of the node `output` with respect to every node in `nodes`, which are in
    the order they ran, leaves first. A node has `value`, `parents` (one for each use; none: a leaf), `vjp(g)` (one part for
    each parent, broadcasting not undone), `grad` (zeros at first) and `label`. The engine leaves the gradients in
    `node.grad`, or returns them as a dict `{node: gradient}`.

    `steps`: so many walks back, with a step of gradient descent in between on the arguments at `argnums`, or on the
    parameters of a Cell or Module; these stay the same nodes. `rate`: its learning rate. Gradients are compared with
    labkit's own. Whatever the engine raises is in the report, and an engine that goes round and round is stopped (if it
    uses the nodes on its way); an exception of `fun` is passed on.

    >>> def mine(nodes, output):
    ...     grads = {output: 1.0}
    ...     for node in reversed(nodes):
    ...         for parent, g in zip(node.parents, node.vjp(grads[node])):
    ...             grads[parent] = g
    ...     return grads
    >>> print(first_wrong(mine, lambda x, w: x * w + x, 3.0, 2.0))
    The first wrong node is x: it got 2 and should have got 3.
    Why: x is used 2 times, so 1 and 2 add up to 3. Here the last one replaced what was there.
    To fix it: Add each new contribution: parent.grad = parent.grad + g.
    """
    if not callable(engine):
        raise TypeError(
            f"first_wrong: expected an engine backward(nodes, output) first, but got {type(engine).__name__}"
        )
    if not isinstance(steps, int) or steps < 1:
        raise ValueError(f"first_wrong: expected at least one step, but got {steps!r}")
    passes = train(engine, Subject(fun, args, argnums), steps, rate)
    last, fault = passes[-1], first_fault(passes)
    if last.problem:
        return Report(f"The engine gave no answer: {last.problem}.", "no answer", step=len(passes))
    if fault is not None:
        return _fault_report(passes[fault.step], fault)
    if last.error is not None:
        return _error_report(engine, last, len(passes))
    return Report(_praise(passes))


def _fault_report(passed: Pass, fault: Fault):
    bench, wrong = passed.bench, fault.wrong
    others = tuple(bench.nodes[w.node].label for w in all_wrong(passed) if w.node != wrong.node)
    lines = [causes.arrived(fault, bench)]
    lines.append(f"Why: {causes.why(fault, bench)}")
    if fault.place and fault.code:
        lines.append(f"Where: line {fault.place.number}: {fault.code}")
    lines.append(causes.mend(fault))
    if passed.error is not None:
        lines.append(f"After that the engine raised {causes.named(passed.error)}.")
    elif others:
        lines.append(f"Wrong after it: {', '.join(others)}.")
    return Report(
        "\n".join(lines), fault.cause, bench.nodes[wrong.node].label, fault.step + 1, wrong.arrived, wrong.expected,
        fault.place.number if fault.place else None, fault.code, others, passed.error,
    )  # fmt: skip


def _error_report(engine, passed: Pass, step):
    error = passed.error
    assert error is not None
    place = raised_at(engine, error)
    code = linecache.getline(place.file, place.number).strip() if place else ""
    endless = isinstance(error, (Endless, RecursionError))
    lines = _never_ended(passed) if endless else [f"The engine raised {causes.named(error)}.", causes.how_far(passed)]
    if place and code:
        lines.append(f"Where: line {place.number}: {code}")
    cause, line = "endless" if endless else "raised", place.number if place else None
    return Report("\n".join(lines), cause, step=step, line=line, code=code, error=error)


def _never_ended(passed):
    """What is said of an engine that was stopped, or that called itself too often."""
    visits, ops = causes.visits_and_ops(passed)
    lines = [f"The engine does not come to an end: {passed.error}."]
    if visits > ops:
        lines.append(f"It called vjp {visits:,} times on {ops} ops, where one call for each is enough.")
        lines.append(
            "Does it visit the same node again and again? With one call for each path, there can be 2^n calls."
        )
    return lines


def _praise(passes):
    times = "once" if len(passes) == 1 else f"in each of {len(passes)} training steps"
    said = [f"Right: the gradients of all {len(passes[-1].bench.nodes)} nodes agree with labkit's own, {times}."]
    return "\n".join(filter(None, [*said, causes.detours(passes[-1])]))
