"""What a reader should see first: no gradient, the first nan or inf, where a gradient ends, shrinks or grows, odd shapes.

Each finding of a real tape is made by what it does to numbers and shapes, not by the class of a module; `places` are
the nodes of the tape in question.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ....engine import Summary
from ....realtape import CHANGED, ENDS, BackStep, Flat, Spread, Tape, TapeNode, Value
from ...kit.words import brief, capital, counted, faulty, listed, norm, number, paragraph, times
from .story import Node, Story, large_factor

MOST_FLAT, MOST_DEAD = 0.9, 0.5  # parts of all numbers, of all units
FAR = 1e4  # times that gradients shrink or grow
LONG = 1e4  # a length
ROWS = 4  # examples at least
IDLE = "The gradient of {leaves} is 0."
ENDED = "The gradient of {leaves} is 0: {op} has an upstream gradient of norm {norm} and sends 0."
ENDED_ALONG = "The gradient of {leaves} is 0: {op} has an upstream gradient of norm {norm} and sends 0 to {parents}."
_SCORES = {"log_softmax": "cross_entropy", "binary_cross_entropy_with_logits": "the loss", "softmax": "softmax"}
_PICKS = {"nll_loss", "index", "gather"}  # one number of each example
_SQUASHED = {"softmax", "log_softmax", "sigmoid"}


class Finding(NamedTuple):
    """A sentence, the nodes of the tape that it is about, and what is said of it after the backward pass."""

    words: str
    places: tuple[int, ...] = ()
    ending: str = ""


def findings(tape: Tape) -> Iterator[Finding]:
    """What there is to be told, the gravest first."""
    flat = list(_flat(tape))
    yield from _changed(tape)
    yield from flat
    yield from _ended(tape, {place for found in flat for place in found.places})
    yield from _far(tape)
    yield from _spread(tape)
    yield from _twice(tape)
    yield from _across(tape)
    if tape.filled:
        held = f"{listed([f'{name}.grad' for name in tape.filled], 3)} {'hold' if len(tape.filled) > 1 else 'holds'}"
        yield Finding(
            f"{held} a gradient already: backward() adds to it, unless you call zero_grad() first.",
            ending="These gradients do not include what .grad already holds; backward() would add the two.",
        )
    if tape.frozen:
        yield Finding(
            f"Frozen (requires_grad=False): {listed(tape.frozen)}. No gradient goes there.",
            ending="Frozen parameters do not change. To train them, call requires_grad_(True) before the forward pass.",
        )


# ---- names ----


def _called(tape: Tape, node: TapeNode) -> str:
    """An op and the module in which, or after which, it ran."""
    inside = _module(node)
    before = next((_module(tape.nodes[p[0]]) for p in node.parents if p and _module(tape.nodes[p[0]])), "")
    if len(before) > len(inside):
        return f"{node.op} after {before}"
    return f"{node.op} in {inside}" if inside else node.op


def _module(node):
    return ".".join(name for name, _, _ in node.scope)


def _norm(value: Value | None) -> float:
    """The norm of a gradient; nan where it is not known."""
    found = None if value is None else value.numbers
    if found is None or (isinstance(found, Summary) and found.norm is None):
        return np.nan
    return float(norm(found))


# ---- by what is on the tape ----


def _changed(tape: Tape) -> Iterator[Finding]:
    """What was saved, and is not what it was any more."""
    nodes = [node for node in tape.nodes if any(saved.state == CHANGED for saved in node.saved)]
    if nodes:
        which = listed([_called(tape, node) for node in nodes], 3)
        yield Finding(
            f"What {which} saved was changed in place afterwards: backward() raises a RuntimeError there.",
            tuple(node.index for node in nodes),
            ending="Here backward() stops. Make a new value, h = h + 1 and not h += 1, or change a clone().",
        )


def _flat(tape: Tape) -> Iterator[Finding]:
    """Ops that let nothing through; where there is none, those that let nearly nothing through."""
    known = [(node, Flat(*node.flat)) for node in tape.nodes if node.flat is not None]
    for node, flat in [one for one in known if one[1].closed == 1] or known:
        called, ends = _called(tape, node), ENDS[node.op]
        if flat.closed == 1:
            what = f"all its {counted(flat.numbers, 'number')} are {ends}, where its slope is 0"
            after = "All gradients further back are 0: are the inputs, the bias or the learning rate too large?"
            yield Finding(f"No gradient passes {called}: {what}.", (node.index,), ending=after)
        elif node.op != "relu" and flat.closed >= MOST_FLAT:
            what = f"{flat.closed:.0%} of its numbers are {ends}, where its slope is 0"
            yield Finding(f"Little gradient passes {called}: {what}.", (node.index,))
        elif flat.examples >= ROWS and flat.dead >= MOST_DEAD * flat.units:
            what = f"{flat.dead} of {flat.units} units of {called} are {ends} for all {flat.examples} examples"
            never = "Parameters that lead only to these units do not learn from these examples."
            yield Finding(f"{what}: they pass no gradient.", (node.index,), ending=never)


def _spread(tape: Tape) -> Iterator[Finding]:
    """A column that meets a row: each of n with each of n."""
    for node in tape.nodes:
        if node.spread is None:
            continue
        found = Spread(*node.spread)
        n, at = found.side, tape.nodes[found.at]
        if found.sure:
            words = f"{_called(tape, at)} broadcasts {n} numbers against {n} others: {n * n} pairs instead of {n}."
        else:
            words = f"{_called(tape, node)} broadcasts {n}×1 to {n}×{n}: do you want all {n * n} pairs?"
        yield Finding(words, tuple({node.index, at.index}), ending=same_shape(n))


def same_shape(n: int) -> str:
    """What to do about it."""
    return f"Give both sides the same shape, {n} or {n}×1."


def _twice(tape: Tape) -> Iterator[Finding]:
    """Scores that were squashed before a loss that does it itself."""
    for node in tape.nodes:
        before = next((tape.nodes[p[0]] for p in node.parents if p), None)
        if node.op in _SCORES and before and before.op in _SQUASHED:
            yield Finding(
                f"{node.op} is applied to the output of {before.op}: {_SCORES[node.op]} expects the scores before {before.op}.",
                (before.index, node.index),
                ending=f"Leave {before.op} out: it is in the loss already.",
            )


def _across(tape: Tape) -> Iterator[Finding]:
    """Probabilities of examples, which one of each is taken of, that sum to 1 down the examples."""
    for node in tape.nodes:
        dims = node.outputs[0][0] if node.outputs else ()
        if node.op in ("softmax", "log_softmax") and node.settings.get("dim") == 0 and len(dims) == 2 and min(dims) > 1:
            users = [n for n in tape.nodes if any(p and p[0] == node.index for p in n.parents)]
            users += [n for n in tape.nodes for user in users if any(p and p[0] == user.index for p in n.parents)]
            if any(user.op in _PICKS for user in users):
                words = f"{node.op} runs along dim=0, over the {dims[0]} rows: each column sums to 1, not each example."
                yield Finding(words, (node.index,), ending="Write dim=1, or dim=-1, if each row is an example.")


# ---- by what an extra backward sent ----


def _ended(tape: Tape, known: set[int]) -> Iterator[Finding]:
    """Where an upstream gradient becomes 0, nearest to the loss, and the parameters that therefore get 0."""
    idle = [tape.nodes[i].label for i, value in tape.gradients.items() if _norm(value) == 0 and tape.nodes[i].leaf]
    if not idle or known:
        return
    step = next(filter(_stops, tape.steps), None)
    if step is None:
        yield Finding(IDLE.format(leaves=listed(idle, 3)))
    else:
        op, size = _called(tape, tape.nodes[step.node]), number(max(map(_norm, step.arrived.values())))
        yield Finding(ENDED.format(leaves=listed(idle, 3), op=op, norm=size), (step.node,))


def _stops(step: BackStep) -> bool:
    """Whether an upstream gradient that is not 0 becomes exactly 0 along some edge."""
    sent = [_norm(value) for value in step.sent if value is not None]
    return any(_norm(value) > 0 for value in step.arrived.values()) and 0.0 in sent


def _far(tape: Tape) -> Iterator[Finding]:
    """Gradients of weights that shrink or grow in the backward pass, or have a very large norm."""
    used = {p[0]: node.index for node in tape.nodes for p in node.parents if p and tape.nodes[p[0]].leaf}
    sizes = {i: _norm(value) for i, value in tape.gradients.items() if i in used and len(value.shape) > 1}
    found = [(size, i) for i, size in sizes.items() if np.isfinite(size) and size > 0]
    if not found:
        return
    (low, least), (high, most) = min(found), max(found)
    if high > FAR * low:
        shrinks = used[least] < used[most]  # what is used early is reached late
        path = [(high, most), (low, least)] if shrinks else [(low, least), (high, most)]
        told = " to ".join(f"{number(size)} at {tape.nodes[i].label}" for size, i in path)
        how = "shrinks" if shrinks else "grows"
        ends = [tape.nodes[i].label for i in (least, most)]
        far, apart = (ends if shrinks else ends[::-1]), large_factor(high / low)
        seen = f"A step of SGD moves {far[0]} {apart} times {'less' if shrinks else 'further'} than {far[1]}."
        ending = paragraph(seen, _passed(tape, shrinks))
        yield Finding(f"The gradient {how} during the backward pass: its norm goes from {told}.", ending=ending)
    elif high > LONG:
        yield Finding(f"The gradient norms are very large, up to {number(high)} at {tape.nodes[most].label}.")


def _passed(tape: Tape, shrinks: bool) -> str:
    """The op that does most of it, all its calls together, and what one of them multiplies the norm by, on average."""
    logs: dict[str, list[float]] = {}
    for step in tape.steps:
        arrived, sent = list(step.arrived.values()), [value for value in step.sent if value is not None]
        if len(arrived) == len(sent) == 1 and min(np.prod(value.shape) for value in (*arrived, *sent)) > 1:
            before, after = _norm(arrived[0]), _norm(sent[0])
            if np.isfinite([before, after]).all() and min(before, after) > 0:
                logs.setdefault(tape.nodes[step.node].op, []).append(float(np.log(after / before)))
    sums = {op: sum(found) * (-1 if shrinks else 1) for op, found in logs.items() if len(found) > 1}
    op = max(sums, key=sums.__getitem__, default="")
    if not op or sums[op] <= 0:
        return ""
    factor = np.exp(np.mean(logs[op]))
    return f"Each {op} multiplies the norm by {number(factor, 2)} on average."


FLAT_AT = {"relu": (0.0,), "tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0)}  # what an op gives where its slope is 0


def notice(story: Story) -> Story:
    """Set the story's `notices`, `bad` and `bad_gradient`; returns it."""
    story.notices = list(filter(None, [_without_influence(story), *faults(story), _stopped(story), _summarised(story)]))
    return story


def faults(story: Story) -> list[str]:
    """Set the story's `bad` and `bad_gradient`, and say where the first nan or inf comes from, forwards and backwards."""
    story.bad = _first_bad_value(story)
    found = [] if story.bad is None else [_about_value(story, story.nodes[story.bad])]
    return list(filter(None, [*found, _first_bad_gradient(story), _first_nan_after_inf(story)]))


def _without_influence(story):
    reached = {sent.parent for step in story.steps for sent in step.sent}
    if not story.steps and not story.outputs:
        return (
            "The result does not depend on any input, so there is no backward pass: every gradient is 0. "
            "Is the input used, and with autograd.numpy or a dialect's functions?"
        )
    idle = [n.title for n in story.leaves if n.differentiable and n.grad_fn and n.index not in reached and not n.output]
    if idle:
        return f"{listed(idle)} {'have' if len(idle) > 1 else 'has'} no influence on the result: the gradient is 0."
    if not story.steps:
        return "The function returns its input unchanged: the gradient is 1."
    return ""


def _summarised(story):
    """What is not shown in full, where a reader might think that it is."""
    large = [node for node in story.nodes if isinstance(node.value, Summary)]
    if not large:
        return ""
    most = max(node.value.size for node in large)
    return f"Arrays of up to {most:,} numbers: they are summarised by norm, range, mean and first numbers."


def _first_bad_value(story):
    """The index of the first node that holds nan or inf; what it was computed from ran before, so it is finite. Or None."""
    return next((node.index for node in story.nodes if faulty(node.value)), None)


def _about_value(story: Story, node: Node):
    what = faulty(node.value)
    if node.leaf:
        return f"The input {node.title} holds {what}."
    parents = [story.nodes[p] for p in dict.fromkeys(node.parents)]
    if any(p.value is None for p in parents):
        return f"{capital(node.called)} holds {what}. Its inputs were not kept, so the cause may be further back."
    came = listed(f"{p.called} {_range(p.value)}" for p in parents)
    return f"The first {what} comes from {node.title}{_where(node)}: its inputs are finite ({came})."


def _range(value):
    """Where numbers lie: of several from where to where, for it is the ends that overflow, or have no logarithm."""
    if np.size(value) == 1 or (isinstance(value, Summary) and value.norm is None):
        return f"= {brief(value)}"
    low, high = (value.low, value.high) if isinstance(value, Summary) else (np.min(value), np.max(value))
    return f"from {number(low)} to {number(high)}" if low < high else f"= {brief(value)}"


def _first_bad_gradient(story):
    """Where finite gradients first turn into nan or inf, by an op whose own value is finite; notes the receiver."""
    for step in story.steps:
        node = story.nodes[step.node]
        if faulty(step.gradient):
            return ""
        sent = next((s for s in step.sent if faulty(s.value)), None)
        if sent is None:
            continue
        story.bad_gradient = sent.parent
        why = f": {times(step.gradient, sent.slope)}" if sent.slope is not None and np.size(step.gradient) == 1 else ""
        if faulty(node.value) or any(faulty(story.nodes[p].value) for p in node.parents):
            return ""
        return f"The first {faulty(sent.value)} among the gradients comes from the backward of {node.title}{_where(node)}{why}."
    return ""


def _first_nan_after_inf(story):
    """Where an infinite gradient turns into nan, which is what is seen in the end."""
    if story.bad_gradient is None:
        return ""
    for step in story.steps:
        if faulty(step.gradient) == "inf" and any(faulty(s.value) == "nan" for s in step.sent):
            node = story.nodes[step.node]
            return f"The first nan is computed from it in the backward of {node.title}{_where(node)}."
    return ""


def _stopped(story):
    """Which leaves get exactly 0, and where the upstream gradient becomes 0, nearest to the result; the op there is marked."""
    totals = {sent.parent: sent.total for step in story.steps for sent in step.sent}
    zero = {i for i, total in totals.items() if norm(total) == 0}
    idle = [
        n.title for n in story.leaves if n.index in zero and np.size(totals[n.index]) > 1
    ]  # of a number a slope says it
    ending = [step for step in story.steps if idle and norm(step.gradient) > 0 and any(_ends(step, zero))]
    step = next((step for step in ending if all(_ends(step, zero))), next(iter(ending), None))
    if step is None:
        return ""
    node, after = story.nodes[step.node], f" The gradient of {listed(idle, 3)} is 0."
    story.marked |= {node.index}
    ends = FLAT_AT.get(node.op)
    if ends and not isinstance(node.value, Summary | None) and np.isin(node.value, ends).all():
        count = counted(np.size(node.value), "number")
        return f"No gradient passes {node.title}{_where(node)}: all its {count} are {ENDS[node.op]}, where its slope is 0.{after}"
    at = {"op": f"{node.title}{_where(node)}", "norm": brief(norm(step.gradient)), "leaves": listed(idle, 3)}
    if all(_ends(step, zero)):
        return ENDED.format(**at)
    return ENDED_ALONG.format(**at, parents=listed(story.nodes[p].called for p in _parents_with_0(step)))


def _ends(step, zero):
    """Of each part that a step sends whether it is 0, and stays."""
    return [sent.parent in zero and norm(sent.value) == 0 for sent in step.sent]


def _parents_with_0(step):
    return dict.fromkeys(sent.parent for sent in step.sent if norm(sent.value) == 0)


def _where(node):
    return f" ({node.line})" if node.line else ""
