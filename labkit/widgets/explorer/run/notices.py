"""What a reader of a run should be told first: no gradient at all, inputs without influence, the first nan or inf, and where a
gradient ends."""

import numpy as np

from ....engine import Summary
from ....realtape import ENDS
from ...kit.words import brief, capital, counted, faulty, listed, norm, number, times
from .story import Node, Story

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
            "The result does not depend on any input, so there is nothing to walk back: every gradient is 0. "
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
    return (
        f"Arrays of up to {most:,} numbers: they are summarised, by length, range and mean, and by their first numbers."
    )


def _first_bad_value(story):
    """The index of the first node that holds nan or inf; what it was computed from ran before, so it is finite. Or None."""
    return next((node.index for node in story.nodes if faulty(node.value)), None)


def _about_value(story: Story, node: Node):
    what = faulty(node.value)
    if node.leaf:
        return f"The input {node.title} holds {what}."
    parents = [story.nodes[p] for p in dict.fromkeys(node.parents)]
    if any(p.value is None for p in parents):
        return f"{capital(node.called)} holds {what}. What went in was not kept, so it may come from further back."
    came = listed(f"{p.called} {_range(p.value)}" for p in parents)
    return f"The first {what} comes from {node.title}{_where(node)}: what goes in is finite ({came})."


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
            return f"The first nan is made of it in the backward of {node.title}{_where(node)}."
    return ""


def _stopped(story):
    """Which leaves get exactly 0, and where something arrives and 0 goes on, nearest to the result; the op there is marked."""
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
    to = "" if all(_ends(step, zero)) else f" to {listed(story.nodes[p].called for p in _parents_with_0(step))}"
    where = f"a gradient of length {brief(norm(step.gradient))} arrives at {node.title}{_where(node)}"
    return f"The gradient of {listed(idle, 3)} is 0: {where}, and 0 goes on{to}."


def _ends(step, zero):
    """Of each part that a step sends whether it is 0, and stays."""
    return [sent.parent in zero and norm(sent.value) == 0 for sent in step.sent]


def _parents_with_0(step):
    return dict.fromkeys(sent.parent for sent in step.sent if norm(sent.value) == 0)


def _where(node):
    return f" ({node.line})" if node.line else ""
