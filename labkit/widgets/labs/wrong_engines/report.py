"""`first_wrong`: run an engine, and read what its first wrong node has, why the engine gives it that, and how to fix it."""

import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....messages.wrapping import wrapped
from ...kit.words import in_full, listed, shape
from .bench import Bench, Endless, Node, Pass, Subject, Visit, numeric, raised_at, train
from .faults import Fault, all_wrong, first_fault

FIRST = {  # the first wrong node, what it has and what it should have
    "value": "The first wrong node is {node}: its gradient is {got} and should be {right}.",
    "none": "The first wrong node is {node}: it has no gradient and should have {right}.",
    "shape": "The first wrong node is {node}: its gradient has shape {came} and should have shape {shape}.",
}
USES = "The forward pass uses {node} {count} times, so its gradient is the sum of {count} contributions. "
WHY = {
    "too early": "The engine processed {node} before all its upstream gradients were accumulated: the contribution from {senders} "
    "was missing.",
    "overwritten": USES + "The engine overwrote the sum with a single contribution.",
    "part lost": USES + "The engine did not add all of them.",
    "not unbroadcast": "Broadcasting repeated {node} from shape {shape} to shape {came} in the forward pass. The engine did not sum "
    "the gradient over the repeated axes.",
    "not reset": "The parameter {node} still held its gradient from step {step}, and the engine added the new gradient to it.",
    "no seed": "The backward pass starts with ones at the output {node}, and the engine did not set them.",
    "never visited": "The engine never processed {senders}, so {node} got no contribution from there.",
    "not stored": "The engine computed every contribution to {node} and did not store its gradient.",
    "visited again": "The engine processed a node that uses {node} more than once, so it counted a contribution twice.",
    "sign": "The gradient of {node} has the right size and the wrong sign.",
    "wrong shape": "A gradient is an array with the shape of its value.",
    "wrong value": "The gradient of {node} is not the sum of its contributions.",
}
FIXES = {
    "too early": "Process a node only after all nodes that use it: go through reversed(nodes).",
    "overwritten": "Add each new contribution: parent.grad = parent.grad + g.",
    "part lost": "Add every contribution, one for each use: one node can use the same parent twice.",
    "not unbroadcast": "Sum each contribution to the shape of its parent's value before you store it: "
    "g = unbroadcast(g, parent.value).",
    "not reset": "Set every grad to zero before the backward pass; PyTorch leaves this to you, as optimizer.zero_grad().",
    "no seed": "Start with ones at the output: the derivative of the output with respect to itself.",
    "never visited": "Call vjp once on every node that has parents, and add each contribution to its parent.",
    "not stored": "Give a gradient to every node, leaves too: node.grad = ..., or an entry in the dict that is returned.",
    "visited again": "Call vjp only once on every node, with its whole gradient.",
    "sign": "Look for a minus that does not belong there: vjp has the sign of the derivative in it already.",
    "wrong shape": "Store an array or a number with the shape of the value; vjp already returns what belongs there.",
    "wrong value": "Compare what vjp returns with what is stored, contribution by contribution.",
}
IN_STEP = "In training step {step}: {words}"
FIX = "To fix it: {fix}"
DETOURS = (
    "But it called vjp {visits:,} times, where {ops} calls are enough: it processes a node once for each path, and the number of "
    "paths can double at each value that is used twice."
)


def first(fault: Fault, bench: Bench, got: str = "", right: str = "") -> str:
    """The first wrong node, what is there and what should be. `got`, `right`: other words for these."""
    wrong, said = fault.wrong, {"node": bench.called(fault.wrong.node), "right": right or _value(fault.wrong.expected)}
    shaped = numeric(wrong.arrived) is not None and np.shape(wrong.arrived) != wrong.expected.shape
    kind = "none" if wrong.arrived is None else "shape" if shaped else "value"
    said |= {"got": got or _value(wrong.arrived), "came": dims(np.shape(wrong.arrived)), "shape": dims(wrong.expected.shape)}
    words = FIRST[kind].format(**said)
    return IN_STEP.format(step=fault.step + 1, words=words) if fault.step else words


def why(fault: Fault, bench: Bench) -> str:
    """Why the engine gives that."""
    node, senders = fault.wrong.node, dict.fromkeys(bench.called(sender) for sender, _ in fault.missing)
    return WHY[fault.cause].format(
        node=bench.called(node), senders=listed(senders), count=len(bench.parts[node]), step=fault.step,
        came=dims(np.shape(fault.wrong.arrived)), shape=dims(fault.wrong.expected.shape),
    )  # fmt: skip


def fix(fault: Fault) -> str:
    """What to do about it."""
    return FIX.format(fix=FIXES[fault.cause])


def named(error: BaseException) -> str:
    """An exception in one line: its kind and what it says."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def how_far(passed: Pass) -> str:
    """Up to where an engine came that raised."""
    error, bench = passed.error, passed.bench
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], Node):
        words = "It had not stored a gradient for {node}.".format(node=bench.called(error.args[0].index))
        return f"{words} {FIXES['no seed']}" if error.args[0] is bench.output else words
    visited = [e.node for e in passed.events if isinstance(e, Visit)]
    if not visited:
        return "It had not processed any node."
    return "The last node that it processed was {node}.".format(node=bench.called(visited[-1]))


def detours(passed: Pass) -> str:
    """What is said of an engine that visits more often than needed; "" of any other."""
    visits, ops = sum(isinstance(e, Visit) for e in passed.events), sum(bool(n.parents) for n in passed.bench.nodes)
    return DETOURS.format(visits=visits, ops=ops) if visits > ops else ""


def _value(value):
    array = numeric(value)
    return in_full(array) if array is not None else repr(value)


def dims(shape_of: tuple[int, ...]) -> str:
    """A shape, also that of a single number.

    >>> dims((3, 2)), dims(())
    ('3×2', '()')
    """
    return shape(shape_of) or "()"


@dataclass(frozen=True, eq=False)
class Report:
    """What became of an engine: true where it is right, and printable.

    `cause`: "" where it is right, else a key of `FIXES`, or "raised", "endless", "no answer". `node`: the label of the
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
    """Run the backward pass `engine` on `fun(*args)` and report the first wrong node and the likely cause.

    `engine(nodes, output)` finds the derivative of the node `output` with respect to every node in `nodes`, which are in
    the order they ran, leaves first. A node has `value`, `parents` (one for each use; none: a leaf), `vjp(g)` (one
    contribution for each parent, broadcasting not undone), `grad` (zeros at first) and `label`. The engine leaves the gradients
    in `node.grad`, or returns them as a dict `{node: gradient}`.

    `steps`: so many backward passes, with a step of gradient descent in between on the arguments at `argnums`, or on the
    parameters of a Cell or Module; these stay the same nodes. `rate`: its learning rate. Gradients are compared with
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
        text = "first_wrong: expected an engine backward(nodes, output) first, but got {kind}"
        raise TypeError(text.format(kind=type(engine).__name__))
    if not isinstance(steps, int) or steps < 1:
        raise ValueError("first_wrong: expected at least one step, but got {steps!r}".format(steps=steps))
    passes = train(engine, Subject(fun, args, argnums), steps, rate)
    last, fault = passes[-1], first_fault(passes)
    if last.problem:
        return Report(NO_ANSWER.format(problem=last.problem), "no answer", step=len(passes))
    if fault is not None:
        return _fault_report(passes[fault.step], fault)
    if last.error is not None:
        return _error_report(engine, last, len(passes))
    said = RIGHT.format(nodes=len(last.bench.nodes), steps=len(passes))
    return Report("\n".join(filter(None, [said, detours(last)])))


NO_ANSWER = "The engine returned no gradients: {problem}."
RIGHT = "Right: the gradients of all {nodes} nodes agree with labkit's own. Backward passes that were compared: {steps}."
WHERE = "Where: line {number}: {code}"
RAISED = "The engine raised {error}."
ENDLESS = "The engine does not end: {error}. Does it process the same node again and again?"


def _fault_report(passed: Pass, fault: Fault):
    bench, place = passed.bench, fault.place
    others = tuple(bench.nodes[w.node].label for w in all_wrong(passed) if w.node != fault.wrong.node)
    lines = [first(fault, bench), "Why: {why}".format(why=why(fault, bench))]
    if place and fault.code:
        lines.append(WHERE.format(number=place.number, code=fault.code))
    lines.append(fix(fault))
    if passed.error is not None:
        lines.append("After that: {error}.".format(error=named(passed.error)))
    elif others:
        lines.append("Wrong after it: {nodes}.".format(nodes=", ".join(others)))
    return Report(
        "\n".join(lines), fault.cause, bench.nodes[fault.wrong.node].label, fault.step + 1, fault.wrong.arrived,
        fault.wrong.expected, place.number if place else None, fault.code, others, passed.error,
    )  # fmt: skip


def _error_report(engine, passed: Pass, step):
    error = passed.error
    assert error is not None
    place, endless = raised_at(engine, error), isinstance(error, (Endless, RecursionError))
    code = linecache.getline(place.file, place.number).strip() if place else ""
    lines = [ENDLESS.format(error=error)] if endless else [RAISED.format(error=named(error)), how_far(passed)]
    if place and code:
        lines.append(WHERE.format(number=place.number, code=code))
    cause, line = "endless" if endless else "raised", place.number if place else None
    return Report("\n".join(lines), cause, step=step, line=line, code=code, error=error)
