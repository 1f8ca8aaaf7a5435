"""A sentence for every step of a graph view, and a short name.

The sentences of a tape of the installed PyTorch are shorter than those of a run, because the tape tells what it keeps.
"""

import numpy as np

from ...engine import LARGE
from ..kit.words import brief, capital, clipped, in_full, listed, minus, norm, shape
from .graph.cards import frees, saves, short, title
from .graph.said import Said
from .graph.units import Unit, Units
from .run.rules import passed
from .run.story import Node, Rule, Sent, Step, Story


def sentences(units: Units, say: Said | None = None) -> list[str]:
    """One text per step of a chain-rule view, with its numbers as they are said."""
    say = say or Said(units.story)
    said = [_start(units, say), *(_step_forward(unit, say) for unit in units.ran)]
    if units.goes_back:
        said.append(_seed(units))
    said += [_step_back(units, unit, say) for unit in units.walked]
    return [*said[:-1], f"{said[-1]}{_meaning(units, say)}"]


def _meaning(units: Units, say: Said):
    """What the gradient of the first leaf says about the result, where both are one number."""
    results = units.story.outputs
    for first in [node for node in units.story.leaves if node.differentiable][:1]:
        totals = [arrival.total for arrival in units.arrivals.get(first.index, []) if units.walked]
        if not totals or len(results) != 1 or np.shape(first.value) or np.size(results[0].seed) != 1:
            break
        total = float(np.ravel(totals[-1])[0])
        alone = results[0].seed == 1 and np.isfinite(total)
        return f" A nudge of {first.title} moves the result ×{say.value(totals[-1], 'n')}." if alone else ""
    return ""


def labels(units: Units) -> list[str]:
    """A short name for every step, for the slider."""
    words = [
        "start",
        *(f"run {short(unit, 24)}" for unit in units.ran),
        *(["seed"] if units.goes_back else []),
    ]
    words += [f"back {short(unit, 24)}" for unit in units.walked]
    words += ["the end"] if units.story.ending else []
    return [f"{i}/{units.last} {word}" for i, word in enumerate(words)]


def _start(units, say):
    leaves = [f"{n.title} = {say.value(n.value, 'b')}" for n in units.story.leaves if n.value is not None]
    return f"Nothing has run yet. The leaves: {listed(leaves, 4)}." if leaves else "Nothing has run yet."


def _step_forward(unit: Unit, say: Said):
    node = unit.lead
    if node.value is None:
        return f"Forward: {title(unit)} ran; its value is not kept by the tape."
    what = f"{node.name} = " if node.name and not unit.folded else ""
    return f"Forward: {title(unit)} gives {what}{say.value(node.value, 's')}."


def _seed(units: Units):
    outputs = units.story.outputs
    if len(outputs) == 1 and np.size(outputs[0].seed) == 1 and outputs[0].seed == 1:
        return f"Backward starts: the derivative of {outputs[0].called} with respect to itself is 1."
    if len(outputs) == 1 and np.size(seed := outputs[0].seed) > 1 and np.isclose(norm(seed) ** 2, np.size(seed)):
        return f"Backward starts with ones({shape(np.shape(seed))}): the gradient of the sum of all these elements."
    return "Backward starts: every element of every output counts once, so ones go in."


def _step_back(units: Units, unit: Unit, say: Said):
    steps = units.steps_of[unit]
    arrived = steps[0].gradient
    if unit.folded:
        times_ = f"{len(steps)} steps" if len(steps) > 1 else "1 step"
        return f"Backward: {times_} of the chain rule inside {title(unit)}; {say.value(arrived, 'b')} arrived."
    sent = [one for one in passed(units.story, steps, unit.nodes) if one[1].parent not in unit.nodes]
    unknown = any(s.slope is None and rule is None for _, s, rule in sent)
    rule = f" Rule: {minus(steps[0].rule)}." if steps[0].rule and unknown and not unit.block else ""
    parts = [_part_sent(units, step, s, rule, say) for step, s, rule in sent[:4]]
    more = [f"And {len(sent) - 4} more."] if len(sent) > 4 else []
    told = any(rule for _, _, rule in sent)
    at = title(unit) if unit.block else _called(unit.lead, told)
    arrives = f"{'g = ' * told}{say.value(arrived, 's')} arrives at {at}"
    return " ".join([f"Backward: {arrives}.{rule}", *parts, *more])


def _called(node: Node, briefly: bool):
    """What a sentence calls a value: as its card, where sentences are long."""
    return node.name or node.title if briefly else node.called


def _part_sent(units: Units, step: Step, sent: Sent, rule: Rule | None, say: Said):
    parent = units.story.nodes[sent.parent]
    if rule:
        words = f"{_called(parent, True)} gets {rule.words}: {say.value(sent.value, 's')}."
    else:
        product = None if sent.slope is None else f"{say.times(step, sent)} = {say.value(sent.value, 'b')}"
        words = f"{capital(parent.called)} gets {product or say.value(sent.value, 's')}."
    if sent.total is not sent.value and (np.size(sent.value) > LARGE or not _same(sent.total, sent.value)):
        words += f" With what came before: {say.value(sent.total, 's')}."
    return words


def _same(a, b):
    return np.array_equal(a, b, equal_nan=True)


# ---- what the other views say besides ----


def tape_sentences(units: Units, retain: bool) -> list[tuple[int, str]]:
    """What PyTorch's tape does, as changes; `retain`: with `retain_graph=True`."""
    found = [(0, "On the tape: each leaf has an AccumulateGrad node.")]
    for unit, i in units.ran.items():
        kept = listed(k if isinstance(k, str) else units.story.nodes[k].called for k in unit.lead.keeps)
        gone = "what it saved is freed" if unit.lead.freed else ""
        what = gone or (f"saves {kept}" if kept else "saves nothing")
        found.append((i, "" if unit.block else f"On the tape: {unit.lead.grad_fn} is added and {what}."))
    if not units.goes_back:
        return found
    found.append((units.seed, "backward() starts at the last node of the tape."))
    for unit, i in units.walked.items():
        name = title(unit) if unit.block else unit.lead.grad_fn
        fate = "what it saved stays" if retain else "what it saved is freed"
        found.append((i, f"On the tape: {name} runs; {fate if frees(unit) else 'it had saved nothing'}."))
    at, last = found[-1]
    end = "backward() can be called again, and adds to every .grad" if retain else "backward() cannot be called again"
    return [*found[:-1], (at, f"{last} The end: {end}.")]


def graph_sentences(units: Units) -> list[tuple[int, str]]:
    """What is particular to MindSpore's graph, as changes."""
    found = [(0, "Before any number is computed, the forward and the backward pass are one compiled graph."), (1, "")]
    if not units.goes_back:
        return found[: len(units.ops) + 1]
    found += [(units.seed, "The backward pass runs as part of the same graph.")]
    if units.last > units.seed:
        found += [(units.seed + 1, ""), (units.last, "The next call with these shapes reuses the graph.")]
    return [c for i, c in enumerate(found) if i + 1 == len(found) or found[i + 1][0] != c[0]]


NAMED = 4  # things that a sentence names
SHAPES_ALONE = "The steps show only shapes; backward=True adds the numbers."


def real_sentences(units: Units, say: Said | None = None) -> list[str]:
    """One text per step."""
    leaves = [node.title.partition(": ")[0] for node in units.story.leaves if node.cut is None]
    given = sorted(leaves, key=lambda title: "." in title)  # parameters of modules last
    said = [f"Forward, from {listed(given, NAMED)}."] if given else ["Forward."]
    said += [_forward(units, unit) for unit in units.ran]
    if units.goes_back:
        walked = len(units.walked)
        said.append(_tape_seed(units.story))
        said += (
            sentences(units, say)[-walked:] if units.story.stepped else [_back(units, unit) for unit in units.walked]
        )
    return [*said, *filter(None, [units.story.ending])]


def _forward(units, unit: Unit):
    node = unit.lead
    kept = _kept(units, unit)
    keeps = f"saves {kept} for the backward pass" if kept else ""
    if node.value is None:
        return f"{capital(title(unit))} runs{' and ' if keeps else ''}{keeps}; its result is not kept."
    value = brief(node.value) if len(node.shape) > 1 else in_full(node.value)
    name = f"{clipped(node.name)} = " if node.name and not unit.block else ""
    return f"{capital(title(unit))} gives {name}{value}{', and ' if keeps else ''}{keeps}."


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


def _tape_seed(story: Story):
    names = listed([node.called for node in story.outputs], NAMED)
    return f"backward() starts at {names}.{'' if story.stepped else f' {SHAPES_ALONE}'}"


def _back(units, unit: Unit):
    """Where a backward would come, and where it would go on."""
    steps = units.steps_of[unit]
    here = f"Then {title(unit)} runs backward"
    if unit.block:
        return f"{here}: {len(steps)} step{'s' if len(steps) > 1 else ''} inside."
    goes = [units.story.nodes[sent.parent].called for sent in steps[0].sent]
    return f"{here}, towards {listed(dict.fromkeys(goes), NAMED)}." if goes else f"{here}, and goes no further."
