"""`first_wrong`: try an engine, and hear what its first wrong node got, why the engine gives it that, and how to fix it."""

import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....messages.wrapping import wrapped
from ...kit.words import brief, capital, in_full, listed, shape
from .bench import Bench, Endless, Node, Pass, Subject, Visit, numeric, raised_at, train
from .faults import Fault, Wrong, all_wrong, first_fault

_IN_ORDER = "Visit a node only after all nodes that use it: go through reversed(nodes)."

FIXES = {
    "too early": _IN_ORDER,
    "too early, and again": _IN_ORDER,
    "wrong order": _IN_ORDER,
    "overwritten": "Add each new contribution: parent.grad = parent.grad + g.",
    "only the first": "Add the later contributions, too: parent.grad = parent.grad + g.",
    "part lost": "Add every contribution, one for each use: one node can use the same parent twice.",
    "not unbroadcast": "Sum each part to the shape of its parent's value before it is stored: "
    "g = unbroadcast(g, parent.value).",
    "not reset": "Set every grad to zero before the backward pass; PyTorch leaves this to you, as optimizer.zero_grad().",
    "no seed": "Start with ones at the output: the derivative of the output with respect to itself.",
    "never visited": "Call vjp once on every node that has parents, and give each part to its parent.",
    "not stored": "Give a gradient to every node, leaves too: node.grad = ..., or an entry in the dict that is returned.",
    "visited again": "Call vjp only once on every node, with its whole gradient.",
    "sign": "Look for a minus that does not belong there: vjp has the sign of the derivative in it already.",
    "transposed": "Do not transpose: vjp answers with the shape of the value.",
    "wrong shape": "A gradient has the shape of the value it belongs to.",
    "no array": "Store arrays or numbers.",
    "wrong value": "Compare what vjp sends with what is stored, part by part.",
}


def arrived(fault: Fault, bench: Bench) -> str:
    """The first wrong node, what is there and what should be."""
    wrong = fault.wrong
    right, when = _value(wrong.expected), f", in step {fault.step + 1}" if fault.step else ""
    first = f"The first wrong node is {bench.called(wrong.node)}{when}:"
    if wrong.arrived is None:
        return f"{first} it has no gradient and should have {right}."
    if numeric(wrong.arrived) is not None and np.shape(wrong.arrived) != wrong.expected.shape:
        wanted = (
            f"have shape {dims(wrong.expected.shape)}: {right}" if wrong.expected.shape else f"be one number, {right}"
        )
        return f"{first} what it got has shape {dims(np.shape(wrong.arrived))}; it should {wanted}."
    return f"{first} it got {_value(wrong.arrived)} and should have got {right}."


def why(fault: Fault, bench: Bench) -> str:
    """Why the engine gives that."""
    return _WHY.get(fault.cause, _other_cause)(fault, bench)


def fix(fault: Fault) -> str:
    """What to do about it."""
    return f"To fix it: {FIXES[fault.cause]}"


def sign(wrong: Wrong) -> str:
    """The same on a card: `should be 13`.

    >>> sign(Wrong(0, 0, np.ones((4, 3)), np.ones(3)))
    'shape should be 3'
    """
    if np.size(wrong.expected) > 1 and np.shape(wrong.arrived) != wrong.expected.shape:
        return f"shape should be {dims(wrong.expected.shape)}"
    return f"should be {brief(wrong.expected)}"


def named(error: BaseException) -> str:
    """An exception in one line: its kind and what it says."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def how_far(passed: Pass) -> str:
    """Up to where an engine came that raised."""
    error, bench = passed.error, passed.bench
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], Node):
        hint = f" {FIXES['no seed']}" if error.args[0] is bench.output else ""
        return f"Nothing had been stored for {bench.called(error.args[0].index)}.{hint}"
    visited = [e.node for e in passed.events if isinstance(e, Visit)]
    if not visited:
        return "It had not visited any node."
    return f"The last node it visited was {bench.called(visited[-1])}."


def detours(passed: Pass) -> str:
    """What is said of an engine that visits more often than needed; "" of any other."""
    visits, ops = visits_and_ops(passed)
    if visits <= ops:
        return ""
    return (
        f"But it called vjp {visits:,} times, where {ops} are enough: it walks along every path on its own, and the number of "
        "paths can double at each value that is used twice."
    )


def visits_and_ops(passed: Pass) -> tuple[int, int]:
    """How often vjp was called, and how many nodes there are to call it on."""
    return sum(isinstance(e, Visit) for e in passed.events), sum(bool(n.parents) for n in passed.bench.nodes)


# ---- why, by cause ----


def _too_early(fault, bench):
    node, one = bench.called(fault.wrong.node), len(fault.missing) == 1
    missing = listed(f"{brief(part)} from {bench.called(sender)}" for sender, part in fault.missing)
    then = {
        "too early": f"{capital(node)} is never visited again: what comes later is not passed on.",
        "too early, and again": f"Later {node} is visited again, with more: what it sent the first time counts twice.",
        "wrong order": "",
    }[fault.cause]
    then = then if fault.ended else ""
    return f"The engine visits {node} too early: {missing} {'is' if one else 'are'} still to come. {then}".strip()


def _part_lost(fault, bench):
    parts = [part for _, part in bench.parts[fault.wrong.node]]
    node, total = bench.called(fault.wrong.node), _value(fault.wrong.expected)
    kept = {
        "overwritten": "Here the last one replaced what was there",
        "only the first": "Here only the first one was kept",
        "part lost": "Here not all of them were added",
    }[fault.cause]
    if np.size(fault.wrong.expected) == 1:
        uses = f"{capital(node)} is used {len(parts)} times, so {_parts(parts)} add up to {total}."
    else:
        uses = f"{capital(node)} is used {len(parts)} times, so {len(parts)} contributions add up."
    return f"{uses} {kept}."


def _broadcast(fault, bench):
    wrong = fault.wrong
    value, came = wrong.expected.shape, np.shape(wrong.arrived)
    count = np.size(wrong.arrived) // max(np.size(wrong.expected), 1)
    each = "it was" if np.size(wrong.expected) == 1 else "each of its elements was"
    what = f"of shape {dims(value)}" if value else "one number"
    return (
        f"In the forward pass {bench.called(wrong.node)}, {what}, was repeated to shape {dims(came)}: {each} used "
        f"{count} times. What comes back has an entry for every use, and they have to be summed."
    )


def _not_reset(fault, bench):
    new = _value(np.asarray(fault.wrong.expected))
    return (
        f"{capital(bench.called(fault.wrong.node))} is a parameter and stays the same node. It still held "
        f"{_value(fault.held)} from step {fault.step}, and the {new} of step {fault.step + 1} was added to it."
    )


def _never_visited(fault, bench):
    senders = list(dict.fromkeys(sender for sender, _ in fault.missing))
    return f"{capital(listed(map(bench.called, senders)))} was never visited, so nothing came from there."


def _sent_again(fault, bench):
    return f"A node that uses {bench.called(fault.wrong.node)} was visited more than once, so its part counts twice."


def _other_cause(fault, bench):
    node = bench.called(fault.wrong.node)
    said = {
        "no seed": "The backward pass starts with ones at the output; this engine does not set them.",
        "not stored": f"All contributions to {node} were computed, but its gradient is not stored.",
        "sign": "The size is right, the sign is not.",
        "transposed": "The stored gradient is transposed.",
        "wrong shape": "Broadcasting does not give this shape.",
        "no array": f"A {type(fault.wrong.arrived).__name__} is stored there.",
    }
    if fault.cause in said:
        return said[fault.cause]
    parts = [part for _, part in bench.parts[fault.wrong.node]]
    return f"What rightly arrives there: {_parts(parts)}." if parts else "Nothing should arrive there."


_WHY = {
    **dict.fromkeys(("too early", "too early, and again", "wrong order"), _too_early),
    **dict.fromkeys(("overwritten", "only the first", "part lost"), _part_lost),
    "not unbroadcast": _broadcast, "not reset": _not_reset, "never visited": _never_visited, "visited again": _sent_again,
}  # fmt: skip


# ---- words ----


def _parts(parts) -> str:
    return listed([brief(part) for part in parts], most=4)


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
    lines = [arrived(fault, bench)]
    lines.append(f"Why: {why(fault, bench)}")
    if fault.place and fault.code:
        lines.append(f"Where: line {fault.place.number}: {fault.code}")
    lines.append(fix(fault))
    if passed.error is not None:
        lines.append(f"After that the engine raised {named(passed.error)}.")
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
    lines = _never_ended(passed) if endless else [f"The engine raised {named(error)}.", how_far(passed)]
    if place and code:
        lines.append(f"Where: line {place.number}: {code}")
    cause, line = "endless" if endless else "raised", place.number if place else None
    return Report("\n".join(lines), cause, step=step, line=line, code=code, error=error)


def _never_ended(passed):
    """What is said of an engine that was stopped, or that called itself too often."""
    visits, ops = visits_and_ops(passed)
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
    return "\n".join(filter(None, [*said, detours(passes[-1])]))
