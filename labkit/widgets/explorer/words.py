"""A sentence for every step of a graph view, and a short name.

The sentences of a tape of the installed PyTorch are shorter than those of a run, because the tape tells what it keeps.
"""

import numpy as np

from ...engine import LARGE
from ..kit.words import brief, capital, clipped, in_full, listed, minus, norm, paragraph, shape
from .graph.cards import frees, saves, title
from .graph.said import Said
from .graph.units import Unit, Units
from .run.rules import passed
from .run.story import MOST_SEEDED, Rule, Sent, Step, Story

START, LEAVES = "Nothing has run yet.", "The leaves: {leaves}."
FORWARD, NOT_KEPT = "Forward: {op} gives {result}.", "Forward: {op} ran; its value is not kept by the tape."
SEEDS = {
    "one": "The backward pass starts: the derivative of {output} with respect to itself is 1.",
    "few": "The backward pass starts with an upstream gradient of {output}, one weight for each element: {value}. "
    "Every gradient is that of the weighted sum of the elements.",
    "ones": "The backward pass starts with ones({shape}): the gradient of the sum of all these elements.",
    "several": "The backward pass starts with ones for all elements of all outputs: this gives the gradient of their sum.",
}
BACKWARD = {
    "upstream": "Backward: the upstream gradient of {node} is {value}.",
    "folded": "Backward: the upstream gradient of {node} is {value}. Inside, {count} steps of the chain rule follow.",
    "folded once": "Backward: the upstream gradient of {node} is {value}. Inside, 1 step of the chain rule follows.",
    "rule": "Rule: {rule}.",
    "gets": "{parent} gets {value}.",
    "gets by rule": "{parent} gets {rule}: {value}.",
    "product": "{product} = {value}",
    "sum": "Added to its gradient so far: {total}.",
    "more": "And {count} more.",
    "meaning": "If {leaf} changes by a small h, the result changes by about {value} h.",
}


def sentences(units: Units, say: Said | None = None) -> list[str]:
    """One text per step of a chain-rule view, with its numbers as they are said."""
    say = say or Said(units.story)
    said = [_start(units, say), *(_step_forward(unit, say) for unit in units.ran)]
    if units.goes_back:
        said.append(_seed(units, say))
    said += [_step_back(units, unit, say) for unit in units.walked]
    return [*said[:-1], paragraph(said[-1], _meaning(units, say))]


def _meaning(units: Units, say: Said):
    """What the gradient of the first leaf says about the result, where both are one number."""
    results = units.story.outputs
    for first in [node for node in units.story.leaves if node.differentiable][:1]:
        totals = [arrival.total for arrival in units.arrivals.get(first.index, []) if units.walked]
        if not totals or len(results) != 1 or np.shape(first.value) or np.size(results[0].seed) != 1:
            break
        alone = results[0].seed == 1 and np.isfinite(float(np.ravel(totals[-1])[0]))
        return BACKWARD["meaning"].format(leaf=first.title, value=say.value(totals[-1], "n")) if alone else ""
    return ""


def _start(units, say):
    leaves = [f"{n.title} = {say.value(n.value, 'b')}" for n in units.story.leaves if n.value is not None]
    return paragraph(START, LEAVES.format(leaves=listed(leaves, 4)) if leaves else "")


def _step_forward(unit: Unit, say: Said):
    node = unit.lead
    if node.value is None:
        return NOT_KEPT.format(op=title(unit))
    what = f"{node.name} = " if node.name and not unit.folded else ""
    return FORWARD.format(op=title(unit), result=f"{what}{say.value(node.value, 's')}")


def _seed(units: Units, say: Said):
    (first, *more), steps = units.story.outputs, units.story.step_of
    seed, kind = first.seed, "several"
    if not more and np.size(seed) == 1 and seed == 1:
        kind = "one"
    elif not more and 1 < np.size(seed) <= MOST_SEEDED and np.ndim(seed) == 1 and first.index in steps:
        seed, kind = steps[first.index].gradient, "few"
    elif not more and np.size(seed) > 1 and np.isclose(norm(seed) ** 2, np.size(seed)):
        kind = "ones"
    value = say.value(seed, "s") if kind == "few" else ""
    return SEEDS[kind].format(output=first.called, value=value, shape=shape(np.shape(seed)))


def _step_back(units: Units, unit: Unit, say: Said):
    steps = units.steps_of[unit]
    upstream = steps[0].gradient
    if unit.folded:
        words = BACKWARD["folded" if len(steps) > 1 else "folded once"]
        return words.format(node=title(unit), value=say.value(upstream, "b"), count=len(steps))
    sent = [one for one in passed(units.story, steps, unit.nodes) if one[1].parent not in unit.nodes]
    unknown = any(s.slope is None and rule is None for _, s, rule in sent)
    rule = BACKWARD["rule"].format(rule=minus(steps[0].rule)) if steps[0].rule and unknown and not unit.block else ""
    parts = [_part_sent(units, step, s, rule, say) for step, s, rule in sent[:4]]
    more = [BACKWARD["more"].format(count=len(sent) - 4)] if len(sent) > 4 else []
    g = "g = " if any(rule for _, _, rule in sent) else ""
    at = title(unit) if unit.block else unit.lead.name or unit.lead.title
    return paragraph(BACKWARD["upstream"].format(node=at, value=f"{g}{say.value(upstream, 's')}"), rule, *parts, *more)


def _part_sent(units: Units, step: Step, sent: Sent, rule: Rule | None, say: Said):
    parent, value = units.story.nodes[sent.parent], say.value(sent.value, "s")
    if rule:
        words = BACKWARD["gets by rule"].format(parent=parent.name or parent.title, rule=rule.words, value=value)
    else:
        product = (
            {"product": say.times(step, sent), "value": say.value(sent.value, "b")} if sent.slope is not None else {}
        )
        value = BACKWARD["product"].format(**product) if product else value
        words = BACKWARD["gets"].format(parent=capital(parent.called), value=value)
    added = sent.total is not sent.value and (np.size(sent.value) > LARGE or not _same(sent.total, sent.value))
    return paragraph(words, BACKWARD["sum"].format(total=say.value(sent.total, "s")) if added else "")


def _same(a, b):
    return np.array_equal(a, b, equal_nan=True)


# ---- what the view of the tape says besides ----

TAPE = {
    "leaves": "On the tape: each leaf has an AccumulateGrad node.",
    "saves": "On the tape: {node} is added and saves {kept}.",
    "saves nothing": "On the tape: {node} is added and saves nothing.",
    "freed": "On the tape: {node} is added; what it saved is already freed.",
    "starts": "backward() starts at the last node of the tape.",
    "keeps": "On the tape: {node} runs; what it saved stays.",
    "frees": "On the tape: {node} runs; what it saved is freed.",
    "had nothing": "On the tape: {node} runs; it had saved nothing.",
    "end": "The end: backward() cannot be called again.",
    "retained end": "The end: backward() can be called again, and adds to every .grad.",
}


def tape_sentences(units: Units, retain: bool) -> list[tuple[int, str]]:
    """What PyTorch's tape does, as changes; `retain`: with `retain_graph=True`."""
    found = [(0, TAPE["leaves"])]
    for unit, i in units.ran.items():
        kept = listed(k if isinstance(k, str) else units.story.nodes[k].called for k in unit.lead.keeps)
        key = "freed" if unit.lead.freed else "saves" if kept else "saves nothing"
        found.append((i, "" if unit.block else TAPE[key].format(node=unit.lead.grad_fn, kept=kept)))
    if not units.goes_back:
        return found
    found.append((units.seed, TAPE["starts"]))
    for unit, i in units.walked.items():
        key = ("keeps" if retain else "frees") if frees(unit) else "had nothing"
        found.append((i, TAPE[key].format(node=title(unit) if unit.block else unit.lead.grad_fn)))
    at, last = found[-1]
    return [*found[:-1], (at, paragraph(last, TAPE["retained end" if retain else "end"]))]


NAMED = 4  # things that a sentence names
REAL = {
    "start": "Forward, from {leaves}.",
    "bare start": "Forward.",
    "gives": "{op} gives {result}.",
    "gives, saves": "{op} gives {result} and saves {kept} for the backward pass.",
    "runs": "{op} runs; its result is not kept.",
    "runs, saves": "{op} runs and saves {kept} for the backward pass; its result is not kept.",
    "seed": "backward() starts at {outputs}.",
}


def real_sentences(units: Units, say: Said | None = None) -> list[str]:
    """One text per step."""
    leaves = [node.title.partition(": ")[0] for node in units.story.leaves]
    given = sorted(leaves, key=lambda title: "." in title)  # parameters of modules last
    said = [REAL["start" if given else "bare start"].format(leaves=listed(given, NAMED))]
    said += [_forward(units, unit) for unit in units.ran]
    if units.goes_back:
        said.append(REAL["seed"].format(outputs=listed([node.called for node in units.story.outputs], NAMED)))
        said += sentences(units, say)[-len(units.walked) :] if units.walked else []
    return [*said, *filter(None, [units.story.ending])]


def _forward(units, unit: Unit):
    node, kept = unit.lead, _kept(units, unit)
    result = ""
    if node.value is not None:
        name = f"{clipped(node.name)} = " if node.name and not unit.block else ""
        result = f"{name}{brief(node.value) if len(node.shape) > 1 else in_full(node.value)}"
    key = f"{'gives' if result else 'runs'}{', saves' if kept else ''}"
    return REAL[key].format(op=capital(title(unit)), result=result, kept=kept)


def _kept(units, unit):
    """What a box keeps, in words; of a folded block how many bytes."""
    if unit.block:
        return saves(units, unit).removeprefix("saves ")
    if unit.lead.freed:
        return ""
    names = [what if isinstance(what, str) else _called_on_tape(units.story, what, unit) for what in unit.lead.keeps]
    return listed(dict.fromkeys(names), NAMED)


def _called_on_tape(story: Story, index: int, unit: Unit):
    return "its result" if index == unit.lead.index else story.nodes[index].called.partition(": ")[0]
