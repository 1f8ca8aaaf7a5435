"""`first_wrong`: run an engine, and read what its first wrong node has, why the engine gives it that, and how to fix it."""

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....messages.wrapping import wrapped
from ...kit.words import in_full, listed
from .bench import Bench, Pass, Place, Visit, backward_passes, numeric, raised_at
from .faults import Fault, all_wrong, first_fault

FIRST = {  # the first wrong node, what it has and what it should have
    "value": "The first wrong node is {node}: its gradient is {got} and should be {right}.",
    "none": "The first wrong node is {node}: it has no gradient and should have {right}.",
    "shape": "The first wrong node is {node}: its gradient has shape {came} and should have shape {shape}.",
}
WHY = {
    "too early": "The engine processed {node} before all its upstream gradients were accumulated: the contribution from "
    "{senders} was missing.",
    "overwritten": "The forward pass uses {node} {count} times, so its gradient is the sum of {count} contributions. The engine "
    "overwrote the sum with a single contribution.",
    "lost": "The engine did not accumulate all contributions to {node}: those from {senders} are missing.",
    "not unbroadcast": "Broadcasting repeated {node} from shape {shape} to shape {came} in the forward pass. The engine did "
    "not sum the gradient over the repeated axes.",
    "not reset": "{node} still held its gradient from the backward pass before, and the engine added the new gradient to it.",
    "no seed": "The backward pass starts with ones at the output {node}, and the engine did not set them.",
    "wrong shape": "A gradient is an array with the shape of its value.",
    "wrong value": "The gradient of {node} is not the sum of its contributions.",
}
FIXES = {
    "too early": "Process a node only after all nodes that use it: go through reversed(nodes).",
    "overwritten": "Add each new contribution: parent.grad = parent.grad + g.",
    "lost": "Call vjp on every node and add each contribution, one for each use: one node can use the same parent twice.",
    "not unbroadcast": "Sum each contribution to the shape of its parent's value before you store it: "
    "g = unbroadcast(g, parent.value).",
    "not reset": "Set every grad to zero before the backward pass; PyTorch leaves this to you, as optimizer.zero_grad().",
    "no seed": "Start with ones at the output: the derivative of the output with respect to itself.",
    "wrong shape": "Store what vjp returns, summed to the shape of the value.",
    "wrong value": "Compare what vjp returns with what is stored: is the sign right, and does each contribution count once?",
}
IN_STEP = "{words} This is in backward pass {step}."
FIX = "To fix it: {fix}"
DETOURS = (
    "But it called vjp {visits:,} times, where {ops} calls are enough: it processes a node once for each path, and the number of "
    "paths can double at each value that is used twice."
)


def first(fault: Fault, bench: Bench, got: str = "", right: str = "") -> str:
    """The first wrong node, what is there and what should be. `got`, `right`: other words for these."""
    wrong, said = fault.wrong, {"node": bench.called(fault.wrong.node), "right": right or _value(fault.wrong.expected)}
    shaped = numeric(wrong.got) is not None and np.shape(wrong.got) != wrong.expected.shape
    kind = "none" if wrong.got is None else "shape" if shaped else "value"
    said |= {
        "got": got or _value(wrong.got),
        "came": np.shape(wrong.got),
        "shape": wrong.expected.shape,
    }
    words = FIRST[kind].format(**said)
    return IN_STEP.format(step=fault.step + 1, words=words) if fault.step else words


def why(fault: Fault, bench: Bench) -> str:
    """Why the engine gives that."""
    node, senders = fault.wrong.node, dict.fromkeys(map(bench.called, fault.missing))
    return WHY[fault.cause].format(
        node=bench.called(node), senders=listed(senders), count=len(bench.parts[node]),
        came=np.shape(fault.wrong.got), shape=fault.wrong.expected.shape,
    )  # fmt: skip


def fix(fault: Fault) -> str:
    """What to do about it."""
    return FIX.format(fix=FIXES[fault.cause])


def named(error: BaseException) -> str:
    """An exception in one line: its kind and what it says."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def detours(passed: Pass) -> str:
    """What is said of an engine that visits more often than needed; "" of any other."""
    visits, ops = sum(isinstance(e, Visit) for e in passed.events), sum(bool(n.parents) for n in passed.bench.nodes)
    return DETOURS.format(visits=visits, ops=ops) if visits > ops else ""


def _value(value):
    array = numeric(value)
    return in_full(array) if array is not None else repr(value)


@dataclass(frozen=True, eq=False)
class Report:
    """What became of an engine: true where it is right, and printable.

    `text`: all of it in sentences. `cause`: "" where it is right, else a key of `FIXES`, or "raised". `node`: the label of the
    first wrong node; `got`, `expected`: the gradients there. `code`: the line of the engine at fault. `error`: of the engine.
    """

    text: str
    cause: str = ""
    node: str = ""
    got: Any = None
    expected: Any = None
    code: str = ""
    error: Exception | None = None

    def __bool__(self) -> bool:
        return not self.cause

    def __str__(self) -> str:
        return wrapped(self.text)

    __repr__ = __str__


RIGHT = "Right: the gradients of all {nodes} nodes agree with labkit's own."
WHY_LINE = "Why: {why}"
WHERE = "Where: line {number}: {code}"
RAISED = "The engine raised {error}."
OTHERS = "Wrong after it: {nodes}."
NO_ENGINE = "{caller}: expected a function backward(nodes, output), but got {kind}"


@np.errstate(all="ignore")
def first_wrong(engine: Callable, fun: Callable, *args: Any) -> Report:
    """Run the backward pass `engine` on `fun(*args)`, twice, and report the first wrong node and the likely cause.

    `engine(nodes, output)` finds the derivative of the node `output` with respect to every node in `nodes`, which are in
    the order they ran, leaves first. A node has `value`, `parents` (one for each use; none: a leaf), `vjp(g)` (one
    contribution for each parent, broadcasting not undone), `grad` (zeros at first) and `label`. The engine leaves the gradients
    in `node.grad`, or returns them as a dict `{node: gradient}`.

    Between the two backward passes the leaves stay the same nodes, as parameters do in training. Gradients are compared with
    labkit's own. Whatever the engine raises is in the report, and an engine that does not end is stopped (if it
    uses the nodes on its way); an exception of `fun` is passed on.

    >>> def mine(nodes, output):
    ...     grads = {output: 1.0}
    ...     for node in reversed(nodes):
    ...         for parent, g in zip(node.parents, node.vjp(grads[node])):
    ...             grads[parent] = g
    ...     return grads
    >>> print(first_wrong(mine, lambda x, w: x * w + x, 3.0, 2.0))
    The first wrong node is x: its gradient is 2 and should be 3.
    Why: The forward pass uses x 2 times, so its gradient is the sum of 2
    contributions. The engine overwrote the sum with a single contribution.
    To fix it: Add each new contribution: parent.grad = parent.grad + g.
    """
    if not callable(engine):
        raise TypeError(NO_ENGINE.format(caller="first_wrong", kind=type(engine).__name__))
    passes = backward_passes(engine, fun, args, 2)
    fault, last = first_fault(passes), passes[-1]
    error = last.error and RAISED.format(error=named(last.error))
    if fault is None:
        place = raised_at(engine, last.error) if last.error else None
        code = linecache.getline(place.file, place.number).strip() if place else ""
        lines = [error or RIGHT.format(nodes=len(last.bench.nodes)), where(place, code) if error else detours(last)]
        return Report("\n".join(filter(None, lines)), "raised" if error else "", code=code, error=last.error)
    passed, wrong = passes[fault.step], fault.wrong
    others = [passed.bench.nodes[w.node].label for w in all_wrong(passed) if w.node != wrong.node]
    lines = [
        first(fault, passed.bench), WHY_LINE.format(why=why(fault, passed.bench)), where(fault.place, fault.code), fix(fault),
        error or (OTHERS.format(nodes=", ".join(others)) if others else ""),
    ]  # fmt: skip
    label = passed.bench.nodes[wrong.node].label
    return Report("\n".join(filter(None, lines)), fault.cause, label, wrong.got, wrong.expected, fault.code, last.error)


def where(place: Place | None, code: str) -> str:
    """The line of an engine."""
    return WHERE.format(number=place.number, code=code) if place and code else ""
